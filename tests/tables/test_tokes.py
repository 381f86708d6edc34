"""Tokes: the dealers' chips, which no figure of the house knows and no chip of the house is lost in."""

import json

import pytest

from audit.selectors.balances import conservation
from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from ledger.selectors import balances
from tables.models import CardSource, Countersignature, Role, Table
from tables.services.tokes import toke_collect, toke_give
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import found, last, moves_of


@pytest.fixture
def table(house: House) -> Table:
    """An open table with players on seats 1 and 2, 2,000.00 before each."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    return made


def give(house: House, table: Table, amount: int, seat: int = 1) -> None:
    toke_give(table_id=table.id, seat=seat, amount=amount, command=house.command(Role.DEALER))


def collect(house: House, table: Table, *, pieces: int, second: Role = Role.SUPERVISOR) -> None:
    """So many chips of 1.00 are found in the box."""
    toke_collect(
        table_id=table.id,
        chips={"100": pieces},
        second=house.badge(second),
        command=house.command(Role.DEALER),
    )


def test_tokes_are_neutral_in_t_b_and_u_and_owed_until_redeemed(house: House) -> None:
    """PIT-TOKE: given, counted a chip short, collected; the float knows them, R and the tray do not."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.LOSE, {})
    give(house, table, 700)
    give(house, table, 300, seat=2)
    kept = conservation(house.casino)
    assert (kept.tokes, kept.missing, balances(table.stream)["toke_box"]) == (1_000, 0, 1_000)
    before = kept.with_patrons
    collect(house, table, pieces=9)
    entry = last(table)
    assert moves_of(entry) == [("toke_box", "over_short", 100), ("toke_box", "floor", 900)]
    assert (json.loads(entry.payload)["total"], json.loads(entry.payload)["variance"]) == (900, -100)
    signed = Countersignature.objects.get(stream=table.stream, seq=entry.seq)
    assert (signed.act, signed.second_id) == ("toke.collect", house.staff[Role.SUPERVISOR].id)
    after = conservation(house.casino)
    assert (after.tokes, after.with_patrons - before, after.missing) == (0, 900, 0)
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    books = session_reconcile(session_id=session_id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained, books.rounds_result) == (0, 0, 0, 3_500)
    conservation_check(casino_id=house.casino.id)
    assert found(house) == []


def test_what_is_not_there_is_not_given_nor_signed_alone(house: House, table: Table) -> None:
    """PIT-TOKE: from a seat that has it, under two signatures; nothing changes otherwise."""
    for amount, seat, code in ((200_001, 1, "floor_broken"), (0, 1, "nothing_to_move"), (5, 3, "seat_empty")):
        with refused(house, code):
            give(house, table, amount, seat)
    with refused(house, "nothing_to_move"):
        collect(house, table, pieces=0)
    give(house, table, 500)
    for second, code in ((Role.DEALER, "same_person_signed"), (Role.CAGE, "may_not_countersign")):
        with refused(house, code):
            collect(house, table, pieces=5, second=second)


def test_where_hands_are_held_chips_are_given_between_rounds(house: House) -> None:
    """CR-BETWEEN: who pays "all he has" must not have chosen how much that is."""
    made = room.make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, dealer=4)
    made.deal()
    with refused(house, "round_in_progress"):
        give(house, made.table, 10)
    made.play_out()
    give(house, made.table, 10)
    assert found(house) == []
