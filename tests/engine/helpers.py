"""Short ways to set up rounds, and the one way a refusal is tested."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tables.engine.contract import IllegalAction, Move
from tables.engine.red_dog import RED_DOG, State
from tables.engine.registry import AnyGame
from tables.engine.rules import RaiseKind, RaiseRule, RuleSet

DATA = Path(__file__).parent.parent / "data"
PROPERTY = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
"""No deadline: a test never judges how fast the machine is."""


def house_rules(**changes: Any) -> RuleSet:
    """Six packs, bets of 5.00 to 500.00 in steps of 1.00, raises up to the bet."""
    usual: dict[str, Any] = {
        "packs": 6,
        "min_bet": 500,
        "max_bet": 50_000,
        "bet_step": 100,
        "raise_rule": RaiseRule("up_to", 1),
        "cut_card": 60,
    }
    return RuleSet(**(usual | changes))


def act(kind: str, **fields: Any) -> dict[str, Any]:
    """An action as a client sends it."""
    return {"type": kind, **fields}


def bet(seat: int, amount: int) -> dict[str, Any]:
    return act("bet", seat=seat, amount=amount)


def raise_(seat: int, amount: int) -> dict[str, Any]:
    return act("raise", seat=seat, amount=amount)


def deal(*cards: str) -> list[dict[str, Any]]:
    return [act("deal", card=card) for card in cards]


def play(state: State, *actions: Mapping[str, Any]) -> tuple[State, list[Move]]:
    """The state after ``actions`` and all their moves in order."""
    moves: list[Move] = []
    for action in actions:
        step = RED_DOG.apply(state, RED_DOG.decode_action(action))
        state = step.state
        moves.extend(step.moves)
    return state, moves


def table(*actions: Mapping[str, Any], rules: RuleSet | None = None) -> State:
    """A new round after ``actions``."""
    return play(RED_DOG.new_round(rules or house_rules()), *actions)[0]


def board(first: str, second: str, bets: Mapping[int, int] | None = None, **changes: Any) -> State:
    """A round with two cards on the board, by default one bet of 25.00 on seat 1."""
    bets = {1: 2_500} if bets is None else bets
    return table(*(bet(*item) for item in bets.items()), *deal(first, second), rules=house_rules(**changes))


def refused(state: State, action: Mapping[str, Any], code: str, rule: str) -> IllegalAction:
    """Assert that casino Red Dog refuses ``action`` and that nothing changed."""
    return refused_by(RED_DOG, state, action, code, rule)


def refused_by(game: AnyGame, state: Any, action: Mapping[str, Any], code: str, rule: str) -> IllegalAction:
    """Assert that ``action`` is refused with ``code`` for breaking ``rule`` and that nothing changed."""
    before = json.dumps(game.encode_state(state), sort_keys=True)
    places, legal = game.places(state), game.legal(state)
    with pytest.raises(IllegalAction) as caught:
        game.apply(state, game.decode_action(action))
    refusal = caught.value
    assert (refusal.code, refusal.rule) == (code, rule)
    assert refusal.detail
    assert json.dumps(game.encode_state(state), sort_keys=True) == before
    assert game.places(state) == places
    assert game.legal(state) == legal
    assert not any(one.admits(action) for one in legal)
    return refusal


def nets(state: State) -> dict[int, int]:
    """What each seat gained."""
    return {result.seat: result.net for result in state.results}


def balances(moves: list[Move]) -> dict[str, int]:
    """What each place gained, zero left out."""
    book: dict[str, int] = {}
    for move in moves:
        book[move.source] = book.get(move.source, 0) - move.amount
        book[move.target] = book.get(move.target, 0) + move.amount
    return {place: amount for place, amount in book.items() if amount}


def load_cases(name: str) -> Any:
    """A case file of tests/data."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def case_rules(case: Mapping[str, Any], packs: int = 6) -> RuleSet:
    """The rule set a case of casino_rounds.json is played under."""
    names: dict[str, RaiseKind] = {
        "exact": "exact_multiples",
        "up_to": "up_to",
        "exact_double": "exact_double",
    }
    rule = case.get("rule_set", {"raise": "up_to", "multiple": 1})
    raise_rule = RaiseRule(names[rule["raise"]], rule.get("multiple", 1))
    return RuleSet(packs=case.get("packs", packs), min_bet=1, max_bet=20_000, raise_rule=raise_rule)


def case_actions(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The actions of a case of casino_rounds.json up to its last card, the announcement included."""
    cards = case["cards"]
    actions = [bet(int(seat), amount) for seat, amount in case["bets"].items()]
    actions += deal(*cards[:2])
    spread = abs("23456789TJQKA".index(cards[0][0]) - "23456789TJQKA".index(cards[1][0])) - 1
    if spread > 0:
        actions.append(act("announce", spread=spread))
    actions += [raise_(int(seat), amount) for seat, amount in case["raises"].items()]
    return actions + deal(*cards[2:])
