"""Version 2 of casino Red Dog: what lies beside the seats' own bets (RD-TOKE, RD-PROMO), and bets that are
currency (RD-MONEY)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tables.engine.contract import IllegalAction
from tables.engine.odds import full_shoe, theoretical_win, without
from tables.engine.odds.theory import theory_of
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
    with pytest.raises(IllegalAction, match="bad_action"):
        RED_DOG.decode_action(act("bet_money", seat=1, amount=500))


def test_the_handle_counts_toke_bets_and_no_promotional_piece() -> None:
    """RD-TOKE is a wager against the house; a piece (RD-PROMO) is no chips, and what it wins is."""
    state = played(*deal("5S", "6H"))
    assert RED_DOG_2.handle(state) == 2_500 + 1_000 + 500
    state = played(*deal("7S", "7H"), *deal("7D"))
    assert RED_DOG_2.nets(state) == {0: 500 * 12, 1: 2_500 * 11 - 500, 2: (1_000 + 1_000) * 11}
    assert RED_DOG_2.describe(state)["tray_need"] == (2_500 + 500 + 1_000 + 1_000) * 11


def in_money(*actions: dict[str, Any]) -> Any:
    """A round of seat 1 with bet and raise of currency, seat 2 with chips raised by currency, on a spread."""
    log = [act("bet_money", seat=1, amount=2_500), bet(2, 1_000), *deal("5S", "9H")]
    log.append(act("announce", spread=3))
    log += [act("raise_money", seat=1, amount=2_500), act("raise_money", seat=2, amount=500), *actions]
    return replay(RED_DOG_2, house_rules(), [RED_DOG_2.decode_action(one) for one in log])[0]


@pytest.mark.parametrize(
    "change",
    [
        {"money": {"1": 2_400}},
        {"money": {"3": 500}},
        {"money": {"1": 2_500, "2": 500}},
        {"money_raises": {"1": 2_500, "2": 600}},
        {"money_raises": {"1": 2_500, "2": True}},
        {"money": []},
        {"money": {}, "money_raises": {}},
    ],
)
def test_a_state_with_currency_no_round_can_reach_is_refused(change: dict[str, Any]) -> None:
    """STATE-1: a bet or raise is all currency or none; where none is, the state does not speak of it."""
    encoded = RED_DOG_2.encode_state(in_money())
    assert RED_DOG_2.decode_state(encoded) == in_money()
    with pytest.raises(IllegalAction, match="bad_state"):
        RED_DOG_2.decode_state(encoded | change)
    assert "money" not in RED_DOG_2.encode_state(played())


def test_currency_wins_and_loses_as_chips_do_and_is_no_action_told_as_legal() -> None:
    """RD-MONEY: handle, results and what the house expects are those of chips; so are the bounds."""
    chips = [bet(1, 2_500), bet(2, 1_000), *deal("5S", "9H"), act("announce", spread=3)]
    chips += [act("raise", seat=1, amount=2_500), act("raise", seat=2, amount=500)]
    for card in ("6S", "KS", "9S"):
        log = [RED_DOG_2.decode_action(one) for one in (*chips, *deal(card))]
        state, money = replay(RED_DOG_2, house_rules(), log)[0], in_money(*deal(card))
        assert RED_DOG_2.nets(money) == RED_DOG_2.nets(state)
        assert RED_DOG_2.handle(money) == RED_DOG_2.handle(state)
        assert theory_of(money) == theory_of(state)
        assert RED_DOG_2.describe(money)["tray_need"] == RED_DOG_2.describe(state)["tray_need"]
    opened = RED_DOG_2.new_round(RED_DOG_2.decode_rules(house_rules().to_dict()))
    bounds = {one.type: one.fields for one in RED_DOG_2.legal(opened) if one.seat == 1}
    assert bounds["bet_money"] == bounds["bet"]
    told = {legal["type"] for legal in RED_DOG_2.describe(opened)["legal"]}
    assert told == {"bet", "void"}, "whether currency is taken is the house's to tell"


def test_currency_raised_on_cards_that_did_not_lie_counts_as_returned() -> None:
    """RD-PHYSICAL: the same wagers on a pair; what the real cards do not allow is no stake any more."""
    state = in_money(*deal("KS"), act("settle"))
    assert RED_DOG_2.nets(state) == {1: -5_000, 2: -1_500}
    judged = RED_DOG_2.judged_on(state, ["9S", "9H", "KS"])
    assert RED_DOG_2.nets(judged) == {1: 0, 2: 0}
    encoded = RED_DOG_2.encode_state(judged)
    assert (encoded["money"], encoded["money_raises"]) == ({"1": 2_500}, {})
    assert RED_DOG_2.decode_state(encoded) == judged
    assert RED_DOG_2.encode_state(RED_DOG_2.judged_on(state, ["5S", "9H", "6S"]))["money_raises"] == {
        "1": 2_500,
        "2": 500,
    }


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
