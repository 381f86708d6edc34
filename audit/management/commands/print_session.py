"""``manage.py print_session``: one session as a page to print and to file."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from audit.management.prints import written
from audit.printing.session import session_paper, sessions_to_print
from config.commands import HouseCommand


class Command(HouseCommand):
    """Writes a session as HTML that is readable by itself; the same records give the same bytes."""

    help = "Write one session, with all it rests on, as an HTML file to print."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which session, and where to."""
        parser.add_argument("session", type=UUID, metavar="ID")
        parser.add_argument("--output", type=Path, required=True, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it."""
        session = sessions_to_print(pk=options["session"]).first()
        if session is None:
            raise CommandError("there is no such session")
        paper = session_paper(session)
        self.stdout.write(written([paper], title=paper.title, path=options["output"]))
