"""What the last entry of a round says of currency that was bet, held against the table's entries.

A settlement says of each money play whose cash in it is and how much of it counts. Whose: who sits there by
the table's entries. How much: what `tables.jurisdiction.cash` makes of what lay there and of what the round
before brought back. What began before the first entry at hand is not judged. Markers, which are given to who
sits there too, are `audit.markers`'.
"""

from collections.abc import Callable, Mapping
from typing import Any

from audit.codes import Found
from audit.facts import Fact
from audit.markers import FOLLOWED, MarkerCheck
from tables.engine.red_dog.sides import SideState
from tables.jurisdiction.cash import money_counted

SITS_DOWN, LEAVES, OPENING, CASH_IN = ("seat.take", "seat.buy_in"), "seat.leave", "session.open", "cash_in"
SEATED = frozenset({*SITS_DOWN, LEAVES, OPENING, *FOLLOWED})
"""Entries that tell who sits there, or are about markers, which are given to who does."""


class MoneyCheck:
    """Follows who sits at a table, what currency came back to them, and their markers.

    Args:
        stream: name of the table's stream.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self.stream = stream
        self._report = report
        self._sitting: dict[int, str | None] | None = None  # by seat, since an opening
        self._back: dict[int, int] = {}
        self._markers = MarkerCheck(stream, report)

    def follow(self, fact: Fact) -> None:
        """Take the next entry of one of `SEATED`."""
        if fact.kind == OPENING:
            self._sitting, self._back = {}, {}
        elif fact.kind in SITS_DOWN and self._sitting is not None:
            self._sits(self._sitting, fact.payload, fact.kind == "seat.take")
        elif fact.kind == LEAVES and self._sitting is not None:
            self._sitting.pop(fact.payload["seat"], None)
            self._back.pop(fact.payload["seat"], None)
        if fact.kind in FOLLOWED:
            self._markers.see(fact, self._sitting)

    def see(self, fact: Fact, over: Any) -> None:
        """Judge the next entry that ends a round, or names cash in.

        Args:
            over: the state of the round it ends, None where it ends none.
        """
        staked = over.money_staked if isinstance(over, SideState) and over.settled else {}
        self._cash_in(fact, staked)
        if over is not None:
            self._back = {} if over.outcome == "lose" else staked

    def over(self) -> None:
        """A round is over in which no currency was bet: none came back."""
        self._back = {}

    def _sits(self, sitting: dict[int, str | None], said: Mapping[str, Any], comes: bool) -> None:
        """Who sits there; a buy-in may tell it of somebody who was unknown."""
        if comes or said.get("player"):
            sitting[said["seat"]] = said.get("player")

    def _cash_in(self, fact: Fact, staked: Mapping[int, int]) -> None:
        said = fact.payload.get(CASH_IN, {})
        if not staked and not said:
            return
        if self._sitting is None:  # nothing is known of who sits there, nor of the round before
            due = {seat: of for seat, of in said.items() if int(seat) in staked}
        else:
            due = {
                str(seat): {"player": self._sitting.get(seat), "amount": amount}
                for seat, amount in money_counted(staked, self._back).items()
            }
        if said != due:
            evidence = {"kind": fact.kind, "said": said, "due": due}
            self._report(Found("cash_in_differs", evidence, stream=self.stream, seq=fact.seq))
