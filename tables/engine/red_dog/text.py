"""A state's canonical JSON written straight down: it is wanted after each entry of each round ever checked.

``state.encode_state`` says what stands in it; here is only how fast it can be written. Names are in order, so
it is the text whose digest an entry carries (``tables.engine.codec.digest``).
"""

from __future__ import annotations

from collections.abc import Sequence

from tables.engine.frozen import Kept
from tables.engine.red_dog.board import Result, Standing, Wager, wager_texts
from tables.engine.red_dog.sides import SideState
from tables.engine.red_dog.state import State


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
    return ",".join([f'"{seat}":{amount}' for seat, amount in sorted(each, key=lambda one: str(one[0]))])


def _written(state: State, promos: str = "", tokes: str = "", money: str = "") -> str:
    announced, misannounced, outcome, excluded, settled, void = _WORDS[
        (state.announced, state.misannounced, state.raise_test_excluded),
        (state.settled, state.void_reason, state.standing),
    ]
    bets, raises = state.wager_texts
    results: Sequence[Result] = state.results if state.outcome else ()
    if state.wagers and state.wagers[-1].seat > 9:
        bets, raises = wager_texts(sorted(state.wagers, key=_name))
        results = sorted(results, key=_name)
    return (
        f'{announced},"bets":{{{bets}}},"burnt":{_cards(state.burnt)},"cards":{_cards(state.cards)},'
        f'{misannounced},{money}{outcome},{promos}{excluded},"raises":{{{raises}}},'
        f'"results":{{{_results(results)}}},"rules":{state.rules.text},{settled},{tokes}{void}}}'
    )


def _words(said: tuple[int | None, bool, bool], stands: tuple[bool, str | None, Standing]) -> tuple[str, ...]:
    """What stands between the wagers, cards and results of a state, of which there are few forms."""
    announced, misannounced, excluded = said
    settled, void, (phase, _, spread, outcome) = stands
    return (
        f'{{"announced":{_number(announced)}',
        f'"misannounced":{_flag(misannounced)}',
        f'"outcome":{_word(outcome)},"phase":"{phase}"',
        f'"raise_test_excluded":{_flag(excluded)}',
        f'"settled":{_flag(settled)},"spread":{_number(spread)}',
        f'"void_reason":{_word(void)}',
    )


_WORDS: Kept[tuple[str, ...]] = Kept(_words)


def _results(results: Sequence[Result]) -> str:
    return ",".join([result.text for result in results])


def _name(one: Wager | Result) -> str:
    """Seats in the order of their names, in which 10 comes before 2."""
    return str(one.seat)


def _number(value: int | None) -> int | str:
    return "null" if value is None else value


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _word(value: str | None) -> str:
    """A word of the engine's own lists, none of which needs escaping; cards neither."""
    return "null" if value is None else f'"{value}"'


def _cards(cards: Sequence[str], between: str = '","') -> str:
    return '["' + between.join(cards) + '"]' if cards else "[]"


def stored_text(state: State, rules: str) -> str | None:
    """The same JSON as PostgreSQL's jsonb writes it: with spaces, and short names before longer ones.

    Args:
        rules: the rule set in that form.

    Returns:
        None where more than chips of the seats' own lies there, which is seldom.
    """
    if isinstance(state, SideState) and not state.plain:
        return None
    wagers = [wager.stored for wager in state.wagers]
    bets = ", ".join([bet for bet, _ in wagers])
    raises = ", ".join([raised for _, raised in wagers if raised])
    burnt, cards = _cards(state.burnt, '", "'), _cards(state.cards, '", "')
    results = ", ".join([result.stored for result in state.results])
    sides = '"tokes": {}, "promos": {}, ' if isinstance(state, SideState) else ""
    return (
        f'{{"bets": {{{bets}}}, "burnt": {burnt}, "cards": {cards}, '
        f'"phase": "{state.phase}", "rules": {rules}, {sides}"raises": {{{raises}}}, '
        f'"spread": {_number(state.spread)}, "outcome": {_word(state.outcome)}, "results": {{{results}}}, '
        f'"settled": {_flag(state.settled)}, "announced": {_number(state.announced)}, '
        f'"void_reason": {_word(state.void_reason)}, "misannounced": {_flag(state.misannounced)}, '
        f'"raise_test_excluded": {_flag(state.raise_test_excluded)}}}'
    )
