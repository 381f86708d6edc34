"""Slips of fills and credits: their steps, their prints, their numbers; and what trays should hold."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from config.errors import DomainError
from tables.admin.acts import ActForm, ActListAdmin, act_view
from tables.admin.base import attach, house_of, shown, table_filter, viewer
from tables.admin.fields import ask_for_chips, chips_given
from tables.admin.signed import AtTableAdmin
from tables.admin.slip_requests import VoidForm
from tables.admin.text import amount_text, count_table, link, money, part, status_shown
from tables.models import Casino, Slip, SlipKind, SlipStatus, Staff, Table, TablePar, Terminal
from tables.selectors.slips import slip_numbers, tray_needs
from tables.services.par import table_par_set
from tables.services.permissions import allowed
from tables.services.slips import slip_print

TONES = {
    SlipStatus.REQUESTED: "waiting",
    SlipStatus.ISSUED: "waiting",
    SlipStatus.ON_THE_WAY: "running",
    SlipStatus.RECEIVED: "done",
    SlipStatus.RETURNING: "running",
    SlipStatus.REFUSED: "off",
    SlipStatus.VOID: "bad",
}
STEPS = ("requested", "refused", "issued", "counted", "received", "voided", "returned")


class PrintForm(ActForm):
    """Print a slip."""

    operation = "slip.print"
    title = "Print this slip"
    lead = "Each print is an entry in the journal. All but the first say REPRINT, and which one."
    button = "Print"


@admin.register(Slip)
class SlipAdmin(AtTableAdmin):
    """Slips, by their gap-free numbers."""

    at_table = (VoidForm,)
    list_display = ("name", "table", "kind", "series", "standing", "total_money", "issued_at", "received_at")
    related = ("casino", "table")
    list_filter = (table_filter("table"), "kind", "status", "series")
    ordering = ("-issued_at", "-requested_at")
    search_fields = ("=number", "table__code")
    search_help_text = "A slip number or a table's code"
    fields = (
        "name",
        "table_link",
        "standing",
        "reason",
        "occurred_at",
        "requested_count",
        "chip_count",
        "steps",
        "difference_list",
        "prints",
        "id",
    )

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, the print of a slip, and the report on numbers."""
        site = self.admin_site
        return [
            path("numbers/", site.admin_view(self.numbers_view), name="tables_slip_numbers"),
            path("<uuid:object_id>/print/", site.admin_view(self.print_view), name="tables_slip_print"),
            *super().get_urls(),
        ]

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """The report on numbers."""
        return [(reverse("admin:tables_slip_numbers"), "Missing numbers")]

    def row_acts(self, person: Staff, row: Slip) -> list[tuple[str, str]]:
        """Printing a numbered one, and what else fits, to those who may."""
        prints = row.number is not None and allowed(PrintForm.operation, person.role, None)
        printing = [(reverse("admin:tables_slip_print", args=[row.pk]), PrintForm.title)] if prints else []
        return [*super().row_acts(person, row), *printing]

    def heading(self, slip: Slip) -> str:
        """Which slip."""
        return f"{SlipKind(slip.kind).name.capitalize()} slip {slip.label or 'without a number'}"

    def prepare(self, request: HttpRequest, rows: Sequence[Any]) -> None:
        """Everybody who signed, and their terminals, in two statements."""
        people = Staff.objects.in_bulk(_named(rows, ("by_id", "with_id")) | {r.runner_id for r in rows})
        places = Terminal.objects.in_bulk(_named(rows, ("terminal_id",)))
        for row in rows:
            attach(row, (people, places))

    @admin.display(description="slip", ordering="number")
    def name(self, slip: Slip) -> str:
        """Its label; what has no number says so."""
        return slip.label or "no number"

    @admin.display(description="status", ordering="status")
    def standing(self, slip: Slip) -> SafeString:
        """How far it has come."""
        return status_shown(TONES, SlipStatus(slip.status))

    @admin.display(description="chips", ordering="total")
    def total_money(self, slip: Slip) -> SafeString:
        """The value of the chips, once there are any."""
        return money(slip.total, slip.casino.currency)

    @admin.display(description="requested")
    def requested_count(self, slip: Slip) -> SafeString | str:
        """What was asked for."""
        return "by hand" if slip.manual else count_table(slip.requested_chips, slip.casino.currency)

    @admin.display(description="chips")
    def chip_count(self, slip: Slip) -> SafeString | str:
        """The chips by denomination."""
        return count_table(slip.chips, slip.casino.currency)

    @admin.display(description="table")
    def table_link(self, slip: Slip) -> SafeString | str:
        """The table."""
        return link(slip.table)

    @admin.display(description="steps")
    def steps(self, slip: Slip) -> SafeString:
        """Who did what when, and who signed with them."""
        return part("slip_steps", rows=list(_steps(slip)))

    @admin.display(description="differences")
    def difference_list(self, slip: Slip) -> SafeString | str:
        """What was counted when it was not what the slip says."""
        rows = [
            (found.at, found.staff, count_table(found.chips, slip.casino.currency))
            for found in slip.differences.select_related("staff").order_by("at")
        ]
        return part("slip_differences", rows=rows) if rows else "none"

    def print_view(self, request: HttpRequest, object_id: uuid.UUID) -> HttpResponse:
        """Ask first; then the print, which is an act."""
        if request.method != "POST":
            page: HttpResponse = act_view(self, PrintForm)(request, object_id)
            return page
        person, casino = viewer(request), house_of(request)
        if not allowed(PrintForm.operation, person.role, None):
            raise PermissionDenied
        slip = self.get_object(request, str(object_id))
        form = PrintForm(casino, object_id, request.POST)
        if slip is None or not form.is_valid():
            raise Http404
        try:
            answer = slip_print(casino_id=casino.id, slip_id=slip.id, command=form.command(person))
        except DomainError as refused:
            messages.error(request, refused.detail or refused.code)
            return HttpResponseRedirect(reverse("admin:tables_slip_change", args=[slip.pk]))
        context = {
            "slip": slip,
            "kind": SlipKind(slip.kind).label,
            "reprint": answer.body["reprint"],
            "count": count_table(slip.chips, slip.casino.currency),
            "steps": part("slip_steps", rows=list(_steps(slip))),
            "standing": SlipStatus(slip.status).label,
            "printed_by": person,
        }
        return TemplateResponse(request, "admin/floor/slip.html", context)

    def numbers_view(self, request: HttpRequest) -> HttpResponse:
        """Which numbers of each series were used, and which are missing."""
        context = {
            **self.admin_site.each_context(request),
            "title": "Slip numbers",
            "opts": self.opts,
            "rows": slip_numbers(house_of(request).id),
        }
        return TemplateResponse(request, "admin/floor/slip_numbers.html", context)


