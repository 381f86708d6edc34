"""A whole session through the services, and what must hold on the way."""

import uuid

import pytest

from config.errors import DomainError
from ledger.selectors import balances
from tables.models import CardSource, Role, Round, RoundStatus, Table
from tables.services import rounds, seats, sessions
from tests import floor


@pytest.mark.django_db
def test_a_session_from_opener_to_counted_drop() -> None:
    house = floor.make_house()
    floor.stock_cage(house)
    table, session_id = floor.ready_table(house)
    for _ in range(12):
        answer = floor.play_round(house, table, {1: 1000, 2: 2500})
        assert answer.body["round"]["over"]
    for seat in (1, 2):
        seats.seat_leave(table_id=table.id, seat=seat, command=house.command(Role.DEALER))
    now = balances(table.stream)
    assert now["seat:1"] == now["seat:2"] == now["wager:1"] == 0
    assert sum(now[name] for name in ("tray", "cage", "floor", "over_short")) == 0
    closer = {"100": now["tray"] // 100}
    sessions.session_close(
        session_id=session_id,
        closer=closer,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    counted = floor.count_drop(house, session_id, {"10000": 40})
    assert counted.body["session"]["status"] == "counted"
    assert balances(table.stream)["over_short"] == 0
    assert balances(table.stream)["cash:drop_box"] == 0
    assert Round.objects.filter(session=session_id, status=RoundStatus.COMPLETE).count() == 12
    assert Table.objects.get(id=table.id).round is None


@pytest.mark.django_db
def test_a_round_the_tray_cannot_cover_waits_for_a_fill() -> None:
    """Irregularity of casino Red Dog: a payout the tray cannot cover is owed, it does not fail."""
    house = floor.make_house()
    floor.stock_cage(house)
    table = floor.make_table(house, card_source=CardSource.SCANNED)
    floor.fill_table(house, table, {"100": 1000})
    floor.open_table(house, table, {"100": 1000})
    floor.seat_player(house, table, 1, 90_000)
    answer = floor.play_round(house, table, {1: 50_000}, ("9S", "9H", "9D"))
    waiting = answer.body["round"]
    assert (waiting["phase"], waiting["outcome"], waiting["status"]) == ("paying", "trips", "in_progress")
    before = balances(table.stream)
    with pytest.raises(DomainError) as refused:
        rounds.round_settle(round_id=uuid.UUID(waiting["id"]), command=house.command(Role.DEALER))
    assert refused.value.code == "floor_broken"
    assert balances(table.stream) == before
    floor.fill_table(house, table, {"10000": 60})
    paid = rounds.round_settle(round_id=uuid.UUID(waiting["id"]), command=house.command(Role.DEALER))
    assert paid.body["round"]["results"]["1"]["paid"] == 550_000
    assert balances(table.stream)["seat:1"] == 90_000 + 550_000
