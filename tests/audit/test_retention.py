"""What must be kept by the profile, to the day; what may be archived is never deleted."""

import json
from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from audit.codes import Found
from audit.selectors.retention import first_kept, retention
from audit.services.findings import finding_record
from tables.models import Casino, ClosedDay, TableSession
from tests import floor
from tests.audit import support
from tests.audit.test_hold import business

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("today", "years", "kept"),
    [
        ("2026-11-30", 5, "2021-12-01"),
        ("2026-02-28", 10, "2016-02-29"),
        ("2026-03-01", 10, "2016-03-02"),
        ("2028-02-29", 5, "2023-03-01"),
        ("2029-02-28", 5, "2024-02-29"),
        ("2027-01-01", 5, "2022-01-02"),
    ],
)
def test_the_first_day_that_is_kept(today: str, years: int, kept: str) -> None:
    assert first_kept(date.fromisoformat(today), years) == date.fromisoformat(kept)


@pytest.mark.django_db
def test_what_is_older_may_be_archived_when_nothing_of_it_is_open() -> None:
    """Ohio Adm. Code 3772-1-07(A): five years."""
    house = floor.make_house(profile="ohio_like")
    Casino.objects.filter(id=house.casino.id).update(
        profiles=[house.casino.profiles[0] | {"from": "2000-01-01"}]
    )
    casino = Casino.objects.get(id=house.casino.id)
    table = floor.make_table(house)
    days = [date(2021, 11, day) for day in (1, 2, 3, 30)] + [date(2021, 12, 1)]
    for seq, day in enumerate(days, 1):
        business(table, day, win=100, drop=1_000)
        if day != days[1]:
            ClosedDay.objects.create(
                casino=casino, gaming_day=day, closed_at=timezone.now(), seq=seq, early=False, figures={}
            )
    finding_record(casino_id=casino.id, found=Found("box_difference"), gaming_day=days[2])
    found = retention(casino, TODAY)
    assert (found.years, found.keep_from) == (5, date(2021, 12, 1))
    assert (found.days, found.sessions, found.rounds) == (2, 2, 0)
    assert (found.first, found.last) == (days[0], days[3])
    assert found.held_back == (days[1], days[2]), "one was not closed, and of one a finding is open"
    assert TableSession.objects.filter(table=table).count() == 5, "nothing is deleted"


@pytest.mark.django_db
def test_the_command_says_it(house: floor.House) -> None:
    support.open_scanned(house)

    def said(*options: str) -> str:
        out = StringIO()
        call_command("retention", "--casino", house.casino.code, *options, stdout=out)
        return out.getvalue()

    assert "No Activity" in said()
    assert "everything is kept 10 years" in said()
    assert json.loads(said("--json"))["may_be_archived"]["sessions"] == 0
    table = house.tables["rd-1"]
    business(table, date(2001, 1, 1), win=1, drop=2)
    assert "held back, not closed or a finding is open: 2001-01-01" in said()
    ClosedDay.objects.create(
        casino=house.casino,
        gaming_day=date(2001, 1, 1),
        closed_at=timezone.now(),
        seq=1,
        early=False,
        figures={},
    )
    assert "may be archived: 1 gaming days, 2001-01-01 to 2001-01-01, 1 sessions" in said()
