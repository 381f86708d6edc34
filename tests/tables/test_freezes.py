"""A frozen table: nothing happens there but a void, until two people release it."""

import json
import uuid
from collections.abc import Callable

import pytest

from ledger.models import Entry
from tables.models import CardSource, Countersignature, Role
from tables.services import corrections, fills, freezes, pools, rounds, seats, sessions, shoes
from tests import floor
from tests.room import Room, make_room

pytestmark = pytest.mark.django_db


def freeze(room: Room, reason: str = "8S was seen twice") -> None:
    freezes.table_freeze(table_id=room.table.id, reason=reason, command=room.command())


def release(room: Room, role: Role = Role.SUPERVISOR, reason: str = "the pack was changed") -> None:
    second = room.house.badge(role)
    freezes.table_release(table_id=room.table.id, second=second, reason=reason, command=room.command())


def acts_at(room: Room, slip_id: uuid.UUID) -> list[Callable[[], object]]:
    """Everything else a terminal can do there."""
    at, second, house = room.table.id, room.house.badge(Role.SUPERVISOR), room.house
    session = room.row.session_id
    assert session is not None
    entry = Entry.objects.filter(stream__name=room.table.stream).latest("seq").id
    return [
        lambda: freeze(room),
        lambda: room.bet(2, 10),
        lambda: room.turn("QS"),
        lambda: room.show(2, "KS"),
        lambda: room.expose("QS"),
        lambda: room.lay_down(2),
        lambda: room.mispay(2, "bet_into_pool", 1),
        lambda: room.put_right(2),
        lambda: room.settle(),
        lambda: room.deal(),
        lambda: room.divide(),
        lambda: room.leave(1),
        lambda: room.sit({5: 10}),
        lambda: pools.deal_draw(table_id=at, cards=["AS"], command=room.command()),
        lambda: pools.collection_take(table_id=at, command=room.command()),
        lambda: seats.seat_buy_in(table_id=at, seat=1, cash=10, command=room.command()),
        lambda: shoes.shoe_retire(table_id=at, stub=None, burnt=[], command=room.command()),
        lambda: rounds.round_start(table_id=at, bets={1: 10}, command=room.command()),
        lambda: fills.fill_receive(
            table_id=at, slip_id=slip_id, chips={"100": 1}, second=second, command=room.command()
        ),
        lambda: sessions.session_close(session_id=session, closer={}, second=second, command=room.command()),
        lambda: corrections.entry_reverse(
            table_id=at,
            entry_id=entry,
            reason="other",
            second=house.badge(Role.PIT_BOSS),
            command=room.command(Role.SUPERVISOR),
        ),
    ]


def test_a_freeze_blocks_all_but_a_void_and_the_release(house: floor.House) -> None:
    """CR-COMPOSITION: a card seen twice is refused; the table is frozen, the round voided, then released."""
    room = make_room(house, chips={1: 100, 2: 100}, dealer=1)
    slip = floor.send_fill(house, room.table, {"100": 1})
    with floor.refused(house, "not_frozen"):
        release(room)
    room.deal()
    room.bet(2, 10)
    room.expose("8S")
    with floor.refused(house, "impossible_card"):
        room.turn("8S")
    with floor.refused(house, "reason_missing"):
        freeze(room, " ")
    command = room.command()
    frozen = freezes.table_freeze(table_id=room.table.id, reason="8S was seen twice", command=command)
    assert frozen.body["frozen"] == "8S was seen twice"
    again = freezes.table_freeze(table_id=room.table.id, reason="8S was seen twice", command=command)
    assert again.replayed
    for act in acts_at(room, slip):
        with floor.refused(house, "table_frozen"):
            act()
    room.void()
    assert room.lying("seat:1", "seat:2", "pool") == (100, 100, 0)
    with floor.refused(house, "table_frozen"):
        room.deal()
    for role, code in ((Role.DEALER, "same_person_signed"), (Role.CAGE, "may_not_countersign")):
        with floor.refused(house, code):
            release(room, role)
    release(room)
    assert room.row.frozen == ""
    said = Entry.objects.filter(stream__name=room.table.stream, kind__startswith="table.").order_by("seq")
    assert [json.loads(entry.payload)["reason"] for entry in said] == [
        "8S was seen twice",
        "the pack was changed",
    ]
    signed = Countersignature.objects.get(stream=room.table.stream, act="table.release")
    assert signed.reason == "the pack was changed"
    room.shuffle()
    room.deal()


def test_any_table_can_be_frozen_and_a_closed_one_need_not_be(house: floor.House) -> None:
    table, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    room = Room(house, table)
    freeze(room, "a quarrel")
    with floor.refused(house, "table_frozen"):
        rounds.round_start(table_id=table.id, bets={1: 1000}, command=room.command())
    release(room)
    closed = floor.make_table(house, "rd-2")
    with floor.refused(house, "table_closed"):
        freezes.table_freeze(table_id=closed.id, reason="why", command=room.command())
