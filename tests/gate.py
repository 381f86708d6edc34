"""A gate gives the same answer twice; what is new is looked for wherever else people run the tests."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tables.engine.shoe import shuffle


class SameCards:
    """A plugin by which each test draws the same cards at every run, in whichever process.

    One stream for all shoes of a test: no two of them lie alike. A plugin and not hooks of a conftest's,
    which pytest does not ask about what stands for the whole session.
    """

    def __init__(self) -> None:
        self._luck = random.Random()

    def shuffle(self, cards: Sequence[str], _: Callable[[int], int]) -> tuple[str, ...]:
        """What the services of this process shuffle with instead of the system's generator."""
        return shuffle(cards, self._luck.randrange)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """What a test draws is its own."""
        self._luck.seed(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Any:
        """So is what is drawn for many tests, whichever of them has it made."""
        if fixturedef.scope == "function":
            return (yield)
        before = self._luck.getstate()
        self._luck.seed(f"{fixturedef.baseid}::{fixturedef.argname}")
        try:
            return (yield)
        finally:
            self._luck.setstate(before)
