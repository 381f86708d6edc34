"""A game's digest of a state is that of the encoded state, however fast it is worked out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.engine.contract import IllegalAction
from tables.engine.red_dog import RED_DOG, State
from tables.engine.red_dog.board import Wager
from tables.engine.registry import GAMES, AnyGame, digest
from tables.engine.rules import RuleSet
from tests.engine.games import SAMPLES


@pytest.mark.parametrize("played", GAMES.values(), ids=lambda one: f"{one.name}-{one.version}")
@settings(max_examples=40)
@given(data=st.data())
def test_the_digest_is_that_of_the_encoded_state(data: st.DataObject, played: AnyGame) -> None:
    """After every action of any round, legal or refused, entries carry the digest FORMAT.md describes."""
    sample = SAMPLES[played.name, played.version]
    state = played.new_round(played.decode_rules(data.draw(sample.rules)))
    begun = data.draw(sample.starts)
    for action in (*begun, *data.draw(st.lists(sample.actions, max_size=25))):
        try:
            state = played.apply(state, played.decode_action(action)).state
        except IllegalAction:
            continue
        assert played.digest(state) == digest(played.encode_state(state))


def test_names_of_seats_are_in_the_order_of_texts() -> None:
    """Canonical JSON has seat 10 before seat 2."""
    rules = RuleSet(packs=6, min_bet=1, max_bet=9, seats=12)
    state = State(rules, tuple(Wager(seat, 5, seat % 2) for seat in (1, 2, 9, 10, 11)), ("4S", "KH", "9C"))
    assert RED_DOG.digest(state) == digest(RED_DOG.encode_state(state))
