"""A query that is written once gives what Django's own gives."""

import uuid
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest
from django.db.models import Model
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tables.models import Cage, Casino, Role, SignIn, Table
from tables.selectors import terminal
from tables.selectors.terminal import WITH_WHAT_GOES_ON
from tables.selectors.written import Written
from tables.services import locks, rounds, terminals
from tests import floor


def same(row: Model | None, expected: Model, paths: Sequence[str] = ()) -> None:
    """All that two rows hold, and the rows they lead to."""
    for path in ("pk", *paths):
        found, wanted = (attrgetter(path)(one) for one in (row, expected))
        assert held(found) == held(wanted), path
    assert held(row) | {"answered": None} == held(expected) | {"answered": None}


def held(row: Any) -> Any:
    """The values of a row; what is none is itself."""
    if not isinstance(row, Model):
        return row
    return {name: value for name, value in vars(row).items() if name != "_state"}


@pytest.mark.parametrize("running", [False, True])
def test_every_row_is_as_the_query_gives_it(
    house: floor.House, running: bool, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    table, _ = floor.ready_table(house)
    command = house.command(Role.DEALER)
    if running:
        rounds.round_start(table_id=table.id, bets={1: 1000}, command=command)
    asked: list[tuple[Written[Any], Any, Sequence[str]]] = [
        (locks._TABLE, Table.objects.get(pk=table.pk), WITH_WHAT_GOES_ON),
        (locks._CAGE, Cage.objects.get(pk=house.casino.pk), ("casino",)),
        (locks._OFFICE, Casino.objects.get(pk=house.casino.pk), ()),
    ]
    for written, expected, paths in asked:
        written.get(expected.pk, expected.stream, command.id)
        with django_assert_num_queries(1):
            row: Any = written.get(expected.pk, expected.stream, command.id)
            for path in paths:
                getattr(row, path)
        same(row, expected, paths)
        assert row.answered == (running and written is locks._TABLE)
        row.version += 1
        row.save()
        assert type(expected).objects.get(pk=row.pk).version == expected.version + 1
        assert written.get(uuid.uuid4(), expected.stream, command.id) is None


def test_who_is_signed_in_and_where_is_as_the_query_gives_it(
    house: floor.House, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    table, _ = floor.ready_table(house)
    place, _ = floor.enrol(house, table)
    now = timezone.now()
    signs_in: dict[str, Any] = {"terminal": place, "started_at": now, "last_input_at": now}
    SignIn.objects.create(staff=house.staff[Role.SUPERVISOR], ended_at=now, **signs_in)
    expected = SignIn.objects.create(staff=house.staff[Role.DEALER], **signs_in)
    with django_assert_num_queries(2):
        actor = terminals.current_actor(terminal=place, is_input=False)
        shown = terminal.table_within(table.id, actor.reach)
        assert (shown and shown.session) is not None
    assert actor.staff_id == house.staff[Role.DEALER].id
    same(terminals._SIGNED_IN.get(place.id), SignIn.objects.get(id=expected.id), ("staff", "terminal.casino"))
    same(shown, Table.objects.get(id=table.id), WITH_WHAT_GOES_ON)
    for elsewhere in ({"pk": uuid.uuid4()}, {"casino_id": uuid.uuid4()}):
        assert terminal.table_within(table.id, actor.reach | elsewhere) is None


def test_a_value_that_would_go_nowhere_is_a_fault() -> None:
    with pytest.raises(AssertionError):
        Written(Table.objects.all, uuid.uuid4()).get(uuid.uuid4())
