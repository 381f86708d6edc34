"""A table's life: settled rounds voided, rules changed between rounds, chips for chips."""

import json
import uuid
from typing import Any

import pytest

from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from ledger.selectors import balances
from tables.models import (
    CardSource,
    Countersignature,
    Role,
    Round,
    RoundStatus,
    Table,
    TableSession,
)
from tables.selectors.chips import chips_walked
from tables.services import office, rounds, seats, shoes
from tables.services.command import Answer
from tables.services.table_life import seat_cash_out, seat_change, table_rules
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import LIVE, cancel, found, last, moves_of, of_players, physical


@pytest.fixture
def table(house: House) -> Table:
    """An open table with a scanned shoe and players on seats 1 and 2, 2,000.00 before each."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    made.refresh_from_db()
    return made


# a round that is over is voided


def test_the_void_of_a_settled_round_restores_every_seat_and_the_tray(house: House, table: Table) -> None:
    """Whatever its state: two signatures, the result kept, the row says cancelled, the audit shows it."""
    before = of_players(table)
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    answer = cancel(house, played.id)
    assert (answer.status, answer.body["round"]["status"]) == (201, "cancelled")
    assert answer.body["round"]["results"]["1"]["net"] == 2000, "the result is kept"
    assert of_players(table) == before
    entry, kept = last(table), Round.objects.get(id=played.id)
    assert (entry.kind, kept.cancelled_seq, kept.status) == ("round.cancel", entry.seq, RoundStatus.CANCELLED)
    assert (kept.state, kept.last_seq) == (played.state, played.last_seq)
    signed = Countersignature.objects.get(stream=table.stream, seq=entry.seq)
    assert (signed.act, signed.second_id) == ("round.void", house.staff[Role.PIT_BOSS].id)
    assert json.loads(entry.payload)["note"] == LIVE["note"]
    assert found(house) == ["void_after_decision"]


def test_a_voided_round_leaves_t_b_and_u_at_zero(house: House) -> None:
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    support.play_with_raise(house, table, support.WIN, {})
    cancel(house, played.id)
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    kept = session_reconcile(session_id=session_id)
    assert kept is not None
    assert (kept.tray, kept.box, kept.unexplained, kept.rounds_result) == (0, 0, 0, -3_500)
    conservation_check(casino_id=house.casino.id)
    assert found(house) == ["void_after_decision"]


def test_what_has_left_the_table_is_in_dispute(house: House, table: Table) -> None:
    """The winner of seat 1 has gone; whoever sits there now does not pay. The loser of seat 2 gets all."""
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    seats.seat_leave(table_id=table.id, seat=1, command=house.command(Role.DEALER))
    floor.seat_player(house, table, 1, 10_000)
    answer = cancel(house, played.id)
    assert moves_of(last(table)) == [("floor", "disputed", 2_000), ("seat:2", "tray", 2_500)]
    assert answer.body["correction"]["into_dispute"] == 2_000
    assert found(house) == ["void_after_decision"]


def test_nothing_is_refused_for_lack_of_chips(house: House, table: Table) -> None:
    """The winner has lost again what he won: what he has comes back, the rest is claimed."""
    played = floor.play_round(house, table, {1: 100_000}, ("8S", "8H", "8D"))
    for _ in range(5):
        floor.play_round(house, table, {1: 100_000}, support.LOSE)
    held = balances(table.stream)["seat:1"]
    assert held == 800_000
    cancel(house, uuid.UUID(played.body["round"]["id"]))
    assert moves_of(last(table)) == [("seat:1", "tray", held), ("floor", "disputed", 300_000)]


def test_a_corrected_round_is_voided_as_it_stands(house: House, table: Table) -> None:
    before = of_players(table)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    physical(house, played.id, support.WIN)
    cancel(house, played.id)
    assert of_players(table) == before
    with refused(house, "round_voided"):
        physical(house, played.id, support.LOSE)
    assert found(house) == ["void_after_decision"]


def test_a_round_is_voided_once_between_rounds_by_two_who_may(house: House, table: Table) -> None:
    played = support.play_with_raise(house, table, support.WIN, {})
    for actor, second, code in (
        (Role.DEALER, Role.PIT_BOSS, "operation_not_allowed"),
        (Role.SUPERVISOR, Role.SUPERVISOR, "same_person_signed"),
        (Role.SUPERVISOR, Role.DEALER, "may_not_countersign"),
    ):
        with refused(house, code):
            cancel(house, played.id, second=house.badge(second), command=house.command(actor))
    with refused(house, "bad_reason"):
        cancel(house, played.id, reason="mispaid")
    with refused(house, "round_not_found"):
        cancel(house, uuid.uuid4())
    running = support.raising(house, table, support.WIN[:2])
    with refused(house, "round_in_progress"):
        cancel(house, played.id)
    rounds.round_void(
        round_id=running.id,
        reason="misdeal",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.DEALER),
    )
    with refused(house, "round_voided"):
        cancel(house, running.id)
    command = house.command(Role.SUPERVISOR)
    done = cancel(house, played.id, command=command)
    again = cancel(house, played.id, command=command)
    assert (again.replayed, again.body) == (True, done.body)
    with refused(house, "round_voided"):
        cancel(house, played.id)


def test_who_dealt_a_round_of_an_earlier_session_does_not_sign_its_void(house: House) -> None:
    """The round of the day's first session is voided in the second; of another day it is refused."""
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.close(house, table, session_id)
    with refused(house, "table_closed"):
        cancel(house, played.id)
    kept = TableSession.objects.get(id=session_id)
    support.open_again(house, table)
    Round.objects.filter(id=played.id).update(dealer=house.staff[Role.PIT_BOSS])
    with refused(house, "not_independent"):
        cancel(house, played.id)
    Round.objects.filter(id=played.id).update(dealer=house.staff[Role.DEALER])
    TableSession.objects.filter(id=session_id).update(gaming_day="2001-01-01")
    with refused(house, "other_gaming_day"):
        cancel(house, played.id)
    TableSession.objects.filter(id=session_id).update(gaming_day=kept.gaming_day)
    cancel(house, played.id)
    assert json.loads(last(table).payload)["late"] is True
    assert moves_of(last(table)) == [("floor", "disputed", 2_000), ("floor", "disputed", 2_500)]
    assert found(house) == ["void_after_decision"]


