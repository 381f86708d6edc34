"""The closed list of what may move the players' chips (seats, wagers, a pool, a bank), the dealers' tokes,
credit instruments, cash, and chips that are elsewhere or in dispute.

Rounds are the engine's to judge, and a corrected or cancelled one is settled again (`audit.resettle`,
`audit.corrected`). Of every other entry this list says from where to where it may move them; whatever is not
listed must not, whatever the entry calls itself. How much it moves is `audit.amounts`'; what else goes in and
out of the tray is `audit.reconcile`'s, and between the table and its cage `audit.transit`'s.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from audit.amounts import SAYING, AmountCheck, LookBack
from audit.blind import BOOKED, COUNTED, REMOVED
from audit.codes import Found
from audit.facts import Fact, Moved
from tables.engine.places import PROMO_BOX, TOKE_BOX

PLAYERS = ("seat:", "wager:", "pool", "bank", "toke", "promo", "money:", "markers:")
"""What the accounts of chips and currency that are not the house's, and of instruments, begin with or are."""
ELSEWHERE = frozenset({"tray", "cage"})
"""The house's accounts whose movements are judged elsewhere."""
CASH_IN = ("cash:patrons", "cash:drop_box")
CASH_BACK = ("cash:boxes", "cash:drop_box")
"""Where a box held less than nothing: a buy-in was taken back after the box it went into was changed."""
EMPTIED = frozenset(
    {
        *(("cash:boxes", "cash:count_room"), ("cash:count_room", "cash:boxes"), ("over_short", "count_room")),
        *(("cash:over_short", "cash:boxes"), ("cash:boxes", "cash:over_short")),
        ("markers:boxes", "markers:count_room"),
    }
)
CLAIMED, OWED = ("floor", "disputed"), ("disputed", "floor")
NAMED, ANY = "the seat named", "any seat"
ROUNDS = "round."
LEAVE = "seat.leave"

MAY_MOVE: Mapping[str, frozenset[tuple[str, str]]] = {
    "seat.take": frozenset({("tray", NAMED), ("floor", NAMED), CASH_IN}),
    "seat.buy_in": frozenset({("tray", NAMED), CASH_IN}),
    LEAVE: frozenset({(NAMED, "floor")}),
    "collection.take": frozenset({(ANY, "tray")}),
    "pool.divide": frozenset({("pool", ANY)}),
    "toke.give": frozenset({(NAMED, TOKE_BOX)}),
    "toke.collect": frozenset({(TOKE_BOX, "floor"), (TOKE_BOX, "over_short"), ("over_short", TOKE_BOX)}),
    "marker.issue": frozenset({("tray", NAMED), ("markers:patrons", "markers:drop_box")}),
    "marker.redeem": frozenset({(NAMED, "tray"), ("markers:drop_box", "markers:patrons"), CASH_IN}),
    REMOVED: frozenset({*BOOKED, CASH_BACK}),
    **dict.fromkeys(COUNTED, EMPTIED),
    "promo.collect": frozenset({(PROMO_BOX, "promo_cancelled")}),
    "correction.post": frozenset({("tray", NAMED), (NAMED, "tray"), CLAIMED, OWED}),
    "entry.reverse": frozenset(
        {
            *(("tray", ANY), (ANY, "tray"), ("disputed", ANY), (ANY, "disputed")),
            *(CLAIMED, OWED, CASH_IN, CASH_IN[::-1]),
        }
    ),
}
"""By kind of entry, from where to where; kinds that are not here move nothing of this."""


class Lying:
    """What lies in each place of a table, minor units, as movements leave it."""

    def __init__(self) -> None:
        self._amounts: defaultdict[str, int] = defaultdict(int)

    def at(self, place: str) -> int:
        """What lies there."""
        return self._amounts.get(place, 0)

    def move(self, moves: Iterable[Moved]) -> None:
        """Let chips move."""
        amounts = self._amounts
        for source, target, amount in moves:
            amounts[source] -= amount
            amounts[target] += amount


