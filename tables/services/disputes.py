"""What is in dispute: how a correction's chips move when the right place does not have them any more.

No correction is refused for lack of chips. What the right place cannot give is posted to `disputed`, the
one account of the table that says how much is in dispute:

    reversal     `disputed` stands in for whoever does not have the chips any more (a player who has left)
    claim        `floor -> disputed`: chips a patron carried off and the house wants back
    debt         `tray -> disputed`: set aside for a patron who is not there any more;
                 `disputed -> floor`: owed beyond what the tray holds

so that a claim never makes the books of the tray differ from the tray. A dispute ends with a correction
that names no seat: chips from `disputed` into the tray, or from the tray into `disputed`.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from config.errors import DomainError
from ledger.models import Entry
from ledger.selectors import balances, movements
from ledger.services import Movement
from tables.engine.places import TRAY, purse_of, seat_place
from tables.models import Round, Seat, Table

FLOOR, DISPUTED = "floor", "disputed"


class Purse:
    """Movements put together one by one against what lies in each place, so that no floor is broken."""

    def __init__(self, lying: Mapping[str, int]) -> None:
        self.lying = dict(lying)
        self.moves: list[Movement] = []

    def move(self, source: str, target: str, amount: int) -> None:
        """Move chips, if any and if anywhere."""
        if amount > 0 and source != target:
            self.moves.append(Movement(source, target, amount))
            self.lying[source] -= amount
            self.lying[target] += amount

    def take(self, source: str, target: str, amount: int) -> int:
        """Move as much as there is; answers what was short."""
        there = min(amount, max(0, self.lying[source]))
        self.move(source, target, there)
        return amount - there

    def claim(self, place: str, amount: int, middle: str = TRAY) -> None:
        """Get chips back for the tray (or the pool); what the seat does not have, patrons carried off."""
        short = amount if place == DISPUTED else self.take(place, middle, amount)
        self.move(FLOOR, DISPUTED, short)

    def pay(self, place: str, amount: int, middle: str = TRAY) -> None:
        """Pay out of the tray (or the pool); what it does not have is owed."""
        self.move(DISPUTED, FLOOR, self.take(middle, place, amount))


def backwards(table: Table, entry: Entry) -> list[Movement]:
    """An entry's movements the other way round, `disputed` standing in for what is not there any more."""
    made = [Movement(m.target.name, m.source.name, m.amount) for m in movements(entry)]
    places = _places_then(table, {name for m in made for name in (m.source, m.target)}, entry.recorded_at)
    purse = Purse(balances(table.stream))
    # What comes in first may be what goes out again: the floors are judged on the entry as a whole.
    for move in sorted(made, key=lambda m: m.target != TRAY):
        source, target = places[move.source], places[move.target]
        if source in (TRAY, *_seats(places)):
            purse.move(DISPUTED, target, purse.take(source, target, move.amount))
        else:
            purse.move(source, target, move.amount)
    return purse.moves


def due_moves(table: Table, kept: Round, owed: Mapping[str, Mapping[int, int]]) -> list[Movement]:
    """What brings each seat from what it got to what it should have got; lost chips first.

    Args:
        owed: for the tray, the pool or the bank, what it owes each seat (negative: the seat owes it).
    """
    seats = {purse_of(seat) for due in owed.values() for seat in due}
    places = _places_then(table, seats, kept.started_at)
    purse = Purse(balances(table.stream))
    for middle, due in owed.items():
        for seat, amount in due.items():
            if amount < 0:
                purse.claim(places[purse_of(seat)], -amount, middle)
        for seat, amount in due.items():
            if amount > 0:
                purse.pay(places[purse_of(seat)], amount, middle)
    return purse.moves


def _places_then(table: Table, names: Iterable[str], moment: datetime) -> dict[str, str]:
    """Each account, or `disputed` for a seat whose player of that moment is not there any more."""
    stays = Seat.objects.filter(table=table, occupied=True, since__lte=moment)
    there = {seat_place(number) for number in stays.values_list("number", flat=True)}
    return {name: DISPUTED if name.startswith("seat:") and name not in there else name for name in names}


def _seats(places: Mapping[str, str]) -> list[str]:
    return [place for place in places.values() if place.startswith("seat:")]


def place_now(table: Table, seat: int | None) -> str:
    """Where a seat's chips lie: before it, or in dispute when nobody sits there (or none is meant).

    Raises:
        DomainError: `seat_unknown` (404).
    """
    if seat is None:
        return DISPUTED
    row = Seat.objects.filter(table=table, number=seat).first()
    if row is None:
        raise DomainError("seat_unknown", f"The table has no seat {seat}.", status=404)
    return seat_place(seat) if row.occupied else DISPUTED
