"""What an entry at a table says of its amounts, held against what it moved; a reversal against its entry.

    seat.take, seat.buy_in   cash into the box and as many chips out of the tray; chips brought along
    toke.collect, promo.collect   what was found leaves its box, brought to the count before
    chips.reject   what the pieces were taken for leaves the tray, if they lay there
    correction.post, toke.give, fill.receive, credit.send   as much as they say, wherever it went; a
                   correction the way it says, to the seat it says or into dispute
    whatever names chips (`audit.chips`)   chips worth what it moved; a colour change as much as it took
    session.open, session.close, dealer.relieve, *.request   a count comes to its total
    marker.issue, marker.redeem   an instrument, and as much in chips or cash for it
    entry.reverse   backwards what the entry moved; chips that are not there any more are in dispute; cash of
                    whoever brought it, and of the day it was brought on

From where to where each kind may move anything at all is `audit.moves`'.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from audit.chips import CARRYING, CHANGE, chips_of
from audit.codes import Found
from audit.facts import Fact, Moved
from tables.engine.places import PROMO_BOX, TOKE_BOX
from tables.figures import count_total

COUNTED = {
    "toke.collect": ("chips", "total"),
    "chips.reject": ("pieces", "value"),
    "session.open": ("opener", "opener_total"),
    "session.close": ("closer", "closer_total"),
    "dealer.relieve": ("count", "total"),
    "fill.request": ("chips", "total"),
    "credit.request": ("chips", "total"),
}
"""The fields of an entry that hold a count by value, and what it comes to."""
TOTALS = {
    "correction.post": "amount",
    "toke.give": "amount",
    "fill.receive": "total",
    "credit.send": "total",
}
"""The field of an entry that says how much it moves altogether."""
REVERSE, CORRECTION = "entry.reverse", "correction.post"
WHOSE, PATRONS = ("player", "gaming_day"), "cash:patrons"
"""What a reversal says of cash that it takes back."""
TRAY, DISPUTED, SEAT, FLOOR, SHORT = "tray", "disputed", "seat:", "floor", "over_short"
LookBack = Callable[[int], Fact | None]
"""Reads an earlier entry of the stream; None when there is none."""


class AmountCheck:
    """Holds what entries say of amounts against their movements.

    Args:
        stream: name of the table's stream.
        report: called with each find.
        look_back: reads the entry a reversal takes back.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], look_back: LookBack) -> None:
        self.stream = stream
        self._report = report
        self._look_back = look_back

    def see(self, fact: Fact) -> None:
        """Judge an entry of one of `SAYING`."""
        if fact.kind in COUNTED:
            self._counted(fact, *COUNTED[fact.kind])
        if fact.kind in DUE:
            due = DUE[fact.kind](fact.payload)
            if fact.moves != tuple(due) and sorted(fact.moves) != sorted(due):
                self._found("amount_differs", fact, {"due": [list(move) for move in due]})
        elif fact.kind == REVERSE:
            self._reversed(fact)
        elif fact.kind in TOTALS and (said := fact.payload.get(TOTALS[fact.kind])) != _moved(fact):
            self._found("amount_differs", fact, {"said": said})
        elif fact.kind in CARRYING:
            self._chips(fact)
        if fact.kind == CORRECTION:
            self._directed(fact)

    def _counted(self, fact: Fact, pieces: str, total: str) -> None:
        """A count by value comes to what the entry says of it; a relief need not count."""
        if fact.payload.keys().isdisjoint((pieces, total)):
            return
        worth = sum(int(value) * number for value, number in fact.payload.get(pieces, {}).items())
        if worth != fact.payload.get(total):
            self._found("amount_differs", fact, {"counted": worth, "said": fact.payload.get(total)})

    def _directed(self, fact: Fact) -> None:
        """A correction goes the way it says; who is not there, or has not got it, is stood in for."""
        seat = fact.payload.get("seat")
        place = DISPUTED if seat is None else f"{SEAT}{seat}"
        ways = {
            "to_seat": {(TRAY, place), (TRAY, DISPUTED), (DISPUTED, FLOOR)},
            "to_tray": {(place, TRAY)} if seat is None else {(place, TRAY), (FLOOR, DISPUTED)},
        }
        direction = fact.payload.get("direction")
        if not {(source, target) for source, target, _ in fact.moves} <= ways.get(str(direction), set()):
            self._found("amount_differs", fact, {"seat": seat, "direction": direction})

    def _chips(self, fact: Fact) -> None:
        """The chips an entry names are worth what it brought the tray; changed ones are worth each other."""
        into = _net(fact.moves, 1)[TRAY]
        if not into and fact.kind != CHANGE:
            return
        chips = chips_of(fact.kind, fact.payload)
        worth = None if chips is None else count_total(chips)
        if worth != into:
            self._found("amount_differs", fact, {"chips_worth": worth, "into_tray": into})

    def _reversed(self, fact: Fact) -> None:
        """A reversal names the entry it takes back, and moves what that moved."""
        said = fact.payload
        seq = said.get("seq")
        made = self._look_back(seq) if isinstance(seq, int) else None
        if made is None or (made.kind, _origin(made)) != (said.get("kind"), said.get("origin")):
            self._found("wrong_reversal", fact, {"takes_back": seq, "said": said.get("kind")})
        elif not is_taken_back(made.moves, fact.moves):
            self._found("wrong_reversal", fact, {"made": [list(move) for move in made.moves]})
        elif not _is_cash_of(made, fact):
            due = {name: made.payload.get(name) for name in WHOSE}
            self._found(
                "wrong_reversal", fact, {"said": {name: said.get(name) for name in WHOSE}, "due": due}
            )

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any]) -> None:
        told = {"kind": fact.kind, "moved": [list(move) for move in fact.moves], **evidence}
        self._report(Found(code, told, stream=self.stream, seq=fact.seq))


