"""``manage.py stiff_sheet``: a gaming day's stiff sheets, to print and to sign."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from audit.management.arguments import add_day_arguments, casino_of
from audit.management.prints import written
from audit.printing.stiff import stiff_papers
from config.commands import HouseCommand
from tables.models import Table


class Command(HouseCommand):
    """Writes a sheet per table and session, and one of their sums; a win that is not known is pending."""

    help = "Write the stiff sheets of a gaming day as an HTML file to print."

    def add_arguments(self, parser: CommandParser) -> None:
        """The day, the casino, the table, and where to."""
        add_day_arguments(parser)
        parser.add_argument("--table", metavar="CODE", help="of one table only")
        parser.add_argument("--output", type=Path, required=True, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write them."""
        casino, day, code = casino_of(options["casino"]), options["gaming_day"], options["table"]
        table = None if code is None else Table.objects.filter(casino=casino, code=code).first()
        if code is not None and table is None:
            raise CommandError(f"the casino {casino.code} has no table {code}")
        title = f"Stiff sheets of {day}"
        self.stdout.write(written(stiff_papers(casino, day, table), title=title, path=options["output"]))
