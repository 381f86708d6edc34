"""``manage.py export_journal``: the journal for hledger or Beancount to check."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.commands import HouseCommand
from ledger.errors import StreamUnknown
from ledger.exports import FORMATS, export_journal


class Command(HouseCommand):
    """Writes the journal as plain text accounts."""

    help = (
        "Write the whole journal in integer minor units with balance assertions, for a second opinion:"
        " check it with `hledger check --strict -f FILE` or `bean-check FILE`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """``--format``, ``--output`` and ``--stream``."""
        parser.add_argument(
            "--format", required=True, choices=sorted(FORMATS), help="whose tool is to read it"
        )
        parser.add_argument("--output", required=True, help="file to write; - for standard output")
        parser.add_argument("--stream", help="only the stream of this name")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it."""
        try:
            export_journal(form=options["format"], output=options["output"], stream=options["stream"])
        except (StreamUnknown, ValueError, OSError) as exc:
            raise CommandError(str(exc)) from exc