def _is_cash_of(made: Fact, back: Fact) -> bool:
    """Whether cash that is taken back is said to be of whoever brought it, and of that day; and no other is.

    Whose it was may have become known since, and of which day it was is told by its moment.
    """
    moved = any(PATRONS in (source, target) for source, target, _ in back.moves)
    said = {name: back.payload[name] for name in WHOSE if name in back.payload}
    if not moved:
        return not said
    known = {name: made.payload[name] for name in WHOSE if made.payload.get(name) is not None}
    return said.keys() == set(WHOSE) and said | known == said


def is_taken_back(made: Iterable[Moved], back: Iterable[Moved]) -> bool:
    """Whether movements are others backwards, `disputed` standing in for whoever has not got the chips.

    A tray or a seat may fall short of what it should give; a seat whose player has left gets nothing.
    """
    due, got = _net(made, -1), _net(back, 1)
    for place in (due.keys() | got.keys()) - {DISPUTED}:
        owed, moved = due[place], got[place]
        short = owed < moved <= 0 and place.startswith((TRAY, SEAT))
        left = owed > 0 and moved == 0 and place.startswith(SEAT)
        if not (moved == owed or short or left):
            return False
    return True


def _moved(fact: Fact) -> int:
    """How much an entry moves altogether, minor units."""
    return sum(move.amount for move in fact.moves)


def _net(moves: Iterable[Moved], way: int) -> Counter[str]:
    """What movements bring each place, minor units; backwards with `way` -1."""
    net: Counter[str] = Counter()
    for source, target, amount in moves:
        net[target] += way * amount
        net[source] -= way * amount
    return net


def _bought(said: Mapping[str, Any]) -> tuple[Moved, ...]:
    """The movements of a buy-in, and of chips that were brought along."""
    return _bought_at(said.get("seat"), said.get("cash"), said.get("chips", 0))


# The same people buy in for the same amounts all day. To a dictionary True would be 1, which no seat is.
@lru_cache(maxsize=4096, typed=True)
def _bought_at(at: Any, cash: Any, chips: Any) -> tuple[Moved, ...]:
    seat = f"{SEAT}{at}"
    due = (Moved("cash:patrons", "cash:drop_box", cash), Moved(TRAY, seat, cash)) if cash else ()
    return (*due, Moved("floor", seat, chips)) if chips else due


def _tokes(said: Mapping[str, Any]) -> list[Moved]:
    """The movements of a toke box that is brought to its count and emptied."""
    variance, total = said.get("variance", 0), said.get("total")
    over = [Moved(SHORT, TOKE_BOX, variance)] if variance > 0 else []
    short = [Moved(TOKE_BOX, SHORT, -variance)] if variance < 0 else []
    return [*over, *short, *([Moved(TOKE_BOX, FLOOR, total)] if total else [])]


def _promos(said: Mapping[str, Any]) -> list[Moved]:
    """The movement of promotional pieces that are cancelled."""
    return [Moved(PROMO_BOX, "promo_cancelled", said["total"])] if said.get("total") else []


def _rejected(said: Mapping[str, Any]) -> list[Moved]:
    """The movement of chips that are none of the house's: of those in a box nothing was booked."""
    return [Moved(TRAY, FLOOR, said["value"])] if said.get("where") != "box" and said.get("value") else []


def _marker_issued(said: Mapping[str, Any]) -> list[Moved]:
    """The movements of a marker: chips for an instrument in the box."""
    seat, amount = f"{SEAT}{said.get('seat')}", said.get("amount", 0)
    return [Moved("markers:patrons", "markers:drop_box", amount), Moved(TRAY, seat, amount)]


def _marker_redeemed(said: Mapping[str, Any]) -> list[Moved]:
    """The movements of a marker that comes out of the box again, for cash or for chips."""
    seat, amount = f"{SEAT}{said.get('seat')}", said.get("amount", 0)
    chips, cash = Moved(seat, TRAY, amount), Moved("cash:patrons", "cash:drop_box", amount)
    back = Moved("markers:drop_box", "markers:patrons", amount)
    return [back, cash if said.get("tender") == "cash" else chips]


DUE: Mapping[str, Callable[[Mapping[str, Any]], Sequence[Moved]]] = {
    "seat.take": _bought,
    "seat.buy_in": _bought,
    "toke.collect": _tokes,
    "promo.collect": _promos,
    "chips.reject": _rejected,
    "marker.issue": _marker_issued,
    "marker.redeem": _marker_redeemed,
}
"""What an entry that says all of it must have moved, by kind."""
SAYING = frozenset({*COUNTED, *DUE, *TOTALS, *CARRYING, REVERSE, CORRECTION})
"""Entries that say something of amounts; those of rounds and of boxes are judged elsewhere."""


def _origin(fact: Fact) -> Any:
    """The kind of what an entry does, or of what a reversal of a reversal goes back to."""
    return fact.payload.get("origin", fact.kind)
