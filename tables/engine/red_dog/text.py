"""A state's canonical JSON written straight down: it is wanted after each entry of each round ever checked.

``state.encode_state`` says what stands in it; here is only how fast it can be written. Names are in order, so
it is the text whose digest an entry carries (``tables.engine.codec.digest``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tables.engine.red_dog.board import Result, Wager
from tables.engine.red_dog.sides import SideState
from tables.engine.red_dog.state import State

W = TypeVar("W", Wager, Result)


def state_text(state: State) -> str:
    """The JSON of ``encode_state(state)``, names in order, without spaces."""
    return _written(state)


def side_text(state: SideState) -> str:
    """The same of a state of version 2, whose names ``sides.encode_state`` says."""
    tokes, promos = f'"tokes":{{{_sides(state.tokes)}}},', f'"promos":{{{_sides(state.promos)}}},'
    return _written(state, promos, tokes)


def _sides(each: Sequence[tuple[int, int]]) -> str:
    by_name = sorted(each, key=lambda one: str(one[0])) if each and each[-1][0] > 9 else each
    return ",".join([f'"{seat}":{amount}' for seat, amount in by_name])


def _written(state: State, promos: str = "", tokes: str = "") -> str:
    wagers, results = _by_name(state.wagers), _by_name(state.results)
    bets = ",".join([f'"{w.seat}":{w.bet}' for w in wagers])
    raises = ",".join([f'"{w.seat}":{w.raised}' for w in wagers if w.raised])
    ends = ",".join(
        [f'"{r.seat}":{{"bet":{r.bet},"net":{r.net},"paid":{r.paid},"raise":{r.raised}}}' for r in results]
    )
    return (
        f'{{"announced":{_number(state.announced)},"bets":{{{bets}}},"burnt":{_cards(state.burnt)},'
        f'"cards":{_cards(state.cards)},"misannounced":{_flag(state.misannounced)},'
        f'"outcome":{_word(state.outcome)},"phase":"{state.phase}",{promos}'
        f'"raise_test_excluded":{_flag(state.raise_test_excluded)},"raises":{{{raises}}},'
        f'"results":{{{ends}}},"rules":{state.rules.text},"settled":{_flag(state.settled)},'
        f'"spread":{_number(state.spread)},{tokes}"void_reason":{_word(state.void_reason)}}}'
    )


def _by_name(each: Sequence[W]) -> Sequence[W]:
    """Seats in the order of their names, in which 10 comes before 2; they come in that of their numbers."""
    return sorted(each, key=lambda one: str(one.seat)) if each and each[-1].seat > 9 else each


def _number(value: int | None) -> int | str:
    return "null" if value is None else value


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _word(value: str | None) -> str:
    """A word of the engine's own lists, none of which needs escaping; cards neither."""
    return "null" if value is None else f'"{value}"'


def _cards(cards: Sequence[str]) -> str:
    return '["' + '","'.join(cards) + '"]' if cards else "[]"
