"""What a session's play came to, piece by piece, from its journal entries alone; no database, no Django.

A piece is one round, or one entry between rounds that changed what the house won or what counts: a
correction, a round voided after it was over, a collection, the reversal of one of them. Pieces are only ever
added: a round that is voided later keeps its piece, and the voiding takes back what it counted for. So sums
over sessions, dealers, shifts or days are plain sums, and the results of all pieces of a session are its R.

    rounds, voided   a round that counts is one round, one that does not is one void
    handle           what was played for against the house; nothing in a card room
    result           R of the piece: what was paid, as `audit.reconcile` tells it from other chips
    theory           what the house could expect before the cards (`tables.engine.odds.theory`); None where
                     it does not bank the game, and of what does not count
    dealer, at       who dealt when the round began; for what is no round, who was on when it was recorded
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

from audit.corrected import Changed
from audit.facts import Fact
from audit.reconcile import Flows
from audit.resettle import Replayed
from tables.engine.odds.theory import Theory
from tables.engine.red_dog import RED_DOG
from tables.figures import applicable_sum, decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A round, or what changed the sums between rounds; amounts in minor units.

    Attributes:
        seq: number of the entry that decided it.
        round: the round it is, or changes.
    """

    seq: int
    at: datetime
    dealer: UUID | None
    round: UUID | None = None
    rounds: int = 0
    voided: int = 0
    handle: int = 0
    result: int = 0
    theory: Theory | None = None


BANKED = (RED_DOG.name,)
"""The games the house banks: it has something to expect of their rounds."""


@dataclass(slots=True, kw_only=True)
class PlaySums:
    """Pieces added up; amounts in minor units, what the house could expect as exact fractions.

    Attributes:
        best: expected under best decisions; None where no game was banked by the house.
        actual: the same under the decisions as they were taken.
    """

    rounds: int = 0
    voided: int = 0
    handle: int = 0
    result: int = 0
    best: Fraction | None = None
    actual: Fraction | None = None

    def add(self, piece: Piece) -> None:
        """One piece more."""
        self.rounds += piece.rounds
        self.voided += piece.voided
        self.handle += piece.handle
        self.result += piece.result
        if piece.theory is not None:
            self.expect(piece.theory)

    def expect(self, theory: Theory) -> None:
        """What the house could expect of a round more, or of many of one number of packs."""
        self.best = (self.best or 0) + theory.best_win
        self.actual = (self.actual or 0) + theory.actual_win

    @classmethod
    def of_game(cls, game: str) -> "PlaySums":
        """Nothing yet: expecting nothing where the house banks, and where it does not, nothing to expect."""
        start = Fraction() if game in BANKED else None
        return cls(best=start, actual=start)

    @classmethod
    def together(cls, parts: Iterable["PlaySums"]) -> "PlaySums":
        """Several sums as one; what does not apply to any of them does not apply to it."""
        found = list(parts)
        return cls(
            rounds=sum(each.rounds for each in found),
            voided=sum(each.voided for each in found),
            handle=sum(each.handle for each in found),
            result=sum(each.result for each in found),
            best=applicable_sum(each.best for each in found),
            actual=applicable_sum(each.actual for each in found),
        )


def theory_dict(best: Fraction | None, actual: Fraction | None) -> dict[str, str | None]:
    """What the house could expect as JSON values, minor units: decimals, and exact fractions beside them."""
    named = {"theoretical_win": actual, "theoretical_best_win": best}
    decimals = {name: None if value is None else decimal(value, 2) for name, value in named.items()}
    exact = {f"{name}_exact": None if value is None else str(value) for name, value in named.items()}
    return decimals | exact


class Play:
    """Follows a session's entries and says its pieces.

    Args:
        keep: called with each piece, in the order of the entries that decided them.
    """

    def __init__(self, keep: Callable[[Piece], None]) -> None:
        self.through = 0
        self._keep = keep
        self._flows = Flows()
        self._on: UUID | None = None
        self._of_round = 0  # what the round at hand has brought so far
        self._over: Replayed | None = None
        self._changed: Changed | None = None

    def played(self, replayed: Replayed) -> None:
        """A round was played to its end (or left unfinished, which is no piece) by the entry at hand."""
        if replayed.ended_at is not None:
            self._over = replayed

    def changed(self, changed: Changed) -> None:
        """The entry at hand changed what an earlier round counts for."""
        self._changed = changed

    def see(self, fact: Fact) -> None:
        """The next entry, after what it made of a round was told."""
        before = self._flows.rounds_result
        self._flows.add(fact)
        won = self._flows.rounds_result - before
        self._dealing(fact)
        piece = Piece(seq=fact.seq, at=fact.recorded_at, dealer=self._on, result=won)
        if self._over is not None:
            self._keep(self._round(self._over, fact.seq, won))
            self._over, self._of_round = None, 0
        elif self._changed is not None:
            self._keep(_change(piece, self._changed))
            self._changed = None
        elif fact.kind.startswith("round."):
            self._of_round += won
        elif won:
            self._keep(piece)
        self.through = fact.seq

    def _dealing(self, fact: Fact) -> None:
        if "ended" in fact.payload:
            self._on = None
        if "stint" in fact.payload:
            self._on = _person(fact.payload.get("dealer"))

    def _round(self, over: Replayed, seq: int, won: int) -> Piece:
        counts = over.status == "complete"
        return Piece(
            seq=seq,
            at=over.started_at,
            dealer=over.dealer,
            round=over.id,
            rounds=int(counts),
            voided=int(not counts),
            handle=over.handle,
            result=self._of_round + won,
            theory=over.theory,
        )


def _person(named: Any) -> UUID | None:
    """Whom a payload names, None where that cannot be read (which the re-settlement tells)."""
    try:
        return UUID(named)
    except (ValueError, TypeError, AttributeError):
        return None


def _change(piece: Piece, changed: Changed) -> Piece:
    return replace(
        piece,
        round=changed.id,
        rounds=-int(changed.voided),
        voided=int(changed.voided),
        handle=changed.handle,
        theory=changed.theory,
    )
