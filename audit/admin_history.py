"""Round histories as a page of the admin site: a form that filters, the rows, and what is done with them."""

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.dateformat import format as written
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from audit.codes import CODES
from audit.exports.filters import ANY_ALERT, OUTCOMES, SHIFTS, FilterInvalid, RoundFilter
from audit.exports.named import check_named
from audit.history import Place, history_rows, place_of
from audit.models import ROUND_FORMS, SavedFilter
from config.api.pagination import cursor_after, cursor_values
from config.errors import DomainError
from tables.admin.acts import ActForm
from tables.admin.base import house_of, viewer
from tables.admin.fields import AmountField, in_currency
from tables.admin.text import NOTHING, amount_text, anchor, cards, money, words
from tables.models import Casino
from tables.services.permissions import allowed

ROWS = 50
DAYS, STAKES = ("gaming_day_from", "gaming_day_to"), ("stake_min", "stake_max")
ROUND_FILES = [(form.value, form.label) for form in ROUND_FORMS]
FILTER = (*DAYS, "pit", "table", "session", "shift", "dealer", "player", "seat", "outcome", *STAKES, "alert")


def _code(what: str) -> forms.CharField:
    return forms.CharField(required=False, max_length=40, help_text=what)


class FilterForm(ActForm):
    """An act on rows of the round histories: those that have all that is said."""

    of_a_day: ClassVar[bool] = False  # a gaming day at a time, which is not the form's to say

    gaming_day_from = forms.DateField(required=False, label="Gaming days from", help_text="As 2026-11-30.")
    gaming_day_to = forms.DateField(required=False, label="to", help_text="Inclusive.")
    pit = _code("Its code.")
    table = _code("Its code.")
    session = forms.UUIDField(required=False, help_text="Its id.")
    shift = forms.TypedChoiceField(
        coerce=int, empty_value=None, required=False, choices=[("", "Any"), *((n, n) for n in SHIFTS)]
    )
    dealer = _code("Badge of who began the round.")
    player = forms.UUIDField(required=False, help_text="The id of a player, from their page.")
    seat = forms.IntegerField(required=False, min_value=1, max_value=100)
    outcome = forms.ChoiceField(
        required=False, choices=[("", "Any"), *((code, words(code).capitalize()) for code in OUTCOMES)]
    )
    stake_min = AmountField(required=False, label="Stake at least", help_text="Bet and raise together.")
    stake_max = AmountField(required=False, label="at most")
    alert = forms.ChoiceField(
        required=False,
        label="Finding",
        choices=[("", "Any or none"), (ANY_ALERT, "Any"), *((code, words(code)) for code in sorted(CODES))],
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)
        for name in DAYS if self.of_a_day else ():
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        """A filter that some row can meet, of what the house has."""
        if not self.errors:
            try:
                check_named(RoundFilter.from_dict(self.wanted() | {"casino": str(self.casino.id)}))
            except FilterInvalid as refused:
                self.add_error(refused.extra["field"], refused.detail)
        return self.cleaned_data

    def wanted(self) -> dict[str, Any]:
        """The filter, as `RoundFilter.as_dict` has it, without the casino."""
        said = {name: self.cleaned_data.get(name) for name in FILTER}
        given = {name: value for name, value in said.items() if value not in (None, "")}
        return {name: value if isinstance(value, int) else str(value) for name, value in given.items()}

    def own_fields(self) -> list[forms.BoundField]:
        """What is asked for beside the filter."""
        return [field for field in self.visible_fields() if field.name not in FILTER]

    def show(self, kept: dict[str, Any]) -> None:
        """Begin with a filter that is kept somewhere."""
        for name, value in as_typed(kept, self.casino.currency).items():
            self.initial.setdefault(name, value)


class HistoryForm(FilterForm):
    """Which rows are shown; nothing is done, so it is no command."""

    operation = "audit.read"
    title = "Round histories"
    button = "Show"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["command_id"]


def told(content: dict[str, Any]) -> SafeString:
    """A filter in words."""
    parts = [(name.replace("_", " "), value) for name, value in content.items() if name != "casino"]
    return format_html_join(", ", "{}: {}", parts or [("rows", "all")])


def as_typed(kept: dict[str, Any], currency: str) -> dict[str, Any]:
    """A filter as people type it: amounts in their currency."""
    return {
        name: amount_text(value, currency) if name in STAKES else value
        for name, value in kept.items()
        if name in FILTER
    }


def history_page(
    site: admin.AdminSite,
    opts: object,
    request: HttpRequest,
    ask: type[FilterForm],
    keep: type[FilterForm],
) -> TemplateResponse:
    """The rows of the round histories a query asks for, with what may be done with them.

    Args:
        ask, keep: the acts that export these rows, and keep this filter.

    Raises:
        PermissionDenied: for whoever may not read the audit.
    """
    person, casino = viewer(request), house_of(request)
    if not allowed(HistoryForm.operation, person.role, None):
        raise PermissionDenied
    kept = {
        row.name: as_typed(row.filter, casino.currency) for row in SavedFilter.objects.filter(staff=person)
    }
    form = HistoryForm(casino, None, kept.get(request.GET.get("kept", "")) or request.GET)
    rows, following = _rows(form, request.GET.get("after"))
    given = {name: value for name in FILTER if (value := form[name].data)} if form.is_valid() else {}
    context = {
        **site.each_context(request),
        "title": HistoryForm.title,
        "opts": opts,
        "form": form,
        "kept": sorted(kept),
        "rows": [_cells(row, casino.currency) for row in rows],
        "given": given.items(),
        "following": following and _query(given, following),
        "acts": [
            (
                act(casino, None, initial={"command_id": uuid.uuid4()}, auto_id=f"{name}_%s"),
                reverse(f"admin:{name}"),
            )
            for act, name in ((ask, "audit_exportjob_ask"), (keep, "audit_savedfilter_keep"))
            if form.is_valid() and allowed(act.operation, person.role, None)
        ],
    }
    return TemplateResponse(request, "admin/floor/round_history.html", context)


def _rows(form: HistoryForm, after: str | None) -> tuple[list[dict[str, Any]], str | None]:
    """A page of rows, and the cursor of the next one; none for a form that is not right."""
    if not form.is_valid():
        return [], None
    wanted = RoundFilter.from_dict(form.wanted() | {"casino": str(form.casino.id)})
    scope = ("admin-round-histories", wanted.as_dict)
    try:
        place = Place(*cursor_values(after, scope=scope, length=len(Place._fields))) if after else None
    except DomainError:
        place = None  # an old address leads to the first page
    rows = history_rows(wanted, after=place, most=ROWS + 1)
    if len(rows) <= ROWS:
        return rows, None
    return rows[:ROWS], cursor_after(scope=scope, values=place_of(rows[ROWS - 1]))


def _query(given: dict[str, Any], after: str) -> str:
    query = QueryDict(mutable=True)
    query.update({**given, "after": after})
    return query.urlencode()


def _cells(row: dict[str, Any], currency: str) -> Iterator[object]:
    """A row as the page shows it; what is missing is a dash."""
    address = reverse("admin:tables_round_change", args=[row["round_id"]])
    yield anchor(address, f"{row['table']} / {row['session']} / {row['round']}")
    yield row["gaming_day"]
    yield written(localtime(datetime.fromisoformat(row["started_at"])), "Y-m-d H:i:s")
    yield words(row["game"])
    yield cards((row["cards"] or "").split())
    yield words(row["outcome"] or row["status"])
    yield NOTHING if row["seat"] is None else row["seat"]
    for name in ("bet", "raise", "net"):
        yield money(row[name], currency)
    yield row["dealer"]
