"""The pieces of which a session's play is made, and their sums; no database, no Django.

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

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

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
