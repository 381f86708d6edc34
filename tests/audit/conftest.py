"""One house for all tests: what a test does to it is rolled back."""

import pytest
from pytest_django import DjangoDbBlocker

from tests import floor


@pytest.fixture(scope="session")
def _standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> floor.House:
    with django_db_blocker.unblock():
        return floor.stocked_house()


@pytest.fixture
def house(db: None, _standing: floor.House) -> floor.House:
    """A casino with staff and a stocked cage."""
    return floor.on_loan(_standing)
