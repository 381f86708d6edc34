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
    if state.plain:
        return _written(state, '"promos":{},', '"tokes":{},')
    tokes, promos = f'"tokes":{{{_sides(state.tokes)}}},', f'"promos":{{{_sides(state.promos)}}},'
    return _written(state, promos, tokes, _money(state) if state.money or state.money_raises else "")


def _money(state: SideState) -> str:
    bets, raises = (_sides([*each.items()]) for each in (state.money_bet, state.money_raised))
    return f'"money":{{{bets}}},"money_raises":{{{raises}}},'


def _sides(each: Sequence[tuple[int, int]]) -> str:
    by_name = sorted(each, key=lambda one: str(one[0])) if each and each[-1][0] > 9 else each
    return ",".join([f'"{seat}":{amount}' for seat, amount in by_name])


def _written(state: State, promos: str = "", tokes: str = "", money: str = "") -> str:
    phase, _, spread, outcome = state.standing
    bets, raises = _wagers(state.wagers)
    ends = (
        ",".join(
            [
                f'"{r.seat}":{{"bet":{r.bet},"net":{r.net},"paid":{r.paid},"raise":{r.raised}}}'
                for r in _by_name(state.results)
            ]
        )
        if outcome
        else ""
    )
    return (
        f'{{"announced":{_number(state.announced)},"bets":{{{bets}}},"burnt":{_cards(state.burnt)},'
        f'"cards":{_cards(state.cards)},"misannounced":{"true" if state.misannounced else "false"},{money}'
        f'"outcome":{_word(outcome)},"phase":"{phase}",{promos}'
        f'"raise_test_excluded":{"true" if state.raise_test_excluded else "false"},"raises":{{{raises}}},'
        f'"results":{{{ends}}},"rules":{state.rules.text},"settled":{"true" if state.settled else "false"},'
        f'"spread":{_number(spread)},{tokes}"void_reason":{_word(state.void_reason)}}}'
    )


def _wagers(wagers: Sequence[Wager]) -> tuple[str, str]:
    """Bets and raises; those of the last state are kept, for they lie still while the cards come."""
    global _last
    of, texts = _last
    if of is not wagers:
        named = _by_name(wagers)
        texts = (
            ",".join([f'"{w.seat}":{w.bet}' for w in named]),
            ",".join([f'"{w.seat}":{w.raised}' for w in named if w.raised]),
        )
        _last = wagers, texts
    return texts


_last: tuple[Sequence[Wager], tuple[str, str]] = ((), ("", ""))


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


def stored_text(state: State, rules: str) -> str:
    """The same JSON as PostgreSQL's jsonb writes it: with spaces, and short names before longer ones.

    Args:
        rules: the rule set in that form.
    """
    bets = ", ".join([f'"{w.seat}": {w.bet}' for w in state.wagers])
    raises = ", ".join([f'"{w.seat}": {w.raised}' for w in state.wagers if w.raised])
    ends = ", ".join(
        [
            f'"{r.seat}": {{"bet": {r.bet}, "net": {r.net}, "paid": {r.paid}, "raise": {r.raised}}}'
            for r in state.results
        ]
    )
    tokes = promos = ""
    if isinstance(state, SideState):
        tokes, promos = _stored_sides("tokes", state.tokes), _stored_sides("promos", state.promos)
    burnt, cards = _stored_cards(state.burnt), _stored_cards(state.cards)
    return (
        f'{{"bets": {{{bets}}}, "burnt": {burnt}, "cards": {cards}, '
        f'"phase": "{state.phase}", "rules": {rules}, {tokes}{promos}"raises": {{{raises}}}, '
        f'"spread": {_number(state.spread)}, "outcome": {_word(state.outcome)}, "results": {{{ends}}}, '
        f'"settled": {_flag(state.settled)}, "announced": {_number(state.announced)}, '
        f'"void_reason": {_word(state.void_reason)}, "misannounced": {_flag(state.misannounced)}, '
        f'"raise_test_excluded": {_flag(state.raise_test_excluded)}}}'
    )


def _stored_sides(name: str, each: Sequence[tuple[int, int]]) -> str:
    amounts = ", ".join([f'"{seat}": {amount}' for seat, amount in each])
    return f'"{name}": {{{amounts}}}, '


def _stored_cards(cards: Sequence[str]) -> str:
    return '["' + '", "'.join(cards) + '"]' if cards else "[]"
