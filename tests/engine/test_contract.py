"""What every registered game must hold, over any sequence of legal and illegal actions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.engine.contract import (
    AnyCard,
    IllegalAction,
    IntRange,
    LegalAction,
    Move,
    Numbers,
    OneOf,
    ShownCards,
    Step,
)
from tables.engine.registry import GAMES, AnyGame, digest, game
from tables.engine.replay import in_turn, replay, steps
from tests.engine.games import SAMPLES
from tests.engine.helpers import PROPERTY

MAX_ACTIONS = 30
CONTRACT = settings(PROPERTY, max_examples=30)
every_game = pytest.mark.parametrize("played", list(GAMES.values()), ids=lambda g: f"{g.name}-{g.version}")


def drawn_action(data: st.DataObject, played: AnyGame, state: Any) -> dict[str, Any]:
    """A legal action, one just beside what is legal, or any well-formed one."""
    legal = played.legal(state)
    if not legal or data.draw(st.integers(0, 3)) == 0:
        return data.draw(SAMPLES[played.name, played.version].actions)
    types = sorted({one.type for one in legal} - {"void"}) or ["void"]
    wanted = data.draw(st.sampled_from(types))
    kind = data.draw(st.sampled_from([one for one in legal if one.type == wanted]))
    return within(data, kind, beside=data.draw(st.integers(0, 5)) == 0)


def within(data: st.DataObject, kind: LegalAction, *, beside: bool) -> dict[str, Any]:
    """An action of ``kind`` within its bounds, or with one integer just outside them."""
    action: dict[str, Any] = {"type": kind.type}
    if kind.seat is not None:
        action["seat"] = kind.seat
    for name, domain in kind.fields:
        if isinstance(domain, IntRange):
            steps_up = (domain.maximum - domain.minimum) // domain.step
            value = domain.minimum + domain.step * data.draw(st.integers(0, steps_up))
            outside = [domain.minimum - 1, domain.maximum + 1, domain.maximum + domain.step]
            action[name] = data.draw(st.sampled_from(outside)) if beside else value
        elif isinstance(domain, ShownCards):
            action[name] = shown(data, domain)
        elif isinstance(domain, OneOf | Numbers):
            action[name] = data.draw(st.sampled_from(domain.values))
        else:
            assert isinstance(domain, AnyCard)
            action[name] = data.draw(st.sampled_from(domain.deck))
    return action


def shown(data: st.DataObject, domain: ShownCards) -> list[str]:
    """One winning card or a whole hand without one, as far as the pack still has them."""
    left = [card for card in domain.deck if card not in domain.excluded]
    winning = [card for card in left if card in domain.winning]
    others = [card for card in left if card not in domain.winning]
    wins = data.draw(st.booleans())
    if winning and wins:
        return [data.draw(st.sampled_from(winning))]
    first = data.draw(st.integers(0, len(others)))
    return (others[first:] + others[:first])[: domain.count]


def walk(
    data: st.DataObject, played: AnyGame, rules: Any
) -> Iterator[tuple[Any, Any, Any, tuple[Move, ...]]]:
    """Random play: before, the action, after (None when refused) and the moves."""
    state = played.new_round(rules)
    start = iter(data.draw(SAMPLES[played.name, played.version].starts))
    for _ in range(data.draw(st.integers(1, MAX_ACTIONS))):
        action = played.decode_action(next(start, None) or drawn_action(data, played, state))
        frozen = digest(played.encode_state(state))
        after, moves = applied(played, state, action)
        assert digest(played.encode_state(state)) == frozen
        assert applied(played, state, action) == (after, moves)
        yield state, action, after, moves
        state = state if after is None else after


def applied(played: AnyGame, state: Any, action: Any) -> tuple[Any, tuple[Move, ...]]:
    """The state after ``action`` and its moves; None and no moves when it is refused."""
    try:
        step = played.apply(state, action)
    except IllegalAction as refusal:
        check_refusal(refusal)
        return None, ()
    return step.state, step.moves


def check_refusal(refusal: IllegalAction) -> None:
    """A refusal names a stable code, a rule, and says something to a person."""
    assert re.fullmatch(r"[a-z][a-z_]*", refusal.code)
    assert re.fullmatch(r"[A-Z0-9-]+", refusal.rule)
    assert refusal.detail


def only_json(value: object) -> bool:
    """Whether ``value`` is made of ASCII strings, exact integers, bools, null, lists and objects."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and key.isascii() and only_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(only_json, value))
    if isinstance(value, str):
        return value.isascii()
    return value is None or isinstance(value, bool) or (type(value) is int and abs(value) < 2**53)


