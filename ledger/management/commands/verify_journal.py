"""``manage.py verify_journal``: is the journal what it says it is?"""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.commands import FOUND, HouseCommand
from ledger.checkpoints.keys import read_verifier
from ledger.checkpoints.publish import notes_in
from ledger.errors import SealerKeyBad, StreamUnknown
from ledger.verify_checkpoint import Judged, verify_checkpoint
from ledger.verify_journal import Report, verify_journal


class Command(HouseCommand):
    """Verifies the journal; exit code 0 when nothing was found, 1 on a finding, 2 on a failure."""

    help = (
        "Re-derive every hash, link, number, balance, floor, account and reversal of the journal from the"
        " values read back; with --checkpoint, also that every sealed entry is the one that was signed."
        " Findings go to standard output; progress to standard error, where that is a terminal."
        " Exit code 1 means a finding, 2 that it could not be verified."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """``--stream`` or ``--checkpoint`` with ``--key``, and ``--json``."""
        parser.add_argument("--stream", help="verify only the stream of this name")
        parser.add_argument(
            "--checkpoint",
            action="extend",
            nargs="+",
            default=[],
            type=Path,
            metavar="FILE",
            help="a signed checkpoint kept elsewhere, or a folder of them: more of them name places better",
        )
        parser.add_argument(
            "--key",
            action="extend",
            nargs="+",
            default=[],
            type=Path,
            metavar="FILE",
            help="a public key of the log (.pub), from whoever you trust with it; one per key it ever had",
        )
        parser.add_argument("--json", action="store_true", help="answer one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, print, and exit with 1 if anything was found."""
        if bool(options["checkpoint"]) != bool(options["key"]) or (options["stream"] and options["key"]):
            raise CommandError("--checkpoint needs --key and the whole journal, and the other way round")
        progress = self._progress if self.stderr.isatty() else None
        try:
            notes = [note for path in options["checkpoint"] for note in notes_in(path)]
            keys = [read_verifier(path) for path in options["key"]]
            report = verify_journal(stream=options["stream"], progress=progress)
        except (StreamUnknown, SealerKeyBad, OSError, ValueError) as exc:
            raise CommandError(str(exc)) from exc
        judged = None
        if keys:
            judged = verify_checkpoint(notes=notes, keys=keys, report=report, progress=progress)
        if options["json"]:
            said = {"checkpoint": judged.to_dict()} if judged else {}
            self.stdout.write(json.dumps(report.to_dict() | said, indent=2))
        else:
            self._print(report, judged)
        if not report.ok:
            sys.exit(FOUND)

    def _progress(self, stream: str, done: int, total: int) -> None:
        self.stderr.write(f"{stream}: {done} of {total} entries")

    def _print(self, report: Report, judged: Judged | None) -> None:
        for finding in report.findings:
            place = f"{finding.stream or 'journal'} {finding.seq if finding.seq is not None else '-'}"
            self.stdout.write(f"{finding.type}  {place}  {finding.detail}")
        if report.finding_count > len(report.findings):
            self.stdout.write(f"... and {report.finding_count - len(report.findings)} more")
        if judged is not None:
            tail = judged.tail
            self.stdout.write(
                f"checkpoint of {judged.checkpoint.size if judged.checkpoint else 0} entries;"
                f" {judged.entries} sealed entries hashed again; not under it: {tail.entries}"
                + (f", since {tail.since:%Y-%m-%d %H:%M:%S} UTC, {tail.age} ago" if tail.since else "")
            )
        self.stdout.write(
            f"{len(report.streams)} streams, {report.entries} entries, {report.movements} movements: "
            + ("verified" if report.ok else f"{report.finding_count} findings")
        )
