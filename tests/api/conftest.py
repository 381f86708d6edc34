"""A house per test, with terminals that are enrolled and signed in."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from tables.models import CardSource, Role, SignIn, Table, Terminal
from tests import floor
from tests.api.client import Desk


@pytest.fixture(autouse=True)
def _fresh_throttles() -> Iterator[None]:
    """Throttle counters live in the process's memory; no test inherits another's."""
    cache.clear()
    yield
    cache.clear()


@dataclass
class Place:
    """A house with an open table, seats 1 and 2 taken, and one terminal each for table and cage."""

    house: floor.House
    table: Table
    session: str
    terminal: Terminal
    desk: Desk
    cage_terminal: Terminal
    cage: Desk

    @property
    def path(self) -> str:
        """The table's path."""
        return f"tables/{self.table.id}"

    def badge(self, role: Role) -> dict[str, str]:
        """A person's badge and PIN as JSON."""
        badge = self.house.badge(role)
        return {"badge": badge.number, "pin": badge.pin}


def put_on_duty(house: floor.House, terminal: Terminal, role: Role) -> SignIn:
    """Sign the person of that role in, without typing a PIN."""
    now = timezone.now()
    SignIn.objects.filter(terminal=terminal, ended_at=None).update(ended_at=now)
    return SignIn.objects.create(
        terminal=terminal, staff=house.staff[role], started_at=now, last_input_at=now
    )


def make_place(card_source: CardSource = CardSource.SCANNED) -> Place:
    """Build it through the services."""
    house = floor.make_house()
    floor.stock_cage(house)
    table, session = floor.ready_table(house, card_source=card_source)
    terminal, credential = floor.enrol(house, table)
    put_on_duty(house, terminal, Role.DEALER)
    cage_terminal, cage_credential = floor.enrol(house, None)
    put_on_duty(house, cage_terminal, Role.CAGE)
    place = Place(
        house, table, str(session), terminal, Desk(credential), cage_terminal, Desk(cage_credential)
    )
    place.desk.get(place.path)
    place.cage.get("cage")
    return place


@pytest.fixture(scope="session")
def _standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Place:
    with django_db_blocker.unblock():
        return make_place()


@pytest.fixture
def still(_standing: Place, db: None) -> Place:
    """A place that stands for all tests of a process, for those that are rolled back."""
    SignIn.objects.filter(ended_at=None).update(last_input_at=timezone.now())
    lent = deepcopy(_standing)
    lent.desk.get(lent.path)
    lent.cage.get("cage")
    return lent


@pytest.fixture
def place(request: pytest.FixtureRequest, _standing: Place, db: None) -> Place:
    """A place whose cards are scanned: the standing one, or for a test that commits one of its own.

    `_standing` is named here to be made before a test's transaction begins, and not to end with it.
    """
    lent: Place = request.getfixturevalue("still") if connection.in_atomic_block else make_place()
    return lent
