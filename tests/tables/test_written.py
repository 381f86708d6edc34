"""A query that is written once gives what Django's own gives."""

import uuid
from typing import Any

import pytest
from django.db.models import Model
from pytest_django import DjangoAssertNumQueries

from tables.models import Cage, Casino, CommandAnswer, Role, Table
from tables.selectors.terminal import WITH_WHAT_GOES_ON
from tables.selectors.written import Written
from tables.services import locks, rounds
from tests import floor


def values(row: Model | None) -> dict[str, Any]:
    """What a row holds."""
    return {} if row is None else {name: value for name, value in vars(row).items() if name != "_state"}


@pytest.mark.parametrize("running", [False, True])
def test_every_row_is_as_the_query_gives_it(
    house: floor.House, running: bool, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    table, _ = floor.ready_table(house)
    command = house.command(Role.DEALER)
    if running:
        rounds.round_start(table_id=table.id, bets={1: 1000}, command=command)
    asked: list[tuple[Written[Any], Any, tuple[str, ...]]] = [
        (locks._TABLE, Table.objects.select_related(*WITH_WHAT_GOES_ON).get(pk=table.pk), WITH_WHAT_GOES_ON),
        (locks._CAGE, Cage.objects.select_related("casino").get(pk=house.casino.pk), ("casino",)),
        (locks._OFFICE, Casino.objects.get(pk=house.casino.pk), ()),
    ]
    for written, expected, with_it in asked:
        written.get(expected.pk, expected.stream, command.id)
        with django_assert_num_queries(1):
            row: Any = written.get(expected.pk, expected.stream, command.id)
            assert row.answered == (running and written is locks._TABLE)
            assert values(row) == values(expected) | {"answered": row.answered}
            for name in with_it:
                assert values(getattr(row, name)) == values(getattr(expected, name)), name
        row.version += 1
        row.save()
        assert type(expected).objects.get(pk=row.pk).version == expected.version + 1
        assert written.get(uuid.uuid4(), expected.stream, command.id) is None
    assert CommandAnswer.objects.filter(command_id=command.id).exists() == running


def test_a_value_that_would_go_nowhere_is_a_fault() -> None:
    with pytest.raises(AssertionError):
        Written(Table.objects.all, uuid.uuid4()).get(uuid.uuid4())
