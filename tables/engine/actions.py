"""Actions as small frozen dataclasses, checked when made, and their strict JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from tables.engine.cards import PACK, parse_card
from tables.engine.codec import is_int, is_text
from tables.engine.contract import IllegalAction, JsonObject

RULE = "ACTION-1"
CARDS = "tuple[str, ...]"
"""The type of a field that lists cards, as it is written."""
VOID_REASONS = ("shoe_empty", "misdeal", "irregularity", "other")


def bad_action(detail: str) -> IllegalAction:
    """The refusal of something that is no action at all."""
    return IllegalAction("bad_action", RULE, detail)


@dataclass(frozen=True)
class Action:
    """Base of every action: ``type`` is its tag; ``card`` must be a card, a field of tuples cards.

    Integers must be exact JSON integers (no bools) and strings short ASCII, else IllegalAction
    ``bad_action``; a string that is no card raises ``bad_card``.
    """

    type: ClassVar[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "card":
                parse_card(value)
            elif field.type in ("int", int) and not is_int(value):
                raise bad_action(f"{field.name} must be an integer")
            elif field.type in ("str", str) and not is_text(value):
                raise bad_action(f"{field.name} must be a short ASCII string")
            elif field.type == CARDS:
                _check_cards(field.name, value)


def _check_cards(name: str, value: object) -> None:
    """Whether ``value`` is a tuple of cards, no more than one pack holds."""
    if not isinstance(value, tuple) or len(value) > len(PACK):
        raise bad_action(f"{name} must be a list of cards")
    for card in value:
        parse_card(card)


@dataclass(frozen=True)
class Settle(Action):
    """The round is decided: every place gives up what is not its own."""

    type: ClassVar[str] = "settle"


@dataclass(frozen=True)
class Void(Action):
    """The round does not count: everything goes back. ``reason`` is one of VOID_REASONS."""

    type: ClassVar[str] = "void"
    reason: str


A = TypeVar("A", bound=Action)


def encode(action: Action) -> JsonObject:
    """The action as JSON: its ``type`` and its fields."""
    given = {f.name: getattr(action, f.name) for f in fields(action)}
    return {"type": action.type} | {
        name: list(value) if isinstance(value, tuple) else value for name, value in given.items()
    }


def decode(kinds: Mapping[str, type[A]], data: object) -> A:
    """The action that ``data`` stands for, one of ``kinds`` by type tag.

    Raises IllegalAction ``bad_action`` (``bad_card`` for a card that is none): not a dict, an
    unknown type, a missing or an unknown key, or a value of the wrong type.
    """
    if not isinstance(data, dict):
        raise bad_action("an action is an object")
    given: dict[Any, Any] = dict(data)
    tag = given.pop("type", None)
    if not isinstance(tag, str) or tag not in kinds:
        raise bad_action("unknown type of action")
    kind = kinds[tag]
    names = {field.name for field in fields(kind)}
    if given.keys() != names:
        raise bad_action(f"{tag} has exactly the fields {sorted(names)}")
    for field in fields(kind):
        if field.type == CARDS and isinstance(given[field.name], list):
            given[field.name] = tuple(given[field.name])
    return kind(**given)
