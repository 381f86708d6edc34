"""What the house could expect of a round before its cards came, as exact whole numbers.

Basis: a full shoe of the rule set's packs, and the bets as they lay when the cards came. `best` is under the
best raising: as much as the rules let a seat raise where a full shoe less the two cards favours it, nothing
elsewhere. `actual` adds what each seat's own decision cost it against that, given the two cards. Nothing here
looks at what was left in the shoe: that expectation is `tables.engine.odds.theoretical_win`, and has another
name everywhere. A round's cap is applied; the best raising does not look at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from tables.engine.frozen import changed
from tables.engine.red_dog.board import Outcome, Wager
from tables.engine.red_dog.state import State
from tables.engine.rules import CARDS_PER_PACK, SPREADS, RuleSet

RANKS = 13


@dataclass(frozen=True, slots=True)
class Theory:
    """Two expectations of the house's win, minor units, over one denominator: sums of them are exact.

    Attributes:
        ways: N (N - 1) (N - 2) for N cards, the ways three of them come.
        best: under best decisions, times `ways`.
        actual: under the decisions as they were taken, times `ways`; never less than `best` without a cap.
    """

    ways: int
    best: int
    actual: int

    @property
    def best_win(self) -> Fraction:
        """What the house could expect under best decisions, minor units."""
        return Fraction(self.best, self.ways)

    @property
    def actual_win(self) -> Fraction:
        """What it could expect under the decisions as they were taken, minor units."""
        return Fraction(self.actual, self.ways)

    def less(self, other: Theory) -> Theory:
        """What is left of it without another one of the same number of packs."""
        assert self.ways == other.ways, "of one shoe"
        return Theory(self.ways, self.best - other.best, self.actual - other.actual)

    def __neg__(self) -> Theory:
        return Theory(self.ways, -self.best, -self.actual)


def theory_of(state: State) -> Theory | None:
    """What the house could expect of a round that counts; None of one that is undecided or void.

    A corrected round is judged on the cards that lay: they are what its players saw.
    """
    if state.outcome in (None, "void"):
        return None
    rules, n = state.rules, CARDS_PER_PACK * state.rules.packs
    if rules.round_cap is None:
        if not getattr(state, "beside", False):
            return _of_bets(state)
        state = _as_one_seat(state)
    best = actual = _over_all_boards(state)
    if state.spread is not None:
        given = _given(state, state.wagers, state.spread)
        at_best = _given(state, best_wagers(rules, state.wagers, state.spread), state.spread)
        actual += n * (n - 1) * (given - at_best)
    return Theory(n * (n - 1) * (n - 2), best, actual)


def _as_one_seat(state: State) -> State:
    """All stakes as one seat's: what everybody gains together is the same, unless a cap is divided."""
    bet, raised = sum([wager.bet for wager in state.wagers]), sum([wager.raised for wager in state.wagers])
    beside = {
        name: ((1, sum(amount for _, amount in stakes)),)
        for name in ("tokes", "promos")
        if (stakes := getattr(state, name, ()))
    }
    return changed(state, wagers=(Wager(1, bet, raised),), **beside)


class _Unit(NamedTuple):
    """What the house could expect of one unit, where no cap makes it depend on all others.

    Attributes:
        best: of a bet under best decisions, times `ways`.
        given: of a stake once each spread lies, times N - 2, and how much of a bet is best raised there.
    """

    best: int
    given: dict[int, tuple[int, int]]


UNITS_KEPT = 256
_units: dict[str, _Unit] = {}


def _unit_of(rules: RuleSet) -> _Unit:
    """A unit's expectation, worked out once for each rule set."""
    unit = _units.get(rules.text)
    if unit is None:
        if len(_units) == UNITS_KEPT:
            _units.clear()
        one = (Wager(1, 1),)
        state = State(rules, one)
        given = {
            spread: (_given(state, one, spread), best_wagers(rules, one, spread)[0].raised)
            for spread in SPREADS
        }
        unit = _units[rules.text] = _Unit(_over_all_boards(state), given)
    return unit


def _of_bets(state: State) -> Theory:
    """The same of seats' own bets and raises without a cap: so much for each unit."""
    unit, n = _unit_of(state.rules), CARDS_PER_PACK * state.rules.packs
    bet, raised = sum([wager.bet for wager in state.wagers]), sum([wager.raised for wager in state.wagers])
    best = actual = unit.best * bet
    if state.spread is not None:
        given, multiple = unit.given[state.spread]
        actual += n * (n - 1) * given * (raised - multiple * bet)
    return Theory(n * (n - 1) * (n - 2), best, actual)


def _over_all_boards(state: State) -> int:
    r = 4 * state.rules.packs
    best = -RANKS * r * (r - 1) * (r - 2) * _net(state, state.wagers, "trips", None, raised=False)
    for spread in SPREADS:
        wagers = best_wagers(state.rules, state.wagers, spread)
        best += 2 * (12 - spread) * r * r * _given(state, wagers, spread)
    return best


def best_wagers(rules: RuleSet, wagers: Sequence[Wager], spread: int) -> tuple[Wager, ...]:
    """The bets with the best raise on a spread: all the rules allow where it gains, else none."""
    n, r = CARDS_PER_PACK * rules.packs, 4 * rules.packs
    won, lost = r * spread, n - 2 - r * spread
    favours = rules.pay_table.spread(spread) * won > lost
    multiple = rules.raise_rule.max_multiple if favours else 0
    return tuple(Wager(wager.seat, wager.bet, wager.bet * multiple) for wager in wagers)


def _given(state: State, wagers: Sequence[Wager], spread: int) -> int:
    """What the house can expect once a spread lies, times N - 2."""
    n, r = CARDS_PER_PACK * state.rules.packs, 4 * state.rules.packs
    won = _net(state, wagers, "win", spread)
    lost = _net(state, wagers, "lose", spread)
    return -(r * spread * won + (n - 2 - r * spread) * lost)


def _net(
    state: State, wagers: Sequence[Wager], outcome: Outcome, spread: int | None, *, raised: bool = True
) -> int:
    """What all seats gain by an outcome, and the dealers; minor units; on a pair nobody can have raised."""
    placed = wagers if raised else [Wager(wager.seat, wager.bet) for wager in wagers]
    return sum(result.net for result in state.results_with(placed, outcome, spread))
