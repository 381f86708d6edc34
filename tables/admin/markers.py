"""Markers in the admin site: what a player may owe, what was issued, and how each was paid."""

import uuid
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from tables.admin.acts import ActForm, RowActs
from tables.admin.base import table_filter
from tables.admin.fields import AmountField, in_currency
from tables.admin.places import offer_seats, seat_field
from tables.admin.signed import SECOND, AtTableAdmin, AtTableForm, SignedForm, house_table
from tables.admin.text import NOTHING, amount_text, anchor, entries_address, link, money, part, state
from tables.jurisdiction.profile import Practice
from tables.models import BoxStatus, Casino, Countersignature, Marker, Player, Seat, Table
from tables.selectors.jurisdiction import profile_now
from tables.services.command import Command
from tables.services.markers import REASONS, credit_limit_set, marker_issue, marker_pay, marker_redeem

TENDERS = {"chips": "Chips of the seat", "cash": "Cash, into the drop box"}
LATEST = 50  # markers on a player's page


class LimitForm(SignedForm):
    """Say how much a player may owe."""

    operation = "cage.credit_limit"
    title = "Set the credit limit"
    lead = "How much this player may owe on markers. What is owed already stays owed; two sign."
    button = "Set it"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Limit": ("limit", "reason"), **SECOND}

    limit = AmountField(required=False, label="Limit", help_text="Empty for nothing more.")
    reason = forms.ChoiceField(
        choices=[("", "Choose a reason"), *((code, code.capitalize()) for code in REASONS)]
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)

    def perform(self, command: Command) -> str:
        """Set it."""
        assert self.object_id is not None, "the address names the player"
        limit = self.cleaned_data["limit"] or 0
        credit_limit_set(
            casino_id=self.casino.id,
            player_id=self.object_id,
            limit=limit,
            reason=self.cleaned_data["reason"],
            second=self.second,
            command=command,
        )
        self.leads_to = reverse("admin:tables_player_change", args=[self.object_id])
        return f"The credit limit is {amount_text(limit, self.casino.currency)} {self.casino.currency} now."


class IssueForm(SignedForm, AtTableForm):
    """Give a player chips against a marker."""

    operation = "marker.issue"
    word = "issue_marker"
    title = "Issue a marker"
    lead = "Chips from the tray against the player's signature; the marker goes into the drop box. Two sign."
    button = "Issue it"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Marker": ("seat", "amount"), **SECOND}

    seat = seat_field()
    amount = AmountField()

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)
        self.fields["seat"].help_text = "Of somebody who has a credit limit."
        offer_seats(self, self.table, casino.currency, suits=_has_credit)

    def act(self, command: Command) -> str:
        """Issue it."""
        data = self.cleaned_data
        made = marker_issue(
            table_id=self.table.id,
            seat=data["seat"],
            amount=data["amount"],
            second=self.second,
            command=command,
        ).body["marker"]
        self.leads_to = reverse("admin:tables_marker_change", args=[made["marker"]])
        amount = f"{amount_text(data['amount'], self.casino.currency)} {self.casino.currency}"
        return f"Marker {made['label']} of {amount} was issued to seat {data['seat']}."

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Open tables of a house that has chosen markers."""
        return row.session_id is not None and profile_now(row.casino).allows(Practice.MARKERS)


def _has_credit(seat: Seat) -> bool:
    return seat.player is not None and bool(seat.player.credit_limit)


class RedeemForm(AtTableForm):
    """Redeem a marker at its table."""

    operation = "marker.redeem"
    word = "redeem"
    title = "Redeem at the table"
    lead = "The whole marker, by the player it is of; it comes out of the drop box."
    button = "Redeem"

    seat = seat_field()
    tender = forms.ChoiceField(
        choices=[("", "Choose what it is paid with"), *TENDERS.items()], label="Paid with"
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.fields["seat"].help_text = "Where the player who owes it sits."
        owes = Marker.objects.values_list("player", flat=True).get(pk=self.subject)
        offer_seats(self, self.table, casino.currency, suits=lambda seat: seat.player_id == owes)

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table it was issued at."""
        return house_table(self.casino, Marker.objects.values_list("table", flat=True).get(pk=subject))

    def act(self, command: Command) -> str:
        """Redeem it."""
        done = marker_redeem(
            table_id=self.table.id,
            seat=self.cleaned_data["seat"],
            marker_id=self.subject,
            tender=self.cleaned_data["tender"],
            command=command,
        ).body
        amount = f"{amount_text(done['redeemed'], self.casino.currency)} {self.casino.currency}"
        return f"The marker of {amount} was redeemed."

    @classmethod
    def fits(cls, row: Marker) -> bool:
        """Outstanding ones whose box is on the table; the cage takes the payment of the others, too."""
        return row.redeemed_seq is None and row.box.status == BoxStatus.ON_TABLE


