"""Promotional chips and coupons: numbered, played once, no chips themselves, and what they win is."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from ledger.models import Entry
from ledger.selectors import balances
from tables.models import CardSource, PromoPiece, Role, Round, Table
from tables.services import office, rounds
from tables.services.promos import promo_collect, promo_issue, promo_stock
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import cancel, found, last, moves_of


@pytest.fixture
def player(house: House) -> uuid.UUID:
    """A player who was given four pieces out of a stock of ten: of 5.00 (A), 10.00 (B, C) and 500.00 (D)."""
    made = office.player_create(
        casino_id=house.casino.id, reference="P-1", description="", command=house.office()
    )
    promo_stock(
        casino_id=house.casino.id,
        pieces={"500": 5, "1000": 4, "50000": 1},
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    known = uuid.UUID(made.body["player"])
    issue(house, known, {"A": 500, "B": 1_000, "C": 1_000, "D": 50_000})
    return known


def issue(house: House, player: uuid.UUID, pieces: Mapping[str, int]) -> None:
    promo_issue(casino_id=house.casino.id, player_id=player, pieces=pieces, command=house.command(Role.CAGE))


def start(house: House, table: Table, coupons: Mapping[int, str]) -> uuid.UUID:
    """A round of bets of 10.00 and 25.00 on seats 1 and 2 with pieces beside them."""
    begun = rounds.round_start(
        table_id=table.id, bets={1: 1000, 2: 2500}, coupons=coupons, command=house.command(Role.DEALER)
    )
    return uuid.UUID(begun.body["round"]["id"])


def play(house: House, round_id: uuid.UUID, cards: Sequence[str]) -> None:
    """Deal it to its end, without a raise."""
    dealer = house.command
    two = rounds.round_deal(round_id=round_id, cards=cards[:2], number=2, command=dealer(Role.DEALER))
    if two.body["round"]["phase"] == "raising":
        spread = two.body["round"]["spread"]
        rounds.round_announce(round_id=round_id, spread=spread, command=dealer(Role.DEALER))
    if not two.body["round"]["over"]:
        rounds.round_deal(round_id=round_id, cards=cards[2:], number=1, command=dealer(Role.DEALER))


def standing(house: House) -> dict[str, str]:
    pieces = PromoPiece.objects.filter(casino=house.casino).order_by("serial")
    return dict(pieces.values_list("serial", "status"))


def collect(house: House, table: Table, coupons: Sequence[str], second: Role = Role.SUPERVISOR) -> None:
    promo_collect(
        table_id=table.id,
        coupons=coupons,
        second=house.badge(second),
        command=house.command(Role.DEALER),
    )


def test_wins_cost_chips_and_losses_bring_none(house: House, player: uuid.UUID) -> None:
    """RD-PROMO: pushed, won and lost; taken in once; R is what was paid in chips; T, B and U are zero."""
    table, session_id = support.open_scanned(house)
    play(house, start(house, table, {1: "A"}), support.PUSH)
    assert standing(house)["A"] == "issued"
    won = start(house, table, {1: "A", 2: "B"})
    assert standing(house) == {"A": "staked", "B": "staked", "C": "issued", "D": "issued"}
    assert json.loads(last(table).payload)["coupons"] == {"1": "A", "2": "B"}
    conservation_check(casino_id=house.casino.id)
    play(house, won, support.WIN)
    kept = Round.objects.get(id=won)
    assert {seat: result["net"] for seat, result in kept.state["results"].items()} == {"1": 1_500, "2": 3_500}
    play(house, start(house, table, {2: "C"}), support.LOSE)
    assert standing(house) == {"A": "taken", "B": "taken", "C": "taken", "D": "issued"}
    lying = balances(table.stream)
    assert (lying["promo_box"], lying["promo"]) == (2_500, -2_500)
    collect(house, table, ["A", "C"])
    said = json.loads(last(table).payload)
    assert (said["total"], said["missing"], moves_of(last(table))) == (
        1_500,
        ["B"],
        [("promo_box", "promo_cancelled", 1_500)],
    )
    cancel(house, won)
    assert moves_of(last(table)) == [("seat:1", "tray", 1_500), ("seat:2", "tray", 3_500)], "chips alone"
    assert standing(house) == {"A": "cancelled", "B": "taken", "C": "cancelled", "D": "issued"}
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    books = session_reconcile(session_id=session_id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained, books.rounds_result) == (0, 0, 0, 3_500)
    conservation_check(casino_id=house.casino.id)
    assert found(house) == ["void_after_decision"]


def test_a_piece_plays_once_and_where_it_may(house: House, player: uuid.UUID) -> None:
    """RD-PROMO: a number is issued once, of what is in stock; it lies within the bet, before a card."""
    table, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    for coupons, code in (
        ({1: "NONE"}, "coupon_not_good"),
        ({1: "A", 2: "A"}, "coupon_not_good"),
        ({1: "D"}, "promo_above_maximum"),
        ({3: "A"}, "no_bet"),
    ):
        with refused(house, code):
            start(house, table, coupons)
    for pieces, code in (
        ({"A": 500}, "coupon_issued"),
        ({"E": 50_000}, "coupon_not_in_stock"),  # the only one of them is out
        ({"E": 700}, "coupon_not_in_stock"),  # its worth is in stock, in other pieces
        ({"E": 1_000, "F": 1_000, "G": 1_000}, "coupon_not_in_stock"),
        ({}, "nothing_to_move"),
    ):
        with refused(house, code):
            issue(house, player, pieces)
    with refused(house, "player_not_found"):
        issue(house, uuid.uuid4(), {"E": 500})
    round_id = start(house, table, {1: "A"})

    def bet(**given: Any) -> None:
        given = {"bets": {}, "take_back": []} | given
        rounds.round_bet(round_id=round_id, command=house.command(Role.DEALER), **given)

    for coupons, code in (({2: "A"}, "coupon_not_good"), ({1: "B"}, "promo_exists")):
        with refused(house, code):
            bet(coupons=coupons)
    bet(take_back=[1], bets={1: 1000})
    assert standing(house)["A"] == "issued"
    bet(coupons={2: "A"})
    for serial in ("A", "NONE"):
        with refused(house, "coupon_not_here"):
            collect(house, table, [serial])
    play(house, round_id, support.LOSE)
    with refused(house, "coupon_not_good"):
        start(house, table, {1: "A"})
    with refused(house, "same_person_signed"):
        collect(house, table, ["A"], Role.DEALER)
    collect(house, table, ["A"])
    with refused(house, "coupon_not_here"):
        collect(house, table, ["A"])


def test_in_the_card_room_no_piece_is_played(house: House, player: uuid.UUID) -> None:
    """RD-PROMO: against other players there is nothing of the house's to win."""
    made = room.make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, dealer=4)
    made.deal()
    with refused(house, "wrong_game"):
        rounds.round_bet(
            round_id=made.newest.id,
            bets={},
            take_back=[],
            coupons={1: "A"},
            command=house.command(Role.DEALER),
        )


def test_a_row_that_says_otherwise_is_found(house: House, player: uuid.UUID) -> None:
    """A piece that is made playable again past the journal differs from its accounts."""
    table, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    play(house, start(house, table, {1: "A"}), support.LOSE)
    nowhere: dict[str, Any] = {"table": None, "round": None, "seat": None}
    PromoPiece.objects.filter(casino=house.casino, serial="A").update(status="issued", **nowhere)
    conservation_check(casino_id=house.casino.id)
    assert support.codes(house) == ["promo_differs", "promo_differs"]
    issued = Entry.objects.get(stream__name=house.casino.cage_stream, kind="promo.issue")
    assert json.loads(issued.payload)["coupons"] == {"A": 500, "B": 1_000, "C": 1_000, "D": 50_000}
