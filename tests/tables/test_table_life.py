"""A table's life: settled rounds voided, stints, closings cancelled, rules and chips changed."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import gaming_day_resettle
from ledger.models import Entry
from ledger.selectors import balances, movements
from tables.models import CardSource, Countersignature, Role, Round, RoundStatus, Table, TableSession
from tables.services import rounds, seats
from tables.services.command import Answer
from tables.services.corrections import round_correct
from tables.services.table_life import round_cancel
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused

LIVE = {"reason": "misdeal", "note": "the shoe was short"}


@pytest.fixture
def table(house: House) -> Table:
    """An open table with a scanned shoe and players on seats 1 and 2, 2,000.00 before each."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    made.refresh_from_db()
    return made


def last(table: Table) -> Entry:
    return Entry.objects.filter(stream__name=table.stream).latest("seq")


def moves_of(entry: Entry) -> list[tuple[str, str, int]]:
    return [(m.source.name, m.target.name, m.amount) for m in movements(entry)]


def cancel(house: House, round_id: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"second": house.badge(Role.PIT_BOSS), **LIVE}
    command = other.pop("command", None) or house.command(Role.SUPERVISOR)
    return round_cancel(round_id=round_id, command=command, **(given | other))


def physical(house: House, round_id: uuid.UUID, cards: Sequence[str]) -> Answer:
    second = house.badge(Role.PIT_BOSS)
    command = house.command(Role.SUPERVISOR)
    return round_correct(
        round_id=round_id, cards=cards, reason="card_misread", second=second, command=command
    )


def found(house: House) -> list[str]:
    """What the re-settlement of the house's gaming day finds."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)
    return support.codes(house)


def of_players(table: Table) -> Mapping[str, int]:
    return {name: held for name, held in balances(table.stream).items() if not name.startswith("cash")}


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
