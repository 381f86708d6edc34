"""``manage.py results``: a period's results by table, pit, game, day, month, dealer or shift."""

import csv
import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from audit.exports.select import FORMULA_STARTS
from audit.management.arguments import casino_of, gaming_day
from audit.management.lines import table
from audit.results import GROUPINGS, Results
from audit.selectors.results import results
from config.commands import HouseCommand


class Command(HouseCommand):
    """Prints what gaming days came to; as text, as comma-separated values or as JSON."""

    help = "Print a period's results by table, pit, game, day, month, dealer or shift."

    def add_arguments(self, parser: CommandParser) -> None:
        """By what, which gaming days, and in what form."""
        parser.add_argument("--by", choices=GROUPINGS, default="table")
        parser.add_argument("--from", dest="first", type=gaming_day, required=True, metavar="YYYY-MM-DD")
        parser.add_argument(
            "--to", dest="last", type=gaming_day, metavar="YYYY-MM-DD", help="--from, if left out"
        )
        parser.add_argument("--casino", metavar="CODE", help="may be left out where there is one casino only")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--csv", action="store_true", help="amounts in minor units, a line per row")
        form.add_argument("--json", action="store_true", help="answer one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work the results out and print them."""
        first, last = options["first"], options["last"] or options["first"]
        if last < first:
            raise CommandError("--to comes before --from")
        found = results(casino_of(options["casino"]), by=options["by"], first=first, last=last)
        if options["json"]:
            self.stdout.write(json.dumps(found.to_dict(), indent=2))
        elif options["csv"]:
            self._csv(found)
        else:
            self.stdout.write(page(found))

    def _csv(self, found: Results) -> None:
        """Each line and the total; what is missing, or does not apply, is empty.

        A name that a spreadsheet takes for a formula begins with an apostrophe, as in exports.
        """
        if not found.sheets:
            self.stdout.write("No Activity")
            return
        lines = (*found.lines, found.total)
        rows = [line.to_dict() | {"name": _harmless(line.name)} for line in lines]
        writer = csv.DictWriter(self.stdout, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _harmless(name: str) -> str:
    return f"'{name}" if name.startswith(tuple(FORMULA_STARTS)) else name


def page(found: Results) -> str:
    """The results as text."""
    days = f"{found.first} to {found.last}"
    head = f"{found.casino}, results by {found.by}, gaming days {days}, amounts in {found.currency}"
    if not found.sheets:
        return f"{head}\nNo Activity"
    remarks = []
    if found.waiting:
        remarks.append(f"play not worked out yet of {found.waiting} sessions")
    if found.as_of:
        remarks.append(f"play of open sessions as of {found.as_of.isoformat(timespec='seconds')}")
    return "\n".join([head, *table([*found.lines, found.total], found.currency), *remarks])
