"""Chips between a cage and its tables, slip by slip, from the entries of both ends alone; no database.

    fill     fill.issue, fill.enter at the cage, then fill.receive at the table
    credit   credit.send at the table, then credit.receive at the cage
    void     of what was received: *.void, out again; then *.take_back where the chips came from
    request  fill.request, credit.request at the table: what is issued for it is at most, or just, that

No other entry moves chips over the boundary, each of these once for a slip and as much as the slip says. Each
stream is followed by itself (`TransitCheck`); what takes both ends is judged on what they said
(`slips_astray`): a slip says the same at both, and no chips arrive that had not left.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from audit.codes import Found
from audit.facts import Fact, Moved

CAGE, TABLE = "cage:", "table:"
BOUNDARY = "cage"
"""A table's own account for what crosses; a cage has one for each table, called as its stream."""
LEAVES: Mapping[str, frozenset[str]] = {
    CAGE: frozenset({"fill.issue", "fill.enter", "credit.void"}),
    TABLE: frozenset({"credit.send", "fill.void"}),
}
ARRIVES: Mapping[str, frozenset[str]] = {
    CAGE: frozenset({"credit.receive", "fill.take_back"}),
    TABLE: frozenset({"fill.receive", "credit.take_back"}),
}
"""By the end it happens at, the kinds of entries that move a slip's chips out of it, and into it."""
VOIDS = frozenset({"fill.void", "credit.void"})
"""They move chips only where a slip was received."""
REQUESTS = {"fill.issue": "fill.request", "credit.issue": "credit.request"}
"""By what a cage issues, what its table asked for; a slip that was written by hand nobody asked for here."""
ASKING = frozenset(REQUESTS.values())
SAID = ("slip", "label", "table", "chips", "total")
"""What every entry of a numbered slip says."""


class Crossing(NamedTuple):
    """Chips of a slip that left one end, or arrived there."""

    said: Mapping[str, Any]
    kind: str
    stream: str
    seq: int
    at: datetime
    leaves: bool


class Issued(NamedTuple):
    """A slip a cage issued for what a table asked for; of a fill, whether it says that it is less."""

    said: Mapping[str, Any]
    kind: str
    partial: bool | None
    stream: str
    seq: int
    at: datetime


class Asked(NamedTuple):
    """Chips that a table asked the cage to bring, or to take."""

    kind: str
    table: str
    chips: Mapping[str, int]


@dataclass(slots=True)
class Crossed:
    """What one stream says of slips, whether its entries are at hand from the first on, and until when."""

    whole: bool = True
    until: datetime | None = None
    crossings: list[Crossing] = field(default_factory=list)
    asked: dict[str, Asked] = field(default_factory=dict)
    issued: list[Issued] = field(default_factory=list)


