"""A house per test, rolled back after it."""

import pytest

from tests import floor


@pytest.fixture
def house(db: None) -> floor.House:
    """A casino with staff and a stocked cage."""
    made = floor.make_house()
    floor.stock_cage(made)
    return made
