"""Hands of a drawn pack: opened as the rules show them, told to nobody before, looked at under one's name."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction

from ledger.models import Entry
from tables.engine.card_room.showdown import winners
from tables.engine.cards import PACK, rank
from tables.engine.commitment import Opening, verify_opening
from tables.models import CardSource, Refusal, Role
from tables.services.command import Actor, Command
from tables.services.hands import hand_look
from tables.services.shoes import open_at, shoe_retire
from tests import floor
from tests.room import Room, make_room

pytestmark = pytest.mark.django_db


@pytest.fixture
def room(house: floor.House) -> Room:
    """Three with plenty at a table that draws, dealt in, the first bet stated and its card turned."""
    made = make_room(house, chips={2: 1000, 4: 1000, 6: 1000}, source=CardSource.DRAWN)
    made.deal()
    made.bet(due(made), 10)
    made.turn()
    return made


def due(room: Room) -> int:
    """Whose turn it is."""
    seat = room.state.due
    assert seat is not None
    return seat


@contextmanager
def undone() -> Iterator[None]:
    """Whatever happens inside is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def payloads(room: Room, kind: str) -> list[dict[str, Any]]:
    """What the table's entries of a kind say."""
    found = Entry.objects.filter(stream__name=room.table.stream, kind=kind).order_by("seq")
    return [json.loads(entry.payload) for entry in found]


def test_naming_cards_tells_nothing_of_a_hand(room: Room) -> None:
    """CR-SHOW: whatever card is named, the rules decide what is shown, and no name is refused."""
    seat, turned = due(room), room.state.card
    assert turned is not None
    hand = room.hand(seat)
    winning = winners(hand, turned)
    for card in {*hand, *PACK[::4]}:
        with undone():
            shown = room.show(seat, card).body["round"]["shown"][str(seat)]
        if not winning:
            assert sorted(shown) == sorted(hand)
        else:
            assert shown == [card if card in winning else min(winning, key=rank)]


def test_what_is_shown_is_opened_against_the_commitment(room: Room) -> None:
    """Every card in an entry is a leaf of the root that was journalled before the deal; no other is there."""
    seat = due(room)
    shown = room.show(seat).body["round"]["shown"][str(seat)]
    leaves = payloads(room, "shoe.load")[-1]["leaves"]
    said = [*payloads(room, "round.turn"), *payloads(room, "round.show")]
    opened = [
        Opening(o["position"], o["card"], bytes.fromhex(o["salt"])) for p in said for o in p["openings"]
    ]
    assert [opening.card for opening in opened] == [room.state.faces[0].card, *shown]
    assert all(verify_opening(one, bytes.fromhex(leaves[one.position])) for one in opened)
    at = room.state.order.index(seat)
    assert {one.position for one in opened[1:]} <= {at + 3 * nth for nth in range(5)}
    assert opened[0].position == 15, "the hands lie before the top card, dealt one by one"
    assert (sum(room.pack.seen), room.pack.burnt) == (1 + len(shown), 15 - len(shown))


@pytest.mark.parametrize("cards", [[], ["KS"], ["2S", "3S", "4S", "5S", "6S"]])
def test_a_show_that_is_not_due_opens_nothing(house: floor.House, room: Room, cards: list[str]) -> None:
    """CR-TURN: somebody else's hand stays closed, whatever is named; so does one before its card."""
    other = next(seat for seat in room.state.order if seat != due(room))
    with floor.refused(house, "not_his_turn") as caught:
        room.show(other, *cards)
    assert not set(room.hand(other)) & set(caught.value.detail.replace(":", " ").split())
    room.show(due(room))
    with floor.refused(house, "no_card_turned"):
        room.show(due(room), *cards)


def test_a_drawn_table_takes_no_scanned_cards(house: floor.House, room: Room) -> None:
    """The refusal is the same whether the card named is the next one or not."""
    room.show(due(room))
    room.bet(due(room), 10)
    (top,) = open_at(room.newest.shoe, [room.pack.position])
    for card in {top.card, *PACK[::26]}:
        with floor.refused(house, "cards_not_expected"):
            room.turn(card)
        with floor.refused(house, "cards_not_expected"):
            room.expose(card)


