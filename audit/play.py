"""What a session's play came to, piece by piece (`audit.pieces`), from its journal entries alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

from audit.corrected import Changed
from audit.facts import Fact
from audit.pieces import Piece
from audit.reconcile import won_in
from audit.resettle import Replayed


class Play:
    """Follows a session's entries and says its pieces.

    Args:
        keep: called with each piece, in the order of the entries that decided them.
    """

    def __init__(self, keep: Callable[[Piece], None]) -> None:
        self.through = 0
        self._keep = keep
        self._on: UUID | None = None
        self._of_round = 0  # what the round at hand has brought so far
        self._over: Replayed | None = None
        self._changed: Changed | None = None

    def played(self, replayed: Replayed) -> None:
        """A round was played to its end (or left unfinished, which is no piece) by the entry at hand.

        Of one that was judged as a whole no entry is seen.
        """
        if replayed.won is not None:
            self._keep(self._round(replayed, replayed.last_seq, replayed.won))
            self.through, self._of_round = replayed.last_seq, 0
        elif replayed.ended_at is not None:
            self._over = replayed

    def changed(self, changed: Changed) -> None:
        """The entry at hand changed what an earlier round counts for."""
        self._changed = changed

    def see(self, fact: Fact) -> None:
        """The next entry, after what it made of a round was told."""
        won = won_in(fact)
        self._dealing(fact)
        if self._over is not None:
            self._keep(self._round(self._over, fact.seq, won))
            self._over, self._of_round = None, 0
        elif self._changed is not None:
            self._keep(_change(self._between(fact, won), self._changed))
            self._changed = None
        elif fact.kind.startswith("round."):
            self._of_round += won
        elif won:
            self._keep(self._between(fact, won))
        self.through = fact.seq

    def _between(self, fact: Fact, won: int) -> Piece:
        """A piece that is no round."""
        return Piece(seq=fact.seq, at=fact.recorded_at, dealer=self._on, result=won)

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
