"""Tokes in the admin site: one that was given, and the box that two people empty."""

import uuid
from collections.abc import Mapping
from typing import Any

from tables.admin.fields import AmountField, ask_for_chips, chips_given, in_currency
from tables.admin.places import offer_seats, seat_field
from tables.admin.signed import SECOND, AtTableForm, SignedForm
from tables.admin.text import amount_text
from tables.models import Casino, Table
from tables.services.command import Command
from tables.services.tokes import toke_collect, toke_give


class TokeForm(AtTableForm):
    """Take a toke."""

    operation = "toke.give"
    word = "toke"
    title = "Take a toke"
    lead = "Chips a player gives the dealers, from the seat into the table's toke box."
    button = "Take it"

    seat = seat_field()
    amount = AmountField()

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)
        offer_seats(self, self.table, casino.currency)

    def act(self, command: Command) -> str:
        """Take it."""
        seat, amount = self.cleaned_data["seat"], self.cleaned_data["amount"]
        toke_give(table_id=self.table.id, seat=seat, amount=amount, command=command)
        given = f"{amount_text(amount, self.casino.currency)} {self.casino.currency}"
        return f"Seat {seat} of table {self.table.code} gave the dealers {given}."

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Open tables."""
        return row.session_id is not None


class TokeBoxForm(SignedForm, AtTableForm):
    """Empty the toke box."""

    operation = "toke.collect"
    word = "empty_toke_box"
    title = "Empty the toke box"
    lead = (
        "Two count what is in it, and the chips leave the table with the dealers. What the books had "
        "otherwise is over or short; the journal keeps both figures."
    )
    button = "Empty it"

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.chips = ask_for_chips(self)

    def headings(self) -> Mapping[str, tuple[str, ...]]:
        """The chips of the house, and who signs."""
        return {"Chips found": self.chips, **SECOND}

    def act(self, command: Command) -> str:
        """Empty it."""
        chips = chips_given(self.cleaned_data)
        done = toke_collect(table_id=self.table.id, chips=chips, second=self.second, command=command).body
        found, off = (amount_text(done[name], self.casino.currency) for name in ("collected", "variance"))
        against = f"{off} against the books" if done["variance"] else "as the books have it"
        return f"{found} {self.casino.currency} were collected at table {self.table.code}, {against}."

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Any table; the box may be emptied when it is closed, too."""
        return True
