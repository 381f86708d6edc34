"""One's own password and PIN, changed in the admin site by whoever is logged in."""

import json
import uuid
from typing import cast

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from ledger.models import Entry
from tables.models import Role, Staff
from tables.models.staff import ADMIN_ROLES
from tables.services.signatures import Badge, identify
from tests import floor
from tests.admin import house as at

PASSWORD, PIN, INDEX = (reverse(f"admin:{name}") for name in ("own_password", "own_pin", "index"))
WORDS = "an altogether other sentence"

pytestmark = pytest.mark.django_db


def send(client: Client, address: str, old: str, new: str, again: str = "") -> HttpResponse:
    """Send a form with a command id of its own; the new one is typed twice unless told otherwise."""
    form = {"command_id": str(uuid.uuid4()), "old": old, "new": new, "again": again or new}
    return cast(HttpResponse, client.post(address, form))


def test_a_password_is_changed_and_every_other_session_ends(house: floor.House) -> None:
    """STAFF-OWN: the page tells it, the journal knows whose and nothing of it."""
    boss, words = house.staff[Role.PIT_BOSS], f"correct horse {house.tag}"
    here, elsewhere = at.logged_in(house, Role.PIT_BOSS), at.logged_in(house, Role.PIT_BOSS)
    page = here.get(INDEX).text
    assert PASSWORD in page
    assert PIN in page
    answer = send(here, PASSWORD, words, WORDS)
    assert (answer.status_code, answer.headers["Location"]) == (302, INDEX)
    assert "Your password was changed." in here.get(INDEX).text
    assert elsewhere.get(INDEX).status_code == 302
    assert Staff.objects.get(pk=boss.pk).check_password(WORDS)
    entry = Entry.objects.filter(stream__name=house.casino.stream).latest("seq")
    assert (entry.kind, json.loads(entry.payload)) == ("staff.password", {"staff": str(boss.id)})


def test_what_changes_nothing_says_why_and_repeats_no_secret(house: floor.House) -> None:
    words, client = f"correct horse {house.tag}", at.logged_in(house, Role.AUDITOR)
    before = floor.snapshot(house)
    kept = Staff.objects.get(pk=house.staff[Role.AUDITOR].pk)
    for address, old, new, again, complaint in (
        (PASSWORD, "a wrong sentence", WORDS, WORDS, "That is not the password until now."),
        (PASSWORD, words, WORDS, "another sentence", "The two differ."),
        (PASSWORD, words, "short", "short", "at least 12 characters"),
        (PASSWORD, words, "1q2w3e4r5t6y", "1q2w3e4r5t6y", "too common"),
        (PASSWORD, words, words, words, "It is the same as before."),
        (PIN, words, "12", "12", "A PIN has 4 to 12 digits."),
        (PIN, floor.PIN, "246802", "246802", "That is not the password until now."),
    ):
        answer = send(client, address, old, new, again)
        assert answer.status_code == 200
        assert complaint in answer.text
        assert not any(f'value="{secret}"' in answer.text for secret in (old, new, again))
    assert floor.snapshot(house) == before
    now = Staff.objects.get(pk=kept.pk)
    assert (now.password, now.pin) == (kept.password, kept.pin)


@pytest.mark.parametrize("role", [*sorted(ADMIN_ROLES), Role.DEALER, None])
def test_everybody_of_the_site_has_both_pages(house: floor.House, role: Role | None) -> None:
    client = at.logged_in(house, role) if role else Client()
    for address in (PASSWORD, PIN):
        answer = client.get(address)
        assert answer.status_code == (200 if role in ADMIN_ROLES else 302)
        if role in ADMIN_ROLES:
            assert all(f'for="id_{name}"' in answer.text for name in ("old", "new", "again"))


def test_a_pin_is_changed_with_the_password(house: floor.House) -> None:
    """STAFF-OWN: the new one signs as the second from then on."""
    client, words = at.logged_in(house, Role.SUPERVISOR), f"correct horse {house.tag}"
    assert send(client, PIN, words, "246802").status_code == 302
    assert "Your PIN was changed." in client.get(INDEX).text
    entry = Entry.objects.filter(stream__name=house.casino.stream).latest("seq")
    assert entry.kind == "staff.pin"


def test_the_administrator_gives_another_pin_and_ends_access(house: floor.House) -> None:
    """STAFF-RESET, STAFF-LEAVE: from the person's page, by the administrator alone, two for the first."""
    dealer, watcher = house.staff[Role.DEALER], house.badge(Role.SURVEILLANCE)
    reset, leave = (reverse(f"admin:tables_staff_{word}", args=[dealer.pk]) for word in ("reset", "leave"))
    admin = at.logged_in(house, Role.ADMINISTRATOR)
    assert reset in admin.get(at.page_address(dealer)).text
    form = {"command_id": str(uuid.uuid4()), "new_pin": "246802", "badge": watcher.number, "pin": "000000"}
    refused = admin.post(reset, form)
    assert "Badge and PIN do not belong together." in refused.text
    assert "246802" not in refused.text
    assert admin.post(reset, form | {"pin": watcher.pin}).status_code == 302
    assert identify(Badge(dealer.badge, "246802"), casino_id=house.casino.id) == dealer
    for role in sorted(ADMIN_ROLES - {Role.ADMINISTRATOR}):
        other = at.logged_in(house, role)
        assert reset not in other.get(at.page_address(dealer)).text
        assert {other.get(reset).status_code, other.post(leave, {}).status_code} == {403}
    assert admin.post(leave, {"command_id": str(uuid.uuid4()), "reason": "left"}).status_code == 302
    page = admin.get(at.page_address(dealer)).text
    assert not Staff.objects.get(pk=dealer.pk).is_active
    assert reset not in page
    assert leave not in page
