"""Exports of each gaming day: once per day and schedule, to a folder or a store, whichever is away."""

import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from pyarrow import fs

from audit.models import ExportDestination, ExportJob, ExportSchedule, ExportStatus, Finding
from audit.services.export_destinations import DestinationOutside, checked_folder, deliver
from audit.services.export_files import file_of
from audit.services.export_schedules import (
    closing_schedules_run,
    hourly_schedules_run,
    schedule_change,
    schedule_end,
    schedule_make,
)
from audit.services.outbox import outbox_perform
from config import env
from config.env import MissingSetting
from ledger.models import Entry
from tables.models import ClosedDay, OutboxItem, Role
from tests import floor
from tests.admin.house import close_yesterday
from tests.audit import support
from tests.audit.jobs.conftest import Played, perform, stands

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.django_db(transaction=True)]


def said(**other: Any) -> dict[str, Any]:
    """What a schedule says."""
    usual: dict[str, Any] = {
        "filter": {},
        "form": "csv",
        "hour": None,
        "destination": "folder",
        "folder": "daily",
    }
    return usual | other


def made(house: floor.House, **other: Any) -> ExportSchedule:
    """A schedule the auditor has made."""
    command = support.at_desk(house, Role.AUDITOR)
    answer = schedule_make(casino_id=house.casino.id, command=command, **said(**other))
    return ExportSchedule.objects.get(id=answer.body["schedule"]["id"])


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> floor.House:
    """A house of the test's own."""
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))
    return floor.make_house()


def test_a_closed_day_is_exported_once_to_its_folder(house: floor.House) -> None:
    schedule, resting = made(house, filter={"seat": 1}), made(house, folder="resting")
    change(house, resting, active=False, folder="resting")
    floor.stock_cage(house)
    close_yesterday(house)
    closed = ClosedDay.objects.get(casino=house.casino)
    sealing = OutboxItem.objects.get(subject=closed.id, topic="day.seal")
    assert outbox_perform(item_id=sealing.id)
    assert closing_schedules_run(day_id=closed.id) == 0, "again is not once more"
    job = ExportJob.objects.get(casino=house.casino)
    assert (job.schedule, job.gaming_day, job.asked_by) == (
        schedule,
        closed.gaming_day,
        house.staff[Role.AUDITOR],
    )
    day = closed.gaming_day.isoformat()
    assert job.about == {
        "casino": str(house.casino.id),
        "gaming_day_from": day,
        "gaming_day_to": day,
        "seat": 1,
    }
    assert perform(job)
    assert stands(job) == (ExportStatus.DONE, "")
    delivered = env.exports_folder() / "delivered" / "daily"
    name = job.file_name
    assert sorted(path.name for path in delivered.iterdir()) == [
        name,
        f"{name}.manifest.json",
        f"{name}.manifest.note",
    ]
    assert (delivered / name).read_bytes() == file_of(job).read_bytes()
    schedule.refresh_from_db()
    assert schedule.last_day == closed.gaming_day
    job.id = uuid.uuid4()
    with pytest.raises(IntegrityError), transaction.atomic():
        job.save(force_insert=True)
    schedule_end(
        casino_id=house.casino.id, schedule_id=schedule.id, command=support.at_desk(house, Role.AUDITOR)
    )
    with floor.refused(house, "export_schedule_not_found"):
        change(house, schedule)
    kinds = Entry.objects.filter(stream__name=house.casino.stream, kind="export.schedule")
    assert kinds.count() == 4


def change(house: floor.House, schedule: ExportSchedule, *, active: bool = True, **other: Any) -> None:
    """Change a schedule."""
    schedule_change(
        casino_id=house.casino.id,
        schedule_id=schedule.id,
        active=active,
        command=support.at_desk(house, Role.AUDITOR),
        **said(**other),
    )


def test_an_hour_of_the_casino_s_clock_exports_the_day_that_ended_last(house: floor.House) -> None:
    """The day rolls over at six in New York; a day that was missed is made up for, each of them once."""
    schedule, zone = made(house, hour=8), ZoneInfo("America/New_York")

    def days() -> list[date | None]:
        rows = ExportJob.objects.filter(schedule=schedule).order_by("gaming_day")
        return list(rows.values_list("gaming_day", flat=True))

    hourly_schedules_run(now=datetime(2026, 3, 7, 7, 59, tzinfo=zone))  # yesterday's hour has struck
    assert days() == [date(2026, 3, 5)]
    for _ in range(2):
        hourly_schedules_run(now=datetime(2026, 3, 8, 12, 0, tzinfo=UTC))  # 8:00, the clocks went forward
        assert days() == [date(2026, 3, 5), date(2026, 3, 6), date(2026, 3, 7)]
    hourly_schedules_run(now=datetime(2026, 3, 9, 11, 59, tzinfo=UTC))
    assert len(days()) == 3
    before_rollover = made(house, hour=5)
    hourly_schedules_run(now=datetime(2026, 3, 9, 5, 0, tzinfo=zone))
    job = ExportJob.objects.get(schedule=before_rollover)
    assert job.gaming_day == date(2026, 3, 7), "at five the day before still runs"
    change(house, schedule, active=False, hour=8)
    change(house, schedule, active=True, hour=8)
    hourly_schedules_run(now=datetime(2026, 3, 14, 9, 0, tzinfo=zone))
    assert days()[-2:] == [date(2026, 3, 7), date(2026, 3, 13)], "what rested does not make up for it"
    assert (
        OutboxItem.objects.filter(
            subject__in=ExportJob.objects.filter(schedule=schedule).values("id")
        ).count()
        == 4
    )