FEE = {"kind": "deal", "amount": 2, "minutes": 0}


@pytest.mark.parametrize("name", ["high_card_pool", "burning_card", "banking"])
def test_a_card_room_round_goes_back_to_pool_seats_and_tray(house: House, name: str) -> None:
    """Stakes, forfeits, antes and fees: each seat, the pool and the tray as they lay before the round."""
    banked = {"bank": 40} if name == "banking" else {}
    made = room.make_room(house, name, chips={1: 100, 2: 100, 3: 100}, source=CardSource.DRAWN, fee=FEE)
    before = of_players(made.table)
    made.deal(**banked)
    made.play_out(bets=(1, 2, 3))
    assert of_players(made.table) != before
    cancel(house, made.round_id)
    assert of_players(made.table) == before
    assert found(house) == ["void_after_decision"]


def test_what_the_pool_does_not_hold_any_more_is_in_dispute(house: House) -> None:
    """Three anted 10 each; the pool was divided and two of them left with a third each."""
    made = room.make_room(house, chips={1: 100, 2: 100, 3: 100}, source=CardSource.DRAWN)
    made.deal()
    made.play_out()
    paid = {seat: 100 - held for seat, held in enumerate(made.lying("seat:1", "seat:2", "seat:3"), 1)}
    made.divide()
    made.leave(3)
    before = of_players(made.table)
    cancel(house, made.round_id)
    assert moves_of(last(made.table)) == [("disputed", "floor", owed) for owed in paid.values() if owed]
    now = of_players(made.table)
    assert now["pool"] == 0
    assert now["disputed"] == before["disputed"] - sum(paid.values())
    assert found(house) == ["void_after_decision"]


