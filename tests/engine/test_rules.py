"""RULES-1: a rule set is whole, possible and small enough to stay exact, or it is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tables.engine.codec import MAX_INT, digest
from tables.engine.contract import IllegalAction
from tables.engine.registry import game
from tables.engine.rules import DEFAULT_PAY_TABLE, PayTable, RaiseRule, RuleSet
from tests.engine.helpers import house_rules

SEVEN_BY_TWELVE = 7 * 12
"""Seats times the most one unit of bet can come back with: bet and raise at 5 to 1, or trips."""


def bad(data: object) -> None:
    """Assert that ``data`` is refused as a rule set."""
    with pytest.raises(IllegalAction) as refusal:
        RuleSet.from_dict(data)
    assert (refusal.value.code, refusal.value.rule) == ("bad_rules", "RULES-1")


def test_round_trip_through_json() -> None:
    """RULES-1: what is written is read back equal, with or without a cap."""
    for rules in (house_rules(), house_rules(round_cap=10_000, seats=3, packs=1, cut_card=0)):
        assert RuleSet.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
        assert game("red_dog").decode_rules(game("red_dog").encode_rules(rules)) == rules


def test_the_default_pay_table() -> None:
    """RD-WIN: 5, 4, 2, then even money; 11 to 1 for trips."""
    assert DEFAULT_PAY_TABLE.to_dict() == {
        "1": 5,
        "2": 4,
        "3": 2,
        **{str(spread): 1 for spread in range(4, 12)},
        "trips": 11,
    }


def test_equal_rules_have_one_digest_and_others_another() -> None:
    """RULES-1: a rule set is known by its content."""
    assert digest(house_rules().to_dict()) == digest(house_rules().to_dict())
    assert digest(house_rules().to_dict()) != digest(house_rules(seats=6).to_dict())


@pytest.mark.parametrize("key", sorted(house_rules().to_dict()))
def test_every_key_is_needed_and_none_is_added(key: str) -> None:
    """RULES-1: a missing or an unknown key is refused."""
    data = house_rules().to_dict()
    bad({name: value for name, value in data.items() if name != key})
    bad(data | {key + "_": data[key]})


@pytest.mark.parametrize(
    "change",
    [
        {"game": "blackjack"},
        {"packs": 0},
        {"packs": 9},
        {"packs": True},
        {"packs": 6.0},
        {"packs": "6"},
        {"seats": 0},
        {"seats": 33},
        {"min_bet": 0},
        {"min_bet": -100},
        {"min_bet": 550},
        {"max_bet": 400},
        {"max_bet": 50_050},
        {"max_bet": 2**53},
        {"bet_step": 0},
        {"bet_step": None},
        {"cut_card": -1},
        {"cut_card": 310},
        {"round_cap": 0},
        {"round_cap": 50},
        {"round_cap": 150},
        {"round_cap": 2**53},
        {"raise_rule": None},
        {"raise_rule": "up_to"},
        {"raise_rule": {"kind": "up_to"}},
        {"raise_rule": {"kind": "any", "max_multiple": 1}},
        {"raise_rule": {"kind": ["up_to"], "max_multiple": 1}},
        {"raise_rule": {"kind": "up_to", "max_multiple": 0}},
        {"raise_rule": {"kind": "up_to", "max_multiple": 101}},
        {"raise_rule": {"kind": "exact_double", "max_multiple": 2}},
        {"pay_table": None},
        {"pay_table": {}},
        {"pay_table": DEFAULT_PAY_TABLE.to_dict() | {"12": 1}},
        {"pay_table": DEFAULT_PAY_TABLE.to_dict() | {"1": 0}},
        {"pay_table": DEFAULT_PAY_TABLE.to_dict() | {"1": 1.5}},
        {"pay_table": DEFAULT_PAY_TABLE.to_dict() | {"trips": 1_001}},
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(change: dict[str, Any]) -> None:
    """RULES-1: each value alone makes the rule set impossible."""
    bad(house_rules().to_dict() | change)


@pytest.mark.parametrize("data", [None, [], "red_dog", 1, {}])
def test_what_is_no_rule_set_is_refused(data: object) -> None:
    """RULES-1: only a dict with the keys is one."""
    bad(data)


def test_the_parts_have_their_types() -> None:
    """RULES-1: also when a rule set is made in code."""
    for change in ({"pay_table": DEFAULT_PAY_TABLE.to_dict()}, {"raise_rule": {"kind": "up_to"}}):
        with pytest.raises(IllegalAction):
            house_rules(**change)
    with pytest.raises(IllegalAction):
        PayTable((1, 2, 3), 11)


def test_amounts_stay_exact_integers() -> None:
    """RULES-1: a whole table at its limit, paid at the best odds, stays below 2 to the 53."""
    most = MAX_INT // SEVEN_BY_TWELVE
    plain = {"min_bet": 1, "bet_step": 1, "raise_rule": RaiseRule()}
    assert house_rules(max_bet=most, **plain).max_bet == most
    for change in (
        {"max_bet": most + 1},
        {"max_bet": most, "seats": 8},
        {"max_bet": most, "raise_rule": RaiseRule("up_to", 2)},
        {"max_bet": most, "pay_table": PayTable((5, *[1] * 10), 12)},
    ):
        with pytest.raises(IllegalAction) as refusal:
            house_rules(**(plain | change))
        assert refusal.value.code == "bad_rules"
