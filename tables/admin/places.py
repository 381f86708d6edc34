"""Who sits where at a table, to choose from in a form."""

from collections.abc import Callable

from django import forms

from ledger.selectors import balances
from tables.admin.text import amount_text
from tables.engine.places import seat_place
from tables.models import Seat, Table


def seat_field() -> forms.TypedChoiceField:
    """A choice of seats; `offer_seats` fills it."""
    return forms.TypedChoiceField(coerce=int, choices=[])


def offer_seats(
    form: forms.Form,
    table: Table,
    currency: str,
    *,
    suits: Callable[[Seat], bool] = lambda seat: True,
) -> None:
    """Let the form's `seat` be one of the seats that are taken, told with who sits there and their chips."""
    lie = balances(table.stream)
    taken = [
        seat
        for seat in Seat.objects.filter(table=table).select_related("player").order_by("number")
        if seat.occupied and suits(seat)
    ]
    field = form.fields["seat"]
    assert isinstance(field, forms.ChoiceField)
    field.choices = [
        ("", "Choose a seat" if taken else "Nobody sits there"),
        *((seat.number, _told(seat, lie[seat_place(seat.number)], currency)) for seat in taken),
    ]


def _told(seat: Seat, chips: int, currency: str) -> str:
    who = seat.player or "somebody unknown"
    return f"Seat {seat.number}: {who}, {amount_text(chips, currency)} {currency}"