def test_a_refusal_keeps_no_card_of_a_hand(house: floor.House) -> None:
    """CR-SECRET: who laid the whole hand open shows one of his choice; no other is written down anywhere."""
    made = make_room(house, chips={1: 100, 2: 100}, dealer=1)
    made.deal()
    made.bet(2, 10)
    made.turn("TS")
    hand = ("KS", "JS", "2H", "3H", "4H")
    for cards, code in ((hand, "hand_wins"), (("5D", *hand[2:], "5D"), "impossible_card")):
        with floor.refused(house, code) as caught:
            made.show(2, *cards)
        kept = Refusal.objects.filter(code=code, staff_id=house.staff[Role.DEALER].id).latest("id").detail
        assert not [card for card in (*hand, "5D") if card in kept + caught.value.detail]


def look(room: Room, seat: int, role: Role = Role.SURVEILLANCE, /, **changes: Any) -> tuple[Any, Any]:
    """Somebody looks at a hand of the newest round."""
    usual: dict[str, Any] = {
        "casino_id": room.house.casino.id,
        "round_id": room.round_id,
        "seat": seat,
        "reason": "a hand that folds too well",
        "command": Command(uuid.uuid4(), Actor(room.house.staff[role].id, role)),
    }
    return hand_look(**usual | changes)


def test_a_look_at_a_hand_is_journalled_without_the_cards(house: floor.House, room: Room) -> None:
    """Surveillance and auditors see what was laid down unseen; who looked stands in the office's journal."""
    seat = next(seat for seat in room.state.order if seat != due(room))
    with floor.refused(house, "round_in_progress"):
        look(room, seat)
    room.show(due(room))
    room.play_out()
    for role in (Role.DEALER, Role.PIT_BOSS, Role.ADMINISTRATOR, Role.SUPERVISOR):
        with floor.refused(house, "operation_not_allowed"):
            look(room, seat, role)
    for changes, code in (
        ({"reason": " "}, "reason_missing"),
        ({"round_id": uuid.uuid4()}, "round_not_found"),
        ({"seat": 3}, "no_hand"),
    ):
        with floor.refused(house, code):
            look(room, seat, **changes)
    version = room.row.version
    command = Command(uuid.uuid4(), Actor(house.staff[Role.AUDITOR].id, Role.AUDITOR))
    answer, cards = look(room, seat, Role.AUDITOR, command=command)
    assert cards == room.hand(seat)
    assert look(room, seat, Role.AUDITOR, command=command)[1] == (), "each look is one entry"
    assert room.row.version == version, "nobody at the table is told"
    said = {"round": str(room.round_id), "seat": seat, "reason": "a hand that folds too well"}
    entry = Entry.objects.get(stream__name=house.casino.stream, kind="hand.look")
    assert json.loads(entry.payload) == answer.body == said
    assert entry.actor == house.staff[Role.AUDITOR].id


def test_physical_hands_are_not_recorded(house: floor.House) -> None:
    scanned = make_room(house, chips={1: 100, 2: 100}, dealer=1)
    scanned.deal()
    scanned.play_out()
    with floor.refused(house, "hand_not_recorded"):
        look(scanned, 1)
    red_dog, _ = floor.ready_table(house)
    played = floor.play_round(house, red_dog, {1: 1000})
    with floor.refused(house, "wrong_game"):
        look(scanned, 1, round_id=uuid.UUID(played.body["round"]["id"]))
    for stub, burnt in ((["2S"], []), (None, ["2S"])):
        with floor.refused(house, "hands_stay_unseen"):
            shoe_retire(table_id=scanned.table.id, stub=stub, burnt=burnt, command=scanned.command())


def test_a_drawn_evening_conserves_chips(house: floor.House) -> None:
    """Four rounds and the end: pool carried, anted, divided; every chip is with a player at last."""
    made = make_room(house, "burning_card", chips={1: 300, 2: 300, 5: 25, 8: 300}, source=CardSource.DRAWN)
    for number in range(4):
        made.shuffle()
        made.deal()
        made.play_out(bets=(1, 2, 5, 8)[number % 4 :])
        assert made.chips() == 925
    pool = made.lying("pool")[0]
    with floor.refused(house, "dealer_known"):
        made.draw()
    if pool:
        shares = made.divide().body["shares"]
        assert sum(shares.values()) == pool
        assert max(shares.values()) - min(shares.values()) <= 1
        assert made.row.button is None
    assert made.lying("pool") == (0,)
    assert made.chips() == 925
