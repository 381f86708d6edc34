"""What an entry at a table says of its amounts, held against what it moved; a reversal against its entry.

    seat.take, seat.buy_in   cash into the box and as many chips out of the tray; chips brought along
    correction.post, toke.give, fill.receive, credit.send   as much as they say, wherever it went
    entry.reverse   backwards what the entry moved; chips that are not there any more are in dispute

From where to where each kind may move anything at all is `audit.moves`'.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from audit.codes import Found
from audit.facts import Fact, Moved

BOUGHT = ("seat.take", "seat.buy_in")
TOTALS = {
    "correction.post": "amount",
    "toke.give": "amount",
    "fill.receive": "total",
    "credit.send": "total",
}
"""The field of an entry that says how much it moves altogether."""
REVERSE = "entry.reverse"
TRAY, DISPUTED, SEAT = "tray", "disputed", "seat:"
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
        """Judge an entry."""
        if fact.kind in BOUGHT:
            due = _bought(fact.payload)
            if sorted(fact.moves) != sorted(due):
                self._found("amount_differs", fact, {"due": [list(move) for move in due]})
        elif fact.kind in TOTALS:
            said = fact.payload.get(TOTALS[fact.kind])
            if said != sum(move.amount for move in fact.moves):
                self._found("amount_differs", fact, {"said": said})
        elif fact.kind == REVERSE:
            self._reversed(fact)

    def _reversed(self, fact: Fact) -> None:
        """A reversal names the entry it takes back, and moves what that moved."""
        said = fact.payload
        seq = said.get("seq")
        made = self._look_back(seq) if isinstance(seq, int) else None
        if made is None or (made.kind, _origin(made)) != (said.get("kind"), said.get("origin")):
            self._found("wrong_reversal", fact, {"takes_back": seq, "said": said.get("kind")})
        elif not is_taken_back(made.moves, fact.moves):
            self._found("wrong_reversal", fact, {"made": [list(move) for move in made.moves]})

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any]) -> None:
        told = {"kind": fact.kind, "moved": [list(move) for move in fact.moves], **evidence}
        self._report(Found(code, told, stream=self.stream, seq=fact.seq))


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


def _net(moves: Iterable[Moved], way: int) -> Counter[str]:
    """What movements bring each place, minor units; backwards with `way` -1."""
    net: Counter[str] = Counter()
    for source, target, amount in moves:
        net[target] += way * amount
        net[source] -= way * amount
    return net


def _bought(said: Mapping[str, Any]) -> list[Moved]:
    """The movements of a buy-in, and of chips that were brought along."""
    seat, cash, chips = f"{SEAT}{said.get('seat')}", said.get("cash"), said.get("chips", 0)
    due = [Moved("cash:patrons", "cash:drop_box", cash), Moved(TRAY, seat, cash)] if cash else []
    return [*due, Moved("floor", seat, chips)] if chips else due


def _origin(fact: Fact) -> Any:
    """The kind of what an entry does, or of what a reversal of a reversal goes back to."""
    return fact.payload.get("origin", fact.kind)