def test_every_registered_game_is_in_this_suite() -> None:
    """A game that is registered is covered here."""
    assert GAMES.keys() == SAMPLES.keys()


@every_game
@CONTRACT
@given(data=st.data())
def test_any_play_holds_the_contract(played: AnyGame, data: st.DataObject) -> None:
    """Whatever is played, each of these holds at every step of it; and the log alone rebuilds all of it."""
    rules = rules_of(data, played)
    book, accepted = Book(played), []
    for before, action, after, moves in walk(data, played, rules):
        book.follow(before, after, moves)
        check_legal(played, before, action, after)
        check_over(played, before, after)
        check_written(played, before, action)
        if after is not None:
            accepted.append((action, after, moves))
    check_replayed(played, rules, accepted)


class Book:
    """No move creates chips, no held place is ever negative, and places() is what the moves left there."""

    def __init__(self, played: AnyGame) -> None:
        self.played = played
        self.book: dict[str, int] = {}
        self.held: set[str] = set()
        self.carried: dict[str, int] = {}

    def follow(self, before: Any, after: Any, moves: tuple[Move, ...]) -> None:
        """One action, accepted or (`after` None) refused."""
        assert after is not None or moves == ()
        carried = self.played.carried(before if after is None else after)
        if not self.carried:
            self.carried = carried
            self.book |= carried
        assert carried == self.carried
        places = self.played.places(before if after is None else after)
        for move in moves:
            self.book[move.source] = self.book.get(move.source, 0) - move.amount
            self.book[move.target] = self.book.get(move.target, 0) + move.amount
            assert all(self.book.get(place, 0) >= 0 for place in self.held | places.keys())
        self.held |= places.keys()
        assert {place: self.book[place] for place in self.held if self.book[place]} == places
        assert all(amount > 0 for amount in places.values())
        assert sum(self.book.values()) == sum(self.carried.values())


def check_legal(played: AnyGame, before: Any, action: Any, after: Any) -> None:
    """An action is accepted if and only if a listed kind admits it."""
    encoded = played.encode_action(action)
    assert any(kind.admits(encoded) for kind in played.legal(before)) == (after is not None)


def check_over(played: AnyGame, before: Any, after: Any) -> None:
    """A finished round lists nothing and refuses everything; an unfinished one always has a way on."""
    assert (played.legal(before) == ()) == played.is_over(before)
    assert after is None or not played.is_over(before)


def check_written(played: AnyGame, before: Any, action: Any) -> None:
    """Every state is exact JSON, read back equal, and so is its public view."""
    encoded = played.encode_state(before)
    assert only_json(encoded)
    assert only_json(played.describe(before))
    read = played.decode_state(json.loads(json.dumps(encoded)))
    assert read == before
    assert hash(read) == hash(before), "frozen through and through"
    assert digest(played.encode_state(read)) == digest(encoded)
    assert played.decode_action(played.encode_action(action)) == action


def check_replayed(played: AnyGame, rules: Any, accepted: list[tuple[Any, Any, tuple[Move, ...]]]) -> None:
    """The log of accepted actions alone rebuilds every state and every move, through JSON too."""
    log = [json.loads(json.dumps(played.encode_action(action))) for action, _, _ in accepted]
    actions = [played.decode_action(entry) for entry in log]
    states = [after for _, after, _ in accepted]
    final, replayed = replay(played, rules, actions)
    assert replayed == [moves for _, _, moves in accepted]
    assert [step.state for step in steps(played, rules, actions)] == states
    assert final == (states[-1] if states else played.new_round(rules))


