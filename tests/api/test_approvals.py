"""Second signatures over HTTP: a badge with its PIN, or an approval given at another terminal."""

from typing import Any

import pytest

from tables.models import Countersignature, Role
from tests import floor
from tests.api.conftest import Place, put_on_duty

pytestmark = pytest.mark.django_db


def test_an_approval_given_at_another_terminal_signs_an_act(place: Place) -> None:
    begun = place.desk.post(f"{place.path}/rounds", {"bets": {"1": 1000}}).body
    subject = begun["round"]["id"]
    put_on_duty(place.house, place.cage_terminal, Role.PIT_BOSS)
    wanted = {"act": "round.void", "subject": subject, "badge": place.badge(Role.PIT_BOSS)}
    given = place.cage.post("approvals", wanted, if_match="*")
    assert given.status == 201
    assert set(given.body) == {"approval", "act", "subject", "subject_version", "expires_at"}
    second: dict[str, Any] = {"approval": given.body["approval"]}
    before = floor.snapshot(place.house)
    for shape in ({}, {"pin": "1234"}, second | place.badge(Role.PIT_BOSS), {"approval": "mine"}):
        reply = place.desk.post(f"rounds/{subject}/void", {"reason": "misdeal", "second": shape})
        assert (reply.status, reply.code) == (400, "invalid_content"), shape
    assert floor.snapshot(place.house) == before
    reply = place.desk.post(f"rounds/{subject}/void", {"reason": "misdeal", "second": second})
    assert (reply.status, reply.body["round"]["status"]) == (200, "cancelled")
    signed = Countersignature.objects.get(stream=place.table.stream, act="round.void")
    assert (signed.first_terminal, signed.second_terminal) == (place.terminal, place.cage_terminal)


def test_an_act_nobody_seconds_is_not_approved(place: Place) -> None:
    put_on_duty(place.house, place.cage_terminal, Role.PIT_BOSS)
    wanted = {"act": "seat.take", "subject": str(place.table.id), "badge": place.badge(Role.PIT_BOSS)}
    before = floor.snapshot(place.house)
    reply = place.cage.post("approvals", wanted, if_match="*")
    assert (reply.status, reply.code) == (400, "invalid_content")
    assert floor.snapshot(place.house) == before
