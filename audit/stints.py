"""Dealers' stints from a session's journal entries alone, and T between each two counts of the tray.

    T = (closer + credits - opener - fills) - (R through the tray + recorded chip moves that are no wager)

where opener and closer are the tray as it was counted at two moments: the session's own, or a relief's.
A stint between two counts has a T of its own. Where a relief was made without a count, what differs is
the stints' together, and none of them is charged with it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from audit.chips import ChipCheck, Count, chips_checked, counted
from audit.codes import Found
from audit.facts import Fact, until_closed
from audit.reconcile import Flows, gravity
from tables.figures import reconcile
from tables.jurisdiction.profile import Profile

COUNTED = {"session.open": "opener_total", "dealer.relieve": "total", "session.close": "closer_total"}
CHIPS = {"session.open": "opener", "dealer.relieve": "count", "session.close": "closer"}


@dataclass(slots=True)
class StintLine:
    """A dealer at a table; the tray's counts at both ends (minor units) are None where nobody counted."""

    id: str
    dealer: str
    began_seq: int
    began_at: datetime
    began_total: int | None
    ended_seq: int | None = None
    ended_at: datetime | None = None
    ended_total: int | None = None


@dataclass(slots=True)
class TraySpan:
    """The tray between two counts, minor units, and the stints within; `ended_*` None while it lasts."""

    began_seq: int
    began_total: int
    began_chips: Count | None = None
    flows: Flows = field(default_factory=Flows)
    stints: list[StintLine] = field(default_factory=list)
    ended_seq: int | None = None
    ended_total: int | None = None
    ended_chips: Count | None = None

    @property
    def chips(self) -> ChipCheck:
        """T of this span by denomination."""
        return chips_checked(self.began_chips, self.flows.chips, self.flows.by_value, self.ended_chips)

    @property
    def tray(self) -> int:
        """T of this span."""
        assert self.ended_total is not None, "asked of a span that has ended"
        return reconcile(
            opener=self.began_total,
            fills=self.flows.fills,
            credits=self.flows.credits,
            closer=self.ended_total,
            rounds_result=self.flows.rounds_result,
            other_tray_moves=self.flows.other_tray_moves,
            drop=None,
            insertions=0,
            money_won=self.flows.money_won,
        ).tray


@dataclass(slots=True)
class SessionStints:
    """What a session's entries say of its dealers; `strangers` are rounds said to be another's."""

    stints: list[StintLine] = field(default_factory=list)
    spans: list[TraySpan] = field(default_factory=list)
    strangers: list[tuple[Fact, str | None]] = field(default_factory=list)

    @property
    def on(self) -> StintLine | None:
        """Who deals."""
        return self.stints[-1] if self.stints and self.stints[-1].ended_seq is None else None

    def see(self, fact: Fact) -> None:
        """Take the next entry into account."""
        if self.spans and fact.kind != "session.open":
            self.spans[-1].flows.add(fact)
        if fact.kind == "session.reopen":
            self._go_on()
        total = fact.payload.get(COUNTED.get(fact.kind, ""))
        if "ended" in fact.payload and self.on is not None:
            self._end(fact, self.on, total)
        if total is not None:
            self._count(fact, total)
        if "stint" in fact.payload:
            self._begin(fact, total)
        if fact.kind == "round.start":
            self._dealt(fact)

    def _end(self, fact: Fact, stint: StintLine, total: int | None) -> None:
        if stint.id == fact.payload["ended"]:
            stint.ended_seq, stint.ended_at, stint.ended_total = fact.seq, fact.recorded_at, total

    def _count(self, fact: Fact, total: int) -> None:
        chips = counted(fact.payload.get(CHIPS[fact.kind]))
        if self.spans:
            last = self.spans[-1]
            last.ended_seq, last.ended_total, last.ended_chips = fact.seq, total, chips
        if fact.kind != "session.close":
            self.spans.append(TraySpan(fact.seq, total, chips))

    def _begin(self, fact: Fact, total: int | None) -> None:
        said = fact.payload
        stint = StintLine(said["stint"], said["dealer"], fact.seq, fact.recorded_at, total)
        self.stints.append(stint)
        self.spans[-1].stints.append(stint)

    def _go_on(self) -> None:
        """The last count did not count, and its span goes on."""
        last = self.spans[-1]
        for stint in self.stints:
            if stint.ended_seq == last.ended_seq:
                stint.ended_total = None
        last.ended_seq = last.ended_total = last.ended_chips = None

    def _dealt(self, fact: Fact) -> None:
        named, on = fact.payload.get("dealer"), None if self.on is None else self.on.dealer
        if named != on:
            self.strangers.append((fact, on))


def stints_of(session: UUID, during: Iterable[Fact]) -> SessionStints:
    """Follow a session's dealers.

    Args:
        during: the entries from the session's opening one on.

    Raises:
        KeyError, TypeError, IndexError: an entry does not say what it must.
    """
    seen = SessionStints()
    for fact in until_closed(during, str(session)):
        seen.see(fact)
    return seen


def stint_finds(
    seen: SessionStints, stream: str, session: UUID, profile: Profile | None = None
) -> Iterator[Found]:
    """What is wrong with a session's stints; a T that is the whole session's is the session's to tell.

    Args:
        profile: the one in force on the session's gaming day; None where nobody is to be told.
    """
    for span in seen.spans if len(seen.spans) > 1 else ():
        if span.ended_seq is None:
            continue
        about = f"from {span.began_seq}"
        if not span.tray and span.chips.difference:
            differs = {"since": about, "difference": span.chips.difference}
            yield Found("tray_chips_differ", differs, stream, span.ended_seq, session, about=about)
        if not span.tray:
            continue
        evidence: dict[str, Any] = {
            "T": span.tray,
            "counted": [span.began_total, span.ended_total],
            "rounds_result": span.flows.rounds_result,
            "fills": span.flows.fills,
            "credits": span.flows.credits,
            "stints": [stint.id for stint in span.stints],
            "dealers": [stint.dealer for stint in span.stints],
        }
        told = gravity(profile, span.tray)
        yield Found("tray_difference", evidence | told, stream, span.ended_seq, session, about=about)
    for fact, on in seen.strangers:
        evidence = {"recorded": fact.payload.get("dealer"), "on": on}
        yield Found("dealer_differs", evidence, stream, fact.seq, session, UUID(fact.payload["round"]))
