"""``manage.py print_round``: one round as a page to print and to file."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from audit.management.prints import written
from audit.printing.round import round_paper, rounds_to_print
from config.commands import HouseCommand


class Command(HouseCommand):
    """Writes a round as HTML that is readable by itself; the same records give the same bytes."""

    help = "Write one round, with all it rests on, as an HTML file to print."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which round, and where to."""
        parser.add_argument("round", type=UUID, metavar="ID")
        parser.add_argument("--output", type=Path, required=True, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it."""
        played = rounds_to_print(pk=options["round"]).first()
        if played is None:
            raise CommandError("there is no such round")
        paper = round_paper(played)
        self.stdout.write(written([paper], title=paper.title, path=options["output"]))
