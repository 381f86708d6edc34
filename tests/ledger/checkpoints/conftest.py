"""A database with nothing but a journal in it, so that a seal is small and a tampering disturbs nobody."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import DjangoDbBlocker

from config import env
from tests.databases import database
from tests.ledger.checkpoints.support import SUPERUSER, Sealer

NUMBERS = count(1)


@contextmanager
def _of_its_own(name: str) -> Iterator[None]:
    """An empty database with the ledger's tables, dropped at the end."""
    with database(name):
        call_command("migrate", "ledger", verbosity=0)
        _record_the_rest(connections["owner"])
        yield


def _record_the_rest(owner: BaseDatabaseWrapper) -> None:
    """Let the other apps' migrations pass as applied: commands insist on it, and the journal needs none."""
    recorder, loader = MigrationRecorder(owner), MigrationLoader(owner)
    for app, name in loader.graph.nodes.keys() - loader.applied_migrations.keys():
        recorder.record_applied(app, name)


def _add_superuser() -> None:
    """An alias of the embedded server's superuser; of the owner where the server is not ours."""
    password = env.home() / "secrets" / "postgres_superuser"
    settings = dict(connections["owner"].settings_dict)
    if password.exists():
        settings |= {"USER": "postgres", "PASSWORD": password.read_text().strip()}
    connections.databases[SUPERUSER] = settings


@pytest.fixture(scope="module")
def _journal(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    with django_db_blocker.unblock(), _of_its_own(f"test_seals_{os.getpid()}_{next(NUMBERS)}"):
        _add_superuser()
        yield tmp_path_factory.mktemp("sealer")
        connections[SUPERUSER].close()
        del connections[SUPERUSER]
        del connections.databases[SUPERUSER]


@pytest.fixture
def sealer(_journal: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[Sealer]:
    """The one sealer of that database; each test goes on where the one before it stopped."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_HOME", str(_journal))
        patch.delenv("PITLEDGER_CHECKPOINTS", raising=False)
        yield Sealer(_journal)
