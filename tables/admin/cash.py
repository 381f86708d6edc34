"""Cash that is reported: totals by person and gaming day, the log of transactions, and what is done there."""

from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from tables.admin.acts import ActForm, RowActs
from tables.admin.base import table_filter
from tables.admin.signed import SECOND, SignedForm
from tables.admin.text import NOTHING, amount_text, anchor, entries_address, link, money, part, state
from tables.models import CashTotal, CashTransaction, Casino, Player
from tables.selectors.cash import reports_of, totals_of
from tables.services.cash import cash_report_file, person_tie, transaction_identify
from tables.services.command import Command
from tables.services.people import REASONS, person_erase, staff_erase

NAMED = "A player's reference, or the id of somebody described, from their page."
LATEST = 100  # totals on a person's page


def named(casino: Casino, text: str) -> UUID:
    """The id of a player by their reference, or the id itself; whose it is is the service's to say.

    Raises:
        ValidationError: for what is neither.
    """
    known = Player.objects.filter(casino=casino, reference=text).values_list("pk", flat=True).first()
    if known is not None:
        return known
    try:
        return UUID(text)
    except ValueError:
        raise ValidationError("There is no player of this reference.") from None


class FilingForm(ActForm):
    """Note that a report was filed."""

    operation = "cash.file"
    title = "Note the filing of the report"
    lead = "The journal keeps who filed it, when, and under which number; never a name."
    button = "Filed"

    reference = forms.CharField(max_length=40, help_text="The authority's number: letters, digits, hyphens.")

    def perform(self, command: Command) -> str:
        """Note it."""
        cash_report_file(
            casino_id=self.casino.id,
            report_id=_about(self),
            reference=self.cleaned_data["reference"],
            command=command,
        )
        return "The filing was noted."


class IdentityForm(ActForm):
    """Say whose cash a transaction was."""

    operation = "cash.identify"
    title = "Say whose cash this was"
    lead = "The person's totals of that gaming day follow. It is said once."
    button = "It was theirs"

    player = forms.CharField(max_length=40, help_text=NAMED)

    def clean_player(self) -> UUID:
        """Who it is."""
        return named(self.casino, self.cleaned_data["player"])

    def perform(self, command: Command) -> str:
        """Say it."""
        transaction_identify(
            casino_id=self.casino.id,
            transaction_id=_about(self),
            player_id=self.cleaned_data["player"],
            command=command,
        )
        return "It is known now whose cash this was."


class TieForm(ActForm):
    """Say who a described person is."""

    operation = "person.tie"
    title = "Say who this described person is"
    lead = "The two are one from then on, and their cash is one total."
    button = "They are one"

    same_as = forms.CharField(max_length=40, label="Is the same as", help_text=NAMED)

    def clean_same_as(self) -> UUID:
        """Who it is."""
        return named(self.casino, self.cleaned_data["same_as"])

    def perform(self, command: Command) -> str:
        """Tie them."""
        person_tie(
            casino_id=self.casino.id,
            player_id=_about(self),
            same_as_id=self.cleaned_data["same_as"],
            command=command,
        )
        return "The two are one now."


class ErasureForm(SignedForm):
    """Erase what is known of a player."""

    operation = "person.erase"
    title = "Erase what is known of this person"
    lead = (
        "Names and descriptions are gone for good; the id stays, and so does every entry. Two sign. Before "
        "the years of retention are over it takes a legal request."
    )
    button = "Erase"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Why": ("reason",), **SECOND}

    reason = forms.ChoiceField(
        choices=[("", "Choose a reason"), *((reason, reason.replace("_", " ")) for reason in REASONS)]
    )

    def perform(self, command: Command) -> str:
        """Erase it."""
        person_erase(
            casino_id=self.casino.id,
            player_id=_about(self),
            reason=self.cleaned_data["reason"],
            second=self.second,
            command=command,
        )
        return "What was known of the person was erased."


class StaffErasureForm(ErasureForm):
    """Erase the name of somebody who worked here."""

    lead = (
        "The name is gone for good and so is any access; the badge's number and every entry stay. Two sign."
    )

    def perform(self, command: Command) -> str:
        """Erase it."""
        staff_erase(
            casino_id=self.casino.id,
            staff_id=_about(self),
            reason=self.cleaned_data["reason"],
            second=self.second,
            command=command,
        )
        return "The name was erased."


def _about(form: ActForm) -> UUID:
    assert form.object_id is not None, "the address names what it is about"
    return form.object_id


