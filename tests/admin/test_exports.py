"""Round histories, exports, schedules and kept filters in the admin site."""

import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import ExportJob, ExportSchedule, ExportStatus, SavedFilter
from audit.services.export_files import file_of
from tables.models import CardSource, Role
from tests import floor
from tests.admin import house as at
from tests.admin.test_pages import Inline
from tests.api.statements import counted
from tests.api.test_exports import CONTENT, written

HISTORY = reverse("admin:audit_round_history")
ASK, KEEP = reverse("admin:audit_exportjob_ask"), reverse("admin:audit_savedfilter_keep")
SCHEDULE = reverse("admin:audit_exportschedule_make")
WHAT = {"form": "csv", "hour": "", "destination": "folder", "folder": "daily"}

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _standing(django_db_setup: None, django_db_blocker: Any) -> floor.House:
    with django_db_blocker.unblock():
        house = floor.stocked_house()
        table, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
        floor.play_round(house, table, {1: 1000, 2: 2500}, ("8S", "TH", "9D"))
        floor.play_round(house, table, {1: 500}, ("4S", "5H"))
        return house


@pytest.fixture
def house(_standing: floor.House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> floor.House:
    """A house in which two rounds were played; what is exported goes to a folder of the test's own."""
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))
    return _standing


@pytest.fixture
def auditor(house: floor.House) -> Client:
    """The auditor's browser."""
    return at.logged_in(house, Role.AUDITOR)


def send(client: Client, address: str, **content: Any) -> Any:
    """Send a form with a command id of its own."""
    return client.post(address, {"command_id": str(uuid.uuid4()), **content})


