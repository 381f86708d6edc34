"""States that were read once: the same for the same JSON, and for no other."""

import copy

import pytest

from tables.engine.contract import IllegalAction
from tables.engine.registry import game
from tables.selectors import states
from tables.selectors.states import remember, state_of
from tests.floor import RULES


def test_what_was_read_is_read_again_for_the_same_json_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """STATE-1 holds for every reading: a forged state is refused however often, and beside a sound one."""
    rules_of_game = game("red_dog")
    state = rules_of_game.new_round(rules_of_game.decode_rules(RULES))
    bet = rules_of_game.decode_action({"type": "bet", "seat": 1, "amount": 1000})
    state = rules_of_game.apply(state, bet).state
    encoded = rules_of_game.encode_state(state)
    assert state_of(rules_of_game, encoded) == state
    assert state_of(rules_of_game, copy.deepcopy(encoded)) is state_of(rules_of_game, encoded)
    for forged in (
        encoded | {"settled": 0},
        encoded | {"phase": "raising"},
        encoded | {"bets": {"1": 1000.0}},
    ):
        for _ in range(2):
            with pytest.raises(IllegalAction, match="bad_state"):
                state_of(rules_of_game, forged)
    monkeypatch.setattr(states, "KEPT", 1)
    remember(rules_of_game, encoded, state)
    assert state_of(rules_of_game, encoded) is state
