"""Streams that meet: what is in transit has a slip, pair by pair, and no transaction posts to two streams."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from audit.models import Finding
from audit.services.house import conservation_check
from ledger.selectors import balances
from ledger.services import Movement, post
from tables.models import Fill, FillStatus, Role, Table
from tables.services import cage
from tables.services.corrections import correction_post
from tests import floor
from tests.audit import support
from tests.floor import House


def issue(house: House, table: Table, chips: dict[str, int]) -> uuid.UUID:
    issued = cage.cage_fill(
        casino_id=house.casino.id, table_id=table.id, chips=chips, command=house.command(Role.CAGE)
    )
    return uuid.UUID(issued.body["id"])


def receive(house: House, table: Table, fill: uuid.UUID) -> None:
    cage.fill_receive(table_id=table.id, fill_id=fill, command=house.command(Role.DEALER))


def facing(house: House, table: Table) -> int:
    """What the two accounts that face each other hold together."""
    return balances(house.casino.cage_stream)[f"table:{table.id}"] + balances(table.stream)["cage"]


def forge(house: House, stream: str, kind: str, *move: Any) -> None:
    post(
        stream=stream,
        kind=kind,
        payload={},
        movements=[Movement(*move)],
        actor=house.staff[Role.DEALER].id,
        command_id=uuid.uuid4(),
    )


def test_each_pair_of_boundaries_holds_the_fills_issued_and_not_received(house: House) -> None:
    one, two = floor.make_table(house, "rd-1"), floor.make_table(house, "rd-2")
    for chips, table in (({"500": 4}, one), ({"100": 7}, two), ({"2500": 1}, one)):
        assert facing(house, table) == sum(
            Fill.objects.filter(table=table, status=FillStatus.ISSUED).values_list("total", flat=True)
        )
        issue(house, table, chips)
    first = Fill.objects.filter(table=one).order_by("slip_number")[0]
    expected = {str(one.id): 4500, str(two.id): 700}
    result = conservation_check(casino_id=house.casino.id)
    assert (result.in_transit, result.fills, result.conserved) == (expected, expected, True)
    receive(house, one, first.id)  # half-way: one of the table's two slips is in
    result = conservation_check(casino_id=house.casino.id)
    expected[str(one.id)] = 2500
    assert (result.in_transit, result.conserved) == (expected, True)
    for fill in Fill.objects.filter(status=FillStatus.ISSUED, casino=house.casino).select_related("table"):
        receive(house, fill.table, fill.id)
    result = conservation_check(casino_id=house.casino.id)
    assert (result.in_transit, result.fills, result.conserved) == ({}, {}, True)
    assert facing(house, one) == facing(house, two) == 0
    assert support.codes(house) == []


def test_a_forged_fill_is_found_at_its_own_pair_even_when_another_pair_makes_up_for_it(house: House) -> None:
    """Chips received without a slip at one table, and as many sent and never received at another."""
    one, two = floor.make_table(house, "rd-1"), floor.make_table(house, "rd-2")
    forge(house, one.stream, "fill.receive", "cage", "tray", 2000)
    forge(house, house.casino.cage_stream, "fill.issue", "vault", f"table:{two.id}", 2000)
    result = conservation_check(casino_id=house.casino.id)
    assert result.missing == 0, "taken together nothing is missing"
    found = Finding.objects.filter(casino=house.casino)
    assert {(f.code, f.stream) for f in found} == {
        ("in_transit_differs", one.stream),
        ("in_transit_differs", two.stream),
    }


def test_a_fill_received_twice_or_for_another_amount_is_found(house: House) -> None:
    table = floor.make_table(house)
    receive(house, table, issue(house, table, {"500": 4}))
    forge(house, table.stream, "fill.receive", "cage", "tray", 500)
    conservation_check(casino_id=house.casino.id)
    assert support.codes(house) == ["in_transit_differs"]


@contextmanager
def transactions() -> Iterator[list[tuple[str, str]]]:
    """(transaction, stream) of everything posted inside; the outermost transaction, whatever savepoints."""
    posted: list[tuple[str, str]] = []

    def watch(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        answer = execute(sql, params, many, context)
        if " FROM ledger_" in str(sql) and str(sql).startswith("SELECT * FROM ledger_"):
            with connection.connection.cursor() as cursor:
                number = cursor.execute("SELECT pg_current_xact_id()::text").fetchone()[0]
            posted.append((number, params[0]))
        return answer

    with connection.execute_wrapper(watch):
        yield posted


@pytest.mark.django_db(transaction=True)
def test_no_transaction_posts_to_two_streams() -> None:
    """A whole session, committed for real: by the outermost transaction, and by what the rows say."""
    with transactions() as posted:
        house = floor.make_house()
        floor.stock_cage(house)
        table, session_id = support.open_scanned(house)
        support.play_with_raise(house, table, support.WIN, {1: 1000})
        floor.fill_table(house, table, {"500": 4})
        correction_post(
            table_id=table.id,
            seat=1,
            amount=100,
            direction="to_seat",
            reason="mispaid",
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.SUPERVISOR),
        )
        support.close(house, table, session_id)
        support.count_drop(house, session_id)
    streams = {stream for _, stream in posted}
    assert {house.casino.stream, house.casino.cage_stream, table.stream} <= streams
    assert len(posted) > 30
    by_transaction: dict[str, set[str]] = {}
    for number, stream in posted:
        by_transaction.setdefault(number, set()).add(stream)
    assert [together for together in by_transaction.values() if len(together) > 1] == []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.xmin::text FROM ledger_entry e JOIN ledger_stream s ON s.id = e.stream_id"
            " WHERE s.name = ANY(%s) GROUP BY 1 HAVING count(DISTINCT e.stream_id) > 1",
            [list(streams)],
        )
        assert cursor.fetchall() == []
