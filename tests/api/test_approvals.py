"""Second signatures over HTTP: a badge with its PIN, or an approval given at another terminal."""

from typing import Any

import pytest
from rest_framework.settings import api_settings

from tables.models import Countersignature, Role
from tests import floor
from tests.api.conftest import Place, put_on_duty

pytestmark = pytest.mark.django_db


HERE, THERE = "192.0.2.7", "2001:db8::7"


def test_an_approval_given_at_another_terminal_signs_an_act(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both devices are kept, and both addresses as the outermost of our proxies saw them."""
    monkeypatch.setattr(api_settings, "NUM_PROXIES", 1)
    begun = place.desk.post(f"{place.path}/rounds", {"bets": {"1": 1000}}).body
    subject = begun["round"]["id"]
    put_on_duty(place.house, place.cage_terminal, Role.PIT_BOSS)
    wanted = {"act": "round.void", "subject": subject, "badge": place.badge(Role.PIT_BOSS)}
    given = place.cage.post("approvals", wanted, if_match="*", x_forwarded_for="198.51.100.1, 2001:DB8:0::7")
    assert given.status == 201
    assert set(given.body) == {"approval", "act", "subject", "subject_version", "expires_at"}
    second: dict[str, Any] = {"approval": given.body["approval"]}
    before = floor.snapshot(place.house)
    for shape in ({}, {"pin": "1234"}, second | place.badge(Role.PIT_BOSS), {"approval": "mine"}):
        reply = place.desk.post(f"rounds/{subject}/void", {"reason": "misdeal", "second": shape})
        assert (reply.status, reply.code) == (400, "invalid_content"), shape
    assert floor.snapshot(place.house) == before
    content = {"reason": "misdeal", "second": second}
    reply = place.desk.post(f"rounds/{subject}/void", content, x_forwarded_for=HERE)
    assert (reply.status, reply.body["round"]["status"]) == (200, "cancelled")
    signed = Countersignature.objects.get(stream=place.table.stream, act="round.void")
    assert (signed.first_terminal, signed.second_terminal) == (place.terminal, place.cage_terminal)
    assert (signed.first_address, signed.second_address) == (HERE, THERE)


def test_an_act_nobody_seconds_is_not_approved(place: Place) -> None:
    put_on_duty(place.house, place.cage_terminal, Role.PIT_BOSS)
    wanted = {"act": "seat.take", "subject": str(place.table.id), "badge": place.badge(Role.PIT_BOSS)}
    before = floor.snapshot(place.house)
    reply = place.cage.post("approvals", wanted, if_match="*")
    assert (reply.status, reply.code) == (400, "invalid_content")
    assert floor.snapshot(place.house) == before
