"""What every game promises: the vocabulary shared by the table, the re-settlement and the verifier.

A game is a pure function from (state, action) to (state, moves). Money is an integer number of
minor units and lies in named PLACES: ``tray``, ``seat:N`` (chips in front of seat N), ``wager:N``
(bet and raise of seat N); a pool game adds its own (``pool``, ``bank``), a money play those of
currency (``tables.engine.places``). What differs from round to round (players, dealer, a carried
pool) enters as actions, so ``new_round`` needs the rules alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from tables.engine.codec import MAX_INT, is_int
from tables.engine.frozen import derived

JsonObject = dict[str, Any]

PLACE = re.compile(r"[a-z_]{1,32}(:[1-9][0-9]{0,3})?|cash:(patrons|drop_box)")
USUAL_PLACES = frozenset(
    {"tray", "pool", "bank"} | {f"{kind}:{seat}" for kind in ("seat", "wager") for seat in range(1, 33)}
)
"""Those of every game, so that they need not be matched with each move."""


class IllegalAction(Exception):
    """A refusal: nothing has changed.

    Args:
        code: stable snake_case name of the refusal, for programs.
        rule: identifier of the rule it breaks (see the game's rulebook).
        detail: one sentence for a person.
    """

    def __init__(self, code: str, rule: str = "", detail: str = "") -> None:
        super().__init__(f"{code} [{rule}] {detail}".strip())
        self.code = code
        self.rule = rule
        self.detail = detail


@dataclass(frozen=True)
class Move:
    """Chips going from one place to another; ``amount`` in minor units, above zero."""

    source: str
    target: str
    amount: int

    def __post_init__(self) -> None:
        if not is_int(self.amount) or self.amount <= 0:
            raise ValueError(f"a move needs a positive amount up to {MAX_INT}: {self.amount!r}")
        if self.source == self.target:
            raise ValueError(f"a move needs two places: {self.source!r}")
        for place in (self.source, self.target):
            if place not in USUAL_PLACES and PLACE.fullmatch(place) is None:
                raise ValueError(f"not a place: {place!r}")

    @derived
    def plain(self) -> tuple[str, str, int]:
        """From where to where, and how much."""
        return self.source, self.target, self.amount


@dataclass(frozen=True)
class IntRange:
    """Integers from ``minimum`` to ``maximum`` in steps counted from ``minimum``."""

    minimum: int
    maximum: int
    step: int = 1

    @derived
    def values(self) -> range:
        """These integers."""
        return range(self.minimum, self.maximum + 1, self.step)

    def admits(self, value: object) -> bool:
        """Whether ``value`` is one of these integers."""
        return is_int(value) and value in self.values

    def as_dict(self) -> JsonObject:
        """The bounds as JSON."""
        return {"minimum": self.minimum, "maximum": self.maximum, "step": self.step}


@dataclass(frozen=True)
class OneOf:
    """One of a closed list of words."""

    values: tuple[str, ...]

    def admits(self, value: object) -> bool:
        """Whether ``value`` is on the list."""
        return value in self.values

    def as_dict(self) -> JsonObject:
        """The list as JSON."""
        return {"one_of": list(self.values)}


@dataclass(frozen=True)
class AnyCard:
    """Any card but those the round has already seen as often as there are packs."""

    deck: tuple[str, ...]
    excluded: tuple[str, ...]

    def admits(self, value: object) -> bool:
        """Whether ``value`` is a card that can still come."""
        return value in self.deck and value not in self.excluded

    def as_dict(self) -> JsonObject:
        """What cannot come, as JSON (only cards the table has seen)."""
        return {"card_except": list(self.excluded)}


@dataclass(frozen=True)
class Numbers:
    """One of a closed list of integers."""

    values: tuple[int, ...]

    def admits(self, value: object) -> bool:
        """Whether ``value`` is on the list; a bool is no integer."""
        return is_int(value) and value in self.values

    def as_dict(self) -> JsonObject:
        """The list as JSON."""
        return {"one_of": list(self.values)}


@dataclass(frozen=True)
class ShownCards:
    """What a hand shows: ONE of ``winning``, or all ``count`` of its cards, none of them winning.

    Args:
        winning: the cards that win, seen or not.
        count: how many cards the hand holds.
        excluded: cards the round has seen, which the hand cannot hold.
    """

    deck: tuple[str, ...]
    winning: tuple[str, ...]
    count: int
    excluded: tuple[str, ...]

    def admits(self, value: object) -> bool:
        """Whether ``value`` is a list of cards that may be shown."""
        if not isinstance(value, list) or not all(card in self.deck for card in value):
            return False
        if len(set(value)) < len(value) or any(card in self.excluded for card in value):
            return False
        wins = sum(card in self.winning for card in value)
        return len(value) == (1 if wins else self.count)

    def as_dict(self) -> JsonObject:
        """The bounds as JSON (only cards the table has seen are named)."""
        return {"one_winning_card_or_all": self.count, "card_except": list(self.excluded)}


Domain = IntRange | OneOf | Numbers | AnyCard | ShownCards


@dataclass(frozen=True)
class LegalAction:
    """One kind of action that would be accepted now, for one seat where it belongs to a seat."""

    type: str
    seat: int | None = None
    fields: tuple[tuple[str, Domain], ...] = ()

    def admits(self, action: Mapping[str, object]) -> bool:
        """Whether the encoded ``action`` is of this kind and within its bounds."""
        rest = dict(action)
        if rest.pop("type", None) != self.type:
            return False
        if self.seat is not None:
            seat = rest.pop("seat", None)
            if not is_int(seat) or seat != self.seat:
                return False
        domains = dict(self.fields)
        return rest.keys() == domains.keys() and all(
            domain.admits(rest[name]) for name, domain in domains.items()
        )

    def as_dict(self) -> JsonObject:
        """The kind, its seat and its bounds as JSON, for a terminal."""
        fields = {name: domain.as_dict() for name, domain in self.fields}
        return {"type": self.type, "seat": self.seat, "fields": fields}


@dataclass(frozen=True)
class Handling:
    """What an action does with the pack.

    Args:
        face_up: cards that leave it face up, in order.
        face_down: how many cards leave it face down.
        revealed: cards that had left it face down and are now shown.
    """

    face_up: tuple[str, ...] = ()
    face_down: int = 0
    revealed: tuple[str, ...] = ()


R = TypeVar("R")
S = TypeVar("S")
A = TypeVar("A")
S_co = TypeVar("S_co", covariant=True)


class Step(NamedTuple, Generic[S_co]):
    """What an accepted action did: the state that follows and the chips it moved, in order."""

    state: S_co
    moves: tuple[Move, ...] = ()


class Game(Protocol[R, S, A]):
    """One version of one game over rules ``R``, states ``S`` and actions ``A``.

    Every method is pure. Those that take foreign data or an action raise ``IllegalAction`` and
    change nothing. A released version never changes behaviour: new behaviour is a new version.
    """

    @property
    def name(self) -> str:
        """Stable name of the game."""

    @property
    def version(self) -> int:
        """Version of the behaviour, recorded with every round."""

    def decode_rules(self, data: object) -> R:
        """The rule set a dict stands for (code ``bad_rules``)."""

    def encode_rules(self, rules: R) -> JsonObject:
        """The rule set as JSON."""

    def new_round(self, rules: R) -> S:
        """The state before the first action."""

    def apply(self, state: S, action: A) -> Step[S]:
        """The step that ``action`` makes."""

    def run(self, state: S, actions: Sequence[A]) -> Step[S]:
        """What ``actions`` do as ``apply`` has them, one after the other; refused as the first of them is."""

    def legal(self, state: S) -> tuple[LegalAction, ...]:
        """Exactly the actions that ``apply`` would accept."""

    def is_over(self, state: S) -> bool:
        """Whether the round is finished and accepts nothing more."""

    def places(self, state: S) -> dict[str, int]:
        """What lies on the game's own places (wagers, pool...), minor units, none of it zero."""

    def carried(self, state: S) -> dict[str, int]:
        """What lay on the game's own places before the round's first move, minor units, none of it zero.

        ``places`` is always this and the moves so far.
        """

    def handling(self, action: A) -> Handling:
        """What ``action`` does with the pack."""

    def limits(self, rules: R) -> JsonObject:
        """What a terminal is told of the limits, minor units."""

    def handle(self, state: S) -> int:
        """The house's handle of the round so far, minor units: what was played for against the house."""

    def describe(self, state: S) -> JsonObject:
        """What the table may see; never a hidden card."""

    def judged_on(self, state: S, cards: Sequence[str]) -> S:
        """The settled round as the cards that really lay decide it, for the same wagers.

        A game whose cards are not one board for all has no such result: ``no_physical_result``.
        """

    def nets(self, state: S) -> dict[int, int]:
        """What the decided round gained each seat, minor units; negative where it lost."""

    def encode_state(self, state: S) -> JsonObject:
        """The state as JSON of integers, ASCII strings, lists, booleans and null."""

    def digest(self, state: S) -> str:
        """The digest of ``encode_state(state)``, as ``tables.engine.codec.digest`` gives it."""

    def decode_state(self, data: object) -> S:
        """The state a dict stands for (code ``bad_state``)."""

    def encode_action(self, action: A) -> JsonObject:
        """The action as JSON with its ``type``."""

    def decode_action(self, data: object) -> A:
        """The action a dict stands for (code ``bad_action``)."""