@pytest.mark.parametrize(
    ("code", "other"),
    [
        *(
            ("destination_outside", {"folder": name})
            for name in (
                "..",
                ".",
                "/etc",
                "a/../../b",
                "a/b",
                "a\\b",
                "",
                "A",
                "\u00e4",
                "a\0",
                "a\n",
                "~root",
            )
        ),
        ("filter_invalid", {"filter": {"seat": 0}}),
        ("filter_invalid", {"filter": {"gaming_day_from": "2026-11-30"}}),
        ("filter_invalid", {"filter": {"casino": str(uuid.UUID(int=7)), "table": ""}}),
        ("export_form", {"form": "zip"}),
        ("schedule_hour", {"hour": 24}),
        ("export_store_missing", {"destination": "store"}),
    ],
)
def test_what_cannot_be_scheduled_is_refused_and_no_folder_leads_out(
    played: Played, code: str, other: dict[str, Any]
) -> None:
    with floor.refused(played.house, code):
        made(played.house, **other)
    assert not ExportSchedule.objects.filter(casino=played.house.casino).exists()
    if "folder" in other:
        with pytest.raises(IntegrityError), transaction.atomic():
            ExportSchedule.objects.create(
                casino=played.house.casino,
                made_by=played.house.staff[Role.AUDITOR],
                made_at=datetime.now(UTC),
                **said(**other | {"folder": other["folder"].replace("\0", "\x01")}),
            )


def test_a_folder_that_became_a_link_out_takes_nothing(house: floor.House, tmp_path: Path) -> None:
    schedule = made(house, hour=8)
    hourly_schedules_run(now=datetime(2026, 3, 8, 12, 0, tzinfo=UTC))
    job = ExportJob.objects.get(schedule=schedule)
    outside = env.private_folder(tmp_path / "outside")
    env.private_folder(env.exports_folder() / "delivered")
    (env.exports_folder() / "delivered" / "daily").symlink_to(outside)
    with pytest.raises(DestinationOutside):
        perform(job)
    assert stands(job) == (ExportStatus.FAILED, "destination_outside")
    assert list(outside.iterdir()) == []
    (env.exports_folder() / "delivered" / "daily").unlink()
    file_of(job).unlink()
    assert perform(job), "once the folder is one, it is delivered; what somebody removed is written again"
    assert stands(job) == (ExportStatus.DONE, "")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An object store on this machine, without its bucket yet; answers its address."""
    from moto.server import ThreadedMotoServer  # it takes long to load, and this test alone needs it

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"s3://bucket/casino?endpoint_override=http://{host}:{port}&region=us-east-1"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "for-a-test")
    monkeypatch.setenv("PITLEDGER_EXPORT_STORE", address)
    yield f"{address}&allow_bucket_creation=true"
    server.stop()


def test_a_store_that_is_away_loses_nothing(house: floor.House, store: str) -> None:
    schedule = made(house, hour=8, destination="store")
    hourly_schedules_run(now=datetime(2026, 3, 8, 12, 0, tzinfo=UTC))
    job = ExportJob.objects.get(schedule=schedule)
    with pytest.raises(Exception, match="destination_away"):
        perform(job)
    assert stands(job) == (ExportStatus.FAILED, "destination_away")
    assert Finding.objects.get(casino=house.casino, code="work_failed").counter == 1
    written = file_of(job).stat().st_mtime_ns
    assert OutboxItem.objects.get(subject=job.id).done_at is None, "it is handed out again"
    there, _ = fs.FileSystem.from_uri(store)
    there.create_dir("bucket")
    assert perform(job)
    assert stands(job) == (ExportStatus.DONE, "")
    assert file_of(job).stat().st_mtime_ns == written, "it was brought there, and not written again"
    found = there.get_file_info(fs.FileSelector("bucket/casino/daily"))
    assert {one.base_name: one.size for one in found} == {
        path.name: path.stat().st_size for path in file_of(job).parent.iterdir()
    }
    with there.open_input_stream(f"bucket/casino/daily/{job.file_name}") as stream:
        assert stream.read() == file_of(job).read_bytes()


def test_a_store_is_the_environment_s_and_its_address_holds_no_credentials(
    house: floor.House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in ("http://bucket", "s3://", "bucket", "s3://key:secret@bucket/x"):
        monkeypatch.setenv("PITLEDGER_EXPORT_STORE", wrong)
        with pytest.raises(MissingSetting, match="PITLEDGER_EXPORT_STORE"):
            env.export_store()
    monkeypatch.setenv("PITLEDGER_EXPORT_STORE", "s3://bucket")
    schedule = made(house, hour=8, destination="store")
    monkeypatch.delenv("PITLEDGER_EXPORT_STORE")
    job = ExportJob(schedule=schedule, casino=house.casino, file_name="x.csv")
    with pytest.raises(Exception, match="there is no object store any more"):
        deliver(job)
    assert schedule.destination == ExportDestination.STORE
    assert checked_folder("a-1_b") == "a-1_b"
