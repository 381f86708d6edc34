"""One database per test process, made by the owner, used by the application's role.

Without DATABASE_URL the embedded PostgreSQL is started once for the run (all xdist workers join it) in a
throw-away home. Tests then run with the very rights of production: what the grants do not give, a test
cannot do. Subprocesses find the same database through the environment.
"""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING
from unittest import mock
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase
from hypothesis import Phase
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker

from config import embedded, env
from tests import databases
from tests.gate import SameCards

if TYPE_CHECKING:  # models, which Django is to be set up for
    from tests.standing import Standing

_HOME_OF_RUN: str | None = None

hypothesis_settings.register_profile(
    "gate", derandomize=True, phases=(Phase.explicit, Phase.generate, Phase.target)
)
_SAME_CARDS = SameCards() if os.environ.get("CI") else None
if _SAME_CARDS:
    hypothesis_settings.load_profile("gate")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run a home of its own; workers inherit their controller's."""
    global _HOME_OF_RUN
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _HOME_OF_RUN = tempfile.mkdtemp(prefix="pitledger-test-")
        os.environ["PITLEDGER_HOME"] = _HOME_OF_RUN
    if _SAME_CARDS:
        config.pluginmanager.register(_SAME_CARDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests that take long come first, so that at the end no process waits for the other."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/simulation/test_make"))


def pytest_collection_finish() -> None:
    """What is there by now stays, and is not looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the programs of the system's that are missing: what needs them was not tested."""
    needed = ("chromium", "chromedriver", "hledger", "soffice", "nginx")
    missing = [tool for tool in needed if shutil.which(tool) is None]
    if missing:
        terminalreporter.line(f"not installed, and so not tested with: {', '.join(missing)}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the run's home; the last to leave the embedded services has stopped them by now."""
    if _HOME_OF_RUN is not None:
        shutil.rmtree(_HOME_OF_RUN)


def _keep_rows(self: TransactionTestCase) -> None:
    """Committed rows stay: the journal's guards refuse a flush, and each committing test makes its own
    casino or streams."""


TransactionTestCase._fixture_teardown = _keep_rows  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Create the test database as owner (``migrate`` applies the grants), and drop it at the end."""
    settings.PASSWORD_HASHERS = ["tests.hashers.CheapArgon2"]
    settings.WHITENOISE_AUTOREFRESH = True  # or each test's client looks through all static files first
    with ExitStack() as stack:
        endpoints = stack.enter_context(embedded.services(fast=True))
        os.environ.update(endpoints.environ())
        stack.enter_context(django_db_blocker.unblock())
        _use("default", env.database_url("app"))
        _use("owner", env.database_url("owner"))
        owner = connections["owner"]
        base_name = str(owner.settings_dict["NAME"])
        owner.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        name = str(owner.settings_dict["NAME"])
        connections["default"].settings_dict["NAME"] = name
        os.environ["DATABASE_URL"] = _address("default")
        os.environ["DATABASE_OWNER_URL"] = _address("owner")
        for connection in connections.all():
            connection.close()
        databases.make(databases.empty(), like=name)
        if _SAME_CARDS:
            stack.enter_context(mock.patch("tables.services.shoes.shuffle", _SAME_CARDS.shuffle))
        yield
        for connection in connections.all():
            connection.close()
        databases.drop(databases.empty())
        owner.creation.destroy_test_db(base_name, verbosity=0)


@pytest.fixture(scope="session")
def standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> "Standing":
    """The houses that stand for all tests of a process."""
    from tests.standing import Standing

    with django_db_blocker.unblock():
        return Standing()


@pytest.fixture(scope="module")
def own_database(
    standing: "Standing", django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A database, and a folder for checkpoints, of the module's own: for tests that commit much.

    Whoever looks at all houses there are, or at the whole journal, is not to find what these leave.
    `standing` is named to be made before, and not in a database that goes.
    """
    with django_db_blocker.unblock(), databases.apart(tmp_path_factory.mktemp("published")):
        yield


def _use(alias: str, url: str) -> None:
    """Point an alias at the services, which came up after Django had read its settings."""
    values = env.database_settings(url)
    settings.DATABASES[alias].update(values)
    connections[alias].settings_dict.update(values)


def _address(alias: str) -> str:
    values = connections[alias].settings_dict
    user, password, host = (quote(str(values[key]), safe="") for key in ("USER", "PASSWORD", "HOST"))
    return f"postgresql://{user}:{password}@/{values['NAME']}?host={host}&port={values['PORT']}"
