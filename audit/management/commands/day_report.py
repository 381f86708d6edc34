"""``manage.py day_report``: a gaming day on one page."""

import json
from typing import Any

from django.core.management.base import CommandParser

from audit.management.arguments import add_day_arguments, casino_of
from audit.management.lines import aligned, amount, percent
from audit.report import DayReport, Line, day_report
from config.commands import FOUND, HouseCommand

HEADINGS = (
    *("table", "rounds", "handle", "drop", "win", "hold %", "theoretical", "at best play", "given cards"),
    *("T", "B", "U"),
    *("entries", "movements", "on trust", "verified", "win is"),
)


class Command(HouseCommand):
    """Prints each table's figures of a gaming day, worked out from the journal."""

    help = "Print a gaming day's figures per table; exit code 1 when something does not verify."

    def add_arguments(self, parser: CommandParser) -> None:
        """The day, the casino, and ``--json``."""
        add_day_arguments(parser)
        parser.add_argument("--json", action="store_true", help="answer one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work the day out and print it."""
        casino = casino_of(options["casino"])
        report = day_report(casino_id=casino.id, gaming_day=options["gaming_day"])
        if options["json"]:
            self.stdout.write(json.dumps(report.to_dict(), indent=2))
        else:
            self.stdout.write(page(report))
        if not report.total.verified:
            raise SystemExit(FOUND)


def page(report: DayReport) -> str:
    """The report as text."""
    head = f"{report.casino}, gaming day {report.gaming_day}, amounts in {report.currency}"
    if not report.lines:
        return f"{head}\nNo Activity"
    rows = [HEADINGS, *(_cells(line, report.currency) for line in (*report.lines, report.total))]
    return "\n".join([head, *aligned(rows), *(f"found: {found.code}" for found in report.finds)])


def _cells(line: Line, currency: str) -> tuple[str, ...]:
    amounts = (line.handle, line.drop, line.win)
    more = (line.play.actual, line.play.best, line.given_cards, line.tray, line.box, line.unexplained)
    return (
        line.code,
        str(line.rounds),
        *(amount(each, currency) for each in amounts),
        percent(line.hold),
        *(amount(each, currency) for each in more),
        str(line.entries),
        str(line.movements),
        str(line.on_trust),
        "yes" if line.verified else "NO",
        line.win_state.value,
    )