class TransitCheck:
    """Follows what crosses the boundary of one stream, a cage's or a table's.

    Attributes:
        crossed: what it said so far.
        kinds: the entries it has to do with whatever they move.

    Args:
        stream: its name.
        report: called with each find.
        whole: whether its entries are at hand from the first one on.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], *, whole: bool) -> None:
        self.crossed = Crossed(whole)
        self._stream, self._report = stream, report
        self._end = CAGE if stream.startswith(CAGE) else TABLE
        self._due = (LEAVES[self._end] | ARRIVES[self._end]) - VOIDS
        self.kinds = self._due | ASKING | REQUESTS.keys()
        self._kinds: dict[str, set[str]] = {}  # of each slip

    def see(self, fact: Fact) -> None:
        """Take the next entry."""
        self.crossed.until = fact.recorded_at
        if fact.kind in REQUESTS or fact.kind in ASKING:
            self._asks(fact)
        over = _over(self._end, fact.moves) if fact.moves else ()
        if not over and fact.kind not in self._due:
            return
        try:
            self._crosses(fact, over)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._found("entry_unreadable", fact, {"error": repr(error)[:200]})

    def crosses(self, moves: tuple[Moved, ...]) -> bool:
        """Whether any of these movements crosses the boundary."""
        return bool(_over(self._end, moves))

    def _asks(self, fact: Fact) -> None:
        """A table asks for chips, or a cage issues what one asked for."""
        said = fact.payload
        try:
            if fact.kind in ASKING:
                table = self._stream.removeprefix(TABLE)
                self.crossed.asked.setdefault(said["slip"], Asked(fact.kind, table, dict(said["chips"])))
                return
            named = {name: said[name] for name in SAID}
            dict(named["chips"])
        except (KeyError, TypeError, ValueError) as error:
            self._found("entry_unreadable", fact, {"error": repr(error)[:200]})
            return
        issued = Issued(named, fact.kind, said.get("partial"), self._stream, fact.seq, fact.recorded_at)
        self.crossed.issued.append(issued)

    def _crosses(self, fact: Fact, over: tuple[Moved, ...]) -> None:
        leaves, arrives = fact.kind in LEAVES[self._end], fact.kind in ARRIVES[self._end]
        if not (leaves or arrives):
            self._found("movement_without_slip", fact, {"moved": [list(move) for move in over]})
            return
        said = {name: fact.payload[name] for name in SAID}
        inside, boundary = ("vault", TABLE + said["table"]) if self._end == CAGE else ("tray", BOUNDARY)
        source, target = (inside, boundary) if leaves else (boundary, inside)
        if over != (Moved(source, target, said["total"]),):
            evidence = {"said": said, "moved": [list(move) for move in over]}
            self._found("boundary_differs", fact, evidence)
        kinds = self._kinds.setdefault(said["slip"], set())
        if fact.kind in kinds or (self._end == TABLE and self._stream != TABLE + said["table"]):
            self._found("movement_without_slip", fact, {"said": said, "before": sorted(kinds)})
        kinds.add(fact.kind)
        crossing = Crossing(said, fact.kind, self._stream, fact.seq, fact.recorded_at, leaves)
        self.crossed.crossings.append(crossing)

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any]) -> None:
        told = {"kind": fact.kind, **evidence}
        self._report(Found(code, told, stream=self._stream, seq=fact.seq, about="slip"))


def slips_astray(heard: Mapping[str, Crossed]) -> Iterator[Found]:
    """Slips that say one thing at one end and another at the other, and chips that arrived and never left.

    Args:
        heard: by stream, what it said.
    """
    for part in heard.values():
        for issued in part.issued:
            yield from _not_as_asked(issued, heard)
    for crossings in _by_slip(heard.values()):
        first, rest = crossings[0], crossings[1:]
        for other in rest:
            if other.said != first.said:
                evidence = {"said": dict(other.said), "said_elsewhere": dict(first.said)}
                yield _about(other, "slip_differs", evidence)
        for each in _not_left(crossings):
            if _is_known(each, heard):
                yield _about(each, "slip_without_movement", {"said": dict(each.said)})


def _not_as_asked(issued: Issued, heard: Mapping[str, Crossed]) -> Iterator[Found]:
    """A slip that was issued for more of a chip than was asked for, at another table, or for nothing."""
    said = issued.said
    table = heard.get(f"{TABLE}{said['table']}")
    slip = str(said["slip"])
    asked = next((part.asked[slip] for part in heard.values() if slip in part.asked), None)
    if asked is None and not (table and table.whole and table.until and table.until >= issued.at):
        return
    chips: dict[str, int] = dict(said["chips"])
    right = asked is not None and (asked.kind, asked.table) == (REQUESTS[issued.kind], said["table"])
    if asked is not None and issued.kind == "fill.issue":
        right = right and all(number <= asked.chips.get(value, 0) for value, number in chips.items())
        right = right and issued.partial == (chips != asked.chips)
    elif asked is not None:
        right = right and chips == asked.chips
    if not right:
        evidence = {"kind": issued.kind, "said": dict(said), "asked": asked and asked._asdict()}
        yield Found("slip_differs", evidence, issued.stream, issued.seq, about=f"asked:{said['label']}")


def not_seen_to_leave(heard: Mapping[str, Crossed]) -> dict[str, int]:
    """By stream, how many slips' chips arrived there and may have left the other end beyond what is at hand.

    None where there is no cage: nothing is seen of the other end then.
    """
    unseen: Counter[str] = Counter()
    if any(stream.startswith(CAGE) for stream in heard):
        for crossings in _by_slip(heard.values()):
            unseen.update(each.stream for each in _not_left(crossings) if not _is_known(each, heard))
    return dict(unseen)


def _by_slip(heard: Iterable[Crossed]) -> Iterable[list[Crossing]]:
    slips: dict[str, list[Crossing]] = {}
    for part in heard:
        for crossing in part.crossings:
            slips.setdefault(crossing.said["slip"], []).append(crossing)
    return slips.values()


def _not_left(crossings: Iterable[Crossing]) -> list[Crossing]:
    """The arrivals of a slip's chips, in order, beyond those for which they are seen to leave."""
    parts = list(crossings)
    left = sum(each.leaves for each in parts)
    return sorted((each for each in parts if not each.leaves), key=lambda each: each.at)[left:]


def _is_known(arrival: Crossing, heard: Mapping[str, Crossed]) -> bool:
    """Whether all that the other end said before the chips arrived is at hand."""
    ends = [TABLE + arrival.said["table"]]
    if arrival.stream.startswith(TABLE):
        ends = [stream for stream in heard if stream.startswith(CAGE)]
    others = [heard[stream] for stream in ends if stream in heard]
    return bool(others) and all(one.whole and one.until and one.until >= arrival.at for one in others)


def _about(crossing: Crossing, code: str, evidence: Mapping[str, Any]) -> Found:
    label = str(crossing.said["label"])
    return Found(code, {"kind": crossing.kind, **evidence}, crossing.stream, crossing.seq, about=label)


# Slips come one by one, and wagers all day.
@lru_cache(maxsize=16_384)
def _over(end: str, moves: tuple[Moved, ...]) -> tuple[Moved, ...]:
    """Which of an entry's movements cross the boundary of this end."""
    if end == TABLE:
        return tuple(move for move in moves if BOUNDARY in (move.source, move.target))
    return tuple(move for move in moves if move.source.startswith(TABLE) or move.target.startswith(TABLE))