class MoveCheck:
    """Follows the players' chips of any table; what a leaving player takes along from an opening on.

    Args:
        stream: name of the table's stream.
        report: called with each find.
        look_back: reads the entry a reversal takes back.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], look_back: LookBack) -> None:
        self.stream = stream
        self._report = report
        self._lying: Lying | None = None
        self._amounts = AmountCheck(stream, report, look_back)

    def see(self, fact: Fact) -> None:
        """Judge the next entry, then let its chips move."""
        kind, moves = fact.kind, fact.moves
        if not kind.startswith(ROUNDS):
            unlisted = _not_listed(kind, _named(fact), moves) if moves else ()
            for number in unlisted:
                self._found(fact, {"move": list(moves[number])}, about=str(number))
            if not unlisted and kind in SAYING:
                self._amounts.see(fact)
        if self._lying is None and kind == "session.open":
            self._lying = Lying()
        if self._lying is None:
            return
        if kind == LEAVE:
            self._takes_all(fact, self._lying)
        elif kind == REMOVED:
            self._box_goes(fact, self._lying)
        if moves:
            self._lying.move(moves)

    def won(self, nets: Mapping[int, int]) -> None:
        """Let the chips of a whole round move: what it brought each seat, minor units, at the tray's cost."""
        if self._lying is not None:
            self._lying.move(Moved("tray", f"seat:{seat}", net) for seat, net in nets.items())

    def _takes_all(self, fact: Fact, lying: Lying) -> None:
        """Whoever leaves takes all the chips of the seat along, and says so."""
        seat = _named(fact)
        lay_there = lying.at(seat)
        taken = sum(move.amount for move in fact.moves if move.source == seat)
        if not taken == fact.payload.get("chips") == lay_there:
            evidence = {"taken": taken, "said": fact.payload.get("chips"), "lay_there": lay_there}
            self._found(fact, evidence)

    def _box_goes(self, fact: Fact, lying: Lying) -> None:
        """A box that is taken off has in it all that was put in; an opening puts an empty one on."""
        due = [Moved(*way, lying.at(way[0])) for way in BOOKED if lying.at(way[0]) > 0]
        due += [Moved(into, out, -lying.at(out)) for out, into in BOOKED if lying.at(out) < 0]
        if sorted(fact.moves) != sorted(due):
            evidence = {"due": [list(move) for move in due], "moved": [list(move) for move in fact.moves]}
            self._found(fact, evidence, code="amount_differs")

    def _found(
        self, fact: Fact, evidence: Mapping[str, Any], about: str = "", code: str = "move_not_listed"
    ) -> None:
        told = {"kind": fact.kind, **evidence}
        self._report(Found(code, told, stream=self.stream, seq=fact.seq, about=about))


# The same people buy in for the same amounts all day.
@lru_cache(maxsize=16_384)
def _not_listed(kind: str, named: str, moves: tuple[Moved, ...]) -> tuple[int, ...]:
    """Which of an entry's movements it may not make; ``named`` is the account of the seat it names."""
    return tuple(number for number, move in enumerate(moves) if not _is_listed(kind, named, move))


def _is_listed(kind: str, named: str, move: Moved) -> bool:
    """Whether an entry may make a movement, where that is not judged elsewhere."""
    ends = move.source, move.target
    if not any(end.startswith(PLAYERS) for end in ends) and not ELSEWHERE.isdisjoint(ends):
        return True
    as_named = tuple(NAMED if end == named else end for end in ends)
    as_any = tuple(ANY if end.startswith("seat:") else end for end in ends)
    return not {as_named, as_any}.isdisjoint(MAY_MOVE.get(kind, ()))


def _named(fact: Fact) -> str:
    """The account of the seat an entry names."""
    return f"seat:{fact.payload.get('seat')}"