# the rules of a table


def released(house: House, **changes: Any) -> uuid.UUID:
    """Another rule set like the table's, but for these changes."""
    body = floor.RULES | changes
    made = office.rule_set_create(
        casino_id=house.casino.id, name="evening", body=body, command=house.office()
    )
    return uuid.UUID(made.body["rules"])


def change_rules(house: House, table: Table, rules_id: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "the evening's limits", "second": house.badge(Role.PIT_BOSS)}
    command = other.pop("command", None) or house.command(Role.SUPERVISOR)
    return table_rules(table_id=table.id, rules_id=rules_id, command=command, **(given | other))


def test_limits_change_between_rounds_and_every_round_keeps_its_own(house: House, table: Table) -> None:
    """Two sign; old and new are journalled; the bet that was too small before is played after."""
    before = floor.play_round(house, table, {1: 500}, support.LOSE).body["round"]["id"]
    cheaper = released(house, min_bet=100)
    with refused(house, "bet_below_minimum"):
        floor.play_round(house, table, {1: 100}, support.LOSE)
    answer = change_rules(house, table, cheaper)
    assert answer.body["limits"]["min_bet"] == 100
    said = json.loads(last(table).payload)
    assert (said["before"]["id"], said["after"]["id"]) == (str(table.rules_id), str(cheaper))
    after = floor.play_round(house, table, {1: 100}, support.WIN).body["round"]["id"]
    rows = {str(row.id): row.rules_id for row in Round.objects.filter(table=table)}
    assert rows == {before: table.rules_id, after: cheaper}
    assert found(house) == []
    Round.objects.filter(id=after).update(rules_id=table.rules_id)
    assert found(house) == ["round_projection_differs"]


def test_a_round_under_other_rules_than_the_table_s_is_found(house: House, table: Table) -> None:
    other = released(house, min_bet=100)
    Table.objects.filter(id=table.id).update(rules_id=other)  # past the services
    floor.play_round(house, table, {1: 500}, support.LOSE)
    assert found(house) == ["rules_not_in_force"]


def test_rules_that_do_not_fit_are_refused(house: House, table: Table) -> None:
    floor.seat_player(house, table, 5, 10_000)
    fits = released(house, seats=5)
    for rules_id, code in (
        (released(house, seats=4), "seats_unlike_table"),
        (released(house, seats=8), "seats_unlike_table"),
        (released(house, packs=8), "shoe_loaded"),
        (released(house, cut_card=52), "shoe_loaded"),
        (table.rules_id, "same_rules"),
        (uuid.uuid4(), "rules_not_found"),
        (room.make_room(house, chips={}).row.rules_id, "wrong_game"),
    ):
        with refused(house, code):
            change_rules(house, table, rules_id)
    for actor, second, code in (
        (Role.DEALER, Role.PIT_BOSS, "operation_not_allowed"),
        (Role.SUPERVISOR, Role.SUPERVISOR, "same_person_signed"),
        (Role.SUPERVISOR, Role.DEALER, "may_not_countersign"),
    ):
        with refused(house, code):
            change_rules(house, table, fits, second=house.badge(second), command=house.command(actor))
    with refused(house, "reason_missing"):
        change_rules(house, table, fits, reason="")
    running = support.raising(house, table, support.WIN[:2])
    with refused(house, "round_in_progress"):
        change_rules(house, table, fits)
    rounds.round_deal(round_id=running.id, cards=("9C",), number=1, command=house.command(Role.DEALER))
    command = house.command(Role.SUPERVISOR)
    done = change_rules(house, table, fits, command=command)
    assert change_rules(house, table, fits, command=command).body == done.body
    with refused(house, "seat_unknown"):
        floor.seat_player(house, table, 6, 10_000)
    shoes.shoe_retire(table_id=table.id, stub=None, burnt=[], command=house.command(Role.DEALER))
    change_rules(house, table, released(house, packs=8))
    shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    floor.play_round(house, table, {1: 500}, support.LOSE)
    assert found(house) == []


