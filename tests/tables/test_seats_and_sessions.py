"""Seats, openers and closers."""

import uuid

from ledger.selectors import balances
from tables.models import Role, SessionStatus, Table, TableSession
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
