"""Every round of pool_rounds.json, turn by turn: stacks, pool or bank, and who deals next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tables.engine.card_room import State, winners
from tests.engine.card_room import game_of, new, opening, play
from tests.engine.helpers import act, balances, load_cases

ROUNDS = load_cases("pool_rounds.json")["rounds"]
CASES = [ROUNDS[0] | case if case.get("same_as_first") else case for case in ROUNDS]


def seats_of(case: dict[str, Any]) -> dict[str, int]:
    """A seat for each player in playing order; a dealer is the last of them, a banker comes behind them."""
    people = [*case["players"], *([case["banker"]] if "banker" in case else [])]
    return {name: number for number, name in enumerate(people, start=1)}


def turn_actions(state: State, turn: dict[str, Any], seat: int) -> Iterator[dict[str, Any]]:
    """The actions of one turn, the antes before it where the pool is empty."""
    if state.phase == "reante":
        yield from (act("ante", seat=each, amount=10) for each in state.seats)
    if "forfeit" in turn:
        yield act("forfeit", seat=seat)
    if "discard_short_hand" in turn:
        yield act("discard", seat=seat)
    if "bet" in turn:
        yield act("bet", seat=seat, amount=turn["bet"])
        for kind, key in (("expose", "exposed"), ("burn", "burned"), ("turn", "card")):
            if key in turn:
                yield act(kind, card=turn[key])
        yield act("show", seat=seat, cards=turn["shows"])


def test_the_case_file_is_whole() -> None:
    """The cases are the ones the project was given: nine rounds of three games."""
    assert len(CASES) == 9
    assert {case["game"] for case in CASES} == {"high_card_pool", "banking"}
    assert sum(bool(case.get("burn")) for case in CASES) == 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["note"][:50])
def test_round(case: dict[str, Any]) -> None:
    """CR-SHOW, CR-REANTE, CR-LIMIT, CR-BROKEN, CR-NEXT: as the case says, after every turn and at the end."""
    game = "burning_card" if case.get("burn") else case["game"]
    seats = seats_of(case)
    agreed = {"pool_limit": case.get("pool_limit"), "ante": case["ante"]} if "ante" in case else {}
    dealer = seats[case["banker"] if game == "banking" else case["dealer"]]
    start = opening(tuple(seats.values()), game, dealer=dealer, middle=case.get("bank", 0))
    hands = [act("hand", seat=seats[name], cards=len(case["hands"][name])) for name in case["players"]]
    state, moves = play(new(game, **agreed), *start, *hands)
    for turn in case["turns"]:
        seat = seats[turn["player"]]
        state, moved = play(state, *turn_actions(state, turn, seat))
        moves += moved
        player = state.player(seat)
        if "result" in turn:
            assert player.end == {"win": "won", "lose": "lost"}[turn["result"]]
            assert bool(winners(case["hands"][turn["player"]], turn["card"])) == (player.end == "won")
        assert (player.end == "sits_out") == ("sits_out" in turn)
        assert player.forfeit == turn.get("forfeit", 0)
        written = json.dumps(game_of(state).encode_state(state))
        assert game_of(state).decode_state(json.loads(written)) == state
    state, moved = play(state, act("settle"))
    check_end(case, state, balances(moves + moved))


def check_end(case: dict[str, Any], state: State, book: dict[str, int]) -> None:
    """Stacks, pool or bank and the next dealer are what the case expects, in chips and in the results."""
    seats, expect = seats_of(case), case["expect"]
    gained = {seats[name]: expect["stacks"][name] - stack for name, stack in case["stacks"].items()}
    assert {seat: book.get(f"seat:{seat}", 0) for seat in seats.values()} == gained
    assert game_of(state).nets(state) == gained
    assert book.get(state.place, 0) == state.pool == expect.get("pool", expect.get("bank"))
    assert state.next_dealer == seats[expect["next_dealer"]]
