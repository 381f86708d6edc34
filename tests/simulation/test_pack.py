"""A physical pack: dealt round in hands, stacked for a demonstration, rebuilt from what was seen."""

import random

import pytest

from tables.engine.cards import PACK
from tables.simulation.house import TABLES
from tables.simulation.staging import LEAST_ROUNDS, VOIDED, shares
from tables.simulation.world import Arranged, PhysicalPack

COUNTS = {3: 5, 4: 0, 7: 4, 1: 6}


@pytest.fixture
def pack() -> PhysicalPack:
    made = PhysicalPack(random.Random("pack"))
    made.shuffle()
    return made


def test_cards_go_round_face_down(pack: PhysicalPack) -> None:
    """CR-CARDS: one card to each that gets one, in playing order, pass after pass."""
    order = list(pack.cards)
    pack.deal(COUNTS, Arranged())
    assert pack.hands[3] == [order[at] for at in (0, 3, 6, 9, 12)]
    assert pack.hands[7] == [order[at] for at in (1, 4, 7, 10)]
    assert pack.hands[1] == [order[at] for at in (2, 5, 8, 11, 13, 14)]
    assert pack.hands[4] == []
    assert list(pack.cards) == order[15:]


def test_a_stacked_pack_is_still_a_pack(pack: PhysicalPack) -> None:
    pack.deal(COUNTS, Arranged(hands=(("KD", "2C"), ("9H",)), top=("2D", "AS")))
    assert pack.hands[3][:2] == ["KD", "2C"]
    assert pack.hands[4] == []
    assert pack.peek(2) == ["2D", "AS"]
    assert sorted([*pack.cards, *(card for hand in pack.hands.values() for card in hand)]) == sorted(PACK)


def test_hands_still_held_are_some_of_the_cards_nobody_has_seen(pack: PhysicalPack) -> None:
    unseen = PACK[10:]
    pack.take_over(unseen, 12)
    pack.take_over_hands({2: 5, 5: 4})
    assert [len(hand) for hand in pack.hands.values()] == [5, 4]
    assert len(pack.cards) == len(unseen) - 12
    assert sorted([*pack.cards, *pack.burnt, *pack.hands[2], *pack.hands[5]]) == sorted(unseen)


@pytest.mark.parametrize("rounds", [1, 28, 240, 1000])
def test_every_table_plays_its_share(rounds: int) -> None:
    played = shares(rounds)
    assert played.keys() == {plan.code for plan in TABLES}
    assert sum(played.values()) >= rounds
    assert min(played.values()) >= LEAST_ROUNDS
    if rounds >= 240:
        rooms = {plan.code for plan in TABLES if plan.is_card_room}
        assert all(played[code] - VOIDED.get(code, 0) >= 30 for code in rooms), "void ones do not count"
