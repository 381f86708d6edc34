"""``manage.py export_journal``: the journal for hledger or Beancount to check."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.commands import HouseCommand, check_output, not_written, progress_bar
from ledger.errors import StreamUnknown
from ledger.exports import FORMATS, STANDARD_OUTPUT, export_journal


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
        output = options["output"]
        if output != STANDARD_OUTPUT:
            check_output(Path(output))
        try:
            with not_written(Path(output)), progress_bar("entries") as progress:
                export_journal(
                    form=options["format"], output=output, stream=options["stream"], progress=progress
                )
        except (StreamUnknown, ValueError) as exc:
            raise CommandError(str(exc)) from exc
