"""The card room in the admin: its rules released, its rounds read, its hands looked at under one's name."""

import re
import uuid
from typing import cast

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from ledger.models import Entry
from tables.admin.text import card_text
from tables.models import CardSource, Role, Round, RuleSet, Table
from tables.services.freezes import table_freeze
from tests import floor
from tests.admin import house as at
from tests.room import Room, make_room

pytestmark = pytest.mark.django_db
RELEASES = [reverse(f"admin:tables_ruleset_{word}") for word in ("release_pool", "release_bank")]


@pytest.fixture
def house() -> floor.House:
    """A casino of the test's own."""
    return floor.make_house()


def send(client: Client, address: str, **fields: str) -> HttpResponse:
    """Send a form with a command id of its own unless one is given."""
    return cast(HttpResponse, client.post(address, {"command_id": str(uuid.uuid4())} | fields))


POOL = {"name": "pool", "game": "burning_card", "seats": "8", "cards_each": "4", "chip": "1.00"}
POOL |= {"ante": "5.00", "pool_limit": "400", "fee_kind": "time", "fee_amount": "2", "fee_minutes": "30"}
BANK = {"name": "bank", "seats": "10", "cards_each": "5", "chip": "1", "fee_kind": "none", "max_bank": ""}


def test_rules_of_every_game_are_released_by_a_form(house: floor.House) -> None:
    client = at.logged_in(house, Role.ADMINISTRATOR)
    listed = client.get(at.list_address(RuleSet)).text
    assert all(address in listed for address in RELEASES)
    for address, form in zip(RELEASES, (POOL, BANK), strict=True):
        page = client.get(address).text
        fields = re.findall(r'<(?:input|select)[^>]* id="(id_[a-z0-9_]+)"', page)
        assert [f for f in fields if f'for="{f}"' not in page] == ["id_command_id"], (
            "every field has its label"
        )
        assert send(client, address, **form).status_code == 302
    bodies = {rules.name: rules.body for rules in RuleSet.objects.filter(casino=house.casino)}
    shared = {"packs": 1, "cut_card": 0, "chip": 100}
    assert bodies["pool"] == {
        **shared,
        "game": "burning_card",
        "seats": 8,
        "cards_each": 4,
        "ante": 500,
        "pool_limit": 40_000,
        "fee": {"kind": "time", "amount": 200, "minutes": 30},
    }
    assert bodies["bank"] == {
        **shared,
        "game": "banking",
        "seats": 10,
        "cards_each": 5,
        "max_bank": None,
        "fee": {"kind": "none", "amount": 0, "minutes": 0},
    }
    told = client.get(at.list_address(RuleSet)).text
    assert "ante 5.00, pool divided above 400.00 USD" in told
    assert "any bank" in told
    for rules in RuleSet.objects.filter(casino=house.casino):
        assert "players win from each other" in client.get(at.page_address(rules)).text


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"ante": "5.50"}, "ante must be a multiple of the chip"),
        ({"fee_minutes": ""}, "minutes must be an integer from 1 to 1440"),
        ({"fee_kind": "none"}, "amount must be an integer from 0 to 0"),
        ({"seats": "11"}, "less than or equal to 10"),
        ({"game": "red_dog"}, "Select a valid choice."),
        ({"ante": ""}, "This field is required."),
    ],
)
def test_rules_that_do_not_hold_are_not_released(
    house: floor.House, changes: dict[str, str], complaint: str
) -> None:
    client = at.logged_in(house, Role.ADMINISTRATOR)
    answer = send(client, RELEASES[0], **POOL | changes)
    assert answer.status_code == 200
    assert complaint in answer.text
    assert not RuleSet.objects.filter(casino=house.casino).exists()


def test_only_administrators_release_them(house: floor.House) -> None:
    client = at.logged_in(house, Role.PIT_BOSS)
    listed = client.get(at.list_address(RuleSet)).text
    for address, form in zip(RELEASES, (POOL, BANK), strict=True):
        assert address not in listed
        assert send(client, address, **form).status_code == 403
    assert not RuleSet.objects.filter(casino=house.casino).exists()