def _named(rows: Sequence[Slip], what: Sequence[str]) -> set[Any]:
    """The ids all steps of these slips name."""
    fields = [f"{step}_{each}" for step in STEPS for each in what]
    return {getattr(row, field, None) for row in rows for field in fields} - {None}


def _steps(slip: Slip) -> Iterator[tuple[str, Any, Any, Any, Any]]:
    """(step, when, by whom, with whom, where) of each step that was done."""
    people, places = shown(slip)
    runner_signs = "issued" if slip.kind == SlipKind.FILL else "counted"
    for step in STEPS:
        at = getattr(slip, f"{step}_at")
        if at is None:
            continue
        signed = [people.get(getattr(slip, f"{step}_with_id", None))]
        signed += [people.get(slip.runner_id)] if step == runner_signs else []
        where = places.get(getattr(slip, f"{step}_terminal_id"))
        by = people.get(getattr(slip, f"{step}_by_id"))
        yield step, at, by, ", ".join(str(person) for person in signed if person), where


class ParForm(ActForm):
    """Set a table's par: a field per chip of the house."""

    operation = "office.par"
    title = "Set a par"
    lead = "How many of each chip a tray should hold. It replaces the par the table has."
    button = "Set"

    table = forms.ModelChoiceField(Table.objects.none(), empty_label="Choose a table")

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        choice = self.fields["table"]
        assert isinstance(choice, forms.ModelChoiceField)
        choice.queryset = Table.objects.filter(casino=casino).order_by("code")
        ask_for_chips(self)

    def perform(self, command: Any) -> str:
        """Set it."""
        table = self.cleaned_data["table"]
        chips = chips_given(self.cleaned_data)
        table_par_set(casino_id=self.casino.id, table_id=table.id, chips=chips, command=command)
        return f"The par of table {table} was set."


@admin.register(TablePar)
class TableParAdmin(ActListAdmin):
    """Pars, and what a fill would need to bring."""

    act = ParForm
    act_word = "set"
    house = "table__casino"
    list_display = ("table", "par_money", "set_at", "set_by")
    related = ("table__casino", "set_by")
    ordering = ("table__code",)
    fields = ("table", "needs", "set_at", "set_by")

    @admin.display(description="par")
    def par_money(self, par: TablePar) -> SafeString:
        """The value of the par."""
        total = sum(int(value) * number for value, number in par.chips.items())
        return money(total, par.table.casino.currency)

    @admin.display(description="chips")
    def needs(self, par: TablePar) -> SafeString:
        """Par, stock and need by denomination."""
        currency = par.table.casino.currency
        rows = [(amount_text(each.value, currency), each) for each in tray_needs(par.table)]
        return part("tray_needs", rows=rows, currency=currency)
