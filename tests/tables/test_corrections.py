"""Corrections: entries answered by entries, chips where they belong or in dispute, nothing ever edited."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.services.house import conservation_check
from config.errors import DomainError
from ledger.models import Entry
from ledger.selectors import balances, movements
from ledger.verify_journal import verify_journal
from tables.models import CardSource, Countersignature, Role, Round, Table
from tables.selectors.balances import inserted_cash
from tables.services import rounds, seats, sessions
from tables.services.command import Answer
from tables.services.corrections import Direction, correction_post, entry_reverse, round_correct
from tests import floor
from tests.audit import support
from tests.floor import House


@pytest.fixture
def table(house: House) -> Table:
    """An open table with a scanned shoe and players on seats 1 and 2, 2,000.00 before each."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    made.refresh_from_db()
    return made


def last(table: Table) -> Entry:
    return Entry.objects.filter(stream__name=table.stream).latest("seq")


def buy_in(house: House, table: Table, cash: int, seat: int = 1) -> Entry:
    seats.seat_buy_in(table_id=table.id, seat=seat, cash=cash, command=house.command(Role.DEALER))
    return last(table)


def leave(house: House, table: Table, seat: int) -> None:
    seats.seat_leave(table_id=table.id, seat=seat, command=house.command(Role.DEALER))


def reverse(house: House, table: Table, entry: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "entered_twice", "second": house.badge(Role.PIT_BOSS)}
    command = other.pop("command", None) or house.command(Role.SUPERVISOR)
    return entry_reverse(table_id=table.id, entry_id=entry, command=command, **(given | other))


def correct(
    house: House, table: Table, seat: int | None, amount: int, direction: Direction, **other: Any
) -> Answer:
    given: dict[str, Any] = {"reason": "mispaid", "second": house.badge(Role.PIT_BOSS)}
    return correction_post(
        table_id=table.id,
        seat=seat,
        amount=amount,
        direction=direction,
        command=house.command(Role.SUPERVISOR),
        **(given | other),
    )


def physical(house: House, round_id: uuid.UUID, cards: Sequence[str], **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "card_misread", "second": house.badge(Role.PIT_BOSS)}
    return round_correct(
        round_id=round_id, cards=cards, command=house.command(Role.SUPERVISOR), **(given | other)
    )


def moves_of(entry: Entry) -> list[tuple[str, str, int]]:
    return [(m.source.name, m.target.name, m.amount) for m in movements(entry)]


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
    assert inserted_cash(table.session) == 400_000, "what was entered wrongly is no insertion"
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


# rounds


def test_the_physical_result_stands_and_both_are_kept(house: House, table: Table) -> None:
    """RD-PHYSICAL: recorded KD lost to the house, but 9D lay: seats win 1:1 on bet and raise."""
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    answer = physical(house, played.id, support.WIN, note="scanner read the K")
    assert moves_of(last(table)) == [("tray", "seat:1", 4_000), ("tray", "seat:2", 5_000)]
    kept = Round.objects.get(id=played.id)
    assert (kept.state, kept.status) == (played.state, "complete")
    assert kept.corrected_seq == last(table).seq
    assert kept.corrected_state is not None
    assert (kept.state["cards"][2], kept.corrected_state["cards"][2]) == ("KD", "9D")
    assert kept.corrected_state["results"]["1"] == {"bet": 1000, "raise": 1000, "paid": 2000, "net": 2000}
    said = json.loads(last(table).payload)
    assert (said["recorded"], said["cards"], said["late"]) == (played.state, list(support.WIN), False)
    assert answer.body["round"]["results"]["1"]["net"] == -2000, "the recorded result is shown as it was"
    assert answer.body["correction"]["out_of_tray"] == 9_000


def test_the_same_wagers_are_settled_on_the_real_cards(house: House, table: Table) -> None:
    before = balances(table.stream)["seat:1"]
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    for real, net in (
        (support.LOSE, -2000),  # spread 6: bet and raise lose
        (support.TRIPS, 11_000),  # a pair took no raise: the bet alone wins
        (support.PUSH, 0),  # consecutive: all goes back
        (("5S", "7H", "6D"), 10_000),  # spread 1 pays 5 to 1, and was announced wrongly
        (support.WIN, 2000),  # and back to what was recorded
    ):
        physical(house, played.id, real)
        assert balances(table.stream)["seat:1"] == before + net, real
        assert Round.objects.get(id=played.id).state == played.state


def test_recorded_as_a_pair_the_bets_play_on_the_real_spread(house: House, table: Table) -> None:
    played = floor.play_round(house, table, {1: 1000}, ("5S", "5H", "9D"))
    before = balances(table.stream)["seat:1"]
    physical(house, uuid.UUID(played.body["round"]["id"]), ("5S", "8H", "7D"))
    assert balances(table.stream)["seat:1"] == before + 4000
    kept = Round.objects.get(id=played.body["round"]["id"])
    assert kept.corrected_state is not None
    assert kept.corrected_state["raise_test_excluded"] is True


