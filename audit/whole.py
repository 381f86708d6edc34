"""Whole rounds judged many at a time, one stage after the other.

Most rounds are plain: wagers of chips and open cards, one entry after the other, whose movements and states
are what the game makes of their actions. Of such a round no check of the table has anything to say, and entry
by entry each of them would look for it again. So whole rounds are held back, some hundred at a time: first
the actions of all are read, then all are applied and what came of them is compared, so that each stage finds
its code and its data where it left them. A round of which anything at all is otherwise is left: its entries
are seen one by one (`TableCheck.see`), and whatever there is to say of them is said there.
"""

import marshal
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from audit.called import CALLED
from audit.facts import Fact
from audit.reading import Read, actions_read
from audit.replayed import Beginning, Replayed
from tables.engine.contract import IllegalAction
from tables.engine.red_dog import State

START = "round.start"
GOES_ON = frozenset({"round.bet", "round.deal", "round.announce", "round.raise", "round.settle"})
SAID = frozenset({"round", "actions", "state"})
SAID_FIRST = SAID | {"session", "shoe", "number", "players", "rules", "engine"}
FIRST, LATER = (SAID_FIRST, SAID_FIRST | {"dealer"}), (SAID, SAID | {"openings"})
"""What the entries of a plain round say, and nothing else: no currency, promotional piece, second or note."""
ENTRIES = 50
"""Of a round; one of more is left."""
STARTS_KEPT = 4096
"""First entries; beyond, all are worked out again as they come."""
BeginningOf = Callable[[Mapping[str, Any]], Beginning | None]
NOT_PLAIN = (IllegalAction, KeyError, TypeError, ValueError, AttributeError)


class Started(NamedTuple):
    """What a round's first entry comes to by its actions: the same people bet the same amounts all day."""

    read: list[Read]
    moves: tuple[tuple[str, str, int], ...]
    state: Any
    digest: str


_started: dict[tuple[str, int, str, bytes], Started] = {}


def started_by(beginning: Beginning, actions: list[dict[str, Any]]) -> Started:
    """What actions make of a round that has only begun; raises IllegalAction where it does not allow them."""
    engine, state = beginning.game, beginning.state
    of = engine.name, engine.version, state.rules.text, marshal.dumps(actions, 2)
    started = _started.get(of)
    if started is None:
        read = actions_read(engine, actions, beginning.known)
        state, moves = engine.run(state, [one.action for one in read])
        if len(_started) == STARTS_KEPT:
            _started.clear()
        started = Started(read, tuple([move.plain for move in moves]), state, engine.digest(state))
        _started[of] = started
    return started


class Whole:
    """A round as the entries from its first on make it, of which nothing is known to be otherwise yet.

    Attributes:
        facts: its entries.
        plain: whether it still seems to be plain; what follows is there once it was judged so.
        rules: the rule set it names.
        cards, openings: those that came, in order, and what opens them.
        nets: what each seat gained, minor units.
        replayed: the round.
    """

    __slots__ = (
        *("_beginning", "_started", "_read", "cards", "facts", "nets", "openings"),
        *("plain", "replayed", "rules"),
    )
    rules: str
    nets: dict[int, int]
    replayed: Replayed
    _started: Started

    def __init__(self, first: Fact, beginning: Beginning) -> None:
        self.facts = [first]
        self.plain = True
        self._beginning = beginning
        self.cards: list[str] = []
        self.openings: list[Mapping[str, Any]] = []
        self._read: list[list[Read]] = []

    @classmethod
    def begun(cls, fact: Fact, beginning_of: BeginningOf) -> "Whole | None":
        """The round an entry begins, where it may be a plain one, of a game whose cards all lie open."""
        if fact.kind != START or fact.payload.keys() not in FIRST:
            return None
        beginning = beginning_of(fact.payload)
        return cls(fact, beginning) if beginning and isinstance(beginning.state, State) else None

    def goes_on(self, fact: Fact) -> bool:
        """Whether an entry may be the next of a plain round; it is taken then."""
        if fact.kind not in GOES_ON or fact.payload.keys() not in LATER or len(self.facts) == ENTRIES:
            return False
        self.facts.append(fact)
        return True

    def begin(self) -> bool:
        """Read what its first entry says."""
        first = self.facts[0]
        self._started = started_by(self._beginning, first.payload["actions"])
        self.rules = first.payload["rules"]["id"]
        self.replayed = Replayed.begun(first, UUID(first.payload["round"]), self._beginning)
        return True

    def read(self) -> bool:
        """Whether all its actions can be read, and it is opened what comes, if anything is."""
        named, engine, known = self.replayed.named, self._beginning.game, self._beginning.known
        first = self.facts[0]
        for fact in self.facts:
            actions = fact.payload["actions"]
            read = self._started.read if fact is first else actions_read(engine, actions, known)
            if not actions or len(read) < len(actions) or fact.payload["round"] != named:
                return False
            if actions[0]["type"] not in CALLED[fact.kind]:
                return False
            self._read.append(read)
            cards = [card for one in read if one.acts for card in one.handling.face_up]
            if cards and not self._come(cards, read):
                return False
            openings = fact.payload.get("openings")
            if openings is not None:
                if len(openings) != len(cards):
                    return False
                self.openings += openings
        return True

    def _come(self, cards: Sequence[str], read: Sequence[Read]) -> bool:
        """Whether cards may come in an entry: with no bet, and none beyond the second with that."""
        lay = len(self.cards)
        self.cards += cards
        return True not in [one.stated for one in read] and not lay < 2 < len(self.cards)

    def run(self) -> bool:
        """Whether its actions are allowed, make just these moves and states, and settle it in chips alone."""
        engine, (first, *later), (_, moved, state, digest) = self._beginning.game, self.facts, self._started
        if moved != first.moves or digest != first.payload["state"]:
            return False
        for fact, read in zip(later, self._read[1:], strict=True):
            state, moves = engine.run(state, [one.action for one in read])
            if tuple([move.plain for move in moves]) != fact.moves:
                return False
            # At once: what is worked out for it of a state, the next one takes over.
            if engine.digest(state) != fact.payload["state"]:
                return False
        self.replayed.state = state
        return bool(state.settled and getattr(state, "plain", True))

    def end(self) -> bool:
        """Work out what it came to."""
        last, replayed = self.facts[-1], self.replayed
        self.nets = self._beginning.game.nets(replayed.state)
        replayed.last_seq, replayed.ended_at = last.seq, last.recorded_at
        replayed.cards_out, replayed.won = len(self.cards), -sum(self.nets.values())
        return True


STAGES = (Whole.begin, Whole.read, Whole.run, Whole.end)


def judge(rounds: Sequence[Whole]) -> None:
    """Judge rounds, stage by stage; which of them are plain is known afterwards."""
    for stage in STAGES:
        for whole in rounds:
            if whole.plain:
                try:
                    whole.plain = stage(whole)
                except NOT_PLAIN:
                    whole.plain = False