def test_a_card_room_s_rules_change_while_no_chips_lie_in_the_pool(house: House) -> None:
    """The audit follows: the next round's ante is the new one."""
    made = room.make_room(house, chips={1: 100, 2: 100}, source=CardSource.DRAWN)
    body = room.rules_of("high_card_pool", ante=20)
    dearer = office.rule_set_create(
        casino_id=house.casino.id, name="dearer", body=body, command=house.office()
    )
    rules_id = uuid.UUID(dearer.body["rules"])
    made.deal()
    made.play_out()
    with refused(house, "pool_not_empty"):
        change_rules(house, made.table, rules_id)
    made.divide()
    change_rules(house, made.table, rules_id)
    made.shuffle()
    made.draw()
    made.deal()
    made.play_out()
    assert {result["ante"] for result in made.newest.state["results"].values()} == {20}
    assert found(house) == []


# chips


def test_a_colour_change_moves_no_value(house: House, table: Table) -> None:
    """Equal value for equal value, by denomination: an entry, and no movement."""
    before = balances(table.stream)
    command = house.command(Role.DEALER)
    given: dict[str, Any] = {"seat": 1, "into_tray": {"500": 20}, "out_of_tray": {"2500": 4}}
    done = seat_change(table_id=table.id, command=command, **given)
    assert seat_change(table_id=table.id, command=command, **given).body == done.body
    entry = last(table)
    assert (entry.kind, moves_of(entry), json.loads(entry.payload)["value"]) == ("seat.change", [], 10_000)
    assert balances(table.stream) == before
    for changes, code in (
        ({"out_of_tray": {"2500": 5}}, "unequal_exchange"),
        ({"into_tray": {}, "out_of_tray": {}}, "nothing_to_move"),
        ({"into_tray": {"7": 1}}, "unknown_denomination"),
        ({"seat": 3}, "seat_empty"),
        ({"seat": 8}, "seat_unknown"),
        ({"into_tray": {"500": 420}, "out_of_tray": {"10000": 21}}, "chips_not_there"),
    ):
        with refused(house, code):
            seat_change(table_id=table.id, command=house.command(Role.DEALER), **(given | changes))


def test_nobody_is_paid_out_at_a_table(house: House, table: Table) -> None:
    with refused(house, "no_cash_out"):
        seat_cash_out(table_id=table.id, seat=1, amount=1_000, command=house.command(Role.DEALER))
    with refused(house, "seat_empty"):
        seat_cash_out(table_id=table.id, seat=3, amount=1_000, command=house.command(Role.DEALER))


def test_chips_that_walk_from_table_to_table_are_shown_by_player(house: House, table: Table) -> None:
    """A known player leaves one table with chips and brings some to another; cash is no part of it."""
    made = office.player_create(
        casino_id=house.casino.id, reference="P-1", description="", command=house.office()
    )
    player = uuid.UUID(made.body["player"])
    other, _ = floor.ready_table(house, "rd-2")

    def sit(at: Table, cash: int, chips: int) -> None:
        seats.seat_take(
            table_id=at.id,
            seat=4,
            player_id=player,
            cash=cash,
            chips=chips,
            command=house.command(Role.DEALER),
        )

    sit(table, 50_000, 0)
    seats.seat_leave(table_id=table.id, seat=4, command=house.command(Role.DEALER))
    sit(other, 0, 30_000)
    assert [(step.table, step.kind, step.chips) for step in chips_walked(player)] == [
        (table.id, "seat.take", 0),
        (table.id, "seat.leave", 50_000),
        (other.id, "seat.take", 30_000),
    ]