def test_a_player_who_left_after_the_round_is_owed_or_owes_in_dispute(house: House, table: Table) -> None:
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.everybody_leaves(house, table)
    floor.seat_player(house, table, 2, 10_000)
    physical(house, played.id, support.LOSE)
    assert moves_of(last(table)) == [("floor", "disputed", 4_000), ("floor", "disputed", 5_000)]


def test_cards_that_correct_nothing_are_refused(house: House, table: Table) -> None:
    played = support.play_with_raise(house, table, support.WIN, {})
    for cards, code in (
        (support.WIN, "nothing_to_correct"),
        (("5S", "QH"), "board_undecided"),
        (("5S", "6H", "7D"), "board_undecided"),
        (("5S",), "board_undecided"),
        (("5S", "QH", "1D"), "bad_card"),
    ):
        with floor.refused(house, code):
            physical(house, played.id, cards)


def test_more_cards_of_a_kind_than_packs_are_refused(house: House) -> None:
    table, _ = support.open_scanned(house, packs=1, cut_card=20)
    played = support.play_with_raise(house, table, support.WIN, {})
    with floor.refused(house, "impossible_card"):
        physical(house, played.id, ("5S", "QH", "5S"))


def test_a_void_round_and_a_drawn_one_are_not_corrected(house: House, table: Table) -> None:
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])
    rounds.round_void(
        round_id=round_id,
        reason="misdeal",
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    with floor.refused(house, "not_settled"):
        physical(house, round_id, support.WIN)
    drawn, _ = floor.ready_table(house, "rd-2")
    played = floor.play_round(house, drawn, {1: 1000})
    with floor.refused(house, "cards_not_expected"):
        physical(house, uuid.UUID(played.body["round"]["id"]), support.WIN)
    with floor.refused(house, "round_not_found"):
        physical(house, uuid.uuid4(), support.WIN)


# whatever comes

BOARDS = st.sampled_from([support.WIN, support.LOSE, support.PUSH, support.TRIPS, ("8S", "TH", "9D")])
STEPS = st.one_of(
    st.tuples(st.just("play"), BOARDS),
    st.tuples(st.just("physical"), BOARDS),
    st.tuples(st.just("buy_in"), st.sampled_from([100, 5_000, 2_000_000])),
    st.tuples(st.just("leave"), st.integers(1, 3)),
    st.tuples(st.just("sit"), st.integers(1, 3)),
    st.tuples(st.just("reverse"), st.integers(0, 6)),
    st.tuples(
        st.just("correct"),
        st.tuples(
            st.sampled_from([None, 1, 2, 3]),
            st.sampled_from([100, 60_000, 3_000_000]),
            st.sampled_from(["to_seat", "to_tray"]),
        ),
    ),
)


def step(house: House, table: Table, what: str, with_: Any) -> None:
    """One step, aimed at the newest round, or at the newest entries."""
    newest = Round.objects.filter(table=table).order_by("-number").first()
    if what == "play":
        floor.play_round(house, table, {1: 1000, 2: 500}, with_)
    elif what == "physical" and newest is not None:
        physical(house, newest.id, with_)
    elif what == "buy_in":
        buy_in(house, table, with_)
    elif what == "leave":
        leave(house, table, with_)
    elif what == "sit":
        floor.seat_player(house, table, with_, 10_000)
    elif what == "reverse":
        reverse(house, table, Entry.objects.filter(stream__name=table.stream).order_by("-seq")[with_].id)
    elif what == "correct":
        correct(house, table, *with_)


@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=st.lists(STEPS, min_size=4, max_size=14))
def test_whatever_is_corrected_every_chip_is_somewhere(house: House, steps: list[tuple[str, Any]]) -> None:
    """Chips are conserved, the journal verifies, every round re-settles; corrections are never short."""
    table, _ = floor.ready_table(house, f"p-{uuid.uuid4().hex[:8]}", card_source=CardSource.SCANNED)
    for what, with_ in steps:
        try:
            step(house, table, what, with_)
        except DomainError as refused:
            if refused.code not in LEGAL_REFUSALS[what]:
                raise
    assert conservation_check(casino_id=house.casino.id).missing == 0
    assert verify_journal(stream=table.stream).ok
    assert not support.codes(house)


LEGAL_REFUSALS = {
    "play": {"seat_empty", "floor_broken", "impossible_card", "shuffle_due", "round_in_progress"},
    "physical": {"nothing_to_correct", "round_in_progress", "not_settled"},
    "buy_in": {"seat_empty", "floor_broken"},
    "leave": {"seat_empty", "round_in_progress"},
    "sit": {"seat_taken", "floor_broken"},
    "reverse": {"not_reversible", "already_reversed", "round_in_progress"},
    "correct": {"round_in_progress"},
}
