"""Seats, openers, closers and drops."""

import uuid

import pytest

from ledger.selectors import balances
from tables.models import OutboxItem, Role, SessionStatus, Table, TableSession
from tables.services import office, rounds, seats, sessions
from tests import floor


def leave(house: floor.House, table: Table, seat: int) -> None:
    seats.seat_leave(table_id=table.id, seat=seat, command=house.command(Role.DEALER))


def close(
    house: floor.House, session_id: uuid.UUID, closer: dict[str, int], signer: Role = Role.SUPERVISOR
) -> None:
    sessions.session_close(
        session_id=session_id,
        closer=closer,
        second=house.badge(signer),
        command=house.command(Role.DEALER),
    )


def count(house: floor.House, session_id: uuid.UUID, notes: dict[str, int]) -> None:
    sessions.session_count_drop(
        session_id=session_id,
        notes=notes,
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )


def tray_as_count(table: Table) -> dict[str, int]:
    return {"100": balances(table.stream)["tray"] // 100}


def test_a_buy_in_is_cash_in_the_box_and_chips_on_the_layout(house: floor.House) -> None:
    table = floor.make_table(house)
    floor.fill_table(house, table)
    floor.open_table(house, table)
    tray = balances(table.stream)["tray"]
    seats.seat_take(
        table_id=table.id,
        seat=4,
        player_id=None,
        cash=50_000,
        chips=2_500,
        command=house.command(Role.DEALER),
    )
    now = balances(table.stream)
    assert (now["tray"], now["seat:4"], now["floor"]) == (tray - 50_000, 52_500, -2_500)
    assert (now["cash:drop_box"], now["cash:patrons"]) == (50_000, -50_000)
    leave(house, table, 4)
    assert balances(table.stream)["floor"] == 50_000
    assert balances(table.stream)["seat:4"] == 0


def test_seats_refuse_what_cannot_be(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    with floor.refused(house, "seat_taken"):
        floor.seat_player(house, table, 1, 500)
    with floor.refused(house, "seat_unknown"):
        floor.seat_player(house, table, 8, 500)
    with floor.refused(house, "seat_empty"):
        seats.seat_buy_in(table_id=table.id, seat=5, cash=500, command=house.command(Role.DEALER))
    with floor.refused(house, "floor_broken"):
        floor.seat_player(house, table, 5, 50_000_000)
    with floor.refused(house, "player_not_found"):
        seats.seat_take(
            table_id=table.id,
            seat=5,
            player_id=uuid.uuid4(),
            cash=0,
            chips=0,
            command=house.command(Role.DEALER),
        )
    rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    with floor.refused(house, "round_in_progress"):
        leave(house, table, 1)


def test_a_known_player_keeps_the_seat_and_is_named_in_the_round(house: floor.House) -> None:
    table = floor.make_table(house)
    floor.fill_table(house, table)
    floor.open_table(house, table)
    player = office.player_create(
        casino_id=house.casino.id, reference="P-17", description="", command=house.office()
    )
    seats.seat_take(
        table_id=table.id,
        seat=2,
        player_id=uuid.UUID(player.body["player"]),
        cash=10_000,
        chips=0,
        command=house.command(Role.DEALER),
    )
    rounds.round_start(table_id=table.id, bets={2: 1000}, command=house.command(Role.DEALER))
    running = Table.objects.select_related("round").get(id=table.id).round
    assert running is not None
    assert running.players == {"2": player.body["player"]}


def test_a_closed_table_takes_no_business(house: floor.House) -> None:
    table = floor.make_table(house)
    floor.fill_table(house, table)
    with floor.refused(house, "table_closed"):
        floor.seat_player(house, table, 1, 500)
    with floor.refused(house, "table_closed"):
        rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))


def test_an_opener_needs_two_people_and_real_chips(house: floor.House) -> None:
    table = floor.make_table(house)
    floor.fill_table(house, table)

    def open_with(opener: dict[str, int], signer: Role, actor: Role = Role.DEALER) -> None:
        sessions.session_open(
            table_id=table.id, opener=opener, second=house.badge(signer), command=house.command(actor)
        )

    with floor.refused(house, "unknown_denomination"):
        open_with({"250": 1}, Role.SUPERVISOR)
    with floor.refused(house, "bad_count"):
        open_with({"500": -1}, Role.SUPERVISOR)
    with floor.refused(house, "same_person_signed"):
        open_with({"500": 1}, Role.SUPERVISOR, Role.SUPERVISOR)
    with floor.refused(house, "may_not_countersign"):
        open_with({"500": 1}, Role.AUDITOR)
    open_with(floor.CHIPS, Role.SUPERVISOR)
    with floor.refused(house, "table_open"):
        open_with(floor.CHIPS, Role.SUPERVISOR)


def test_a_count_that_differs_from_the_books_wins_and_both_stay(house: floor.House) -> None:
    table, session_id = floor.ready_table(house)
    leave(house, table, 1)
    leave(house, table, 2)
    booked = balances(table.stream)["tray"]
    close(house, session_id, {"100": booked // 100 - 3})
    now = balances(table.stream)
    assert (now["tray"], now["over_short"]) == (booked - 300, 300)
    kept = TableSession.objects.get(id=session_id)
    assert (kept.status, kept.closer_total) == (SessionStatus.CLOSED, booked - 300)


def test_a_session_closes_only_when_everybody_is_gone(house: floor.House) -> None:
    table, session_id = floor.ready_table(house)
    with floor.refused(house, "seats_occupied"):
        close(house, session_id, tray_as_count(table))
    rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    with floor.refused(house, "round_in_progress"):
        close(house, session_id, tray_as_count(table))


def test_the_drop_is_counted_once_after_the_close(house: floor.House) -> None:
    table, session_id = floor.ready_table(house)
    with floor.refused(house, "session_open"):
        count(house, session_id, {"10000": 40})
    leave(house, table, 1)
    leave(house, table, 2)
    close(house, session_id, tray_as_count(table))
    with floor.refused(house, "session_over"):
        close(house, session_id, tray_as_count(table))
    count(house, session_id, {"10000": 39})
    now = balances(table.stream)
    assert (now["cash:drop_box"], now["cash:count_room"], now["cash:over_short"]) == (0, 390_000, 10_000)
    with floor.refused(house, "drop_counted"):
        count(house, session_id, {"10000": 39})
    assert OutboxItem.objects.filter(topic="session.reconcile", subject=session_id).count() == 2


def test_the_next_session_does_not_disturb_a_late_count(house: floor.House) -> None:
    table, first = floor.ready_table(house)
    leave(house, table, 1)
    leave(house, table, 2)
    close(house, first, tray_as_count(table))
    opened = sessions.session_open(
        table_id=table.id,
        opener=tray_as_count(table),
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    assert opened.body["session"]["number"] == 2
    floor.seat_player(house, table, 1, 7_000)
    count(house, first, {"10000": 40})
    now = balances(table.stream)
    assert (now["cash:drop_box"], now["cash:over_short"]) == (7_000, 0)


@pytest.mark.parametrize("signer", [Role.CAGE, Role.DEALER])
def test_a_drop_count_needs_a_different_second_person(house: floor.House, signer: Role) -> None:
    table, session_id = floor.ready_table(house)
    leave(house, table, 1)
    leave(house, table, 2)
    close(house, session_id, tray_as_count(table))
    code = "same_person_signed" if signer == Role.CAGE else "may_not_countersign"
    with floor.refused(house, code):
        sessions.session_count_drop(
            session_id=session_id,
            notes={"10000": 40},
            second=house.badge(signer),
            command=house.command(Role.CAGE),
        )
