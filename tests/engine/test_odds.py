"""The exact odds: published fractions, closed form against enumeration, and the odds given two cards."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.cards import pack
from tables.engine.odds import (
    ALWAYS,
    BEST,
    NEVER,
    closed_form,
    enumerated,
    expected_net,
    full_shoe,
    theoretical_win,
    third_card_law,
    without,
)
from tables.engine.red_dog import RED_DOG
from tables.engine.red_dog.board import Outcome, outcome_of, shape_of, spread_of
from tables.engine.rules import DEFAULT_PAY_TABLE, PayTable
from tables.engine.shoe import Shoe
from tests.engine.helpers import PROPERTY, act, bet, board, deal, house_rules, load_cases, play, raise_, table

OTHER_PAY_TABLE = PayTable((7, 3, 2, 2, 1, 1, 1, 1, 1, 1, 3), 9)


@pytest.mark.parametrize("case", load_cases("house_edge.json"), ids=lambda case: f"{case['packs']}-packs")
def test_published_house_edges(case: dict[str, Any]) -> None:
    """Each published fraction exactly, by closed form and by enumeration of the full shoe."""
    expected = Fraction(case["house_edge"])
    rule = case["raise_from_spread"]
    assert closed_form(case["packs"], raise_from=rule).house_edge == expected
    assert enumerated(full_shoe(case["packs"]), raise_from=rule).house_edge == expected


def test_the_other_base_and_the_other_rules() -> None:
    """Six packs: element of risk, never raising (7.968 %) and always raising (21.7 %)."""
    assert closed_form(6).element_of_risk == Fraction(17533, 738265)
    never, always = closed_form(6, raise_from=NEVER), closed_form(6, raise_from=ALWAYS)
    assert round(never.house_edge, 5) == Fraction(7968, 100_000)
    assert round(always.house_edge, 3) == Fraction(217, 1_000)
    assert never.mean_wager == 1
    assert never.element_of_risk == never.house_edge


@pytest.mark.parametrize("packs", range(1, 9))
@pytest.mark.parametrize("pay_table", [DEFAULT_PAY_TABLE, OTHER_PAY_TABLE], ids=["default", "other"])
def test_closed_form_equals_enumeration(packs: int, pay_table: PayTable) -> None:
    """Every probability and edge, not only the sum; and the probabilities add up to 1."""
    for raise_from in (ALWAYS, 4, BEST, NEVER):
        odds = closed_form(packs, pay_table, raise_from)
        assert odds == enumerated(full_shoe(packs), pay_table, raise_from)
    assert odds.consecutive + odds.pair + sum(s.probability for s in odds.spreads) == 1


@pytest.mark.parametrize("packs", range(1, 9))
def test_the_best_rule_raises_from_seven(packs: int) -> None:
    """With the default pay table a raise gains exactly on spreads 7 to 11, for every number of packs."""
    assert [s.spread for s in closed_form(packs).spreads if s.edge > 0] == [7, 8, 9, 10, 11]
    edges = {rule: closed_form(packs, raise_from=rule).house_edge for rule in range(ALWAYS, NEVER + 1)}
    assert min(edges, key=lambda rule: edges[rule]) == BEST


@cache
def all_boards_of_one_pack() -> Counter[tuple[int | None, Outcome | None]]:
    """How often each spread and outcome comes over all 132,600 ordered triples of cards."""
    counts: Counter[tuple[int | None, Outcome | None]] = Counter()
    for first, second, third in permutations(pack(), 3):
        stops = shape_of(first, second) == "consecutive"
        cards = (first, second) if stops else (first, second, third)
        counts[spread_of(first, second), outcome_of(cards)] += 1
    return counts


def test_brute_force_over_one_pack() -> None:
    """Card by card, through the engine's own outcome: 523/16575 and every single probability."""
    counts = all_boards_of_one_pack()
    assert counts.total() == 52 * 51 * 50
    odds, net = closed_form(1), 0
    for (spread, outcome), count in counts.items():
        stake = 2 if spread is not None and spread >= BEST else 1
        pays = {"trips": 11, "win": DEFAULT_PAY_TABLE.spread(spread or 1), "lose": -1}
        net += count * stake * pays.get(str(outcome), 0)
    assert Fraction(-net, counts.total()) == odds.house_edge == Fraction(523, 16575)
    for s in odds.spreads:
        won, lost = counts[s.spread, "win"], counts[s.spread, "lose"]
        assert (s.probability, s.win) == (Fraction(won + lost, counts.total()), Fraction(won, won + lost))
    assert odds.consecutive == Fraction(counts[None, "consecutive"], counts.total())
    pairs = counts[None, "trips"] + counts[None, "pair_push"]
    assert (odds.pair, odds.trips) == (
        Fraction(pairs, counts.total()),
        Fraction(counts[None, "trips"], pairs),
    )