def test_a_round_reads_as_it_went(house: floor.House) -> None:
    """Dealer, turns, what lay face up, what was shown, errors, results; and hands as numbers of cards."""
    room = make_room(house, chips={1: 1000, 2: 1000, 5: 1000}, dealer=1)
    room.deal(counts={5: 4})
    boss = at.logged_in(house, Role.PIT_BOSS)
    played = room.newest
    assert "In progress: turns" in boss.get(at.page_address(played)).text
    assert "turns" in boss.get(reverse("admin:index")).text
    room.bet(2, 20)
    room.expose("7D")
    room.turn("QS")
    room.show(2, "KS")
    room.mispay(2, "taken", 5)
    room.put_right(2)
    room.lay_down(5, "discard")
    room.lay_down(1)
    room.settle()
    body = re.sub(r"<[^>]+>", " ", boss.get(at.page_address(played)).text)
    body = re.sub(r"\s+", " ", body)
    for text in (
        "Settled",
        "Carried 0.00 USD , now 0.20 USD in the pool. Seat 1 deals, seat 2 is next.",
        "7♦ exposed 2",
        "Q♠ turned 2 K♠",
        "Seat 2 took 0.05 wrongly, put right.",
        "discarded a short hand",
        "1 (deals)",
        "forfeited",
    ):
        assert text in body, text
    listed = boss.get(at.list_address(Round)).text
    assert "Settled" in listed
    assert reverse("admin:tables_round_look", args=[played.pk]) not in listed


def drawn_and_played(house: floor.House) -> Room:
    """A finished round from a drawn pack in which nobody bet."""
    room = make_room(house, chips={1: 100, 2: 100}, source=CardSource.DRAWN)
    room.deal()
    room.play_out()
    return room


@pytest.mark.parametrize("role", [Role.SURVEILLANCE, Role.AUDITOR])
def test_a_hand_is_shown_once_to_those_who_may_look(house: floor.House, role: Role) -> None:
    room = drawn_and_played(house)
    client = at.logged_in(house, role)
    page = at.page_address(room.newest)
    address = reverse("admin:tables_round_look", args=[room.round_id])
    assert address in client.get(page).text
    assert "This field is required." in send(client, address, seat="2", reason="").text
    form = {"seat": "2", "reason": "folds too well", "command_id": str(uuid.uuid4())}
    answer = send(client, address, **form)
    hand = " ".join(map(card_text, room.hand(2)))
    assert hand in answer.text
    assert "no-store" in answer.headers["Cache-Control"]
    again = send(client, address, **form)
    assert hand not in again.text
    assert "To see them again is another look." in again.text
    for entry in Entry.objects.filter(kind="hand.look"):
        assert "folds too well" in client.get(at.page_address(entry)).text
    assert Entry.objects.filter(stream__name=house.casino.stream, kind="hand.look").count() == 1
    assert hand not in client.get(page).text


@pytest.mark.parametrize("role", [Role.PIT_BOSS, Role.SUPERVISOR, Role.ADMINISTRATOR])
def test_nobody_else_looks_at_hands(house: floor.House, role: Role) -> None:
    room = drawn_and_played(house)
    client = at.logged_in(house, role)
    address = reverse("admin:tables_round_look", args=[room.round_id])
    assert address not in client.get(at.page_address(room.newest)).text
    assert client.get(address).status_code == 403
    assert send(client, address, seat="2", reason="curious").status_code == 403
    elsewhere = at.logged_in(floor.make_house(), Role.SURVEILLANCE)
    assert send(elsewhere, address, seat="2", reason="curious").status_code == 404
    assert not Entry.objects.filter(stream__name=house.casino.stream, kind="hand.look").exists()


def test_a_frozen_table_is_seen_at_a_glance(house: floor.House) -> None:
    room = make_room(house, chips={1: 100, 2: 100}, dealer=1)
    table_freeze(table_id=room.table.id, reason="8S was seen twice", command=room.command())
    client = at.logged_in(house, Role.SURVEILLANCE)
    assert "Frozen" in client.get(reverse("admin:index")).text
    body = client.get(at.page_address(Table.objects.get(id=room.table.id))).text
    assert "8S was seen twice" in body
    assert "seat 1" in body
