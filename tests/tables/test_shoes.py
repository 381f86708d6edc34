"""Shoes at a table: composition at every card, commitments, sealed orders, retirement."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from ledger.models import Entry
from ledger.selectors import balances
from tables.engine.commitment import Opening, root_of, verify_opening
from tables.engine.shoe import Shoe as Cards
from tables.models import CardSource, Role, Shoe, Table
from tables.services import rounds, shoes
from tests import floor


def scanned_table(house: floor.House, packs: int = 1) -> Table:
    table, _ = floor.ready_table(house, card_source=CardSource.SCANNED, packs=packs, cut_card=10)
    return table


def retire(house: floor.House, table: Table, stub: Sequence[str] | None = None) -> None:
    shoes.shoe_retire(table_id=table.id, stub=stub, burnt=(), command=house.command(Role.DEALER))


def announce_spread(house: floor.House, round_id: uuid.UUID, spread: int) -> None:
    rounds.round_announce(round_id=round_id, spread=spread, command=house.command(Role.DEALER))


def payload_of(table: Table, kind: str) -> list[dict[str, Any]]:
    rows = Entry.objects.filter(stream__name=table.stream, kind=kind).order_by("seq")
    return [json.loads(row.payload) for row in rows]


def test_a_card_seen_more_often_than_there_are_packs_is_impossible(house: floor.House) -> None:
    table = scanned_table(house)
    floor.play_round(house, table, {1: 1000}, ("KS", "AH"))
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    with floor.refused(house, "impossible_card"):
        rounds.round_deal(
            round_id=uuid.UUID(begun.body["round"]["id"]),
            cards=["5C", "KS"],
            number=2,
            command=house.command(Role.DEALER),
        )


def test_scanned_and_drawn_tables_refuse_each_others_cards(house: floor.House) -> None:
    drawn, _ = floor.ready_table(house, "rd-1")
    scanned, _ = floor.ready_table(house, "rd-2", card_source=CardSource.SCANNED)
    for table, cards, code in ((drawn, ["5C"], "cards_not_expected"), (scanned, [], "cards_expected")):
        begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
        with floor.refused(house, code):
            rounds.round_deal(
                round_id=uuid.UUID(begun.body["round"]["id"]),
                cards=cards,
                number=1,
                command=house.command(Role.DEALER),
            )


def test_every_drawn_card_opens_a_leaf_of_the_commitment(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    for _ in range(4):
        floor.play_round(house, table, {1: 1000})
    shoes.shoe_burn(
        table_id=table.id, card=None, face_up=False, reason="other", command=house.command(Role.DEALER)
    )
    floor.play_round(house, table, {1: 1000})
    (loaded,) = payload_of(table, "shoe.load")
    leaves = [bytes.fromhex(leaf) for leaf in loaded["leaves"]]
    assert len(leaves) == 312
    assert root_of(leaves).hex() == loaded["root"]
    positions = []
    for dealt in payload_of(table, "round.deal"):
        cards = [action["card"] for action in dealt["actions"] if action["type"] == "deal"]
        for card, opened in zip(cards, dealt["openings"], strict=True):
            opening = Opening(opened["position"], opened["card"], bytes.fromhex(opened["salt"]))
            assert opening.card == card
            assert verify_opening(opening, leaves[opening.position])
            positions.append(opening.position)
    gone = Cards.from_dict(Table.objects.get(id=table.id).shoe_state).position
    assert len(set(positions)) == len(positions) == gone - 1, "all but the card burnt face down"
    assert set(positions) < set(range(gone))


def test_the_order_is_nowhere_in_clear(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    shoe = Shoe.objects.get(table=table)
    assert shoe.sealed is not None
    assert b"cards" not in bytes(shoe.sealed)
    (loaded,) = Entry.objects.filter(stream__name=table.stream, kind="shoe.load")
    assert "salt" not in loaded.payload
    answers = json.dumps(floor.play_round(house, table, {1: 1000}).body)
    assert "salt" not in answers
    assert "sealed" not in answers
    assert "seen" not in answers


def test_no_round_begins_once_the_cut_card_is_out(house: floor.House) -> None:
    table, _ = floor.ready_table(house, packs=1, cut_card=46)
    while not Cards.from_dict(Table.objects.get(id=table.id).shoe_state).cut_reached:
        floor.play_round(house, table, {1: 1000})
    with floor.refused(house, "shuffle_due"):
        rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    with floor.refused(house, "shoe_loaded"):
        shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    retire(house, table)
    with floor.refused(house, "no_shoe"):
        rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    answer = shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    assert answer.body["shoe"]["number"] == 2


def test_a_shoe_that_runs_out_in_mid_round_voids_the_round(house: floor.House) -> None:
    """Irregularity: shoe empty in mid-round: the round is void, stakes back, two signatures."""
    table, _ = floor.ready_table(house, card_source=CardSource.SCANNED, packs=1, cut_card=0)
    for card in sorted(set(floor_pack()) - {"QC", "2C"}):
        shoes.shoe_burn(
            table_id=table.id, card=card, face_up=True, reason="other", command=house.command(Role.DEALER)
        )
    before = balances(table.stream)
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])
    last_two = ("QC", "2C")
    rounds.round_deal(round_id=round_id, cards=last_two, number=2, command=house.command(Role.DEALER))
    announce_spread(house, round_id, 9)
    with floor.refused(house, "shoe_empty"):
        rounds.round_deal(round_id=round_id, cards=["2S"], number=1, command=house.command(Role.DEALER))
    rounds.round_void(
        round_id=round_id,
        reason="shoe_empty",
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    assert balances(table.stream) == before
    assert Table.objects.get(id=table.id).round is None


def test_a_drawn_shoe_that_is_empty_gives_no_card(house: floor.House) -> None:
    """Irregularity: shoe empty in mid-round: what cannot be dealt is refused, not passed over."""
    table, _ = floor.ready_table(house, packs=1, cut_card=0)
    for _ in range(51):
        shoes.shoe_burn(
            table_id=table.id, card=None, face_up=False, reason="other", command=house.command(Role.DEALER)
        )
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])

    def deal(number: int) -> None:
        rounds.round_deal(round_id=round_id, cards=[], number=number, command=house.command(Role.DEALER))

    with floor.refused(house, "shoe_empty"):
        deal(2)
    deal(1)
    with floor.refused(house, "shoe_empty"):
        deal(1)


def test_a_counted_stub_says_what_is_missing(house: floor.House) -> None:
    table = scanned_table(house)
    floor.play_round(house, table, {1: 1000}, ("KS", "AH"))
    stub = [card for card in floor_pack() if card not in {"KS", "AH", "2C"}]
    retire(house, table, [*stub, "3C"])
    (retired,) = payload_of(table, "shoe.retire")
    assert retired["discrepancies"] == [
        {"card": "2C", "expected": 1, "found": 0},
        {"card": "3C", "expected": 1, "found": 2},
    ]


def test_a_drawn_shoe_keeps_its_stub_sealed(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    with floor.refused(house, "stub_of_drawn_shoe"):
        retire(house, table, ["2C"])


@pytest.mark.parametrize("card", ["1S", "", "AHH", "ah", "10S"])
def test_what_is_no_card_is_refused(house: floor.House, card: str) -> None:
    table = scanned_table(house)
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    with floor.refused(house, "bad_card"):
        rounds.round_deal(
            round_id=uuid.UUID(begun.body["round"]["id"]),
            cards=[card],
            number=1,
            command=house.command(Role.DEALER),
        )


def floor_pack() -> list[str]:
    """One pack, in order."""
    return [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
