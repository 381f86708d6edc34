"""Actions as small frozen dataclasses, checked when made, and their strict JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from tables.engine.cards import parse_card
from tables.engine.codec import is_int, is_text
from tables.engine.contract import IllegalAction, JsonObject

RULE = "ACTION-1"


def bad_action(detail: str) -> IllegalAction:
    """The refusal of something that is no action at all."""
    return IllegalAction("bad_action", RULE, detail)


@dataclass(frozen=True)
class Action:
    """Base of every action: ``type`` is its tag, a field named ``card`` must be a card.

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


A = TypeVar("A", bound=Action)


def encode(action: Action) -> JsonObject:
    """The action as JSON: its ``type`` and its fields."""
    return {"type": action.type} | {f.name: getattr(action, f.name) for f in fields(action)}


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
    return kind(**given)
