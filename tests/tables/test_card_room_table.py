"""A card-room table beyond its rounds: pools divided, collections, chips, who deals, what is never burnt."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from tables.models import CardSource, Role, Table
from tables.services import corrections, office, pools, rounds, seats, sessions, shoes, table_life
from tests import floor
from tests.room import Room, make_room, rules_of
from tests.tables.life import cancel

pytestmark = pytest.mark.django_db


@pytest.fixture
def room(house: floor.House) -> Room:
    """Four with 100 each, seat 1 dealing; seat 9 has too little for the ante of 10."""
    return make_room(house, chips={1: 100, 3: 100, 4: 100, 7: 100, 9: 9}, dealer=1)


def close(room: Room) -> None:
    """Close the table, on an empty tray."""
    session_id = room.row.session_id
    assert session_id is not None
    sessions.session_close(
        session_id=session_id,
        closer={},
        second=room.house.badge(Role.SUPERVISOR),
        command=room.command(),
    )


def test_the_pool_is_divided_when_the_game_breaks_up(house: floor.House, room: Room) -> None:
    """CR-ODD-CHIPS: two sign; nobody leaves a pool behind, nor is a table closed on it."""
    with floor.refused(house, "pool_empty"):
        room.divide()
    room.deal()
    with floor.refused(house, "round_in_progress"):
        room.divide()
    room.mispay(7, "bet_into_pool", 1)
    room.play_out()
    (pool,) = room.lying("pool")
    with floor.refused(house, "pool_not_empty"):
        close(room)
    for seat in (1, 4, 9):
        room.leave(seat)
    shares = room.divide().body["shares"]
    assert shares == {"3": (pool + 1) // 2, "7": pool // 2}, "seat 3 would have dealt next: it plays first"
    assert room.row.button is None
    room.shuffle()
    room.draw("AS")
    room.deal()
    room.play_out()
    room.leave(7)
    with floor.refused(house, "pool_not_empty"):
        room.leave(3)
    room.divide()
    room.leave(3)
    assert room.lying("pool") == (0,)
    close(room)
    assert (room.row.session_id, room.row.button) == (None, None), "the next session draws for its first deal"


def test_what_is_less_than_a_chip_is_not_left_behind(house: floor.House) -> None:
    """CR-ODD-CHIPS: a round under smaller chips is voided under larger ones: the whole pool is divided."""
    room = make_room(house, chips={1: 200, 2: 200}, dealer=1, chip=5, ante=15)
    room.deal()
    room.play_out()
    room.shuffle()
    room.deal()
    first, second = room.state.order
    room.bet(first, 60)
    room.turn("QS")
    room.show(first, "KS")
    room.lay_down(second)
    room.settle()
    won = room.round_id
    room.divide()
    larger = rules_of("high_card_pool", chip=10, seats=10)
    released = office.rule_set_create(
        casino_id=house.casino.id, name=room.table.code, body=larger, command=house.office()
    )
    table_life.table_rules(
        table_id=room.table.id,
        rules_id=uuid.UUID(released.body["rules"]),
        reason="larger chips",
        second=house.badge(Role.PIT_BOSS),
        command=room.command(Role.SUPERVISOR),
    )
    cancel(house, won)
    assert room.lying("pool") == (15,)
    room.shuffle()
    room.draw("AS")
    with floor.refused(house, "bad_pool"):
        room.deal()
    assert sum(room.divide().body["shares"].values()) == 15
    for seat in (1, 2):
        room.leave(seat)
    close(room)


def test_collections_by_time_go_to_the_house(house: floor.House) -> None:
    """CR-FEE: by time, between rounds, from everybody seated; who has less gives all he has."""
    fee = {"kind": "time", "amount": 5, "minutes": 30}
    made = make_room(house, chips={1: 100, 2: 3}, dealer=1, fee=fee)
    taken = pools.collection_take(table_id=made.table.id, command=made.command())
    assert taken.body["fees"] == {"1": 5, "2": 3}
    assert made.lying("seat:1", "seat:2", "tray") == (95, 0, 8)
    with floor.refused(house, "collection_too_soon"):
        pools.collection_take(table_id=made.table.id, command=made.command())
    with time_machine.travel(timezone.now() + timedelta(minutes=30), tick=False):
        again = pools.collection_take(table_id=made.table.id, command=made.command())
    assert again.body["fees"] == {"1": 5, "2": 0}
    Table.objects.filter(id=made.table.id).update(collected_at=None)
    made.leave(1)
    made.leave(2)
    with floor.refused(house, "too_few_players"):
        pools.collection_take(table_id=made.table.id, command=made.command())
    plain = make_room(house, chips={1: 100, 2: 100}, dealer=1)
    with floor.refused(house, "no_collection"):
        pools.collection_take(table_id=plain.table.id, command=plain.command())
    red_dog, _ = floor.ready_table(house)
    with floor.refused(house, "wrong_game"):
        pools.collection_take(table_id=red_dog.id, command=made.command())


def test_such_a_round_is_not_settled_again_on_other_cards(house: floor.House, room: Room) -> None:
    """CR-PHYSICAL: its hands were never recorded; corrections are documented otherwise."""
    room.deal()
    room.play_out()
    with floor.refused(house, "no_physical_result"):
        corrections.round_correct(
            round_id=room.round_id,
            cards=["2S", "3S"],
            reason="card_misread",
            second=house.badge(Role.PIT_BOSS),
            command=room.command(Role.SUPERVISOR),
        )


def test_red_dog_takes_no_card_room_commands(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    other = Room(house, table)
    with floor.refused(house, "wrong_game"):
        other.deal()
    floor.play_round(house, table, {1: 1000})
    rounds.round_start(table_id=table.id, bets={1: 1000}, command=other.command())
    acts: list[Callable[[], object]] = [
        lambda: other.turn(),
        lambda: other.show(1),
        lambda: other.lay_down(1),
        lambda: other.put_right(1),
    ]
    for act in acts:
        with floor.refused(house, "wrong_game"):
            act()


def test_chips_too_are_bought_between_rounds_only(house: floor.House, room: Room) -> None:
    """CR-BETWEEN: who pays all he has must not have chosen how much that is while he knew his hand."""
    room.deal()
    with floor.refused(house, "round_in_progress"):
        seats.seat_buy_in(table_id=room.table.id, seat=1, cash=10_000, command=room.command())


def test_a_void_deal_is_dealt_again_by_whoever_dealt_it(house: floor.House) -> None:
    """CR-NEXT: also where the deal had passed to him because another could not pay the ante."""
    room = make_room(house, chips={1: 100, 3: 5, 4: 100}, dealer=3)
    room.deal()
    assert room.state.dealer == 4
    room.void()
    assert room.row.button == 4


def test_the_deal_passes_on_when_its_dealer_leaves(house: floor.House) -> None:
    """CR-BETWEEN: to the next player on his left, and not to whoever takes the seat."""
    room = make_room(house, chips={1: 100, 3: 100, 4: 100}, dealer=3)
    room.leave(3)
    room.sit({3: 100})
    assert room.row.button == 4


def test_no_card_of_a_pack_hands_came_from_is_burnt_face_up(house: floor.House) -> None:
    """CR-EXPOSED: before and after the turns the pack stays covered, a physical one too."""
    room = make_room(house, chips={1: 100, 2: 100}, dealer=2)
    burn: dict[str, Any] = {"table_id": room.table.id, "reason": "other"}
    room.deal()
    room.play_out()
    for face_up in (True, False):
        with floor.refused(house, "hands_stay_unseen"):
            shoes.shoe_burn(**burn, card="TD", face_up=face_up, command=room.command())
    shoes.shoe_burn(**burn, card=None, face_up=False, command=room.command())
    room.shuffle()
    shoes.shoe_burn(**burn, card="TD", face_up=True, command=room.command())
    with floor.refused(house, "shuffle_due"):
        room.deal()


def test_no_card_of_a_drawn_pack_is_burnt_between_rounds(house: floor.House) -> None:
    """CR-SECRET: what is left of it would tell what folded hands were."""
    room = make_room(house, chips={1: 100, 2: 100}, source=CardSource.DRAWN)
    room.deal()
    room.play_out()
    for face_up in (True, False):
        with floor.refused(house, "hands_stay_unseen"):
            shoes.shoe_burn(
                table_id=room.table.id, card=None, face_up=face_up, reason="other", command=room.command()
            )