@every_game
@CONTRACT
@given(data=st.data())
def test_actions_at_once_do_what_they_do_one_by_one(played: AnyGame, data: st.DataObject) -> None:
    """Cut into pieces anywhere, with refused ones among them or without."""
    rules, refused_too = rules_of(data, played), data.draw(st.booleans())
    walked = walk(data, played, rules)
    actions = [action for _, action, after, _ in walked if refused_too or after is not None]
    state = played.new_round(rules)
    while actions:
        number = data.draw(st.integers(1, len(actions)))
        many, actions = actions[:number], actions[number:]
        at_once = answered(lambda: played.run(state, many))  # noqa: B023
        assert at_once == answered(lambda: in_turn(played, state, many))  # noqa: B023
        state = at_once.state if isinstance(at_once, Step) else state


def answered(work: Callable[[], Step[Any]]) -> Step[Any] | tuple[str, str, str]:
    """A step, or all that a refusal says."""
    try:
        return work()
    except IllegalAction as refusal:
        return refusal.code, refusal.rule, refusal.detail


@every_game
@CONTRACT
@given(data=st.data())
def test_a_state_read_is_one_that_can_be(played: AnyGame, data: st.DataObject) -> None:
    """A state with one value changed is refused, or is exactly what it says."""
    states = [before for before, *_ in walk(data, played, rules_of(data, played))]
    encoded = json.loads(json.dumps(played.encode_state(data.draw(st.sampled_from(states)))))
    changed = with_one_change(data, encoded)
    for read in read_states(played, changed):
        assert json.dumps(played.encode_state(read), sort_keys=True) == json.dumps(changed, sort_keys=True)
        played.legal(read)
        played.describe(read)


def read_states(played: AnyGame, data: object) -> list[Any]:
    """The state ``data`` stands for; none when it is refused, which must be with the code for it."""
    try:
        return [played.decode_state(data)]
    except IllegalAction as refusal:
        check_refusal(refusal)
        return [] if refusal.code == "bad_state" else pytest.fail(refusal.code)


def with_one_change(data: st.DataObject, value: Any) -> Any:
    """``value`` with one leaf replaced, one key dropped or one key added somewhere."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)):
        key = data.draw(st.sampled_from(sorted(value)))
        return value | {key: with_one_change(data, value[key])}
    if isinstance(value, dict):
        dropped = {key: value[key] for key in sorted(value)[1:]}
        return data.draw(st.sampled_from([dropped, value | {"extra": 1}, value | {"01": 500}, None]))
    if isinstance(value, list) and value and data.draw(st.booleans()):
        return data.draw(st.sampled_from([value[:-1], [*value, value[0]], [*value, "8S"], value[0], [[]]]))
    strange: list[object] = [
        None,
        True,
        False,
        0,
        1,
        7,
        -1,
        2**53,
        1.0,
        "",
        "8S",
        "yes",
        [],
        {},
        "1",
        [None],
        ["8S"],
    ]
    return data.draw(st.sampled_from(strange))


def rules_of(data: st.DataObject, played: AnyGame) -> Any:
    """A rule set of the game."""
    return played.decode_rules(data.draw(SAMPLES[played.name, played.version].rules))


@every_game
@pytest.mark.parametrize("foreign", [None, [], "state", 1, {}, {"phase": "betting"}])
def test_what_is_no_state_is_refused(played: AnyGame, foreign: object) -> None:
    """Only a dict with exactly the keys of a state is one."""
    with pytest.raises(IllegalAction) as refusal:
        played.decode_state(foreign)
    assert refusal.value.code == "bad_state"


@every_game
def test_the_registry_knows_it_by_name_and_version(played: AnyGame) -> None:
    """A game is found by its version, and the newest one without."""
    assert game(played.name, played.version) is played
    assert game(played.name).version == max(version for name, version in GAMES if name == played.name)


@pytest.mark.parametrize(("name", "version"), [("poker", None), ("red_dog", 0), ("red_dog", 3), ("", 1)])
def test_an_unknown_game_is_refused(name: str, version: int | None) -> None:
    """An unknown name or version is an error with a code, never a guess."""
    with pytest.raises(IllegalAction) as refusal:
        game(name, version)
    assert refusal.value.code == "unknown_game"
