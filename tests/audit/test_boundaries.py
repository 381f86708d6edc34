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
from tables.models import Role, Table
from tables.services.corrections import correction_post
from tests import floor
from tests.audit import support
from tests.floor import House


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


def test_each_pair_of_boundaries_holds_the_slips_on_their_way(house: House) -> None:
    """Fills and credits both; a void one until its chips are back."""
    one, two = floor.make_table(house, "rd-1"), floor.make_table(house, "rd-2")
    floor.fill_table(house, one, {"500": 10})
    first = floor.send_fill(house, one, {"500": 4})
    floor.send_fill(house, two, {"100": 7})
    credit = floor.send_credit(house, one, {"500": 5})
    expected = {str(one.id): 4500, str(two.id): 700}
    result = conservation_check(casino_id=house.casino.id)
    assert (result.in_transit, result.slips == result.boundaries, result.conserved) == (expected, True, True)
    assert {facing(house, one), facing(house, two)} == {4500, 700}
    floor.receive_fill(house, one, first, {"500": 4})  # half-way: one of the table's two slips is in
    result = conservation_check(casino_id=house.casino.id)
    assert (result.in_transit, result.conserved) == (expected | {str(one.id): 2500}, True)
    floor.receive_credit(house, credit, {"500": 5})
    result = conservation_check(casino_id=house.casino.id)
    assert (result.in_transit, result.conserved) == ({str(two.id): 700}, True)
    assert (facing(house, one), support.codes(house)) == (0, [])


def test_a_forged_fill_is_found_at_its_own_pair_even_when_another_pair_makes_up_for_it(house: House) -> None:
    """Chips received without a slip at one table, and as many sent and never received at another."""
    one, two = floor.make_table(house, "rd-1"), floor.make_table(house, "rd-2")
    floor.fill_table(house, one, {"100": 1})
    forge(house, one.stream, "fill.receive", "cage", "tray", 2000)
    forge(house, house.casino.cage_stream, "fill.issue", "vault", f"table:{two.id}", 2000)
    result = conservation_check(casino_id=house.casino.id)
    assert result.missing == 0, "taken together nothing is missing"
    found = Finding.objects.filter(casino=house.casino)
    assert {(f.code, f.stream) for f in found} == {
        ("in_transit_differs", one.stream),
        ("in_transit_differs", two.stream),
        ("movement_without_slip", one.stream),
        ("movement_without_slip", house.casino.cage_stream),
    }


def test_a_fill_forged_at_both_ends_is_found_though_nothing_is_in_transit(house: House) -> None:
    table = floor.make_table(house)
    forge(house, house.casino.cage_stream, "fill.issue", "vault", f"table:{table.id}", 500)
    forge(house, table.stream, "fill.receive", "cage", "tray", 500)
    assert conservation_check(casino_id=house.casino.id).in_transit == {}
    assert support.codes(house) == ["boundary_differs", "movement_without_slip", "movement_without_slip"]


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
