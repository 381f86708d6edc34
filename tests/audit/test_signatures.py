"""Two signatures that one person could have given: seconds apart from one address, or at one device."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from audit.models import Finding, GamingDayCheck
from audit.services.days import day_check
from tables.models import Approval, Countersignature, Role, TableSession
from tables.services.command import Actor, Command
from tables.services.signatures import Approved
from tests import floor
from tests.tables.life import hire
from tests.tables.test_four_eyes import Devices, begin, open_house, void

pytestmark = pytest.mark.django_db
HERE, THERE = "192.0.2.7", "2001:db8::7"


def signed(at: Devices, *, here: str | None, there: str | None, before: timedelta) -> Countersignature:
    """A void at the table under the approval of a pit boss new to it, given somewhere else a while before."""
    house, round_id, badge = at.house, begin(at.house, at.table), hire(at.house, Role.PIT_BOSS)
    person = house.casino.staff.get(badge=badge.number)
    given = Actor(person.id, Role.PIT_BOSS, at.elsewhere.id, at.elsewhere.kind, address=there)
    with time_machine.travel(timezone.now() - before, tick=True):
        answer = at.approve(round_id, badge=badge, command=Command(uuid.uuid4(), given))
    command = house.command(Role.DEALER, at.desk)
    command = replace(command, actor=replace(command.actor, address=here))
    approved = Approved(uuid.UUID(answer.body["approval"]))
    entry = void(house, round_id, approved, command=command)
    assert entry.body["round"]["status"] == "cancelled"
    return Countersignature.objects.get(approval=approved.id)


def found(house: floor.House) -> list[tuple[str, int | None]]:
    """What the nightly check finds of signatures: why, at which entry."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    check = GamingDayCheck.objects.create(casino=house.casino, gaming_day=day, requested_at=timezone.now())
    day_check(check_id=check.id)
    kept = Finding.objects.filter(casino=house.casino, code="signed_as_one").order_by("seq")
    return [(one.evidence.get().body["one"], one.seq) for one in kept]


def test_seconds_apart_from_one_address_is_shown_where_two_devices_are_asked_for() -> None:
    """Ohio-like: the two are at devices of their own; that one address sent both at once must be seen."""
    at = Devices()
    far, near = timedelta(seconds=60), timedelta(seconds=2)
    rows = [
        signed(at, here=here, there=there, before=before)
        for here, there, before in (
            (HERE, HERE, near),
            (HERE, HERE, far),
            (HERE, THERE, near),
            (HERE, None, near),
            (None, None, near),
            (THERE, THERE, near),
        )
    ]
    kept = [(row.first_address, row.second_address) for row in rows]
    assert kept[:4] == [(HERE, HERE), (HERE, HERE), (HERE, THERE), (HERE, None)]
    assert Approval.objects.get(countersignature=rows[0]).address == HERE
    assert found(at.house) == [("address", rows[0].seq), ("address", rows[5].seq)]
    evidence: dict[str, Any] = Finding.objects.get(seq=rows[0].seq, stream=rows[0].stream).evidence.get().body
    assert HERE not in str(evidence), "whoever may read findings is not told where people sit"


def test_one_device_is_shown_where_no_service_would_have_let_them() -> None:
    """A row made past the services; and no finding where the profile lets two sign at one terminal."""
    at = Devices()
    row = signed(at, here=None, there=None, before=timedelta(seconds=60))
    third = at.house.casino.staff.get(badge=hire(at.house, Role.SUPERVISOR).number)
    forged = {"first": third, "second": row.second, "act": "round.void", "signed_at": timezone.now()}
    Countersignature.objects.create(
        stream=row.stream, seq=row.seq + 1, first_terminal=at.desk, second_terminal=at.desk, **forged
    )
    assert found(at.house) == [("device", row.seq + 1)]
    house, table = open_house("generic")
    terminal, _ = floor.enrol(house, table)
    void(house, begin(house, table), house.badge(Role.SURVEILLANCE), terminal=terminal)
    assert found(house) == []
