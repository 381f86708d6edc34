"""Closing a gaming day in the admin site: the page says what is open, two sign, and the day is shown."""

import uuid
from datetime import date, timedelta
from typing import cast

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tables.figures import gaming_day
from tables.models import ClosedDay, Countersignature, Refusal, Role
from tests import floor
from tests.admin import house as at
from tests.audit import support

CLOSE = reverse("admin:tables_closedday_close")

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> floor.House:
    """A casino of the test's own."""
    made = floor.make_house()
    floor.stock_cage(made)
    return made


@pytest.fixture
def boss(house: floor.House) -> Client:
    """The pit boss's browser."""
    return at.logged_in(house, Role.PIT_BOSS)


def today(house: floor.House) -> date:
    return gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)


def send(house: floor.House, client: Client, day: date, second: Role = Role.CAGE) -> HttpResponse:
    """Send the form with a command id of its own."""
    badge = house.badge(second)
    form = {"command_id": str(uuid.uuid4()), "gaming_day": str(day), "badge": badge.number, "pin": badge.pin}
    return cast(HttpResponse, client.post(CLOSE, form))


def test_the_page_names_what_is_open_and_closes_the_day_when_nothing_is(
    house: floor.House, boss: Client
) -> None:
    table, session_id = support.open_scanned(house)
    day = today(house)
    shown = boss.get(CLOSE).text
    assert f'value="{day}"' in shown
    assert f"<p>Still open of gaming day {day}:</p><ul><li>table rd-1, session 1 is open</li></ul>" in shown
    before = floor.snapshot(house)
    answer = send(house, boss, day)
    assert (answer.status_code, floor.snapshot(house)) == (200, before)
    assert "Still open: table rd-1, session 1 is open." in answer.text
    assert floor.PIN not in answer.text, "a PIN that was typed is not shown again"
    assert Refusal.objects.filter(code="gaming_day_open", operation="day.close").exists()

    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    assert f"Nothing of {day} is open any more." in boss.get(CLOSE).text
    answer = send(house, boss, day)
    assert (answer.status_code, answer.headers["Location"]) == (302, at.list_address(ClosedDay))
    closed = ClosedDay.objects.get(casino=house.casino)
    signed = Countersignature.objects.get(stream=house.casino.stream, seq=closed.seq)
    assert (signed.first, signed.second) == (house.staff[Role.PIT_BOSS], house.staff[Role.CAGE])
    assert f"Gaming day {day} is closed already." in boss.get(CLOSE).text
    body = boss.get(at.page_address(closed)).text
    for text in ("Before its roll-over hour", "4,000.00", "Counted", "Not yet", f"Entry {closed.seq}"):
        assert text in body, text


def test_the_oldest_day_that_was_not_closed_comes_first(house: floor.House, boss: Client) -> None:
    """Days close in order: the form offers the one that is due, and a wrong one is refused."""
    at.close_yesterday(house)
    answer = send(house, boss, today(house) - timedelta(days=1))
    assert "are closed." in answer.text
    assert ClosedDay.objects.filter(casino=house.casino).count() == 1


def test_the_timestamp_is_a_file_for_those_of_the_house(house: floor.House, boss: Client) -> None:
    at.close_yesterday(house)
    closed = ClosedDay.objects.get(casino=house.casino)
    address = reverse("admin:tables_closedday_timestamp", args=[closed.pk])
    assert boss.get(address).status_code == 404, "there is none yet"
    now = timezone.now()
    ClosedDay.objects.filter(id=closed.id).update(checkpoint=7, timestamp=b"\x30\x00", timestamped_at=now)
    answer = boss.get(address)
    assert (answer.content, answer.headers["Content-Type"]) == (b"\x30\x00", "application/timestamp-reply")
    assert 'filename="7.tsr"' in answer.headers["Content-Disposition"]
    body = boss.get(at.page_address(closed)).text
    assert address in body
    assert "Checkpoint of 7" in body
    stranger = at.logged_in(floor.make_house(), Role.PIT_BOSS)
    assert stranger.get(address).status_code == 404
