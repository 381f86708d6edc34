"""The shuffle is unbiased: chi-square at 99 % on seeded sources, which a biased one fails.

The source must be unbiased itself. ``secrets.randbelow`` and ``random.Random.randrange`` draw just
enough bits and REJECT what is out of range; ``bits % n`` favours small numbers wherever n is no power
of two. The last tests show that the statistic sees both mistakes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import permutations

import pytest

from tables.engine.shoe import fresh_cards, shuffle

CHI_SQUARE_99 = {23: 41.638, 51: 77.386}
"""Upper 1 % points by degrees of freedom."""

Shuffle = Callable[[tuple[str, ...], random.Random], tuple[str, ...]]


def fair(cards: tuple[str, ...], source: random.Random) -> tuple[str, ...]:
    """Our shuffle on an unbiased source."""
    return shuffle(cards, source.randrange)


def chi_square(counts: Counter[object], cells: int) -> float:
    """The statistic against equal expectation in ``cells`` cells."""
    expected = counts.total() / cells
    seen = sum((count - expected) ** 2 / expected for count in counts.values())
    return seen + (cells - len(counts)) * expected


def orders(how: Shuffle, seed: int) -> float:
    """Chi-square of the 24 orders of four cards over 24,000 shuffles."""
    source, cards = random.Random(seed), ("2S", "3S", "4S", "5S")
    counts: Counter[object] = Counter(how(cards, source) for _ in range(24_000))
    assert counts.keys() <= set(permutations(cards))
    return chi_square(counts, 24)


def places_of(how: Shuffle, seed: int, card: int) -> float:
    """Chi-square of the 52 places one card of a pack ends in over 5,200 shuffles."""
    source, cards = random.Random(seed), fresh_cards(1)
    counts: Counter[object] = Counter(how(cards, source).index(cards[card]) for _ in range(5_200))
    return chi_square(counts, 52)


def test_every_order_is_equally_likely() -> None:
    """All 24 orders of four cards, at 99 %."""
    assert orders(fair, seed=1) < CHI_SQUARE_99[23]


@pytest.mark.parametrize("card", [0, 25, 51])
def test_every_place_is_equally_likely(card: int) -> None:
    """First, middle and last card of a pack, at 99 %."""
    assert places_of(fair, seed=2, card=card) < CHI_SQUARE_99[51]


def test_a_naive_shuffle_fails() -> None:
    """Swapping each card with any other is biased, and the statistic sees it."""

    def naive(cards: tuple[str, ...], source: random.Random) -> tuple[str, ...]:
        order = list(cards)
        for place in range(len(order)):
            other = source.randrange(len(order))
            order[place], order[other] = order[other], order[place]
        return tuple(order)

    assert orders(naive, seed=1) > CHI_SQUARE_99[23]


def test_a_modulo_source_fails() -> None:
    """Six random bits modulo n favour small numbers, and the statistic sees it."""

    def modulo(cards: tuple[str, ...], source: random.Random) -> tuple[str, ...]:
        return shuffle(cards, lambda n: source.getrandbits(6) % n)

    assert places_of(modulo, seed=2, card=51) > CHI_SQUARE_99[51]


def test_the_shuffle_is_a_permutation_and_leaves_its_argument() -> None:
    """The same cards come out, of eight packs too."""
    cards = fresh_cards(8)
    mixed = shuffle(cards, random.Random(3).randrange)
    assert Counter(mixed) == Counter(cards)
    assert mixed != cards
    assert cards == fresh_cards(8)
    assert shuffle((), random.Random(3).randrange) == ()


def test_the_source_is_asked_for_shrinking_ranges() -> None:
    """Fisher and Yates: n, n - 1, ... 2, each once."""
    asked: list[int] = []

    def top(n: int) -> int:
        asked.append(n)
        return n - 1

    assert shuffle(("2S", "3S", "4S", "5S"), top) == ("2S", "3S", "4S", "5S")
    assert asked == [4, 3, 2]


@pytest.mark.parametrize("wrong", [-1, 4])
def test_a_source_out_of_range_is_refused(wrong: int) -> None:
    """A broken source never shuffles quietly."""
    with pytest.raises(ValueError, match="randbelow"):
        shuffle(("2S", "3S", "4S", "5S"), lambda n: wrong)
