"""Getting in with badge and password, being locked out, getting out."""

from typing import cast

import pytest
from axes.models import AccessAttempt
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tables.models import Role
from tests import floor

LOGIN, LOGOUT, INDEX = (reverse(f"admin:{name}") for name in ("login", "logout", "index"))

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> floor.House:
    """A casino with staff."""
    return floor.make_house()


def log_in(client: Client, house: floor.House, role: Role, password: str = "") -> HttpResponse:
    """What the login page answers to the badge of that role."""
    sent = {"username": house.staff[role].badge, "password": password or f"correct horse {house.tag}"}
    return cast(HttpResponse, client.post(LOGIN, sent | {"next": INDEX}))


def test_badge_and_password_open_the_floor(house: floor.House) -> None:
    client = Client()
    page = client.get(LOGIN).text
    assert '<label for="id_username" class="required">Badge:</label>' in page
    assert '<label for="id_password" class="required">Password:</label>' in page
    answer = log_in(client, house, Role.PIT_BOSS)
    assert (answer.status_code, answer.headers["Location"]) == (302, INDEX)
    cookie = answer.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert client.get(INDEX).status_code == 200


@pytest.mark.parametrize("role", [Role.DEALER, Role.CAGE])
def test_a_right_password_does_not_let_dealers_and_cashiers_in(house: floor.House, role: Role) -> None:
    client = Client()
    assert log_in(client, house, role).status_code == 200
    assert "sessionid" not in client.cookies
    assert client.get(INDEX).status_code == 302


def test_a_wrong_password_a_pin_and_somebody_who_left_are_refused(house: floor.House) -> None:
    client = Client()
    assert log_in(client, house, Role.PIT_BOSS, "wrong").status_code == 200
    assert log_in(client, house, Role.PIT_BOSS, floor.PIN).status_code == 200
    boss = house.staff[Role.PIT_BOSS]
    boss.is_active = False
    boss.save()
    assert log_in(client, house, Role.PIT_BOSS).status_code == 200
    assert "sessionid" not in client.cookies


def test_five_wrong_passwords_lock_the_badge_from_there(house: floor.House) -> None:
    client = Client()
    for _ in range(4):
        assert log_in(client, house, Role.PIT_BOSS, "wrong").status_code == 200
    assert log_in(client, house, Role.PIT_BOSS, "wrong").status_code == 429
    locked = log_in(client, house, Role.PIT_BOSS)
    assert locked.status_code == 429
    assert "locked for an hour after 5 wrong passwords" in locked.text
    assert "sessionid" not in client.cookies
    assert log_in(client, house, Role.AUDITOR).status_code == 302, "another badge is not locked"
    assert AccessAttempt.objects.get(username=house.staff[Role.PIT_BOSS].badge).failures_since_start >= 5


def test_somebody_who_leaves_is_out_at_once(house: floor.House) -> None:
    client = Client()
    log_in(client, house, Role.PIT_BOSS)
    boss = house.staff[Role.PIT_BOSS]
    boss.is_active = False
    boss.save()
    assert client.get(INDEX).status_code == 302


def test_logging_out_is_a_post(house: floor.House) -> None:
    client = Client()
    log_in(client, house, Role.PIT_BOSS)
    assert client.get(LOGOUT).status_code == 405
    assert client.get(INDEX).status_code == 200
    assert client.post(LOGOUT).status_code == 200
    assert client.get(INDEX).status_code == 302


def test_logging_in_needs_the_pages_own_token(house: floor.House) -> None:
    client = Client(enforce_csrf_checks=True)
    assert log_in(client, house, Role.PIT_BOSS).status_code == 403
    assert "sessionid" not in client.cookies
