"""Who deals at a table, and T between each two counts of its tray, as the session's figures run on.

What `audit.stints` judges each night, from sums that are kept anyway.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact
from audit.reconcile import Flows
from audit.stints import COUNTED
from tables.figures import reconcile

START = "round.start"


class Counted(NamedTuple):
    """The tray as it was counted, minor units, and the session's sums by then."""

    seq: int
    total: int
    fills: int
    credits: int
    rounds_result: int
    other_tray_moves: int
    money_won: int


def is_of_dealers(kind: str, fields: Collection[str]) -> bool:
    """Whether an entry of a kind that says these fields may be about who deals, or a count of the tray."""
    return kind in COUNTED or kind == START or "ended" in fields or "stint" in fields


@dataclass(slots=True)
class DealerCheck:
    """Follows the dealers and the counts of one session.

    Args:
        stream: name of the table's stream.
        session: its id.
        report: called with each find.
    """

    stream: str
    session: UUID
    report: Callable[[Found], None]
    _stint: str | None = None
    _dealer: str | None = None
    _last: Counted | None = None
    _before_closing: Counted | None = None
    _closing: Found | None = None  # what the closer finds, unless the closing is cancelled
    _between: int = 0  # counts between opener and closer

    def see(self, fact: Fact, flows: Flows) -> None:
        """Judge the next entry that may be about dealers (`is_of_dealers`).

        Args:
            flows: of the session, this entry's among them.
        """
        said = fact.payload
        if said.get("ended") == self._stint:
            self._stint = self._dealer = None
        if "stint" in said:
            self._stint, self._dealer = said["stint"], said["dealer"]
        if fact.kind == START and said.get("dealer") != self._dealer:
            evidence = {"recorded": said.get("dealer"), "on": self._dealer}
            self.report(Found("dealer_differs", evidence, self.stream, fact.seq, self.session))
        total = said.get(COUNTED.get(fact.kind, ""))
        if total is not None:
            self._count(fact, total, flows)

    def go_on(self) -> None:
        """The closing was cancelled: its count did not count."""
        self._last, self._closing = self._before_closing, None

    def finish(self) -> None:
        """No closing is cancelled any more."""
        if self._closing is not None:
            self.report(self._closing)
        self._closing = None

    def _count(self, fact: Fact, total: int, flows: Flows) -> None:
        now = Counted(
            fact.seq,
            total,
            flows.fills,
            flows.credits,
            flows.rounds_result,
            flows.other_tray_moves,
            flows.money_won,
        )
        is_closer = fact.kind == "session.close"
        found = None
        if self._last is not None and (self._between or not is_closer):
            found = self._differs(self._last, now)
        if is_closer:
            self._closing = found
        elif found is not None:
            self.report(found)
        self._before_closing, self._last = self._last, now
        self._between += fact.kind == "dealer.relieve"

    def _differs(self, last: Counted, now: Counted) -> Found | None:
        """T of what lies between two counts; where it is the whole session's, that tells."""
        tray = reconcile(
            opener=last.total,
            fills=now.fills - last.fills,
            credits=now.credits - last.credits,
            closer=now.total,
            rounds_result=now.rounds_result - last.rounds_result,
            other_tray_moves=now.other_tray_moves - last.other_tray_moves,
            drop=None,
            insertions=0,
            money_won=now.money_won - last.money_won,
        ).tray
        if not tray:
            return None
        evidence = {"T": tray, "counted": [last.total, now.total]}
        about = f"from {last.seq}"
        return Found("tray_difference", evidence, self.stream, now.seq, self.session, about=about)
