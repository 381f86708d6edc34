"""Exact odds of casino Red Dog, as fractions: in closed form, by enumeration, and given two cards.

Compositions are thirteen counts of cards, from rank 2 up to the ace (``Shoe.unseen_ranks``). The house
edge is per INITIAL BET; the element of risk is per total wagered. The two bases are never mixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from tables.engine.cards import RANKS, rank
from tables.engine.red_dog.board import Outcome, outcome_of, shape_of, spread_of
from tables.engine.red_dog.state import State
from tables.engine.rules import DEFAULT_PAY_TABLE, MAX_PACKS, SPREADS, PayTable

NEVER = SPREADS[-1] + 1
"""``raise_from`` of a player who never raises."""
ALWAYS = SPREADS[0]
"""``raise_from`` of a player who raises whenever he may."""
BEST = 7
"""``raise_from`` of the best play with the default pay table, for every number of packs."""

Composition = Sequence[int]


@dataclass(frozen=True)
class SpreadOdds:
    """One spread: how likely it is, how likely it then wins, and the player's edge per unit staked."""

    spread: int
    pays: int
    probability: Fraction
    win: Fraction
    edge: Fraction


@dataclass(frozen=True)
class GameOdds:
    """The whole game under one raising rule: raise one bet on every spread from ``raise_from`` up."""

    raise_from: int
    consecutive: Fraction
    pair: Fraction
    trips: Fraction
    trips_pays: int
    spreads: tuple[SpreadOdds, ...]

    @property
    def pair_edge(self) -> Fraction:
        """The player's edge per unit once a pair lies; losing is impossible then."""
        return self.trips * self.trips_pays

    @property
    def mean_wager(self) -> Fraction:
        """What is wagered in the mean, raises included, per unit of initial bet."""
        return 1 + sum((s.probability for s in self.spreads if self.raises_on(s.spread)), Fraction())

    @property
    def house_edge(self) -> Fraction:
        """What the house wins in the mean per unit of INITIAL BET."""
        players = self.pair * self.pair_edge
        for odds in self.spreads:
            players += odds.probability * odds.edge * (2 if self.raises_on(odds.spread) else 1)
        return -players

    @property
    def element_of_risk(self) -> Fraction:
        """What the house wins in the mean per unit WAGERED, raises included."""
        return self.house_edge / self.mean_wager

    def raises_on(self, spread: int) -> bool:
        """Whether the raising rule raises on ``spread``."""
        return spread >= self.raise_from


def closed_form(packs: int, pay_table: PayTable = DEFAULT_PAY_TABLE, raise_from: int = BEST) -> GameOdds:
    """The odds from a full shoe of ``packs`` packs (1 to 8).

    With N = 52n cards, r = 4n of each rank: P(pair) = 13r(r-1)/N(N-1), P(trips | pair) = (r-2)/(N-2),
    P(consecutive) = 24r²/N(N-1), P(spread k) = 2(12-k)r²/N(N-1), P(win | k) = rk/(N-2).
    """
    _check_raise_from(raise_from)
    if not 1 <= packs <= MAX_PACKS:
        raise ValueError(f"a shoe has 1 to {MAX_PACKS} packs")
    n, r = 52 * packs, 4 * packs
    two = n * (n - 1)
    spreads = tuple(
        _spread_odds(k, pay_table, Fraction(2 * (12 - k) * r * r, two), Fraction(r * k, n - 2))
        for k in SPREADS
    )
    return GameOdds(
        raise_from,
        consecutive=Fraction(24 * r * r, two),
        pair=Fraction(13 * r * (r - 1), two),
        trips=Fraction(r - 2, n - 2),
        trips_pays=pay_table.trips,
        spreads=spreads,
    )


def enumerated(
    unseen: Composition, pay_table: PayTable = DEFAULT_PAY_TABLE, raise_from: int = BEST
) -> GameOdds:
    """The odds from any composition of at least three cards, by playing every board the rules allow.

    Spreads that cannot come are left out.
    """
    _check_raise_from(raise_from)
    boards: Counter[tuple[int | None, Outcome]] = Counter()
    for spread, outcome, weight in _boards(_checked(unseen, 3)):
        boards[spread, outcome] += weight
    total = boards.total()
    pairs = boards[None, "trips"] + boards[None, "pair_push"]
    return GameOdds(
        raise_from,
        consecutive=Fraction(boards[None, "consecutive"], total),
        pair=Fraction(pairs, total),
        trips=Fraction(boards[None, "trips"], pairs or 1),
        trips_pays=pay_table.trips,
        spreads=tuple(_enumerated_spreads(boards, pay_table, total)),
    )


