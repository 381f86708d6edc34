"""``manage.py rebuild_stream``: derive a stream's head, balances and snapshots from its entries again."""

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.commands import FOUND, HouseCommand
from ledger.errors import LedgerError
from ledger.rebuild import stream_rebuild, wrong_in


class Command(HouseCommand):
    """Rebuilds one stream where it is told why; otherwise says what it would rebuild."""

    help = (
        "Where verify_journal finds that a stream's head, balances or snapshots are not what its entries make"
        " them: derive them again, as the owner, and say so in an entry of the stream. Without --reason only"
        " tell what is wrong; exit code 1 when something is. A stream whose entries are wrong is left alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The stream, and why."""
        parser.add_argument("stream", help="name of the stream, as table:<id>")
        parser.add_argument("--reason", default="", help="why it is rebuilt; it stands in the journal")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and rebuild."""
        stream, reason = options["stream"], options["reason"]
        try:
            if reason:
                rebuilt = stream_rebuild(stream=stream, reason=reason)
                findings, seq = rebuilt.findings, rebuilt.seq
            else:
                findings, seq = wrong_in(stream), None
        except LedgerError as exc:
            found = ", ".join(exc.extra.get("findings", ()))
            raise CommandError(f"{exc}: {found}" if found else str(exc)) from exc
        for finding in findings:
            self.stdout.write(f"{finding.type}  {finding.detail}")
        if seq is not None:
            self.stdout.write(f"rebuilt; entry {seq} of {stream} says what it was")
        elif findings:
            self.stdout.write("nothing was changed: say why it is to be rebuilt, with --reason")
            sys.exit(FOUND)
        else:
            self.stdout.write("nothing is wrong")
