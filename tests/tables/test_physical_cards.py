"""Rounds settled again on the cards that lay; and whatever is corrected, every chip is somewhere."""

import json
import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.services.house import conservation_check
from config.errors import DomainError
from ledger.models import Entry
from ledger.selectors import balances
from ledger.verify_journal import verify_journal
from tables.models import CardSource, Role, Round, Table
from tables.services import rounds
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