def _enumerated_spreads(
    boards: Mapping[tuple[int | None, Outcome], int], pay_table: PayTable, total: int
) -> Iterator[SpreadOdds]:
    for k in SPREADS:
        won = boards[k, "win"]
        either = won + boards[k, "lose"]
        if either:
            yield _spread_odds(k, pay_table, Fraction(either, total), Fraction(won, either))


def _boards(unseen: Composition) -> Iterator[tuple[int | None, Outcome, int]]:
    """Every ordered board of three ranks drawn without replacement, with the number of ways to draw it.

    On consecutives the third card stays in the shoe; counting it there keeps one denominator.
    """
    for ranks in product(range(len(RANKS)), repeat=3):
        left, weight = list(unseen), 1
        for index in ranks:
            weight *= left[index]
            left[index] -= 1
        if weight > 0:
            cards = [RANKS[index] + "S" for index in ranks]
            board = cards[:2] if shape_of(cards[0], cards[1]) == "consecutive" else cards
            outcome = outcome_of(board)
            if outcome is not None:
                yield spread_of(cards[0], cards[1]), outcome, weight


def _spread_odds(spread: int, pay_table: PayTable, probability: Fraction, win: Fraction) -> SpreadOdds:
    pays = pay_table.spread(spread)
    return SpreadOdds(spread, pays, probability, win, pays * win - (1 - win))


def _check_raise_from(raise_from: int) -> None:
    if not ALWAYS <= raise_from <= NEVER:
        raise ValueError(f"raise_from is a spread from {ALWAYS}, or {NEVER} for never")


def _checked(unseen: Composition, least: int) -> Composition:
    if len(unseen) != len(RANKS) or min(unseen) < 0 or sum(unseen) < least:
        raise ValueError(f"a composition has 13 counts, none negative, and at least {least} cards")
    return unseen


def without(unseen: Composition, cards: Sequence[str]) -> tuple[int, ...]:
    """The composition ``unseen`` after ``cards`` left it."""
    gone = Counter(rank(card) - 2 for card in cards)
    return tuple(_checked([count - gone[index] for index, count in enumerate(unseen)], 0))


def full_shoe(packs: int) -> tuple[int, ...]:
    """The composition of ``packs`` full packs."""
    return (4 * packs,) * len(RANKS)


def third_card_law(first: str, second: str, unseen: Composition) -> dict[Outcome, Fraction]:
    """How likely each outcome is once two cards lie; probability zero is left out.

    Args:
        unseen: the composition of all unseen cards, those burnt face down included, after both.
    """
    ways = _ways(first, second, unseen)
    return {outcome: Fraction(count, sum(ways.values())) for outcome, count in ways.items()}


def _ways(first: str, second: str, unseen: Composition) -> dict[Outcome, int]:
    """How many third cards make each outcome, none of them zero; consecutive cards have one in one."""
    low, high = sorted((rank(first), rank(second)))
    if high - low == 1:
        return {"consecutive": 1}
    counts = _checked(unseen, 1)
    inside = counts[low - 2] if low == high else sum(counts[low - 1 : high - 2])
    found: tuple[tuple[Outcome, int], ...] = (
        ("trips" if low == high else "win", inside),
        ("pair_push" if low == high else "lose", sum(counts) - inside),
    )
    return {outcome: count for outcome, count in found if count}


def expected_net(
    first: str,
    second: str,
    bet: int,
    raised: int,
    unseen: Composition,
    pay_table: PayTable = DEFAULT_PAY_TABLE,
) -> Fraction:
    """What a seat gains in the mean once two cards lie, minor units; a round's cap is not applied.

    Args:
        bet, raised: what the seat staked, minor units.
        unseen: as in ``third_card_law``.
    """
    law = third_card_law(first, second, unseen)
    spread = spread_of(first, second)
    odds = pay_table.spread(spread) if spread is not None else 0
    won = law.get("win", Fraction()) * odds + law.get("trips", Fraction()) * pay_table.trips
    return (won - law.get("lose", Fraction())) * (bet + raised)


def theoretical_win(state: State, unseen: Composition) -> Fraction:
    """What the house wins in the mean, given the two cards and the wagers as posted, minor units.

    The round's cap is applied, and a round voided later counts as if it had been played: leaving
    such rounds out would bias the sum.

    Args:
        state: a round whose first two cards lie.
        unseen: as in ``third_card_law``.
    """
    if len(state.cards) < 2:
        raise ValueError("two cards must lie")
    ways, players = _ways(state.cards[0], state.cards[1], unseen), 0
    for outcome, count in ways.items():
        players += count * sum([result.net for result in state.results_if(outcome)])
    return Fraction(-players, sum(ways.values()))
