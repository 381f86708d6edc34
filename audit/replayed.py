"""A round as its journal entries make it; no database, no Django."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from audit.corrected import theory_in
from audit.facts import Fact
from audit.reading import Known
from tables.engine.odds import theoretical_win
from tables.engine.odds.theory import Theory
from tables.engine.red_dog import State
from tables.engine.registry import AnyGame
from tables.engine.shoe import Shoe


class Beginning(NamedTuple):
    """How rounds of one rule set and engine begin, and what is known of that game's actions."""

    rules: UUID
    game: AnyGame
    state: Any
    known: Known


@dataclass(slots=True)
class Replayed:
    """A round as its journal entries make it; amounts in minor units.

    `named` is the id as text; `given_cards` is what the house could expect to win once two cards lay, given
    the wagers as posted and all unseen cards (`lay` is the shoe then, or `before` the shoe before the first
    of its cards, which came one after the other); `turned` tells that some bettor's own card was turned,
    where each has one; `on_trust` counts the cards a hand showed that no commitment proves to have been dealt
    to it; `won` is what the house won, of a round that was judged as a whole.
    """

    id: UUID
    named: str
    session: UUID
    shoe: UUID
    rules: UUID
    number: int
    players: dict[str, Any]
    dealer: UUID
    first_seq: int
    started_at: datetime
    game: AnyGame
    state: Any
    last_seq: int = 0
    ended_at: datetime | None = None
    turned: bool = False
    on_trust: int = 0
    cards_out: int = 0
    lay: Shoe | None = None
    before: Shoe | None = None
    won: int | None = None

    @classmethod
    def begun(cls, fact: Fact, round_id: UUID, beginning: Beginning) -> "Replayed":
        """A round as the entry that begins it has it, before its actions."""
        said: Mapping[str, Any] = fact.payload
        return cls(
            round_id,
            str(round_id),
            id_named(said["session"]),
            id_named(said["shoe"]),
            beginning.rules,
            said["number"],
            said["players"],
            id_named(said["dealer"]) if "dealer" in said else fact.actor,
            fact.seq,
            fact.recorded_at,
            beginning.game,
            beginning.state,
        )

    @property
    def encoded(self) -> dict[str, Any]:
        """The state as JSON."""
        return self.game.encode_state(self.state)

    @property
    def status(self) -> str:
        """The round's standing in the words its row uses."""
        if not self.game.is_over(self.state):
            return "in_progress"
        return "cancelled" if self.state.outcome == "void" else "complete"

    @property
    def handle(self) -> int:
        """What was played for against the house, as the game defines it."""
        return self.game.handle(self.state)

    @property
    def given_cards(self) -> Fraction:
        """What the house could expect to win once two cards lay; nothing where they do not decide for all."""
        if not isinstance(self.state, State) or len(self.state.cards) < 2:
            return Fraction()
        lay = self.lay if self.before is None else self.before.see(*self.state.cards[:2])
        return Fraction() if lay is None else theoretical_win(self.state, lay.unseen_ranks())

    @property
    def theory(self) -> Theory | None:
        """What the house could expect before the cards came; None where it does not bank, or it is void."""
        return theory_in(self.state)


# The same sessions, shoes, rule sets and dealers are named by one round after the other.
@lru_cache(maxsize=4096)
def id_named(text: str) -> UUID:
    """An id as an entry names it."""
    return UUID(text)