class PayForm(ActForm):
    """Take the cash for a marker at the cage."""

    operation = "cage.redeem_marker"
    title = "Pay at the cage"
    lead = "The whole marker, in cash, into the cage's drawer. The table's drop keeps it."
    button = "It was paid"

    def perform(self, command: Command) -> str:
        """Take it."""
        assert self.object_id is not None, "the address names the marker"
        done = marker_pay(casino_id=self.casino.id, marker_id=self.object_id, command=command).body
        return f"{amount_text(done['received'], self.casino.currency)} {self.casino.currency} were paid."


class StandingFilter(admin.SimpleListFilter):
    """Markers by whether and where they were paid."""

    title = "status"
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Where a marker may stand."""
        return [("owed", "Outstanding"), ("table", "Redeemed at its table"), ("cage", "Paid at the cage")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The markers that stand so."""
        if self.value() == "owed":
            return queryset.filter(redeemed_seq=None)
        starts = {"table": "table:", "cage": "cage:"}.get(self.value() or "")
        return queryset.filter(redeemed_stream__startswith=starts) if starts else queryset


@admin.register(Marker)
class MarkerAdmin(AtTableAdmin, RowActs):
    """Markers, youngest first: who owes what, and where each lies."""

    at_table = (RedeemForm,)
    of_row = {"pay": PayForm}
    list_display = ("name", "player", "amount_money", "standing", "lies", "issued_at", "redeemed_at")
    related = ("casino", "table", "player", "box__table")
    list_filter = (table_filter("table"), StandingFilter)
    ordering = ("-issued_at", "pk")
    search_fields = ("table__code", "=number", "player__reference")
    search_help_text = "A table's code, a marker's number or a player's reference"
    fields = (
        *("name", "amount_money", "standing", "lies", "debtor", "table_link", "seat", "box_link"),
        *("issued_at", "issue_link", "redeemed_at", "redemption_link", "signatures", "id"),
    )

    def heading(self, marker: Marker) -> str:
        """Which marker."""
        return f"Marker {marker}"

    def makes_sense(self, word: str, row: Marker) -> bool:
        """What is owed can be paid."""
        return row.redeemed_seq is None

    @admin.display(description="marker", ordering="number")
    def name(self, marker: Marker) -> str:
        """What is written on it."""
        return marker.label

    @admin.display(description="amount", ordering="amount")
    def amount_money(self, marker: Marker) -> SafeString:
        """What is owed on it, or was."""
        return money(marker.amount, marker.casino.currency)

    @admin.display(description="status", ordering="redeemed_seq")
    def standing(self, marker: Marker) -> SafeString:
        """Whether it was paid, and where."""
        return standing_of(marker)

    @admin.display(description="lies in")
    def lies(self, marker: Marker) -> str:
        """Where the instrument is."""
        if marker.redeemed_stream.startswith("table:"):
            return "the player has it back"
        return f"box {marker.box.label}, {BoxStatus(marker.box.status).label.lower()}"

    @admin.display(description="player")
    def debtor(self, marker: Marker) -> SafeString | str:
        """Who owes it."""
        return link(marker.player)

    @admin.display(description="table")
    def table_link(self, marker: Marker) -> SafeString | str:
        """Where it was issued."""
        return link(marker.table)

    @admin.display(description="drop box")
    def box_link(self, marker: Marker) -> SafeString | str:
        """The box it went into."""
        return link(marker.box)

    @admin.display(description="issued by")
    def issue_link(self, marker: Marker) -> SafeString:
        """The table's entry that issued it."""
        seq = marker.issued_seq
        return anchor(entries_address(marker.table.stream, seq, seq), f"Entry {seq}")

    @admin.display(description="redeemed by")
    def redemption_link(self, marker: Marker) -> SafeString | str:
        """The entry by which it was paid."""
        seq = marker.redeemed_seq
        if seq is None:
            return NOTHING
        return anchor(entries_address(marker.redeemed_stream, seq, seq), f"Entry {seq}")

    @admin.display(description="signatures")
    def signatures(self, marker: Marker) -> SafeString | str:
        """Who signed its issue."""
        signed = Countersignature.objects.filter(stream=marker.table.stream, seq=marker.issued_seq)
        rows = list(signed.select_related("first", "second"))
        return part("signatures", rows=rows) if rows else NOTHING


def standing_of(marker: Marker) -> SafeString:
    """Whether a marker was paid and where, as words beside their sign."""
    if marker.redeemed_seq is None:
        return state("waiting", "Outstanding")
    return state("done", "Paid at the cage" if marker.redeemed_stream.startswith("cage:") else "Redeemed")


def owed_by(player: Player) -> SafeString | str:
    """What a player may owe and owes, and their latest markers, as a table."""
    if player.credit_limit is None:
        return "no credit limit"
    currency = player.casino.currency
    rows = list(Marker.objects.filter(player=player).select_related("table").order_by("-issued_at"))
    owed = sum(row.amount for row in rows if row.redeemed_seq is None)
    lines = [
        (link(row), row.issued_at, amount_text(row.amount, currency), standing_of(row))
        for row in rows[:LATEST]
    ]
    return part(
        "markers",
        limit=money(player.credit_limit, currency),
        owed=money(owed, currency),
        lines=lines,
        currency=currency,
    )
