"""Tokes: the dealers' chips, which no figure of the house knows and no chip of the house is lost in."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from audit.selectors.balances import conservation
from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from ledger.selectors import balances
from tables.models import CardSource, Countersignature, Role, Round, Table
from tables.services import rounds
from tables.services.tokes import toke_collect, toke_give
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import cancel, found, last, moves_of, physical


@pytest.fixture
def table(house: House) -> Table:
    """An open table with players on seats 1 and 2, 2,000.00 before each."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    return made


def give(house: House, table: Table, amount: int, seat: int = 1) -> None:
    toke_give(table_id=table.id, seat=seat, amount=amount, command=house.command(Role.DEALER))


def collect(house: House, table: Table, *, pieces: int, second: Role = Role.SUPERVISOR) -> None:
    """So many chips of 1.00 are found in the box."""
    toke_collect(
        table_id=table.id,
        chips={"100": pieces},
        second=house.badge(second),
        command=house.command(Role.DEALER),
    )


def test_tokes_are_neutral_in_t_b_and_u_and_owed_until_redeemed(house: House) -> None:
    """PIT-TOKE: given, counted a chip short, collected; the float knows them, R and the tray do not."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.LOSE, {})
    give(house, table, 700)
    give(house, table, 300, seat=2)
    kept = conservation(house.casino)
    assert (kept.tokes, kept.missing, balances(table.stream)["toke_box"]) == (1_000, 0, 1_000)
    before = kept.with_patrons
    collect(house, table, pieces=9)
    entry = last(table)
    assert moves_of(entry) == [("toke_box", "over_short", 100), ("toke_box", "floor", 900)]
    assert (json.loads(entry.payload)["total"], json.loads(entry.payload)["variance"]) == (900, -100)
    signed = Countersignature.objects.get(stream=table.stream, seq=entry.seq)
    assert (signed.act, signed.second_id) == ("toke.collect", house.staff[Role.SUPERVISOR].id)
    after = conservation(house.casino)
    assert (after.tokes, after.with_patrons - before, after.missing) == (0, 900, 0)
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    books = session_reconcile(session_id=session_id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained, books.rounds_result) == (0, 0, 0, 3_500)
    conservation_check(casino_id=house.casino.id)
    assert found(house) == []


def test_what_is_not_there_is_not_given_nor_signed_alone(house: House, table: Table) -> None:
    """PIT-TOKE: from a seat that has it, under two signatures; nothing changes otherwise."""
    for amount, seat, code in ((200_001, 1, "floor_broken"), (0, 1, "nothing_to_move"), (5, 3, "seat_empty")):
        with refused(house, code):
            give(house, table, amount, seat)
    with refused(house, "nothing_to_move"):
        collect(house, table, pieces=0)
    give(house, table, 500)
    for second, code in ((Role.DEALER, "same_person_signed"), (Role.CAGE, "may_not_countersign")):
        with refused(house, code):
            collect(house, table, pieces=5, second=second)


def test_where_hands_are_held_chips_are_given_between_rounds(house: House) -> None:
    """CR-BETWEEN: who pays "all he has" must not have chosen how much that is."""
    made = room.make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, dealer=4)
    made.deal()
    with refused(house, "round_in_progress"):
        give(house, made.table, 10)
    made.play_out()
    give(house, made.table, 10)
    assert found(house) == []


def round_with(house: House, table: Table, cards: Sequence[str], tokes: Mapping[int, int]) -> Round:
    """A round of bets of 10.00 and 25.00 on seats 1 and 2, these for the dealers, and no raise."""
    begun = rounds.round_start(
        table_id=table.id, bets={1: 1000, 2: 2500}, tokes=tokes, command=house.command(Role.DEALER)
    )
    round_id = uuid.UUID(begun.body["round"]["id"])
    two = rounds.round_deal(
        round_id=round_id, cards=cards[:2], number=2, command=house.command(Role.DEALER)
    ).body["round"]
    if two["phase"] == "raising":
        rounds.round_announce(round_id=round_id, spread=two["spread"], command=house.command(Role.DEALER))
    if not two["over"]:
        rounds.round_deal(round_id=round_id, cards=cards[2:], number=1, command=house.command(Role.DEALER))
    return Round.objects.get(id=round_id)


def test_a_toke_bet_is_a_wager_in_r_and_its_winnings_are_the_dealers(house: House) -> None:
    """RD-TOKE: won, lost and pushed; a round taken as lost pays when the physical cards won; T, B, U zero."""
    table, session_id = support.open_scanned(house)
    won = round_with(house, table, support.WIN, {1: 500})
    assert (won.engine_version, won.state["results"]["0"]["net"]) == (2, 1_000)
    assert balances(table.stream)["toke_box"] == 1_000
    lost = round_with(house, table, support.LOSE, {2: 700})
    round_with(house, table, support.PUSH, {1: 500})
    assert (balances(table.stream)["toke_box"], balances(table.stream)["seat:1"]) == (1_000, 199_500)
    physical(house, lost.id, support.WIN)
    assert moves_of(last(table)) == [
        ("tray", "toke_box", 1_400),
        ("tray", "seat:1", 2_000),
        ("tray", "seat:2", 5_000),
    ]
    collect(house, table, pieces=24)
    cancel(house, won.id)
    assert moves_of(last(table)) == [
        ("floor", "disputed", 1_000),
        ("seat:1", "tray", 500),
        ("seat:2", "tray", 2_500),
    ]
    assert found(house) == ["void_after_decision"]
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    books = session_reconcile(session_id=session_id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained) == (0, 0, 0)
    assert books.rounds_result == -(1_000 + 4_200), "what the dealers took along, and the second round"
    conservation_check(casino_id=house.casino.id)
    assert support.codes(house) == ["void_after_decision"]


def test_a_toke_bet_lies_beside_a_bet_and_within_it(house: House, table: Table) -> None:
    """RD-TOKE: no more than the seat's own bet, once, before the first card; taken back with it."""
    dealer = house.command
    for tokes, code in (
        ({3: 500}, "no_bet"),
        ({1: 1_100}, "toke_above_maximum"),
        ({1: 50}, "toke_below_minimum"),
    ):
        with refused(house, code):
            rounds.round_start(table_id=table.id, bets={1: 1000}, tokes=tokes, command=dealer(Role.DEALER))
    begun = rounds.round_start(table_id=table.id, bets={1: 1000, 2: 1000}, command=dealer(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])

    def bet(**given: Any) -> None:
        given = {"bets": {}, "take_back": []} | given
        rounds.round_bet(round_id=round_id, command=dealer(Role.DEALER), **given)

    bet(tokes={1: 1000})
    with refused(house, "toke_exists"):
        bet(tokes={1: 100})
    bet(take_back=[1])
    assert balances(table.stream)["seat:1"] == 200_000
    rounds.round_deal(round_id=round_id, cards=support.WIN[:2], number=2, command=dealer(Role.DEALER))
    with refused(house, "bets_closed"):
        bet(tokes={2: 100})


def test_in_the_card_room_nothing_is_bet_for_the_dealers(house: House) -> None:
    """RD-TOKE: a player against a pool has the pool's stakes alone."""
    made = room.make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, dealer=4)
    made.deal()
    with refused(house, "wrong_game"):
        rounds.round_bet(
            round_id=made.newest.id, bets={}, take_back=[], tokes={1: 10}, command=house.command(Role.DEALER)
        )
