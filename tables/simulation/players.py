"""Players: how much they bet, when they raise, how long they stay. Decisions come from their own seed."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

RAISE_FROM_SEVEN = 7
BUY_IN_BETS = 40
SELDOM, MOSTLY = Fraction(1, 3), Fraction(2, 3)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Amounts a rule allows: from `minimum` to `maximum` in steps counted from `minimum`, minor units."""

    minimum: int
    maximum: int
    step: int

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Bounds":
        """The bounds as the API states them."""
        return cls(data["minimum"], data["maximum"], data["step"])

    def fit(self, wanted: int) -> int:
        """The largest allowed amount that is no more than `wanted`; 0 when even the least is more."""
        top = min(wanted, self.maximum)
        if top < self.minimum:
            return 0
        return top - (top - self.minimum) % self.step


BetStyle = Callable[[random.Random, Bounds, int], int]
RaiseStyle = Callable[[random.Random, Bounds, int], int]


def small_bets(rng: random.Random, bounds: Bounds, stack: int) -> int:
    """The table's minimum, or a chip or two more."""
    return bounds.fit(bounds.minimum + rng.randrange(3) * bounds.step)


def big_bets(rng: random.Random, bounds: Bounds, stack: int) -> int:
    """A quarter to a half of what lies in front of him."""
    return bounds.fit(max(bounds.minimum, stack * rng.randrange(25, 51) // 100))


def any_bets(rng: random.Random, bounds: Bounds, stack: int) -> int:
    """Anything the limits allow, up to a fifth of the stack."""
    return bounds.fit(rng.randint(bounds.minimum, max(bounds.minimum, stack // 5)))


def always_raises(rng: random.Random, bounds: Bounds, spread: int) -> int:
    """The most the rule allows, on any spread."""
    return bounds.maximum


def raises_from_seven(rng: random.Random, bounds: Bounds, spread: int) -> int:
    """The most the rule allows where a raise has a positive expectation, else nothing."""
    return bounds.maximum if spread >= RAISE_FROM_SEVEN else 0


def never_raises(rng: random.Random, bounds: Bounds, spread: int) -> int:
    """Nothing, ever."""
    return 0


def raises_at_random(rng: random.Random, bounds: Bounds, spread: int) -> int:
    """Nothing, or any amount the rule allows."""
    if rng.random() < 0.5:
        return 0
    return bounds.minimum + bounds.step * rng.randrange((bounds.maximum - bounds.minimum) // bounds.step + 1)


StakeStyle = Callable[[random.Random, Bounds, Fraction | None], int]


def by_sense(rng: random.Random, bounds: Bounds, chance: Fraction | None) -> int:
    """All of the pool on a hand that wins most often, nothing on one that seldom does.

    The least on a hand he cannot look at.
    """
    if chance is not None and chance < SELDOM:
        return 0
    return bounds.maximum if chance is not None and chance > MOSTLY else bounds.minimum


def timid(rng: random.Random, bounds: Bounds, chance: Fraction | None) -> int:
    """The least, or nothing, whatever he holds."""
    return bounds.minimum * rng.randrange(2)


def bold(rng: random.Random, bounds: Bounds, chance: Fraction | None) -> int:
    """Anything up to half of the pool, whatever he holds."""
    return rng.randint(bounds.minimum, max(bounds.minimum, bounds.maximum // 2))


def reckless(rng: random.Random, bounds: Bounds, chance: Fraction | None) -> int:
    """Every third time the whole pool, else the least or nothing."""
    return (bounds.maximum, bounds.minimum, 0)[rng.randrange(3)]


BETS: tuple[BetStyle, ...] = (small_bets, big_bets, any_bets)
RAISES: tuple[RaiseStyle, ...] = (always_raises, raises_from_seven, never_raises, raises_at_random)
STAKES: tuple[StakeStyle, ...] = (by_sense, timid, bold, reckless)


@dataclass
class Player:
    """Somebody with cash in the wallet and chips in the pocket or on the table.

    Attributes:
        name: for messages.
        cash, pocket, stack: minor units in the wallet, carried in chips, and lying in front of the seat.
        patience: rounds to play before walking on.
        visits: tables still to be visited after this one, the cage last.
    """

    name: str
    rng: random.Random
    bets: BetStyle
    raises: RaiseStyle
    stakes: StakeStyle
    cash: int
    patience: int
    visits: int = 1
    player_id: str | None = None
    pocket: int = 0
    stack: int = 0
    played: int = field(default=0)

    def bet(self, bounds: Bounds) -> int:
        """What to bet now; 0 to sit this round out."""
        return bounds.fit(min(self.bets(self.rng, bounds, self.stack), self.stack))

    def raise_bet(self, bounds: Bounds, spread: int) -> int:
        """What to raise on an announced spread, 0 for nothing."""
        wanted = self.raises(self.rng, bounds, spread)
        return bounds.fit(min(wanted, self.stack)) if wanted else 0

    def stake(self, bounds: Bounds, chance: Fraction | None) -> int:
        """What to bet against the pool or bank, 0 to lay the hand down.

        Args:
            chance: how often the hand wins, None where he cannot look at it.
        """
        return bounds.fit(min(self.stakes(self.rng, bounds, chance), self.stack))

    def buys_in(self, bounds: Bounds) -> int:
        """Cash to change into chips when the stack no longer makes a bet: whole notes, 0 for none."""
        if self.stack + self.pocket >= bounds.minimum * 4:
            return 0
        return min(self.cash, bounds.minimum * BUY_IN_BETS)

    def leaves(self, bounds: Bounds) -> bool:
        """Whether to get up after this round: patience is over, or everything is lost."""
        return self.played >= self.patience or self.stack + self.cash < bounds.minimum


def make_player(seed: str, number: int, *, cash: int, patience: tuple[int, int]) -> Player:
    """Player `number` of a seed: the same styles and, told the same, the same decisions.

    Args:
        cash: minor units in the wallet.
        patience: the fewest and the most rounds at one table.
    """
    rng = random.Random(f"{seed}/{number}")  # noqa: S311 (play, not a secret)
    return Player(
        name=f"guest {number}",
        rng=rng,
        bets=BETS[number % len(BETS)],
        raises=RAISES[number % len(RAISES)],
        stakes=STAKES[number % len(STAKES)],
        cash=cash,
        patience=rng.randint(*patience),
        visits=rng.randrange(3),
    )
