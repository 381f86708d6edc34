"""One furnished casino for all tests that only look; whoever changes something makes their own."""

import shutil
from copy import deepcopy

import pytest
from pytest_django import DjangoDbBlocker

from tests import floor
from tests.admin import house as at

collect_ignore = [] if shutil.which("chromium") and shutil.which("chromedriver") else ["test_browser.py"]


@pytest.fixture(scope="session")
def shown(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> at.Shown:
    """The furnished casino, committed."""
    with django_db_blocker.unblock():
        return at.furnished()


@pytest.fixture(scope="session")
def _standing_house(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> floor.House:
    with django_db_blocker.unblock():
        return floor.make_house()


@pytest.fixture
def house(db: None, _standing_house: floor.House) -> floor.House:
    """A casino without tables; what a test does to it is rolled back."""
    return deepcopy(_standing_house)
