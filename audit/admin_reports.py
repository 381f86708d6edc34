"""Reports as pages of the admin site, to be read and printed."""

from collections.abc import Iterable
from datetime import date
from fractions import Fraction

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.template.response import TemplateResponse

from audit.master_game import Line, line_of, lines_by
from audit.selectors.master_game import master_game
from tables.admin.base import house_of, viewer
from tables.admin.text import NOTHING, money, percent, words
from tables.services.permissions import allowed


def master_game_page(
    site: admin.AdminSite, opts: object, request: HttpRequest, day: date
) -> TemplateResponse:
    """The master game report of a gaming day, for those who may read the audit.

    Raises:
        PermissionDenied: for anybody else.
    """
    if not allowed("audit.read", viewer(request).role, None):
        raise PermissionDenied
    report = master_game(house_of(request), day)
    sheets, currency = report.sheets, report.currency
    to_date = [line_of("day", sheets), line_of("month", report.month), line_of("year", report.year)]
    parts = (
        ("By table", lines_by(sheets, lambda sheet: sheet.code)),
        ("By pit", lines_by(sheets, lambda sheet: sheet.pit)),
        ("By game", lines_by(sheets, lambda sheet: words(sheet.game))),
        ("To date", to_date),
    )
    context = {
        **site.each_context(request),
        "title": f"Master game report of {day}",
        "opts": opts,
        "report": report,
        "parts": [(caption, list(_cells(lines, currency))) for caption, lines in parts],
        "threshold": money(report.profile.adjustments_above, currency),
        "adjustments": [(each, money(each.amount, currency)) for each in report.listed],
        "since_closing": [
            (name, money(was["closed"], currency), money(was["now"], currency))
            for name, was in report.since_closing.items()
        ],
    }
    return TemplateResponse(request, "admin/floor/master_game.html", context)


def _cells(lines: Iterable[Line], currency: str) -> Iterable[tuple[object, ...]]:
    """Each line as a page shows it; what is missing is a dash, never a zero."""
    for line in lines:
        amounts = (line.opener, line.fills, line.credits, line.closer, line.drop, line.variance, line.win)
        yield (
            line.name,
            line.sessions,
            *(money(amount, currency) for amount in amounts),
            NOTHING if line.hold is None else percent(Fraction(line.hold)),
            money(line.handle, currency),
            line.win_state.value,
        )
