"""``manage.py master_game``: the master game report of a gaming day."""

import json
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandParser

from audit.management.arguments import add_day_arguments, casino_of
from audit.management.lines import amount, table
from audit.master_game import Line, MasterGame, hold_text, line_of, lines_by, with_papers
from audit.selectors.master_game import master_game
from audit.verify.report import many
from config.commands import HouseCommand
from tables.figures import Papers


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
    parts = (
        *(table(lines, report.currency), _papers(lines, report.currency), _periods(report)),
        *(_adjustments(report), _holds(report), _since_closing(report)),
    )
    return "\n".join([head, *(line for part in parts for line in part)])


def _papers(lines: Iterable[Line], currency: str) -> Iterable[str]:
    """One line for all that have the same: a pit of one table says nothing new."""
    same: dict[Papers, list[str]] = {}
    for line, had in with_papers(lines):
        same.setdefault(had, []).append(line.name)
    for had, names in same.items():
        issued, redeemed, dropped, worth = (
            amount(each, currency)
            for each in (had.markers_issued, had.markers_redeemed, had.markers_dropped, had.promo_worth)
        )
        markers = f"issued {issued}, redeemed there {redeemed}, in the drop {dropped}"
        pieces = many(had.promo_pieces, "promotional piece")
        yield f"{', '.join(names)}: markers {markers}; {pieces} played for {worth}"


def _adjustments(report: MasterGame) -> Iterable[str]:
    above = f"adjustments above {amount(report.profile.adjustments_above, report.currency)}"
    yield f"{many(len(report.adjustments), 'adjustment')}; {above}: {len(report.listed) or 'No Activity'}"
    for each in report.listed:
        why = f"{each.reason}: {each.note}" if each.note else each.reason
        yield f"  {each.kind} {each.stream}/{each.seq}: {amount(each.amount, report.currency)}, {why}"


def _periods(report: MasterGame) -> Iterable[str]:
    for sheet in report.sheets:
        for each in sheet.periods if len(sheet.periods) > 1 else ():
            booked, total, box = (amount(one, report.currency) for one in (each.booked, each.total, each.box))
            found = f"recorded {booked}, counted {total}, B {box}"
            yield f"box {sheet.code}-{each.number} of session {sheet.number}: {found}"


def _holds(report: MasterGame) -> Iterable[str]:
    for each in report.holds:
        standing, why = each.verdict
        held = [hold_text(one.win, one.drop) or "-" for one in (each.window, each.base)]
        yield f"hold of {each.code}: {held[0]}, compared with {held[1]}: {standing.value}{why and f', {why}'}"


def _since_closing(report: MasterGame) -> Iterable[str]:
    for name, figures in report.since_closing.items():
        closed, now = (amount(figures[when], report.currency) for when in ("closed", "now"))
        yield f"since the day was closed: {name} {closed}, now {now}"
