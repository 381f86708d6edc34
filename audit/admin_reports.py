"""Reports as pages of the admin site, to be read and printed."""

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from audit.hold import HoldJudgement
from audit.master_game import DropPeriod, Line, line_of, lines_by, with_papers
from audit.results import GROUPINGS
from audit.selectors.balances import conservation
from audit.selectors.inventory import vault_chips
from audit.selectors.master_game import master_game
from audit.selectors.results import results
from tables.admin.base import house_of, viewer
from tables.admin.text import NOTHING, money, percent, words
from tables.figures import gaming_day
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
        "headings": HEADINGS,
        "parts": [(caption, list(_cells(lines, currency))) for caption, lines in parts],
        "papers": list(_papers((*parts[0][1], *to_date), currency)),
        "threshold": money(report.profile.adjustments_above, currency),
        "adjustments": [(each, money(each.amount, currency)) for each in report.listed],
        "holds": [_hold(each) for each in report.holds],
        "periods": [
            (f"{sheet.code}-{each.number}", f"{sheet.code} / {sheet.number}", *_period(each, currency))
            for sheet in sheets
            for each in sheet.periods
        ],
        "since_closing": [
            (name, money(was["closed"], currency), money(was["now"], currency))
            for name, was in report.since_closing.items()
        ],
    }
    return TemplateResponse(request, "admin/floor/master_game.html", context)


HEADINGS = (
    *("Sessions", "Rounds", "Opener", "Fills", "Credits", "Closer", "Drop", "Variance", "Win", "Hold"),
    *("Handle", "R", "Theoretical", "At best play", "T", "B", "U"),
)
"""What `_cells` shows of a line between its name and how much of its win is known."""


def _cells(lines: Iterable[Line], currency: str) -> Iterable[tuple[object, ...]]:
    """Each line as a page shows it; what is missing is a dash, never a zero."""
    for line in lines:
        amounts = (line.opener, line.fills, line.credits, line.closer, line.drop, line.variance, line.win)
        played = (
            line.handle,
            line.result,
            *(None if each is None else round(each) for each in line.expected),
        )
        checks = (line.tray, line.box, line.unexplained)
        yield (
            line.name,
            line.sessions,
            NOTHING if line.rounds is None else line.rounds,
            *(money(amount, currency) for amount in amounts),
            NOTHING if line.hold is None else percent(Fraction(line.hold)),
            *(money(amount, currency) for amount in (*played, *checks)),
            line.win_state.value,
        )


def _papers(lines: Iterable[Line], currency: str) -> Iterable[tuple[object, ...]]:
    """The markers and promotional pieces of the lines that have any."""
    for line, had in with_papers(lines):
        issued, redeemed, dropped, worth = (
            money(each, currency)
            for each in (had.markers_issued, had.markers_redeemed, had.markers_dropped, had.promo_worth)
        )
        yield line.name, issued, redeemed, dropped, had.promo_pieces, worth


def _period(each: DropPeriod, currency: str) -> tuple[object, ...]:
    amounts = (each.booked, each.total, each.tray, each.box, each.unexplained)
    return tuple(money(amount, currency) for amount in amounts)


def _hold(each: HoldJudgement) -> tuple[str, ...]:
    standing, why = each.verdict
    return (each.code, percent(each.window.hold), percent(each.base.hold), words(standing), why)


class ResultsForm(forms.Form):
    """Which results; the gaming day that runs, where nothing is said."""

    by = forms.ChoiceField(choices=[(name, name.capitalize()) for name in GROUPINGS], initial="table")
    first = forms.DateField(label="Gaming days from", help_text="As 2026-11-30.")
    last = forms.DateField(label="to", help_text="Inclusive.")

    def clean(self) -> dict[str, Any]:
        """Days in their order."""
        said: dict[str, Any] = self.cleaned_data
        if not self.errors and said["last"] < said["first"]:
            self.add_error("last", "It comes before the first day.")
        return said


def results_page(site: admin.AdminSite, opts: object, request: HttpRequest) -> TemplateResponse:
    """A period's results, for those who may read the audit.

    Raises:
        PermissionDenied: for anybody else.
    """
    if not allowed("audit.read", viewer(request).role, None):
        raise PermissionDenied
    casino = house_of(request)
    today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
    usual = {"by": "table", "first": today.isoformat(), "last": today.isoformat()}
    form = ResultsForm({name: request.GET.get(name, value) for name, value in usual.items()})
    found = results(casino, **form.cleaned_data) if form.is_valid() else None
    lines = [] if found is None else [*found.lines, found.total]
    to_date = (("Month to date", today.replace(day=1)), ("Year to date", today.replace(month=1, day=1)))
    context = {
        **site.each_context(request),
        "title": "Results",
        "opts": opts,
        "form": form,
        "found": found,
        "headings": HEADINGS,
        "lines": list(_cells(lines, casino.currency)),
        "to_date": [
            (caption, urlencode({"by": form.data["by"], "first": since, "last": today}))
            for caption, since in to_date
        ],
    }
    return TemplateResponse(request, "admin/floor/results.html", context)


def float_page(site: admin.AdminSite, opts: object, request: HttpRequest) -> TemplateResponse:
    """Where all chips of the house are at this moment, for those who may read the audit.

    Raises:
        PermissionDenied: for anybody else.
    """
    if not allowed("audit.read", viewer(request).role, None):
        raise PermissionDenied
    casino = house_of(request)
    said = conservation(casino).float_dict()
    amounts = [
        (words(name).capitalize(), money(amount, casino.currency))
        for name, amount in said.items()
        if name != "asset"
    ]
    chips = [
        (money(int(value), casino.currency), number, money(int(value) * number, casino.currency))
        for value, number in vault_chips(casino).items()
    ]
    context = {
        **site.each_context(request),
        "title": "Float",
        "opts": opts,
        "amounts": amounts,
        "chips": chips,
    }
    return TemplateResponse(request, "admin/floor/float.html", context)
