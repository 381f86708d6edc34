"""CARD-1 and ACTION-1: what is a card, what is an action, and what is refused as neither."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.card_room import BANKING, HIGH_CARD_POOL
from tables.engine.cards import exhausted, pack, parse_card, rank
from tables.engine.codec import digest
from tables.engine.contract import IllegalAction, Move, Numbers, ShownCards
from tables.engine.red_dog import RED_DOG
from tables.engine.red_dog.actions import KINDS, Bet, Deal, Settle, Void
from tests.engine.card_room import new
from tests.engine.helpers import PROPERTY, act, bet, board

GOOD: tuple[dict[str, Any], ...] = (
    bet(1, 500),
    act("take_back_bet", seat=1),
    act("deal", card="8S"),
    act("announce", spread=7),
    act("raise", seat=1, amount=500),
    act("withdraw_raise", seat=1),
    act("burn", card="AH"),
    act("expose_third", card="TD"),
    act("settle"),
    act("void", reason="misdeal"),
)
HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(min_value=2**53),
    st.integers(max_value=-(2**53)),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.sampled_from(["", "1", "8s", "10S", "1S", "8S ", "é", "x" * 65, "\u0668S"]),
)


def no_action(data: object) -> None:
    """Assert that ``data`` is refused as an action."""
    with pytest.raises(IllegalAction) as refusal:
        RED_DOG.decode_action(data)
    assert (refusal.value.code, refusal.value.rule) in {("bad_action", "ACTION-1"), ("bad_card", "CARD-1")}


def test_a_pack() -> None:
    """CARD-1: 52 different cards in fixed order, ranks 2 to 14, ace high."""
    assert len(set(pack())) == 52
    assert pack()[:2] == ("2S", "3S")
    assert pack()[-1] == "AC"
    assert [rank(card) for card in pack()[:13]] == list(range(2, 15))


@pytest.mark.parametrize(
    "value", ["", "8", "S8", "8s", "10S", "1S", "8S ", "XX", None, 8, True, ["8S"], b"8S"]
)
def test_no_card(value: object) -> None:
    """CARD-1: anything else is refused, in every place a card can stand."""
    with pytest.raises(IllegalAction) as refusal:
        parse_card(value)
    assert (refusal.value.code, refusal.value.rule) == ("bad_card", "CARD-1")
    no_action({"type": "deal", "card": value})


def test_exhausted() -> None:
    """CARD-1: a card seen as often as there are packs cannot come again."""
    assert exhausted(["8S", "8S", "9S"], 2) == ("8S",)
    assert exhausted(["8S", "9S"], 1) == ("8S", "9S")
    assert exhausted([], 1) == ()


def test_the_examples_cover_every_action() -> None:
    """ACTION-1: each kind of action is in the list these tests use."""
    assert [action["type"] for action in GOOD] == list(KINDS)


@pytest.mark.parametrize("action", GOOD, ids=lambda action: str(action["type"]))
def test_round_trip(action: dict[str, Any]) -> None:
    """ACTION-1: read and written back it is the same, through JSON too."""
    decoded = RED_DOG.decode_action(json.loads(json.dumps(action)))
    assert RED_DOG.encode_action(decoded) == action
    assert RED_DOG.decode_action(RED_DOG.encode_action(decoded)) == decoded


@pytest.mark.parametrize("action", GOOD, ids=lambda action: str(action["type"]))
def test_keys_are_exact(action: dict[str, Any]) -> None:
    """ACTION-1: a missing key, an unknown key and an unknown type are refused."""
    for key in action:
        no_action({name: value for name, value in action.items() if name != key})
    no_action(action | {"note": "x"})
    no_action(action | {1: 2})
    no_action(action | {"type": "steal"})
    no_action(action | {"type": [action["type"]]})


@PROPERTY
@given(action=st.sampled_from(GOOD), data=st.data())
def test_types_are_exact(action: dict[str, Any], data: st.DataObject) -> None:
    """ACTION-1: bools are not integers, floats and integers beyond 2 to the 53 are refused."""
    key = data.draw(st.sampled_from(sorted(action)))
    hostile = data.draw(HOSTILE)
    if key == "reason" and isinstance(hostile, str) and hostile.isascii() and 1 <= len(hostile) <= 64:
        return
    no_action(action | {key: hostile})


@pytest.mark.parametrize("data", [None, [], "bet", 1, {}, [("type", "settle")]])
def test_only_objects_are_actions(data: object) -> None:
    """ACTION-1: nothing else is."""
    no_action(data)


def test_actions_made_in_code_are_checked_too() -> None:
    """ACTION-1: the dataclasses check themselves."""
    wrong: Any = True
    for make in (lambda: Bet(wrong, 500), lambda: Bet(1, 500.0), lambda: Deal("8s"), lambda: Void(3)):  # type: ignore[arg-type]
        with pytest.raises(IllegalAction):
            make()


def test_what_is_no_action_of_the_game_is_refused() -> None:
    """ACTION-1: apply takes actions of its own game only."""

    class Foreign(Settle):
        pass

    for thing in (Foreign(), "settle", None):
        for game, state in ((RED_DOG, board("8S", "9H")), (HIGH_CARD_POOL, new())):
            with pytest.raises(IllegalAction) as refusal:
                game.apply(state, thing)  # type: ignore[arg-type]
            assert refusal.value.code == "bad_action"
    with pytest.raises(IllegalAction):
        HIGH_CARD_POOL.apply(new(), BANKING.decode_action({"type": "pass", "seat": 1}))


@pytest.mark.parametrize("cards", [[], ["8S"], ["8S", "8S"], list(pack())], ids=len)
def test_a_field_of_cards(cards: list[str]) -> None:
    """ACTION-1: a list of up to a pack of cards, kept in its order; what it means is the game's to say."""
    action = {"type": "show", "seat": 1, "cards": cards}
    assert HIGH_CARD_POOL.encode_action(HIGH_CARD_POOL.decode_action(action)) == action


