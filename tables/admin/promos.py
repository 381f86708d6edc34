"""Promotional pieces in the admin site: a stock, pieces for a player, and what a table has taken in."""

import uuid
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.urls import reverse
from django.utils.safestring import SafeString

from tables.admin.acts import ActForm, ActListAdmin
from tables.admin.base import HouseAdmin, table_filter
from tables.admin.fields import SerialsField, ValuesField, in_currency
from tables.admin.signed import SECOND, AtTableForm, SignedForm
from tables.admin.text import NOTHING, amount_text, anchor, entries_address, link, money, status_shown
from tables.models import Casino, PromoPiece, PromoStatus, PromoStock, Staff, Table
from tables.selectors.views import is_card_room
from tables.services.command import Command
from tables.services.permissions import allowed
from tables.services.promos import promo_collect, promo_issue, promo_stock

TONES = {
    PromoStatus.ISSUED: "waiting",
    PromoStatus.STAKED: "running",
    PromoStatus.TAKEN: "waiting",
    PromoStatus.CANCELLED: "off",
}


class StockForm(SignedForm):
    """Take new pieces into the stock."""

    operation = "promo.stock"
    title = "Take pieces into the stock"
    lead = "New promotional pieces, as two have counted them. They are no chips of the house's."
    button = "Take them in"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Pieces": ("pieces",), **SECOND}

    pieces = ValuesField(help_text="A line for each value: the value and how many, as 25.00 40.")

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)

    def perform(self, command: Command) -> str:
        """Take them in."""
        pieces = self.cleaned_data["pieces"]
        promo_stock(casino_id=self.casino.id, pieces=pieces, second=self.second, command=command)
        return f"{sum(pieces.values())} pieces were taken into the stock."


class GiveForm(ActForm):
    """Give a player pieces."""

    operation = "promo.issue"
    title = "Issue promotional pieces"
    lead = "Out of the stock, to this player. A number is issued once, for ever."
    button = "Issue them"

    pieces = SerialsField(
        help_text="A line for each piece: the number on it and its value, as MP-000017 25.00."
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)

    def perform(self, command: Command) -> str:
        """Issue them."""
        assert self.object_id is not None, "the address names the player"
        pieces = self.cleaned_data["pieces"]
        promo_issue(casino_id=self.casino.id, player_id=self.object_id, pieces=pieces, command=command)
        worth = f"{amount_text(sum(pieces.values()), self.casino.currency)} {self.casino.currency}"
        return f"Pieces worth {worth} were issued: {', '.join(sorted(pieces))}."


class CollectForm(SignedForm, AtTableForm):
    """Take played pieces out of a table's promotional box."""

    operation = "promo.collect"
    word = "collect_pieces"
    title = "Collect played pieces"
    lead = "Two take them out of the table's promotional box and cancel them. What is missing stays booked."
    button = "Cancel them"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Found": ("coupons",), **SECOND}

    coupons = forms.MultipleChoiceField(
        label="Pieces",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose what was found."},
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        taken = PromoPiece.objects.filter(table=self.table, status=PromoStatus.TAKEN).order_by("serial")
        field = self.fields["coupons"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [
            (piece.serial, f"{piece.serial}: {amount_text(piece.value, casino.currency)} {casino.currency}")
            for piece in taken
        ]
        if not field.choices:
            field.help_text = "None was taken in at this table."

    def act(self, command: Command) -> str:
        """Cancel them."""
        done = promo_collect(
            table_id=self.table.id,
            coupons=self.cleaned_data["coupons"],
            second=self.second,
            command=command,
        ).body
        worth = f"{amount_text(done['cancelled'], self.casino.currency)} {self.casino.currency}"
        missing = f"; not found: {', '.join(done['missing'])}" if done["missing"] else ""
        return f"Pieces worth {worth} were cancelled{missing}."

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Tables of the house's own games: no piece is played where players play each other."""
        return not is_card_room(row.rules)


@admin.register(PromoStock)
class PromoStockAdmin(HouseAdmin):
    """What lies in the cage of promotional chips and coupons, by value, given to nobody yet."""

    list_display = ("value_money", "pieces", "worth")
    related = ("casino",)
    ordering = ("value",)
    fields = ("value_money", "pieces", "worth")

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """Taking more into it, to those who may."""
        if not allowed(StockForm.operation, person.role, None):
            return []
        return [(reverse("admin:tables_promopiece_stock"), StockForm.title)]

    def heading(self, stock: PromoStock) -> str:
        """What they are worth each."""
        return f"Promotional stock of {amount_text(stock.value, stock.casino.currency)} each"

    @admin.display(description="value", ordering="value")
    def value_money(self, stock: PromoStock) -> SafeString:
        """What each wins with."""
        return money(stock.value, stock.casino.currency)

    @admin.display(description="worth")
    def worth(self, stock: PromoStock) -> SafeString:
        """What they are worth together."""
        return money(stock.value * stock.pieces, stock.casino.currency)


@admin.register(PromoPiece)
class PromoPieceAdmin(ActListAdmin):
    """Promotional chips and coupons, each by its number."""

    act = StockForm
    act_word = "stock"
    list_display = ("serial", "value_money", "standing", "player", "table", "issued_at")
    list_filter = (table_filter("table"), "status")
    related = ("casino", "player", "table", "round__table", "round__session")
    ordering = ("-issued_at", "serial")
    search_fields = ("serial", "player__reference")
    search_help_text = "The number on a piece, or a player's reference"
    fields = (
        *("serial", "value_money", "standing", "holder", "issued_at", "table_link", "round_link", "seat"),
        *("issue_link", "cancelled_link", "id"),
    )

    @admin.display(description="value", ordering="value")
    def value_money(self, piece: PromoPiece) -> SafeString:
        """What it wins with."""
        return money(piece.value, piece.casino.currency)

    @admin.display(description="status", ordering="status")
    def standing(self, piece: PromoPiece) -> SafeString:
        """Where it is."""
        return status_shown(TONES, PromoStatus(piece.status))

    @admin.display(description="player")
    def holder(self, piece: PromoPiece) -> SafeString | str:
        """Whom it was issued to."""
        return link(piece.player)

    @admin.display(description="table")
    def table_link(self, piece: PromoPiece) -> SafeString | str:
        """Where it lies at stake, or was played."""
        return link(piece.table)

    @admin.display(description="round")
    def round_link(self, piece: PromoPiece) -> SafeString | str:
        """The round it lies in, or was played in."""
        return link(piece.round)

    @admin.display(description="issued by")
    def issue_link(self, piece: PromoPiece) -> SafeString:
        """The cage's entry that issued it."""
        seq = piece.issued_seq
        return anchor(entries_address(piece.casino.cage_stream, seq, seq), f"Entry {seq}")

    @admin.display(description="cancelled by")
    def cancelled_link(self, piece: PromoPiece) -> SafeString | str:
        """The table's entry that cancelled it."""
        if piece.cancelled_seq is None or piece.table is None:
            return NOTHING
        seq = piece.cancelled_seq
        return anchor(entries_address(piece.table.stream, seq, seq), f"Entry {seq}")
