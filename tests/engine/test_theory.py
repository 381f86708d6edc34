"""What the house could expect under best decisions and under those that were taken, before the cards came."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.engine.cards import RANKS
from tables.engine.odds import (
    ALWAYS,
    BEST,
    NEVER,
    closed_form,
    full_shoe,
    theoretical_win,
    without,
)
from tables.engine.odds.theory import Theory, best_wagers, theory_of
from tables.engine.red_dog.board import Wager
from tables.engine.red_dog.state import State
from tables.engine.rules import DEFAULT_PAY_TABLE, PayTable, RaiseRule, RuleSet
from tests.engine.helpers import house_rules

OTHER = PayTable((7, 3, 2, 2, 1, 1, 1, 1, 1, 1, 3), 9)
BOARDS = {str(k): f"2{RANKS[k + 1]}" for k in range(1, 12)}


def settled(rules: RuleSet, wagers: tuple[Wager, ...], ranks: str) -> State:
    """A round over: two cards of these ranks, and a deuce of hearts where a third is due."""
    return State(rules, wagers, (ranks[0] + "S", ranks[1] + "C", "2H"), settled=True)


def theory(rules: RuleSet, wagers: tuple[Wager, ...], ranks: str) -> Theory:
    found = theory_of(settled(rules, wagers, ranks))
    assert found is not None
    return found


@pytest.mark.parametrize("packs", range(1, 9))
@pytest.mark.parametrize("pay_table", [DEFAULT_PAY_TABLE, OTHER], ids=["default", "other"])
def test_best_decisions_cost_the_exact_edge_of_a_full_shoe(packs: int, pay_table: PayTable) -> None:
    """Per unit of initial bet, whatever the cards were and whatever was raised: a raise iff it gains."""
    rules = house_rules(packs=packs, pay_table=pay_table, cut_card=0)
    odds = closed_form(packs, pay_table, NEVER)
    edge = odds.house_edge - sum(
        (one.probability * max(one.edge, Fraction()) for one in odds.spreads), Fraction()
    )
    if pay_table is DEFAULT_PAY_TABLE:
        assert edge == closed_form(packs).house_edge, "which is a raise from seven on"
    for ranks, raised in (("23", 0), ("22", 0), ("2J", 0), ("24", 500)):
        assert theory(rules, (Wager(1, 500, raised), Wager(4, 700)), ranks).best_win == edge * 1200


def test_six_packs_as_published() -> None:
    assert theory(house_rules(), (Wager(1, 626_665 * 100),), "23").best_win == 17_533 * 100


@pytest.mark.parametrize("raise_from", [ALWAYS, 4, BEST, NEVER])
def test_decisions_in_the_mean_cost_the_edge_of_their_rule(raise_from: int) -> None:
    """Never raising costs 7.968 % of the initial bet at six packs, always raising 21.7 %."""
    odds, rules = closed_form(6, raise_from=raise_from), house_rules()
    mean = theory(rules, (Wager(2, 500),), "22").actual_win * (odds.pair + odds.consecutive)
    for one in odds.spreads:
        wagers = (Wager(2, 500, 500 if odds.raises_on(one.spread) else 0),)
        found = theory(rules, wagers, BOARDS[str(one.spread)])
        assert found.actual >= found.best, "no decision costs less than the best"
        mean += found.actual_win * one.probability
    assert mean == odds.house_edge * 500


@given(
    bets=st.lists(st.integers(1, 20), min_size=1, max_size=3),
    cap=st.none() | st.integers(1, 60),
    multiple=st.integers(1, 3),
    packs=st.sampled_from([1, 6]),
)
@settings(deadline=None, max_examples=12)
def test_it_is_the_conditional_expectation_before_any_card(
    bets: list[int], cap: int | None, multiple: int, packs: int
) -> None:
    """Against what another function expects once two cards lie, weighed over all of them, caps included."""
    rules = house_rules(
        packs=packs,
        cut_card=0,
        bet_step=1,
        min_bet=1,
        raise_rule=RaiseRule("up_to", multiple),
        round_cap=cap,
    )
    wagers = tuple(Wager(seat, bet) for seat, bet in enumerate(bets, 1))
    mean, unseen = Fraction(), full_shoe(packs)
    for one, two in product(RANKS, RANKS):
        state = settled(rules, wagers, one + two)
        placed = best_wagers(rules, wagers, state.spread) if state.spread else wagers
        after = without(unseen, state.cards[:2])
        expected = theoretical_win(State(rules, placed, state.cards[:2]), after)
        mean += 4 * packs * (4 * packs - (one == two)) * expected
        if one == "2":
            cost = theory(rules, wagers, one + two)
            assert theory(rules, placed, one + two).actual == cost.best
            given_cards = theoretical_win(State(rules, wagers, state.cards[:2]), after)
            assert cost.actual_win - cost.best_win == given_cards - expected
    n = 52 * packs
    assert mean / (n * (n - 1)) == theory(rules, wagers, "22").best_win


def test_what_does_not_count_has_none_and_sums_are_exact() -> None:
    rules, wagers = house_rules(), (Wager(1, 500),)
    assert theory_of(State(rules, wagers, ("2S", "9C"))) is None
    assert theory_of(State(rules, wagers, ("2S", "9C", "5H"), void_reason="misdeal")) is None
    one, other = theory(rules, wagers, "29"), theory(rules, wagers, "2K")
    assert one.less(other).actual_win == one.actual_win - other.actual_win
    assert (-one).best_win == -one.best_win
