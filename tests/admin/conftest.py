"""One furnished casino for all tests that only look; whoever changes something makes their own."""

import shutil

import pytest
from pytest_django import DjangoDbBlocker

from tests.admin import house as at

collect_ignore = [] if shutil.which("chromium") and shutil.which("chromedriver") else ["test_browser.py"]


@pytest.fixture(scope="session")
def shown(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> at.Shown:
    """The furnished casino, committed."""
    with django_db_blocker.unblock():
        return at.furnished()
