"""What every page of the floor's admin has in common: read-only, one house, few statements."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db import DataError, ProgrammingError, transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.text import capfirst

from ledger.admin import ReadOnlyAdmin
from tables.models import Casino, Staff, Table
from tables.services.permissions import allowed

COUNTED_ROWS = 10_000
# What a filter typed into the address can end in once the statement is built and sent.
UNFIT = (DataError, ProgrammingError, TypeError, ValueError, IndexError, OverflowError)


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # no subscript at run time
    """Counts no further than `COUNTED_ROWS`: the journal is too long to count for a page number.

    What lies deeper is reached by filters, not by leafing.
    """

    @cached_property
    def count(self) -> int:
        """How many rows can be leafed through."""
        rows: Any = self.object_list
        return int(rows.order_by()[:COUNTED_ROWS].count())


class PreparedChangeList(ChangeList):
    """Lets the model's admin fetch what a page of rows needs at once, instead of row by row."""

    def get_results(self, request: HttpRequest) -> None:
        """The rows of this page, prepared.

        Raises:
            IncorrectLookupParameters: for a filter the database has no use for; the list is shown without.
        """
        try:
            with transaction.atomic():
                super().get_results(request)
                rows = list(self.result_list)
        except UNFIT as error:
            if not self.params:
                raise
            raise IncorrectLookupParameters(error) from error
        assert isinstance(self.model_admin, HouseAdmin), "only those make such lists"
        self.model_admin.prepare(request, rows)
        self.result_list = rows
        if not self.query:
            self.full_result_count = self.result_count  # no offer to show all where all is shown


class HouseAdmin(ReadOnlyAdmin):
    """Rows of the viewer's own casino, to look at.

    A person without a casino sees none. Subclasses say where the casino stands (`house`), which rows
    beside it are read with it (`related`), which columns are not even read (`unread`) or read and never
    shown (`secret`), and may fetch in bulk what their columns show (`prepare`, `shown`).
    """

    house = "casino"
    related: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    paginator = CappedPaginator
    list_max_show_all = 0
    actions_on_top = True
    ordering: ClassVar[Any] = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Rows of the viewer's casino only, with what the list and the page of a row name beside it."""
        rows = self.of_house(super().get_queryset(request), viewer(request))
        return (rows.select_related(*self.related) if self.related else rows).defer(*self.unread)

    def of_house(self, rows: QuerySet[Any], person: Staff) -> QuerySet[Any]:
        """Those of `rows` that belong to the person's casino."""
        if person.casino_id is None:
            return rows.none()
        return rows.filter(**{self.house: person.casino_id})

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Nobody filters by what nobody is shown: asking how it begins would spell it out."""
        if lookup.split("__")[0] in {*self.unread, *self.secret}:
            return False
        return super().lookup_allowed(lookup, value, request)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """A list that prepares its page."""
        return PreparedChangeList

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row, prepared like a list of one."""
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            self.prepare(request, [row])
        return row

    def prepare(self, request: HttpRequest, rows: Sequence[Any]) -> None:
        """Fetch what the columns of these rows need beside the rows themselves; by default nothing."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """There is no other history than the journal."""
        raise Http404

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, with the acts its head offers to this person."""
        own = {"title": capfirst(self.opts.verbose_name_plural), "acts": self.list_acts(viewer(request))}
        return super().changelist_view(request, own | (extra_context or {}))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """The page of one row, with the acts it offers to this person."""
        row = context["original"]
        context |= {"title": self.heading(row), "subtitle": None, "acts": self.row_acts(viewer(request), row)}
        return super().render_change_form(request, context, *args, **kwargs)

    def heading(self, row: Any) -> str:
        """What a row's page is called."""
        return f"{capfirst(self.opts.verbose_name)} {row}"

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """(address, label) of what this person may do above the list."""
        return []

    def row_acts(self, person: Staff, row: Any) -> list[tuple[str, str]]:
        """(address, label) of what this person may do to this row."""
        return []


def viewer(request: HttpRequest) -> Staff:
    """The person who looks; the admin site has let them in before."""
    person = request.user
    assert isinstance(person, Staff), "the admin site admits staff only"
    return person


def house_of(request: HttpRequest) -> Casino:
    """The casino of the person who looks.

    Raises:
        Http404: when they have none.
    """
    casino = viewer(request).casino
    if casino is None:
        raise Http404
    return casino


def attach(row: Model, value: Any) -> None:
    """Keep what `prepare` fetched for a row with the row."""
    row.__dict__["_shown"] = value


def shown(row: Model) -> Any:
    """What `prepare` kept with a row."""
    return row.__dict__["_shown"]


def printed(person: Staff, row: Model) -> list[tuple[str, str]]:
    """(address, label) of a round's or a session's page that is made to be printed, for who may see it."""
    kind = {"round": "audit_round_print", "tablesession": "audit_session_print"}[str(row._meta.model_name)]
    may = allowed("audit.read", person.role, None)
    return [(reverse(f"admin:{kind}", args=[row.pk]), "Print")] if may else []


def table_filter(path: str) -> type[admin.SimpleListFilter]:
    """A list filter by table that offers the tables of the viewer's casino.

    Args:
        path: lookup from the listed row to the table.
    """

    class TableFilter(admin.SimpleListFilter):
        title = "table"
        parameter_name = "at"

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            """The casino's tables by code."""
            rows = Table.objects.filter(casino=viewer(request).casino_id).order_by("code")
            return [(code, code) for code in rows.values_list("code", flat=True)]

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            """The rows of the table that was chosen."""
            return queryset.filter(**{f"{path}__code": self.value()}) if self.value() else queryset

    return TableFilter
