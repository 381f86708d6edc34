"""One house for all tests: what a test does to it is rolled back."""

import pytest

from tests import floor
from tests.standing import Standing


@pytest.fixture
def house(standing: Standing, db: None) -> floor.House:
    """A casino with staff and a stocked cage."""
    return standing.lend()