def test_the_page_shows_what_its_filter_asks_for_and_exports_these(
    house: floor.House, auditor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted() as statements:
        body = auditor.get(HISTORY).text
    # session, person, house; the kept filters, the sessions, the rows
    assert (body.count("rd-1 / 1 / 1<"), body.count("rd-1 / 1 / 2<"), len(statements)) == (2, 1, 6)
    parser = Inline()
    parser.feed(body)
    assert parser.found == []
    assert len(set(re.findall(r' id="([^"]+)"', body))) == len(re.findall(r' id="([^"]+)"', body))
    asked = {"seat": "1", "stake_min": "10.00", "outcome": ""}
    body = auditor.get(HISTORY, asked).text
    assert (body.count("rd-1 / 1 / 1<"), body.count("rd-1 / 1 / 2<")) == (1, 0)
    assert '<input type="hidden" name="stake_min" value="10.00">' in body
    answer = send(auditor, ASK, **asked, form="xlsx")
    assert answer.status_code == 302
    job = ExportJob.objects.get(casino=house.casino)
    assert job.about == {"casino": str(house.casino.id), "seat": 1, "stake_min": 1000}
    assert (job.form, job.status) == ("xlsx", ExportStatus.QUEUED)
    for wrong in (
        {"seat": "0"},
        {"pit": "nowhere"},
        {"gaming_day_from": "2026-12-01", "gaming_day_to": "2026-11-30"},
    ):
        assert 'class="errorlist"' in auditor.get(HISTORY, wrong).text
        assert send(auditor, ASK, **wrong, form="csv").status_code == 200
    assert ExportJob.objects.filter(casino=house.casino).count() == 1
    monkeypatch.setattr("audit.admin_history.ROWS", 1)
    first = auditor.get(HISTORY).text
    (following,) = re.findall(r'<a href="(\?[^"]+)" rel="next">', first)
    second = auditor.get(HISTORY + following.replace("&amp;", "&")).text
    assert first.count("rd-1 / 1 / 1<") == second.count("rd-1 / 1 / 1<") == 1
    assert auditor.get(HISTORY, {"after": "x"}).status_code == 200
    boss = at.logged_in(house, Role.PIT_BOSS)
    assert ASK not in boss.get(HISTORY).text, "who may look may not take away"
    assert at.logged_in(house, Role.ADMINISTRATOR).get(HISTORY).status_code == 403


def test_a_kept_filter_is_its_keeper_s(house: floor.House, auditor: Client) -> None:
    answer = send(auditor, KEEP, name="first-seat", seat="1", stake_max="5.00")
    assert answer.status_code == 302
    kept = SavedFilter.objects.get(staff=house.staff[Role.AUDITOR])
    assert kept.filter == {"seat": 1, "stake_max": 500}
    body = auditor.get(HISTORY, {"kept": "first-seat"}).text
    assert (body.count("rd-1 / 1 / 1<"), body.count("rd-1 / 1 / 2<")) == (0, 1)
    assert 'value="5.00"' in body
    assert "seat: 1" in auditor.get(at.page_address(kept)).text
    forget = reverse("admin:audit_savedfilter_forget", args=[kept.pk])
    boss = at.logged_in(house, Role.PIT_BOSS)
    assert at.rows_of(boss, SavedFilter) == []
    assert send(boss, forget).status_code == 404
    assert SavedFilter.objects.filter(pk=kept.pk).exists()
    assert send(auditor, forget).status_code == 302
    assert not SavedFilter.objects.filter(pk=kept.pk).exists()


def test_jobs_are_listed_called_off_and_their_files_taken(house: floor.House, auditor: Client) -> None:
    send(auditor, ASK, form="csv")
    job = ExportJob.objects.get(casino=house.casino)
    boss, stranger = at.logged_in(house, Role.PIT_BOSS), at.logged_in(floor.make_house(), Role.AUDITOR)
    auditor.get(at.list_address(ExportJob))
    with counted() as one:
        assert "Queued" in auditor.get(at.list_address(ExportJob)).text
    done = written(house)
    with counted() as more:
        assert "rounds.csv" in auditor.get(at.list_address(ExportJob)).text
    assert len(one) == len(more)
    cancel = reverse("admin:audit_exportjob_cancel", args=[job.pk])
    assert cancel in auditor.get(at.page_address(job)).text
    assert cancel not in boss.get(at.page_address(job)).text
    assert send(boss, cancel).status_code == 403
    assert send(auditor, cancel).status_code == 302
    job.refresh_from_db()
    assert job.status == ExportStatus.CANCELLED
    address = reverse("admin:audit_exportjob_file", args=[done.pk])
    assert address in auditor.get(at.page_address(done)).text
    assert address in auditor.get(at.list_address(ExportJob)).text
    assert address not in boss.get(at.page_address(done)).text
    assert (boss.get(address).status_code, stranger.get(address).status_code) == (403, 404)
    part = auditor.get(address, headers={"Range": "bytes=-3"})
    assert (part.status_code, part.getvalue()) == (206, b"789")
    assert auditor.get(address).getvalue() == CONTENT
    assert auditor.get(reverse("admin:audit_exportjob_note", args=[done.pk])).getvalue() == b"note"
    file_of(done).unlink()
    assert auditor.get(address).status_code == 404
    assert auditor.get(reverse("admin:audit_exportjob_file", args=[job.pk])).status_code == 404
    bundle = {"what": "gaming_day", "which": "2026-11-30", "whole": "on"}
    assert send(auditor, reverse("admin:audit_exportjob_bundle"), **bundle).status_code == 302
    about = {"gaming_day": "2026-11-30", "whole": True}
    assert ExportJob.objects.get(casino=house.casino, kind="bundle").about == about
    since = send(auditor, reverse("admin:audit_exportjob_bundle"), **bundle, since="999999999")
    assert "no checkpoint of this size" in since.text
    wrong = send(auditor, reverse("admin:audit_exportjob_bundle"), what="table", which="../x")
    assert (wrong.status_code, ExportJob.objects.filter(kind="bundle", casino=house.casino).count()) == (
        200,
        1,
    )


def test_schedules_are_made_changed_and_ended(house: floor.House, auditor: Client) -> None:
    assert "gaming_day_from" not in auditor.get(SCHEDULE).text
    assert send(auditor, SCHEDULE, **WHAT | {"folder": "../up"}).status_code == 200
    assert not ExportSchedule.objects.filter(casino=house.casino).exists()
    assert send(auditor, SCHEDULE, **WHAT, stake_min="5.00").status_code == 302
    schedule = ExportSchedule.objects.get(casino=house.casino)
    assert (schedule.filter, schedule.hour, schedule.active) == ({"stake_min": 500}, None, True)
    page = auditor.get(at.page_address(schedule)).text
    assert ("When the day is closed" in page, "stake min: 500" in page) == (True, True)
    change = reverse("admin:audit_exportschedule_change_it", args=[schedule.pk])
    end = reverse("admin:audit_exportschedule_end_it", args=[schedule.pk])
    assert 'value="5.00"' in auditor.get(change).text
    assert send(auditor, change, **WHAT | {"hour": "7"}).status_code == 302
    schedule.refresh_from_db()
    assert (schedule.filter, schedule.hour, schedule.active) == ({}, 7, False)
    assert "At 7:00" in auditor.get(at.list_address(ExportSchedule)).text
    assert send(at.logged_in(house, Role.SURVEILLANCE), end).status_code == 403
    assert send(auditor, end).status_code == 302
    schedule.refresh_from_db()
    assert schedule.ended_at is not None
    assert change not in auditor.get(at.page_address(schedule)).text
