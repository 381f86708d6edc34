"""Databases beside the one of a test process, for tests whose rows would be in the way of others."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
from django.db import DatabaseError, connections

NUMBERS = count(1)


def empty() -> str:
    """The name of the copy that is made of a test process's database before any test."""
    return f"{os.environ.get('PYTEST_XDIST_WORKER', 'gw')}_empty_{os.getpid()}"


@contextmanager
def apart(folder: Path) -> Iterator[None]:
    """Be in a database as all are before any test, and publish checkpoints to a folder of one's own."""
    with (
        pytest.MonkeyPatch.context() as patch,
        database(f"{empty()}_{next(NUMBERS)}", like=empty()),
    ):
        patch.setenv("PITLEDGER_CHECKPOINTS", str(folder))
        yield


@contextmanager
def database(name: str, *, like: str | None = None) -> Iterator[None]:
    """Make a database, point both roles and the environment at it, and drop it at the end.

    Args:
        like: the database it is a copy of, to which nobody may be connected; an empty one where None.
    """
    names = {alias: str(connections[alias].settings_dict["NAME"]) for alias in ("default", "owner")}
    addresses = {key: os.environ[key] for key in ("DATABASE_URL", "DATABASE_OWNER_URL")}
    make(name, like=like)
    _point(dict.fromkeys(names, name))
    for key, url in addresses.items():
        os.environ[key] = url.replace(f"/{names['owner']}?", f"/{name}?")
    try:
        yield
    finally:
        os.environ.update(addresses)
        _point(names)
        drop(name)


def make(name: str, *, like: str | None = None) -> None:
    """Make a database as `database` does, and leave it."""
    how = "STRATEGY wal_log" if like is None else f'TEMPLATE "{like}"'
    with connections["owner"]._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" {how}')


def drop(name: str) -> None:
    """Drop a database; whoever is still leaving it is waited for, and else it goes with the server."""
    for _ in range(100):
        with suppress(DatabaseError), connections["owner"]._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            return
        time.sleep(0.1)


def _point(names: dict[str, str]) -> None:
    for alias, name in names.items():
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name
