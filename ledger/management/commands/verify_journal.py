"""``manage.py verify_journal``: is the journal what it says it is?"""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ledger.errors import StreamUnknown
from ledger.verify_journal import Report, verify_journal


class Command(BaseCommand):
    """Verifies the journal; exit code 0 when nothing was found, 1 otherwise."""

    help = (
        "Re-derive every hash, link, number, balance, floor, account and reversal of the journal from the"
        " values read back. Findings go to standard output, progress to standard error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """``--stream`` and ``--json``."""
        parser.add_argument("--stream", help="verify only the stream of this name")
        parser.add_argument("--json", action="store_true", help="answer one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, print, and exit with 1 if anything was found."""
        try:
            report = verify_journal(stream=options["stream"], progress=self._progress)
        except StreamUnknown as exc:
            raise CommandError(str(exc)) from exc
        if options["json"]:
            self.stdout.write(json.dumps(report.to_dict(), indent=2))
        else:
            self._print(report)
        if not report.ok:
            sys.exit(1)

    def _progress(self, stream: str, done: int, total: int) -> None:
        self.stderr.write(f"{stream}: {done} of {total} entries")

    def _print(self, report: Report) -> None:
        for finding in report.findings:
            place = f"{finding.stream or 'journal'} {finding.seq if finding.seq is not None else '-'}"
            self.stdout.write(f"{finding.type}  {place}  {finding.detail}")
        if report.finding_count > len(report.findings):
            self.stdout.write(f"... and {report.finding_count - len(report.findings)} more")
        self.stdout.write(
            f"{len(report.streams)} streams, {report.entries} entries, {report.movements} movements: "
            + ("verified" if report.ok else f"{report.finding_count} findings")
        )
