"""SHOE-1 to SHOE-3: what has left the shoe, what can still come, and what is wrong at its end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.cards import pack
from tables.engine.contract import IllegalAction
from tables.engine.shoe import Discrepancy, Shoe, fresh_cards
from tests.engine.helpers import PROPERTY

packs_1_to_8 = pytest.mark.parametrize("packs", range(1, 9))


def refused(shoe: Shoe, card: str, code: str, rule: str) -> None:
    """Assert that ``card`` cannot come, and that the shoe did not change."""
    before = shoe.to_dict()
    with pytest.raises(IllegalAction) as refusal:
        shoe.see(card)
    assert (refusal.value.code, refusal.value.rule) == (code, rule)
    assert shoe.to_dict() == before


def after(shoe: Shoe, cards: tuple[str, ...]) -> Shoe:
    """The shoe after ``cards`` came out."""
    for card in cards:
        shoe = shoe.see(card)
    return shoe


@packs_1_to_8
def test_a_whole_shoe_comes_out(packs: int) -> None:
    """SHOE-1: 52n cards, then nothing; seen + stub + burnt is every card n times."""
    cards = fresh_cards(packs)
    shoe = after(Shoe(packs), cards)
    assert (shoe.size, shoe.position, shoe.remaining) == (52 * packs, 52 * packs, 0)
    assert shoe.discrepancies((), ()) == ()
    assert set(shoe.unseen().values()) == {0}
    refused(shoe, "8S", "shoe_empty", "SHOE-2")


@packs_1_to_8
def test_an_impossible_card(packs: int) -> None:
    """SHOE-1: every card comes as often as there are packs, and not once more."""
    for card in pack():
        refused(after(Shoe(packs), (card,) * packs), card, "impossible_card", "SHOE-1")


@packs_1_to_8
def test_the_cut_card(packs: int) -> None:
    """SHOE-2: it is out when no more cards are left than lie behind it."""
    shoe = after(Shoe(packs, cut_card=20), fresh_cards(packs)[: 52 * packs - 21])
    assert not shoe.cut_reached
    assert shoe.burn_unseen().cut_reached
    assert after(shoe, fresh_cards(packs)[-1:]).cut_reached


@PROPERTY
@given(packs=st.integers(1, 8), data=st.data())
def test_composition_at_the_end(packs: int, data: st.DataObject) -> None:
    """SHOE-1: however the shoe was split into seen, stub and burnt, an honest one adds up."""
    order = data.draw(st.randoms(use_true_random=False)).sample(fresh_cards(packs), 52 * packs)
    seen, burnt = sorted(data.draw(st.tuples(st.integers(0, len(order)), st.integers(0, len(order)))))
    shoe = after(Shoe(packs), tuple(order[:seen]))
    shoe = shoe.burn_unseen(burnt - seen) if burnt > seen else shoe
    assert shoe.remaining == len(order) - burnt
    assert shoe.discrepancies(order[burnt:], order[seen:burnt]) == ()
    assert sum(shoe.unseen().values()) == len(order) - seen
    assert shoe.unseen_ranks() == tuple(
        sum(1 for card in order[seen:] if card[0] == rank) for rank in "23456789TJQKA"
    )
    assert Shoe.from_dict(json.loads(json.dumps(shoe.to_dict()))) == shoe


def test_a_card_too_many_and_one_missing() -> None:
    """SHOE-1: each wrong card is named with what was expected and what was found."""
    cards = fresh_cards(1)
    shoe = after(Shoe(1), cards[:10])
    assert shoe.discrepancies(cards[11:], ()) == (Discrepancy("QS", 1, 0),)
    assert shoe.discrepancies((*cards[11:], "2S"), ()) == (Discrepancy("2S", 1, 2), Discrepancy("QS", 1, 0))
    assert shoe.discrepancies(cards[11:], ("QS",)) == ()


def test_face_down_burns() -> None:
    """SHOE-2: they leave the shoe unknown, so every card can still come, until the shoe is empty."""
    shoe = Shoe(1).burn_unseen(51)
    assert (shoe.remaining, shoe.unseen()["8S"]) == (1, 1)
    assert shoe.see("8S").remaining == 0
    with pytest.raises(IllegalAction) as refusal:
        shoe.burn_unseen(2)
    assert refusal.value.code == "shoe_empty"
    assert shoe.remaining == 1
    for wrong in (0, -1, True):
        with pytest.raises(IllegalAction) as refusal:
            shoe.burn_unseen(wrong)
        assert refusal.value.code == "bad_shoe"


def test_a_hidden_card_is_shown() -> None:
    """SHOE-1: it stays out of the shoe and is known from now on, as often as there are packs and no more."""
    shoe = Shoe(1).see("8S").burn_unseen(2)
    shown = shoe.reveal("9S")
    assert (shown.burnt, shown.position, shown.unseen()["9S"]) == (1, 3, 0)
    for start, card, code in (
        (shoe, "8S", "impossible_card"),
        (shoe, "1S", "bad_card"),
        (shown.reveal("TS"), "JS", "nothing_hidden"),
    ):
        before = start.to_dict()
        with pytest.raises(IllegalAction) as refusal:
            start.reveal(card)
        assert refusal.value.code == code
        assert start.to_dict() == before


@pytest.mark.parametrize(
    "change",
    [
        {"packs": 0},
        {"packs": 9},
        {"packs": True},
        {"packs": 1.0},
        {"cut_card": -1},
        {"cut_card": 52},
        {"cut_card": None},
        {"seen": {"8S": 2}},
        {"seen": {"8S": 0}},
        {"seen": {"8S": -1}},
        {"seen": {"8S": True}},
        {"seen": {"8s": 1}},
        {"seen": []},
        {"burnt": -1},
        {"burnt": 52},
        {"burnt": "1"},
        {"extra": 1},
    ],
    ids=str,
)
def test_shoes_that_cannot_be(change: dict[str, Any]) -> None:
    """SHOE-3: a stored shoe is read strictly."""
    good = after(Shoe(1, cut_card=10), ("8S",)).to_dict()
    assert Shoe.from_dict(good).position == 1
    for data in (good | change, {key: value for key, value in good.items() if key not in change}):
        if data != good:
            with pytest.raises(IllegalAction) as refusal:
                Shoe.from_dict(data)
            assert (refusal.value.code, refusal.value.rule) == ("bad_shoe", "SHOE-3")


@pytest.mark.parametrize("packs", [0, 9])
def test_only_one_to_eight_packs(packs: int) -> None:
    """SHOE-3: no other shoe is made."""
    with pytest.raises(IllegalAction):
        fresh_cards(packs)


@given(
    st.integers(1, 2),
    st.lists(st.sampled_from([*pack()[:3], "no card"]), max_size=12),
    st.lists(st.sampled_from([*pack()[:3], "no card"]), max_size=12),
)
def test_cards_seen_at_once_are_as_seen_one_by_one(packs: int, first: list[str], second: list[str]) -> None:
    """SHOE-1: whichever cannot come is refused, and so are those before it."""

    def seen(at_once: bool) -> Any:
        shoe = Shoe(packs)
        try:
            for cards in (first, second) if at_once else [[card] for card in first + second]:
                shoe = shoe.see(*cards)
        except IllegalAction as refusal:
            return refusal.code
        return shoe, shoe.position, shoe.seen

    assert seen(at_once=True) == seen(at_once=False)
