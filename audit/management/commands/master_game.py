"""``manage.py master_game``: the master game report of a gaming day."""

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from django.core.management.base import CommandParser

from audit.management.arguments import add_day_arguments, casino_of
from audit.master_game import Line, MasterGame, line_of, lines_by
from audit.selectors.master_game import master_game
from config.commands import HouseCommand
from tables.figures import decimal

HEADINGS = (
    *("", "sessions", "opener", "fills", "credits", "closer", "drop", "variance", "win", "hold %"),
    *("handle", "win is"),
)


class Command(HouseCommand):
    """Prints a gaming day by table, pit and game, with the month and the year to date."""

    help = "Print the master game report of a gaming day."

    def add_arguments(self, parser: CommandParser) -> None:
        """The day, the casino, and ``--json``."""
        add_day_arguments(parser)
        parser.add_argument("--json", action="store_true", help="answer one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work the report out and print it."""
        report = master_game(casino_of(options["casino"]), options["gaming_day"])
        self.stdout.write(json.dumps(report.to_dict(), indent=2) if options["json"] else page(report))


def page(report: MasterGame) -> str:
    """The report as text."""
    head = f"{report.casino}, master game report of {report.gaming_day}, amounts in {report.currency}"
    if not report.sheets:
        return f"{head}\nNo Activity"
    lines = [
        *lines_by(report.sheets, lambda sheet: sheet.code),
        *lines_by(report.sheets, lambda sheet: f"pit {sheet.pit}"),
        *lines_by(report.sheets, lambda sheet: sheet.game),
        line_of("day", report.sheets),
        line_of("month to date", report.month),
        line_of("year to date", report.year),
    ]
    return "\n".join([head, *_table(lines), *_adjustments(report), *_since_closing(report)])


def _table(lines: Iterable[Line]) -> Iterable[str]:
    rows = [HEADINGS, *(_cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _cells(line: Line) -> tuple[str, ...]:
    amounts = (line.opener, line.fills, line.credits, line.closer, line.drop, line.variance, line.win)
    return (
        line.name,
        str(line.sessions),
        *map(_amount, amounts),
        "-" if line.hold is None else decimal(Fraction(line.hold) * 100, 2),
        _amount(line.handle),
        line.win_state.value,
    )


def _adjustments(report: MasterGame) -> Iterable[str]:
    above = f"adjustments above {_amount(report.profile.adjustments_above)}"
    yield f"{len(report.adjustments)} adjustments; {above}: {len(report.listed) or 'No Activity'}"
    for each in report.listed:
        why = f"{each.reason}: {each.note}" if each.note else each.reason
        yield f"  {each.kind} {each.stream}/{each.seq}: {_amount(each.amount)}, {why}"


def _since_closing(report: MasterGame) -> Iterable[str]:
    for name, figures in report.since_closing.items():
        yield f"since the day was closed: {name} {_amount(figures['closed'])}, now {_amount(figures['now'])}"


def _amount(amount: int | None) -> str:
    """Minor units as major ones; what is missing is a dash, never a zero."""
    return "-" if amount is None else decimal(Fraction(amount, 100), 2)