class ReportFilter(admin.SimpleListFilter):
    """Totals by what has become of their report."""

    title = "report"
    parameter_name = "report"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Where a report may stand."""
        return [("due", "Due"), ("filed", "Filed")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The totals whose report stands so."""
        if self.value() == "due":
            casino = getattr(request.user, "casino_id", None)
            return queryset.filter(id__in=reports_of(casino, open_only=True).values("id"))
        return queryset.filter(~Q(filed_at=None)) if self.value() == "filed" else queryset


@admin.register(CashTotal)
class CashTotalAdmin(RowActs):
    """What one person brought, or took, in cash in a gaming day, and the report on it."""

    of_row = {"file": FilingForm}
    list_display = ("gaming_day", "person", "direction", "total_money", "report", "due_on")
    list_display_links = ("gaming_day",)
    related = ("casino", "person", "filed_by")
    list_filter = (ReportFilter, "direction")
    ordering = ("-gaming_day", "-total")
    search_fields = ("gaming_day", "person__reference", "filing_reference")
    search_help_text = "A gaming day, a player's reference, or the number of a filing"
    fields = (
        *("gaming_day", "who", "direction", "total_money", "report", "due_on"),
        *("filed_money", "filed_at", "filed_by", "filing_reference", "id"),
    )

    def heading(self, row: CashTotal) -> str:
        """Which way, and when."""
        return f"Cash {row.direction} of gaming day {row.gaming_day}"

    def makes_sense(self, word: str, row: CashTotal) -> bool:
        """What is due can be filed."""
        return row.is_due

    @admin.display(description="person")
    def who(self, row: CashTotal) -> SafeString | str:
        """Whose cash."""
        return link(row.person)

    @admin.display(description="total", ordering="total")
    def total_money(self, row: CashTotal) -> SafeString:
        """What it came to."""
        return money(row.total, row.casino.currency)

    @admin.display(description="filed with a total of")
    def filed_money(self, row: CashTotal) -> SafeString:
        """What the filed report said."""
        return money(row.filed_total, row.casino.currency)

    @admin.display(description="report")
    def report(self, row: CashTotal) -> SafeString | str:
        """What has become of the report."""
        return _report(row)


def _report(row: CashTotal) -> SafeString | str:
    if row.is_due:
        return state("bad" if row.filed_at is None else "waiting", f"Due on {row.due_on}")
    return state("done", "Filed") if row.filed_at else NOTHING


@admin.register(CashTransaction)
class CashTransactionAdmin(RowActs):
    """Each cash transaction; those from the house's threshold on are the multiple-transaction log."""

    of_row = {"identify": IdentityForm}
    list_display = ("at", "gaming_day", "person", "direction", "amount_money", "place", "staff", "in_log")
    list_display_links = ("at",)
    related = ("casino", "person", "table", "staff")
    list_filter = ("logged", "direction", table_filter("table"))
    ordering = ("-at",)
    search_fields = ("gaming_day", "person__reference")
    search_help_text = "A gaming day, for example 2026-11-30, or a player's reference"
    fields = (
        *("at", "gaming_day", "who", "direction", "amount_money", "place"),
        *("staff", "in_log", "entry", "id"),
    )

    def heading(self, row: CashTransaction) -> str:
        """Which way, and how much."""
        currency = row.casino.currency
        return f"Cash {row.direction} of {amount_text(row.amount, currency)} {currency}"

    def makes_sense(self, word: str, row: CashTransaction) -> bool:
        """Nobody's cash can be said to be somebody's."""
        return row.person_id is None

    @admin.display(description="person")
    def who(self, row: CashTransaction) -> SafeString | str:
        """Whose cash."""
        return link(row.person, nothing="nobody was named")

    @admin.display(description="amount", ordering="amount")
    def amount_money(self, row: CashTransaction) -> SafeString:
        """How much."""
        return money(row.amount, row.casino.currency)

    @admin.display(description="where")
    def place(self, row: CashTransaction) -> SafeString | str:
        """At which table, or at the cage."""
        return link(row.table, row.table and f"{row.table.code}, seat {row.seat}", nothing="the cage")

    @admin.display(description="multiple-transaction log", ordering="logged")
    def in_log(self, row: CashTransaction) -> str:
        """Whether it reached the threshold of the house's log."""
        return "in the log" if row.logged else NOTHING

    @admin.display(description="journal entry")
    def entry(self, row: CashTransaction) -> SafeString:
        """The entry it is."""
        return anchor(entries_address(row.stream, row.seq, row.seq), f"Entry {row.seq}")


def totals_shown(person: Player) -> SafeString | str:
    """A person's cash by gaming day, latest first, as a table."""
    currency = person.casino.currency
    rows = [
        (row.gaming_day, row.get_direction_display(), amount_text(row.total, currency), _report(row))
        for row in totals_of(person)[:LATEST]
    ]
    return part("cash", rows=rows, currency=currency) if rows else NOTHING
