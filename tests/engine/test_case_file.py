"""Every round of casino_rounds.json, and every refusal of it."""

from __future__ import annotations

from typing import Any

import pytest

from tables.engine.red_dog import RED_DOG
from tests.engine.helpers import act, balances, case_actions, case_rules, load_cases, nets, play, refused

CASES = load_cases("casino_rounds.json")
REFUSALS = {
    "raise on a pair": ("no_raise_on_pair", "RD-PAIR"),
    "raise on consecutives": ("no_raise_on_consecutive", "RD-CONSECUTIVE"),
    "raise above the bet under up_to 1": ("raise_above_maximum", "RD-RAISE"),
    "part raise under exact_double": ("raise_below_minimum", "RD-RAISE"),
    "raise from a seat without a bet": ("no_bet", "RD-BET"),
    "third card on consecutives": ("no_third_card", "RD-CONSECUTIVE"),
    "same card twice from one pack": ("impossible_card", "RD-COMPOSITION"),
    "zero bet": ("bet_below_minimum", "RD-BET"),
    "negative bet": ("bet_below_minimum", "RD-BET"),
}


def test_the_case_file_is_whole() -> None:
    """The cases are the ones the project was given: 48 rounds and 9 refusals."""
    assert (len(CASES["rounds"]), len(CASES["refused"])) == (48, 9)
    assert {case["note"] for case in CASES["refused"]} == REFUSALS.keys()


@pytest.mark.parametrize("case", CASES["rounds"], ids=lambda case: "-".join(case["cards"]))
def test_round(case: dict[str, Any]) -> None:
    """RD-WIN, RD-PAIR, RD-CONSECUTIVE: outcome, spread and every seat's net, in results and in chips."""
    state, moves = play(RED_DOG.new_round(case_rules(case)), *case_actions(case), act("settle"))
    assert (state.outcome, state.spread) == (case["outcome"], case["spread"])
    expected = {int(seat): net for seat, net in case["player_net"].items()}
    assert nets(state) == expected
    chips = {f"seat:{seat}": net for seat, net in expected.items()} | {"tray": -sum(expected.values())}
    assert balances(moves) == {place: net for place, net in chips.items() if net}


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["note"])
def test_refused(case: dict[str, Any]) -> None:
    """The last action of each case is refused for the rule it breaks, and all before it are accepted."""
    actions = case_actions(case)
    if case["note"] in ("zero bet", "negative bet"):
        actions = actions[:1]
    state, _ = play(RED_DOG.new_round(case_rules(case)), *actions[:-1])
    refused(state, actions[-1], *REFUSALS[case["note"]])
