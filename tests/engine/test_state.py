"""STATE-1: a stored state that no round can reach is refused, check by check."""

from __future__ import annotations

from typing import Any

import pytest

from tables.engine.contract import IllegalAction
from tables.engine.red_dog import RED_DOG, State
from tests.engine.helpers import act, bet, board, deal, play, raise_, table

BETTING = table(bet(1, 2_500), bet(2, 500))
RAISED = play(board("2S", "TH"), act("announce", spread=7), raise_(1, 500))[0]
WON = play(RAISED, *deal("5C"))[0]
MISCALLED = play(board("2S", "TH"), act("announce", spread=8))[0]
EXPOSED = play(board("2S", "TH"), act("expose_third", card="5C"))[0]
PAIR = board("9S", "9H")
PUSH = board("9S", "TH")
VOID = play(PAIR, act("void", reason="misdeal"))[0]
NO_RESULTS: dict[str, Any] = {"results": {}}


def following(state: State, change: dict[str, Any]) -> dict[str, Any]:
    """The stored form of ``state`` with ``change``."""
    return RED_DOG.encode_state(state) | change


@pytest.mark.parametrize("state", [BETTING, RAISED, WON, MISCALLED, EXPOSED, PAIR, PUSH, VOID])
def test_these_states_themselves_are_read(state: State) -> None:
    """STATE-1: each state the tests below change is good before the change."""
    assert RED_DOG.decode_state(following(state, {})) == state


@pytest.mark.parametrize(
    ("state", "change"),
    [
        (BETTING, {"bets": {"0": 500}}),
        (BETTING, {"bets": {"8": 500}}),
        (BETTING, {"bets": {"1": 400}}),
        (BETTING, {"bets": {"1": 550}}),
        (BETTING, {"bets": {"1": 50_100}}),
        (BETTING, {"bets": {"01": 500}}),
        (BETTING, {"bets": {"one": 500}}),
        (BETTING, {"bets": {"1": True}}),
        (BETTING, {"bets": {"1": 500.0}}),
        (BETTING, {"bets": [500]}),
        (BETTING, {"raises": {"1": 500}}),
        (BETTING, {"raises": {"3": 500}}),
        (BETTING, {"raises": {"1": 0}}),
        (BETTING, {"announced": 7}),
        (BETTING, {"misannounced": True}),
        (BETTING, {"phase": "raising"}),
        (BETTING, {"spread": 7}),
        (BETTING, {"outcome": "win"}),
        (BETTING, {"burnt": ["8S"]}),
        (BETTING, {"settled": True, "phase": "over"}),
        (BETTING, {"settled": 0}),
        (BETTING, {"raise_test_excluded": True}),
        (BETTING, {"cards": "8S"}),
        (BETTING, {"rules": {}}),
        (BETTING, {"bets": {}, "cards": ["8S"], "phase": "first_card"}),
        (BETTING, {"void_reason": "because", "phase": "over", "outcome": "void"}),
        (RAISED, {"raises": {"1": 2_600}}),
        (RAISED, {"raises": {"1": 50}}),
        (RAISED, {"raises": {"2": 500}}),
        (RAISED, {"announced": None}),
        (RAISED, {"announced": 8}),
        (RAISED, {"announced": 12, "misannounced": True}),
        (RAISED, {"announced": 7.0}),
        (RAISED, {"misannounced": "yes"}),
        (RAISED, {"raise_test_excluded": True}),
        (RAISED, {"burnt": ["8S"]}),
        (WON, {"announced": None, "raises": {}}),
        (WON, {"results": {"1": {"bet": 2_500, "raise": 500, "paid": 3_000, "net": 2_999}}}),
        (WON, {"results": {"1": {"bet": 2_500, "raise": 500, "paid": 3_000, "net": 3_000.0}}}),
        (WON, NO_RESULTS),
        (WON, {"raise_test_excluded": True}),
        (WON, {"cards": ["2S", "TH", "5C", "6C"]}),
        (WON, {"cards": ["2S", "TH", "XX"]}),
        (WON, {"void_reason": "misdeal", "settled": True}),
        (MISCALLED, {"misannounced": False}),
        (EXPOSED, {"raise_test_excluded": False}),
        (EXPOSED, {"misannounced": True}),
        (PAIR, {"announced": 1, "misannounced": True}),
        (PAIR, {"raises": {"1": 500}}),
        (PAIR, {"cards": ["9S", "9H", "9D"], "raise_test_excluded": True}),
        (PUSH, {"cards": ["9S", "TH", "2C"]}),
        (PUSH, {"burnt": ["9S"] * 6}),
        (VOID, {"void_reason": None}),
        (VOID, {"settled": True}),
    ],
    ids=lambda value: value.phase if isinstance(value, State) else ",".join(value),
)
def test_no_round_can_reach_it(state: State, change: dict[str, Any]) -> None:
    """STATE-1: what contradicts the rules or itself is refused."""
    with pytest.raises(IllegalAction) as refusal:
        RED_DOG.decode_state(following(state, change))
    assert (refusal.value.code, refusal.value.rule) == ("bad_state", "STATE-1")
    assert refusal.value.detail


@pytest.mark.parametrize(
    "changed",
    [
        {"bets": {"8": 500}},
        {"bets": {"1": 400}},
        {"bets": {"1": 500}, "raises": {"1": 600}},
        {"raises": {"1": 500}, "announced": None},
        {"announced": 8},
        {"raise_test_excluded": True},
        {"burnt": ["8S"]},
        {"cards": ["8S", "9H"]},
    ],
    ids=str,
)
def test_nor_when_what_follows_was_made_to_fit(changed: dict[str, Any]) -> None:
    """STATE-1: a forger who also works out what follows is refused by the rules themselves."""
    forged = following(board("2S", "TH"), {"announced": 7, "raises": {}} | changed)
    if "cards" in changed:
        result = {"1": {"bet": 2_500, "raise": 0, "paid": 0, "net": 0}}
        forged |= {"phase": "paying", "spread": None, "outcome": "consecutive", "results": result}
    with pytest.raises(IllegalAction) as refusal:
        RED_DOG.decode_state(forged)
    assert refusal.value.code == "bad_state"
