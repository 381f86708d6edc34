"""Version 2 of casino Red Dog: what lies beside the seats' own bets (RD-TOKE, RD-PROMO)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tables.engine.contract import IllegalAction
from tables.engine.odds import full_shoe, theoretical_win, without
from tables.engine.red_dog import RED_DOG, RED_DOG_2
from tables.engine.replay import replay
from tests.engine.helpers import act, bet, deal, house_rules


def played(*actions: dict[str, Any]) -> Any:
    """A round of bets of 25.00 and 10.00 with 5.00 for the dealers and a piece of 10.00 beside them."""
    beside = [act("bet_toke", seat=1, amount=500), act("bet_promo", seat=2, amount=1_000)]
    log = [bet(1, 2_500), bet(2, 1_000), *beside, *actions]
    return replay(RED_DOG_2, house_rules(), [RED_DOG_2.decode_action(one) for one in log])[0]


@pytest.mark.parametrize(
    "change",
    [
        {"tokes": {"1": 2_600}},
        {"tokes": {"3": 500}},
        {"promos": {"2": 150}},
        {"promos": {"2": True}},
        {"tokes": {"1": 0}},
        {"tokes": []},
        {"bets": {"2": 1_000}},
        {"coupons": {}},
    ],
)
def test_a_state_no_round_can_reach_is_refused(change: dict[str, Any]) -> None:
    """STATE-1: nothing lies beside a bet that is not there, or beyond it, or not in whole steps."""
    encoded = RED_DOG_2.encode_state(played())
    assert RED_DOG_2.decode_state(encoded) == played()
    with pytest.raises(IllegalAction) as caught:
        RED_DOG_2.decode_state(encoded | change)
    assert caught.value.code == "bad_state"


def test_versions_do_not_read_each_others_states_and_actions() -> None:
    """STATE-1, ACTION-1: a round stays with the version it was begun in."""
    with pytest.raises(IllegalAction, match="bad_state"):
        RED_DOG.decode_state(RED_DOG_2.encode_state(played()))
    with pytest.raises(IllegalAction, match="bad_action"):
        RED_DOG.decode_action(act("bet_toke", seat=1, amount=500))


def test_the_handle_counts_toke_bets_and_no_promotional_piece() -> None:
    """RD-TOKE is a wager against the house; a piece (RD-PROMO) is no chips, and what it wins is."""
    state = played(*deal("5S", "6H"))
    assert RED_DOG_2.handle(state) == 2_500 + 1_000 + 500
    state = played(*deal("7S", "7H"), *deal("7D"))
    assert RED_DOG_2.nets(state) == {0: 500 * 12, 1: 2_500 * 11 - 500, 2: (1_000 + 1_000) * 11}
    assert RED_DOG_2.describe(state)["tray_need"] == (2_500 + 500 + 1_000 + 1_000) * 11


def test_the_house_expects_what_each_stake_costs_it() -> None:
    """RD-PROMO: a lost piece brings nothing, so in the mean it only costs."""
    state, unseen = played(*deal("5S", "QH")), without(full_shoe(6), ("5S", "QH"))
    win = Fraction(24 * 6, 310)
    chips, piece = 2_500 + 1_000 + 500, 1_000
    assert theoretical_win(state, unseen) == chips * (1 - 2 * win) - piece * win


def test_a_rule_set_whose_side_bets_could_not_be_paid_exactly_is_refused() -> None:
    """RULES-1: all stakes of a whole table, paid at the best odds, stay exact integers."""
    rules = house_rules(max_bet=100 * (2**53 // 100 // 7 // 25), bet_step=100).to_dict()
    RED_DOG.decode_rules(rules)
    with pytest.raises(IllegalAction, match="bad_rules"):
        RED_DOG_2.decode_rules(rules)
