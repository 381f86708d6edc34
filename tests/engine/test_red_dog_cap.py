"""RD-CAP: what one round may win, and how it is divided."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.red_dog import tray_need
from tables.engine.red_dog.board import divide_cap
from tests.engine.helpers import PROPERTY, act, balances, bet, deal, house_rules, nets, play, table


@pytest.mark.parametrize(
    ("winnings", "cap", "step", "shares"),
    [
        ([100, 200], None, 1, (100, 200)),
        ([100, 200], 300, 1, (100, 200)),
        ([100, 200], 299, 1, (100, 199)),
        ([100, 100, 100], 200, 100, (100, 100, 0)),
        ([100, 100, 100], 100, 1, (34, 33, 33)),
        ([0, 300], 100, 1, (0, 100)),
        ([300, 100], 100, 25, (75, 25)),
        ([], 100, 1, ()),
    ],
)
def test_division(winnings: list[int], cap: int | None, step: int, shares: tuple[int, ...]) -> None:
    """RD-CAP: proportional, in whole steps, the rest to the largest remainders, then the lower seat."""
    assert divide_cap(winnings, cap, step) == shares


@PROPERTY
@given(
    units=st.lists(st.integers(0, 10_000), max_size=7),
    cap_units=st.integers(1, 20_000),
    step=st.sampled_from([1, 25, 500]),
)
def test_no_chip_is_lost_and_none_appears(units: list[int], cap_units: int, step: int) -> None:
    """RD-CAP: the shares add up to the cap exactly, each within one step of its exact part."""
    winnings, cap = [unit * step for unit in units], cap_units * step
    shares = divide_cap(winnings, cap, step)
    total = sum(winnings)
    assert sum(shares) == min(cap, total)
    for won, share in zip(winnings, shares, strict=True):
        assert 0 <= share <= won
        assert share % step == 0
        assert abs(share - Fraction(won * min(cap, total), total or 1)) < step


def test_a_capped_round() -> None:
    """RD-CAP: 11 to 1 on 10.00 and 20.00 capped at 100.00; both stakes still go back whole."""
    rules = house_rules(round_cap=10_000)
    state, moves = play(
        table(rules=rules), bet(1, 1_000), bet(2, 2_000), *deal("9S", "9H", "9D"), act("settle")
    )
    assert nets(state) == {1: 3_300, 2: 6_700}
    assert balances(moves) == {"tray": -10_000, "seat:1": 3_300, "seat:2": 6_700}


def test_the_tray_needs_the_cap_only() -> None:
    """RD-CAP, RD-SETTLE: what is owed is what is paid."""
    rules = house_rules(round_cap=10_000)
    assert tray_need(table(bet(1, 1_000), *deal("9S", "9H", "9D"), rules=rules)) == 10_000


def test_losses_and_pushes_know_no_cap() -> None:
    """RD-CAP: it limits winnings alone."""
    rules = house_rules(round_cap=100)
    lost = table(bet(1, 1_000), *deal("2S", "TH"), act("announce", spread=7), *deal("KC"), rules=rules)
    assert nets(lost) == {1: -1_000}
    assert nets(table(bet(1, 1_000), *deal("9S", "TH"), rules=rules)) == {1: 0}
