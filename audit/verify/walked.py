"""What follows from the entries of a bundle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from audit.corrected import Changed
from audit.owed import Heard as Owed
from audit.promos import Heard
from audit.transit import Crossed
from audit.verify.chain import StreamWalk
from audit.verify.table import Session, Told
from audit.verify.tree import HASH_BYTES


@dataclass(slots=True)
class Walked:
    """What follows from the entries.

    Attributes:
        leaves: the leaf hash of each entry, those of the cited ones last.
        derived: the manifest's derived half.
        sessions: of each table's stream.
        judges: what each table's stream comes to.
        walks: of each stream.
        cancelled: of each round that was voided after it was over the number of the entry that did it.
        corrected: the last correction of each round that was corrected.
        pieces: what each stream says of promotional pieces.
        slips: what each says of chips that crossed between the cage and its tables.
        owed: what each says of markers.
    """

    walks: Mapping[str, StreamWalk]
    leaves: list[tuple[int, bytearray]] = field(default_factory=list)
    judges: dict[str, Told] = field(default_factory=dict)
    engines: set[tuple[str, int]] = field(default_factory=set)
    derived: dict[str, Any] = field(default_factory=dict)
    cancelled: dict[str, int] = field(default_factory=dict)
    corrected: dict[str, Changed] = field(default_factory=dict)
    pieces: dict[str, Heard] = field(default_factory=dict)
    slips: dict[str, Crossed] = field(default_factory=dict)
    owed: dict[str, Owed] = field(default_factory=dict)

    def add_leaves(self, first: int, hashes: bytes) -> None:
        """Add leaves without a gap, to those before if they go on."""
        if self.leaves and first == self.leaves[-1][0] + len(self.leaves[-1][1]) // HASH_BYTES:
            self.leaves[-1][1].extend(hashes)
        else:
            self.leaves.append((first, bytearray(hashes)))

    def join(self, other: "Walked") -> None:
        """Take what the entries of other streams come to."""
        self.leaves += other.leaves
        self.judges.update(other.judges)
        self.engines.update(other.engines)
        self.cancelled.update(other.cancelled)
        self.corrected.update(other.corrected)
        self.pieces.update(other.pieces)
        self.slips.update(other.slips)
        self.owed.update(other.owed)

    def note(self, changed: Changed) -> None:
        """Remember a round that was corrected, or voided after it was over."""
        if changed.voided:
            self.cancelled[str(changed.id)] = changed.seq
        else:
            self.corrected[str(changed.id)] = changed

    @property
    def sessions(self) -> list[tuple[str, Session]]:
        """Each session with its stream."""
        return [(name, session) for name, judge in self.judges.items() for session in judge.sessions.values()]

    def balances_of(self, stream: str) -> dict[str, int]:
        """What the stream's accounts hold at the end, minor units, none of it zero."""
        return self.walks[stream].balances()
