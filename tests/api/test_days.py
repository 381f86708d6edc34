"""Closing a gaming day over HTTP, what is told while something is open, and reading closed days."""

import uuid
from datetime import date, timedelta

import pytest
from django.utils import timezone

from tables.figures import gaming_day
from tables.models import ClosedDay, Role
from tests import floor
from tests.api.client import Reply
from tests.api.conftest import Place, put_on_duty
from tests.api.statements import counted
from tests.api.test_reads import reader
from tests.audit import support

pytestmark = pytest.mark.django_db


def today(place: Place) -> date:
    casino = place.house.casino
    return gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)


def close(place: Place, day: date, **headers: str) -> Reply:
    """Close a gaming day at the cage's terminal."""
    second = {"second": place.badge(Role.PIT_BOSS)}
    return place.cage.post(f"gaming-days/{day}/closure", second, if_match="*", **headers)


@pytest.fixture
def over(place: Place) -> Place:
    """A place whose table has closed and whose drop is counted."""
    session_id = uuid.UUID(place.session)
    support.close(place.house, place.table, session_id)
    support.count_drop(place.house, session_id)
    return place


def test_a_day_with_something_open_is_refused_with_a_list_of_it(place: Place) -> None:
    before, day = floor.snapshot(place.house), today(place)
    reply = close(place, day)
    assert (reply.status, reply.code) == (409, "gaming_day_open")
    assert reply.body["open"] == [
        {
            "code": "session_open",
            "what": f"table {place.table.code}, session 1 is open",
            "table": str(place.table.id),
            "session": place.session,
        }
    ]
    assert reply.body["detail"] == f"Still open: table {place.table.code}, session 1 is open."
    reply = close(place, day + timedelta(days=1))
    assert (reply.status, reply.code) == (409, "gaming_day_not_begun")
    assert floor.snapshot(place.house) == before


@pytest.mark.parametrize("day", ["2026-02-30", "2026-1-1", "today", "20260101"])
def test_what_is_no_day_is_no_path(place: Place, day: str) -> None:
    reply = place.cage.post(f"gaming-days/{day}/closure", {}, if_match="*")
    assert (reply.status, reply.code) == (404, "not_found")


def test_a_day_is_closed_at_the_cage_and_read_by_auditors(over: Place) -> None:
    day = today(over)
    with counted() as statements:
        reply = close(over, day, idempotency_key="11111111-1111-4111-8111-111111111111")
    assert reply.status == 201, reply.body
    # who calls; lock; what is open; the figures; where each stream ends; a signature; entry, rows, outbox
    assert len(statements) == 23
    assert (reply.body["gaming_day"], reply.body["early"]) == (str(day), True)
    assert reply.body["figures"]["total"]["win_state"] == "counted"
    again = close(over, day, idempotency_key="11111111-1111-4111-8111-111111111111")
    assert (again.body, again.headers["Idempotent-Replayed"]) == (reply.body, "true")
    assert close(over, day).code == "gaming_day_closed"

    desk = reader(over.house)
    assert desk.get("gaming-days").body == {"results": [reply.body], "next": None}
    detail = desk.get(f"gaming-days/{day}")
    assert detail.body == reply.body | {"timestamp": None}
    ClosedDay.objects.update(checkpoint=5, timestamp=b"\x00\xff", timestamped_at=timezone.now())
    assert desk.get(f"gaming-days/{day}").body["timestamp"] == "AP8="
    reply = desk.get(f"gaming-days/{day - timedelta(days=1)}")
    assert (reply.status, reply.code) == (404, "gaming_day_not_found")
    stranger = reader(floor.make_house())
    assert stranger.get("gaming-days").body["results"] == []
    assert stranger.get(f"gaming-days/{day}").code == "gaming_day_not_found"

    put_on_duty(over.house, over.terminal, Role.DEALER)
    opening = {"opener": floor.CHIPS, "second": over.badge(Role.SUPERVISOR)}
    over.desk.get(over.path)
    refused = over.desk.post(f"{over.path}/sessions", opening)
    assert (refused.status, refused.code) == (409, "gaming_day_closed")
    assert date.fromisoformat(refused.body["begins_at"][:10]) == day + timedelta(days=1)


def test_closed_days_are_listed_in_pages_that_neither_skip_nor_repeat(
    over: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.api.pagination.PAGE", 1)
    days = [today(over) - timedelta(days=back) for back in (2, 1, 0)]
    for seq, day in enumerate(days):
        ClosedDay.objects.create(
            casino=over.house.casino,
            gaming_day=day,
            closed_at=timezone.now(),
            seq=seq,
            early=False,
            figures={},
        )
    desk, read, cursor = reader(over.house, Role.SURVEILLANCE), [], ""
    while True:
        body = desk.get(f"gaming-days{cursor}").body
        read += [row["gaming_day"] for row in body["results"]]
        if body["next"] is None:
            break
        cursor = f"?cursor={body['next']}"
    assert read == [str(day) for day in days]
    assert desk.get("gaming-days?cursor=x").code == "cursor_bad"
