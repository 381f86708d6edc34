"""Corrections: entries answered by entries, chips where they belong or in dispute, nothing ever edited."""

import json
import uuid

import pytest

from ledger.models import Entry
from ledger.selectors import balances
from tables.models import CardSource, Countersignature, Role, Table
from tables.selectors.figures import session_figures
from tables.services import rounds, sessions
from tests import floor
from tests.audit import support
from tests.floor import House
from tests.tables.correcting import buy_in, correct, leave, physical, reverse
from tests.tables.life import last, moves_of


@pytest.fixture
def table(house: House) -> Table:
    """An open table with a scanned shoe and players on seats 1 and 2, 2,000.00 before each."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    made.refresh_from_db()
    return made


# reversals


def test_a_reversal_moves_everything_back_and_points_at_its_entry(house: House, table: Table) -> None:
    before = balances(table.stream)
    entered = buy_in(house, table, 5_000)
    answer = reverse(house, table, entered.id, note="typed twice")
    assert answer.status == 201
    reversing = last(table)
    assert (reversing.kind, reversing.reverses) == ("entry.reverse", entered.id)
    assert answer.body["correction"] == {
        "entry": str(reversing.id),
        "seq": reversing.seq,
        "kind": "entry.reverse",
        "into_tray": 5_000,
        "out_of_tray": 0,
        "into_dispute": 0,
        "out_of_dispute": 0,
    }
    assert balances(table.stream) == before
    assert table.session is not None
    inserted = session_figures([table.session])[table.session.id].insertions
    assert inserted == 400_000, "what was entered wrongly is no insertion"
    said = json.loads(reversing.payload)
    assert (said["kind"], said["origin"], said["reason"]) == ("seat.buy_in", "seat.buy_in", "entered_twice")
    signed = Countersignature.objects.get(stream=table.stream, seq=reversing.seq)
    assert (signed.act, signed.second_id) == ("entry.reverse", house.staff[Role.PIT_BOSS].id)


def test_an_entry_is_reversed_once(house: House, table: Table) -> None:
    entered = buy_in(house, table, 5_000)
    reverse(house, table, entered.id)
    with floor.refused(house, "already_reversed"):
        reverse(house, table, entered.id)


def test_a_retry_of_a_reversal_has_no_second_effect(house: House, table: Table) -> None:
    entered = buy_in(house, table, 5_000)
    command = house.command(Role.SUPERVISOR)
    first = reverse(house, table, entered.id, command=command)
    again = reverse(house, table, entered.id, command=command)
    assert (again.replayed, again.body) == (True, first.body)


def test_a_reversal_can_be_reversed(house: House, table: Table) -> None:
    entered = buy_in(house, table, 5_000)
    after = balances(table.stream)
    reverse(house, table, entered.id)
    reverse(house, table, last(table).id, reason="other")
    assert balances(table.stream) == after
    assert json.loads(last(table).payload)["origin"] == "seat.buy_in"
    with floor.refused(house, "already_reversed"):
        reverse(house, table, entered.id)


def test_what_a_player_carried_off_is_in_dispute(house: House, table: Table) -> None:
    """The player of seat 1 has left with the chips: the reversal is made all the same."""
    entered = buy_in(house, table, 5_000)
    tray = balances(table.stream)["tray"]
    leave(house, table, 1)
    answer = reverse(house, table, entered.id)
    now = balances(table.stream)
    assert (now["tray"], now["disputed"], now["seat:1"]) == (tray + 5_000, -5_000, 0)
    assert answer.body["correction"]["out_of_dispute"] == 5_000


def test_what_a_player_does_not_have_any_more_is_in_dispute(house: House, table: Table) -> None:
    entered = buy_in(house, table, 195_000, seat=2)  # 395,000 before the seat, of which 300,000 is lost
    for _ in range(3):
        floor.play_round(house, table, {2: 100_000}, support.LOSE)
    reverse(house, table, entered.id)
    now = balances(table.stream)
    assert (now["seat:2"], now["disputed"]) == (0, -100_000)


def test_the_next_player_of_a_seat_does_not_pay_for_the_last_one(house: House, table: Table) -> None:
    entered = buy_in(house, table, 5_000)
    leave(house, table, 1)
    floor.seat_player(house, table, 1, 30_000)
    reverse(house, table, entered.id)
    now = balances(table.stream)
    assert (now["seat:1"], now["disputed"]) == (30_000, -5_000)


def test_what_projections_hang_on_is_not_reversed(house: House, table: Table) -> None:
    floor.play_round(house, table, {1: 1000}, support.WIN)
    for kind in ("seat.take", "session.open", "fill.receive", "shoe.load", "round.deal", "stream.open"):
        entry = Entry.objects.filter(stream__name=table.stream, kind=kind).latest("seq")
        with floor.refused(house, "not_reversible"):
            reverse(house, table, entry.id)


def test_what_a_count_has_settled_is_not_reversed(house: House, table: Table) -> None:
    entered = buy_in(house, table, 5_000)
    assert table.session_id is not None
    support.close(house, table, table.session_id)
    with floor.refused(house, "table_closed"):
        reverse(house, table, entered.id)
    floor.clear_box(house, table)
    sessions.session_open(
        table_id=table.id,
        opener={"100": balances(table.stream)["tray"] // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    with floor.refused(house, "not_reversible"):
        reverse(house, table, entered.id)


def test_an_entry_of_another_table_is_not_there(house: House, table: Table) -> None:
    other, _ = floor.ready_table(house, "rd-2")
    entered = buy_in(house, other, 5_000)
    with floor.refused(house, "entry_not_found"):
        reverse(house, table, entered.id)
    with floor.refused(house, "entry_not_found"):
        reverse(house, table, uuid.uuid4())


def test_a_correction_takes_two_who_may_and_a_reason_of_the_list(house: House, table: Table) -> None:
    entered = buy_in(house, table, 5_000)
    for actor, signer, code in (
        (Role.DEALER, Role.SUPERVISOR, "operation_not_allowed"),
        (Role.SUPERVISOR, Role.SUPERVISOR, "same_person_signed"),
        (Role.SUPERVISOR, Role.DEALER, "may_not_countersign"),
        (Role.PIT_BOSS, Role.CAGE, "may_not_countersign"),
    ):
        with floor.refused(house, code):
            reverse(house, table, entered.id, second=house.badge(signer), command=house.command(actor))
    with floor.refused(house, "bad_reason"):
        reverse(house, table, entered.id, reason="because")


def test_nothing_is_corrected_while_a_round_runs(house: House, table: Table) -> None:
    entered = buy_in(house, table, 5_000)
    played = floor.play_round(house, table, {1: 1000}, support.WIN).body["round"]["id"]
    rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    with floor.refused(house, "round_in_progress"):
        reverse(house, table, entered.id)
    with floor.refused(house, "round_in_progress"):
        correct(house, table, 1, 100, "to_seat")
    with floor.refused(house, "round_in_progress"):
        physical(house, uuid.UUID(played), support.LOSE)


# mispays


def test_an_underpaid_player_is_paid_from_the_tray(house: House, table: Table) -> None:
    correct(house, table, 1, 500, "to_seat")
    assert moves_of(last(table)) == [("tray", "seat:1", 500)]


def test_an_overpaid_player_gives_back_what_he_has_and_the_rest_is_claimed(
    house: House, table: Table
) -> None:
    correct(house, table, 1, 250_000, "to_tray")
    assert moves_of(last(table)) == [("seat:1", "tray", 200_000), ("floor", "disputed", 50_000)]


def test_whoever_has_left_is_paid_into_dispute_and_claimed_from_the_floor(house: House, table: Table) -> None:
    leave(house, table, 1)
    correct(house, table, 1, 700, "to_seat")
    assert moves_of(last(table)) == [("tray", "disputed", 700)]
    correct(house, table, 1, 900, "to_tray")
    assert moves_of(last(table)) == [("floor", "disputed", 900)]


def test_what_the_tray_cannot_pay_is_owed(house: House, table: Table) -> None:
    tray = balances(table.stream)["tray"]
    correct(house, table, 1, tray + 300, "to_seat")
    assert moves_of(last(table)) == [("tray", "seat:1", tray), ("disputed", "floor", 300)]


def test_a_dispute_ends_with_chips_into_or_out_of_the_tray(house: House, table: Table) -> None:
    leave(house, table, 1)
    correct(house, table, 1, 900, "to_tray")
    correct(house, table, None, 900, "to_tray", reason="dispute")
    assert moves_of(last(table)) == [("disputed", "tray", 900)]
    assert balances(table.stream)["disputed"] == 0
    correct(house, table, None, 400, "to_seat", reason="dispute")
    assert moves_of(last(table)) == [("tray", "disputed", 400)]


def test_a_mispay_can_be_taken_back_as_a_whole(house: House, table: Table) -> None:
    before = balances(table.stream)
    correct(house, table, 1, 250_000, "to_tray")
    reverse(house, table, last(table).id)
    assert balances(table.stream) == before


def test_a_mispay_that_cannot_be_is_refused(house: House, table: Table) -> None:
    for seat, amount, code in (
        (8, 100, "seat_unknown"),
        (1, 0, "nothing_to_move"),
        (1, -5, "nothing_to_move"),
    ):
        with floor.refused(house, code):
            correct(house, table, seat, amount, "to_seat")
