"""Actions as small frozen dataclasses, checked when made, and their strict JSON form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, TypeVar

from tables.engine.cards import PACK, parse_card
from tables.engine.codec import canonical_text, is_int, is_text
from tables.engine.contract import IllegalAction, JsonObject
from tables.engine.frozen import derived

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
        for name, check in _form_of(type(self)).items():
            check(name, getattr(self, name))

    @derived
    def text(self) -> str:
        """The action's canonical JSON, which stands in every state of a card-room round after it."""
        return canonical_text(encode(self))


Check = Callable[[str, object], object]
_FORMS: dict[type[Action], dict[str, Check]] = {}


def _form_of(kind: type[Action]) -> dict[str, Check]:
    """The fields of a kind of action, in order, with what checks each; kept, for actions are many."""
    form = _FORMS.get(kind)
    if form is None:
        form = _FORMS[kind] = {field.name: _check_of(field) for field in fields(kind)}
    return form


def _check_of(field: Field[Any]) -> Check:
    if field.name == "card":
        return lambda name, value: parse_card(value)
    by_type: dict[Any, Check] = {"int": _check_int, "str": _check_text, CARDS: _check_cards}
    return by_type[getattr(field.type, "__name__", field.type)]


def _check_int(name: str, value: object) -> None:
    if not is_int(value):
        raise bad_action(f"{name} must be an integer")


def _check_text(name: str, value: object) -> None:
    if not is_text(value):
        raise bad_action(f"{name} must be a short ASCII string")


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
    given = {name: getattr(action, name) for name in _form_of(type(action))}
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
    form = _form_of(kind)
    if given.keys() != form.keys():
        raise bad_action(f"{tag} has exactly the fields {sorted(form)}")
    for name, check in form.items():
        if check is _check_cards and isinstance(given[name], list):
            given[name] = tuple(given[name])
    return kind(**given)
