"""A round rebuilt from the log of its actions: for re-settlement, for the verifier, for a new engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from tables.engine.contract import Game, Move, Step

R = TypeVar("R")
S = TypeVar("S")
A = TypeVar("A")


def steps(game: Game[R, S, A], rules: R, actions: Iterable[A]) -> Iterator[Step[S]]:
    """Each step of a round in turn; raises IllegalAction at the first action that is refused."""
    state = game.new_round(rules)
    for action in actions:
        step = game.apply(state, action)
        state = step.state
        yield step


def replay(game: Game[R, S, A], rules: R, actions: Iterable[A]) -> tuple[S, list[tuple[Move, ...]]]:
    """The state after ``actions`` and the moves each one made, in order.

    Raises IllegalAction at the first action that is refused.
    """
    state = game.new_round(rules)
    moves: list[tuple[Move, ...]] = []
    for step in steps(game, rules, actions):
        state = step.state
        moves.append(step.moves)
    return state, moves


def in_turn(game: Game[R, S, A], state: S, actions: Sequence[A]) -> Step[S]:
    """What ``actions`` do, applied one after the other: the meaning of ``Game.run``."""
    moves: list[Move] = []
    for action in actions:
        state, made = game.apply(state, action)
        moves += made
    return Step(state, tuple(moves))
