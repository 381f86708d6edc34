"""The classic coding errors of Red Dog programs, each shown to be absent."""

from __future__ import annotations

from itertools import product

import pytest

from tables.engine.cards import RANKS, pack
from tables.engine.red_dog.board import outcome_of, spread_of
from tests.engine.helpers import act, balances, bet, board, deal, nets, play, raise_, refused, table


def test_no_third_card_on_consecutives() -> None:
    """RD-CONSECUTIVE: for every one of the 24 ordered consecutive ranks the next card is refused."""
    consecutive = [(a, b) for a, b in product(RANKS, RANKS) if abs(RANKS.index(a) - RANKS.index(b)) == 1]
    assert len(consecutive) == 24
    for first, second in consecutive:
        state = board(first + "S", second + "H")
        assert (state.outcome, state.spread, nets(state)) == ("consecutive", None, {1: 0})
        refused(state, deal("7C")[0], "no_third_card", "RD-CONSECUTIVE")


def test_no_raise_on_a_pair() -> None:
    """RD-PAIR: for every rank."""
    for rank in RANKS:
        state = board(rank + "S", rank + "H")
        refused(state, raise_(1, 2_500), "no_raise_on_pair", "RD-PAIR")
        third = "7C" if rank != "7" else "8C"
        decided, _ = play(state, *deal(third))
        refused(decided, raise_(1, 2_500), "no_raise_on_pair", "RD-PAIR")


@pytest.mark.parametrize("third", ["8C", "TC"])
def test_equality_is_no_win(third: str) -> None:
    """RD-WIN: equal to either end loses bet and raise."""
    state, _ = play(board("8S", "TH"), act("announce", spread=1), raise_(1, 2_500), *deal(third))
    assert (state.outcome, nets(state)) == ("lose", {1: -5_000})


def test_the_ace_is_never_low() -> None:
    """RD-RANK: ace and two have spread 11, king and ace are consecutive, an ace lies outside 2 to 5."""
    assert spread_of("AS", "2H") == spread_of("2H", "AS") == 11
    assert outcome_of(("KS", "AH")) == "consecutive"
    assert outcome_of(("2S", "5H", "AC")) == "lose"
    assert outcome_of(("AS", "3H", "2C")) == "lose"


def test_the_spread_is_what_lies_strictly_between() -> None:
    """RD-SPREAD: never the plain difference, and the same in either order, for all 169 rank pairs."""
    assert (spread_of("8S", "TH"), spread_of("5S", "QH")) == (1, 6)
    for first, second in product(RANKS, RANKS):
        low, high = sorted((RANKS.index(first), RANKS.index(second)))
        between = len(RANKS[low + 1 : high])
        assert spread_of(first + "S", second + "H") == (between or None)


def test_the_raise_is_paid_the_odds_too() -> None:
    """RD-WIN: spread 2 pays 4 to 1 on bet and raise."""
    state, moves = play(board("8S", "JH"), act("announce", spread=2), raise_(1, 1_000), *deal("9C"))
    _, paid = play(state, act("settle"))
    assert nets(state) == {1: 4 * 3_500}
    assert balances(moves + paid) == {"tray": -14_000, "wager:1": -2_500, "seat:1": 16_500}


def test_trips_pay_eleven_to_one_not_for_one() -> None:
    """RD-PAIR: eleven times the bet on top of the bet, so twelve times the bet comes back."""
    state, moves = play(table(), bet(1, 2_500), *deal("9S", "9H", "9D"), act("settle"))
    assert nets(state) == {1: 27_500}
    assert moves[-1].amount == 30_000


def test_all_seats_play_one_board() -> None:
    """RD-BOARD: with equal bets every seat has the same result, whatever the cards."""
    for cards in (["2S", "TH", "5C"], ["2S", "TH", "KC"], ["9S", "9H", "9D"], ["9S", "TH"]):
        state = table(*(bet(seat, 500) for seat in range(1, 8)), *deal(*cards[:2]))
        announce = [act("announce", spread=state.spread)] if state.spread else []
        decided, _ = play(state, *announce, *deal(*cards[2:]))
        assert len(set(nets(decided).values())) == 1
        assert list(nets(decided)) == [1, 2, 3, 4, 5, 6, 7]


def test_suits_never_count() -> None:
    """RD-RANK: every suit of three ranks gives the same outcome."""
    for a, b, c in product("SHDC", repeat=3):
        assert outcome_of(("8" + a, "T" + b, "9" + c)) == "win"
        assert outcome_of(("8" + a, "8" + b, "8" + c)) == "trips"


def test_cards_are_not_drawn_with_replacement() -> None:
    """RD-COMPOSITION: of one pack no card comes twice in a round."""
    for card in pack():
        state = table(bet(1, 500), *deal(card), rules=board("2S", "TH", packs=1, cut_card=0).rules)
        refused(state, deal(card)[0], "impossible_card", "RD-COMPOSITION")