@pytest.mark.parametrize(
    "cards", ["8S", None, 1, {"8S": 1}, ["8s"], [None], [["8S"]], [*pack(), "8S"]], ids=str
)
def test_no_field_of_cards(cards: object) -> None:
    """ACTION-1, CARD-1: nothing else is one."""
    with pytest.raises(IllegalAction) as refusal:
        HIGH_CARD_POOL.decode_action({"type": "show", "seat": 1, "cards": cards})
    assert refusal.value.code in ("bad_action", "bad_card")


def test_what_a_hand_may_show() -> None:
    """CR-SHOW: one winning card, or all of a hand without one; never a card that was seen."""
    domain = ShownCards(pack(), ("KS", "AS"), 2, ("AS",))
    assert [domain.admits(cards) for cards in (["KS"], ["2H", "3H"])] == [True, True]
    for cards in (["AS"], ["KS", "2H"], ["2H"], ["2H", "2H"], ["2H", "3H", "4H"], [], "KS", [["KS"]], None):
        assert not domain.admits(cards)
    assert domain.as_dict() == {"one_winning_card_or_all": 2, "card_except": ["AS"]}


def test_one_of_some_numbers() -> None:
    """A bool is no number, nor is a float."""
    assert Numbers((1, 4)).admits(4)
    assert not any(Numbers((1, 4)).admits(value) for value in (2, True, 4.0, "4", None, [4]))
    assert Numbers((1, 4)).as_dict() == {"one_of": [1, 4]}


@pytest.mark.parametrize(
    ("source", "target", "amount"),
    [
        ("tray", "tray", 1),
        ("tray", "seat:1", 0),
        ("tray", "seat:1", -1),
        ("tray", "seat:1", True),
        ("tray", "seat:1", 2**53),
        ("tray", "seat:0", 1),
        ("Tray", "seat:1", 1),
        ("tray", "seat 1", 1),
    ],
)
def test_moves_that_cannot_be(source: str, target: str, amount: int) -> None:
    """A move has two different places and a positive exact amount."""
    with pytest.raises(ValueError, match=r"move|place"):
        Move(source, target, amount)


def test_the_digest_is_that_of_canonical_json() -> None:
    """The digest does not depend on the order of keys, and is pinned by a vector."""
    assert digest({"b": [1, True, None], "a": "8S"}) == digest({"a": "8S", "b": [1, True, None]})
    # sha256 of {"a":"8S","b":[1,true,null]}
    assert digest({"a": "8S", "b": [1, True, None]}) == (
        "1ab174a9d2ca1eddbd0d4cd02f042f11e6fed93ae9c9a3aa105b32af669be6b4"
    )
