"""Whether the two counts of a drop box are what they say, from the table's entries alone; no database.

Whoever counts first commits to the count (`tables.engine.blind_count`) and nobody knows it; the entry of
the second count opens it. The opening must be the one that was committed to, by whoever did, and whether the
two agreed must be what the entry says of them. Two that differ count once more, and no other two; and a
session's drop is that of its boxes. What was found moves on, and what was booked into the box and was not
found, or the other way round, is over or short.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from audit.chips import added
from audit.codes import Found
from audit.facts import Fact, Moved
from tables.engine.blind_count import count_commitment, same_count
from tables.figures import count_total

FIRST, DIFFERS = "drop.count_first", "drop.count_differs"
BOX, WHOLE = "drop.count", "session.count_drop"
COUNTED = (BOX, WHOLE)
REMOVED = "box.remove"
KINDS = (REMOVED, FIRST, DIFFERS, *COUNTED)
NOBODY = "nobody"
BOOKED = (("cash:drop_box", "cash:boxes"), ("markers:drop_box", "markers:boxes"))
"""From where to where what was put into a box goes with it when it is removed: cash and instruments."""


@dataclass(slots=True)
class _Box:
    """A box between its counts: the commitment to the first (None once it is opened), who made it, and where
    two differed both counts, and who made the second."""

    committed: str | None
    first_by: str
    second_by: str = NOBODY
    differ: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Booked:
    """What was booked as put into a box, minor units."""

    cash: int = 0
    markers: int = 0

    @classmethod
    def of(cls, moves: Iterable[Moved]) -> "Booked":
        """What a removal says by its movements; one that goes backwards books less than nothing."""
        held = dict.fromkeys(BOOKED, 0)
        for source, target, amount in moves:
            if (source, target) in held:
                held[source, target] += amount
            elif (target, source) in held:
                held[target, source] -= amount
        return cls(*held.values())

    def emptied(self, counted: Mapping[str, Mapping[str, int]]) -> list[Moved]:
        """The movements of a box with this in it that was counted: what was found, and what is over or short.

        A marker was booked as an instrument; what else is found of instruments stands for cash. Chips never
        were booked.
        """
        values = {part: count_total(count) for part, count in counted.items()}
        cash = values.get("notes", 0) + values.get("instruments", 0) - self.markers
        return [
            *_either_way("cash:over_short", "cash:boxes", cash - self.cash),
            *_either_way("markers:boxes", "markers:count_room", self.markers),
            *_either_way("cash:boxes", "cash:count_room", cash),
            *_either_way("over_short", "count_room", values.get("chips", 0)),
        ]


@dataclass(slots=True)
class _Drop:
    """What was counted in a session's boxes so far; the total in minor units."""

    total: int = 0
    notes: Mapping[str, int] = field(default_factory=dict)


class BlindCheck:
    """Follows the counts of a table's boxes.

    Args:
        stream: name of the table's stream.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self._stream = stream
        self._report = report
        self._boxes: dict[str, _Box] = {}
        self._drops: dict[str, _Drop] = {}
        self._booked: dict[str, Booked] = {}

    def see(self, fact: Fact) -> None:
        """The next entry of one of `KINDS`."""
        try:
            self._see(fact, fact.payload)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            evidence = {"kind": fact.kind, "error": repr(error)[:200]}
            self._report(Found("entry_unreadable", evidence, self._stream, fact.seq))

    def _see(self, fact: Fact, said: Mapping[str, Any]) -> None:
        name, by = said["box"], str(fact.actor)
        if fact.kind == REMOVED:
            self._booked[name] = Booked.of(fact.moves)
            return
        if fact.kind == FIRST:
            if name in self._boxes and self._boxes[name].first_by != NOBODY:
                self._found(fact, {"committed": "twice"})
            self._boxes[name] = _Box(said["commitment"], by)
            return
        box = self._boxes.setdefault(name, _Box(None, NOBODY))
        if fact.kind == DIFFERS or "first" in said:
            self._opened(fact, said, box, by)
        elif box.differ is None or box.differ != said.get("recounted"):
            self._found(fact, {"differed": box.differ, "recounted": said.get("recounted")})
        elif {by, said.get("second")} != {box.first_by, box.second_by}:
            self._found(fact, {"counters": [box.first_by, box.second_by], "recounted_by": by})
        if fact.kind in COUNTED:
            self._counted(fact, said)

    def _opened(self, fact: Fact, said: Mapping[str, Any], box: _Box, by: str) -> None:
        first = said["first"]
        opened = count_commitment(
            box=said["box"], counted=first["counted"], salt=bytes.fromhex(first["salt"])
        )
        if opened != box.committed:
            self._found(fact, {"committed": box.committed, "opened": opened, "counted": first["counted"]})
        elif first["by"] != box.first_by or by == box.first_by:
            self._found(fact, {"first_by": box.first_by, "said": first["by"], "second_by": by})
        second = said["second_count"] if fact.kind == DIFFERS else said["counted"]
        if same_count(first["counted"], second) == (fact.kind == DIFFERS):
            self._found(fact, {"kind": fact.kind, "first": first["counted"], "second": second})
        box.committed, box.second_by = None, by
        box.differ = {"first": first["counted"], "second": second} if fact.kind == DIFFERS else None

    def _counted(self, fact: Fact, said: Mapping[str, Any]) -> None:
        """A box has its figures; with the last of them its session has."""
        if sum(count_total(part) for part in said["counted"].values()) != said["total"]:
            self._found(fact, {"counted": said["counted"], "total": said["total"]})
        booked = self._booked.get(said["box"])
        due = sorted(fact.moves) if booked is None else sorted(booked.emptied(said["counted"]))
        if sorted(fact.moves) != due:
            self._differs(fact, due)
        drop = self._drops.setdefault(said["session"], _Drop())
        drop.total += said["total"]
        drop.notes = added(drop.notes, said["counted"].get("notes", {}))
        if fact.kind == WHOLE and (drop.total, drop.notes) != (said["drop_total"], added(said["notes"])):
            boxes = {"total": drop.total, "notes": drop.notes}
            self._found(fact, {"boxes": boxes, "drop_total": said["drop_total"], "notes": said["notes"]})

    def _differs(self, fact: Fact, due: list[Moved]) -> None:
        """It moved something else than what was found and booked."""
        moved = [list(move) for move in fact.moves]
        evidence = {"kind": fact.kind, "due": [list(move) for move in due], "moved": moved}
        session = UUID(fact.payload["session"])
        self._report(Found("amount_differs", evidence, self._stream, fact.seq, session, about="box"))

    def _found(self, fact: Fact, evidence: Mapping[str, Any]) -> None:
        about = fact.payload["box"]
        session = UUID(fact.payload["session"])
        self._report(Found("blind_count_differs", evidence, self._stream, fact.seq, session, about=about))


def _either_way(source: str, target: str, amount: int) -> list[Moved]:
    """A movement of so much, backwards where it is negative, none where it is nothing."""
    if amount < 0:
        return [Moved(target, source, -amount)]
    return [Moved(source, target, amount)] if amount else []
