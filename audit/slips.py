"""Slips of fills and credits against what the journal moved, from plain values; no database, no Django.

A slip has moved what its steps say: a fill out of the vault when it is issued, into the tray when it is
received; a credit the other way, out of the tray when it is counted. A void brings back what has left,
first over the boundary it came through last.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from audit.codes import Found


class Crossing(NamedTuple):
    """Chips that an entry moves over a boundary between the cage and a table, minor units."""

    stream: str
    seq: int
    source: str
    target: str
    amount: int


@dataclass(frozen=True, slots=True)
class SlipSteps:
    """A slip with the numbers of the entries of its steps, None where it has not come so far."""

    label: str
    kind: str
    cage_stream: str
    table_stream: str
    total: int
    issued: int | None
    counted: int | None
    received: int | None
    voided: int | None
    returned: int | None

    def crossings(self) -> Iterator[Crossing]:
        """What the slip says was moved."""
        out = "vault", self.table_stream
        back = self.table_stream, "vault"
        into, gone = ("cage", "tray"), ("tray", "cage")
        voided = self.voided if self.received is not None else None
        cage, table = self.cage_stream, self.table_stream
        if self.kind == "fill":
            at_cage = [(cage, self.issued, out), (cage, self.returned, back)]
            at_table = [(table, self.received, into), (table, voided, gone)]
        else:
            at_cage = [(cage, self.received, back), (cage, voided, out)]
            at_table = [(table, self.counted, gone), (table, self.returned, into)]
        for stream, seq, (source, target) in (*at_cage, *at_table):
            if seq is not None:
                yield Crossing(stream, seq, source, target, self.total)


def without_movement(slips: Iterable[SlipSteps], moved: Iterable[Crossing]) -> Iterator[Found]:
    """Slips that say chips moved where the journal does not."""
    there = set(moved)
    for slip in slips:
        for said in slip.crossings():
            if said not in there:
                evidence = {"slip": slip.label, **said._asdict()}
                yield Found("slip_without_movement", evidence, stream=said.stream, about=slip.label)


def without_slip(slips: Iterable[SlipSteps], moved: Iterable[Crossing]) -> Iterator[Found]:
    """Entries that moved chips over a boundary, and no slip says they did."""
    said = {crossing for slip in slips for crossing in slip.crossings()}
    for crossing in moved:
        if crossing not in said:
            yield Found("movement_without_slip", crossing._asdict(), crossing.stream, crossing.seq)


def unmatched(due: Iterable[str], found: Iterable[str]) -> Mapping[str, list[str]]:
    """Copies that should lie in a drop box and were not found there, and the other way; empty if none.

    Args:
        due, found: labels of slips.
    """
    should, lay = set(due), set(found)
    if should == lay:
        return {}
    return {"missing": sorted(should - lay), "unknown": sorted(lay - should)}