@PROPERTY
@given(counts=st.lists(st.integers(0, 3), min_size=13, max_size=13).filter(lambda c: sum(c) >= 3))
def test_any_composition_adds_up(counts: list[int]) -> None:
    """From any shoe the probabilities add up to 1, and spreads that cannot come are left out."""
    odds = enumerated(counts)
    assert odds.consecutive + odds.pair + sum((s.probability for s in odds.spreads), Fraction()) == 1
    assert all(s.probability > 0 and 0 <= s.win <= 1 for s in odds.spreads)


@PROPERTY
@given(packs=st.integers(1, 8), cards=st.lists(st.sampled_from(pack()), min_size=2, max_size=2, unique=True))
def test_given_two_cards(packs: int, cards: list[str]) -> None:
    """The law of the third card over a fresh shoe is the closed form, and the seat's mean follows."""
    first, second = cards
    unseen = without(full_shoe(packs), cards)
    law = third_card_law(first, second, unseen)
    assert sum(law.values()) == 1
    odds, spread = closed_form(packs), spread_of(first, second)
    expected = expected_net(first, second, 500, 300 if spread else 0, unseen)
    if spread is not None:
        assert law["win"] == odds.spreads[spread - 1].win
        assert expected == 800 * odds.spreads[spread - 1].edge
    elif shape_of(first, second) == "pair":
        assert law["trips"] == odds.trips
        assert expected == 500 * odds.pair_edge
    else:
        assert law == {"consecutive": Fraction(1)}
        assert expected == 0


def test_a_depleted_shoe() -> None:
    """With every card between gone the raise cannot win, and says so."""
    unseen = [4] * 13
    unseen["23456789TJQKA".index("9")] = 0
    assert third_card_law("8S", "TH", unseen) == {"lose": 1}
    assert expected_net("8S", "TH", 500, 500, unseen) == -1_000


def test_the_shoe_gives_the_composition() -> None:
    """What the shoe has not shown, face-down burns included, is what the odds are taken over."""
    shoe = Shoe(6).burn_unseen().see("8S").see("TH")
    assert shoe.unseen_ranks() == without(full_shoe(6), ["8S", "TH"])


class TestTheoreticalWin:
    """What the house wins in the mean given the two cards and the wagers as posted."""

    unseen = without(full_shoe(6), ["2S", "TH"])

    def test_is_the_sum_over_the_seats(self) -> None:
        """Actual raises, not an assumed rule."""
        state, _ = play(board("2S", "TH", {1: 2_500, 4: 500}), act("announce", spread=7), raise_(4, 300))
        seats = expected_net("2S", "TH", 2_500, 0, self.unseen) + expected_net(
            "2S", "TH", 500, 300, self.unseen
        )
        assert theoretical_win(state, self.unseen) == -seats

    def test_does_not_depend_on_what_came_after(self) -> None:
        """The third card, the settlement or a void leave it as it was."""
        state, _ = play(board("2S", "TH"), act("announce", spread=7))
        decided, _ = play(state, *deal("KC"))
        settled, _ = play(decided, act("settle"))
        voided, _ = play(decided, act("void", reason="misdeal"))
        wins = {theoretical_win(one, self.unseen) for one in (state, decided, settled, voided)}
        assert wins == {-expected_net("2S", "TH", 2_500, 0, self.unseen)}

    def test_applies_the_cap(self) -> None:
        """Trips on 10.00 pay 100.00 at most here, with probability 22 in 310."""
        state = table(bet(1, 1_000), *deal("9S", "9H"), rules=house_rules(round_cap=10_000))
        assert theoretical_win(state, without(full_shoe(6), ["9S", "9H"])) == -Fraction(22, 310) * 10_000

    def test_needs_two_cards(self) -> None:
        """Before them there is nothing to condition on."""
        with pytest.raises(ValueError, match="two cards"):
            theoretical_win(RED_DOG.new_round(house_rules()), self.unseen)


@pytest.mark.parametrize("unseen", [[4] * 12, [4] * 14, [-1, *[4] * 12], [1, 1, *[0] * 11]])
def test_compositions_that_cannot_be(unseen: list[int]) -> None:
    """Thirteen counts, none negative, at least three cards."""
    with pytest.raises(ValueError, match="composition"):
        enumerated(unseen)


def test_what_cannot_be_asked() -> None:
    """Packs and raising rules out of range, an empty rest, cards that are not there."""
    for packs, raise_from in ((0, 7), (9, 7), (6, 0), (6, 13)):
        with pytest.raises(ValueError, match=r"packs|raise_from"):
            closed_form(packs, raise_from=raise_from)
    with pytest.raises(ValueError, match="composition"):
        third_card_law("8S", "TH", [0] * 13)
    with pytest.raises(ValueError, match="composition"):
        without([0] * 13, ["8S"])
