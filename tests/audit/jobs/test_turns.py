"""Many exports of one person hold nobody up: how many may wait, and whose turn it is."""

import threading
import uuid
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import time_machine
from django.utils import timezone

from audit.models import ExportJob
from audit.services import export_queue
from audit.services.export_queue import MOST_OF_PERSON, export_next
from audit.services.export_schedules import _run, schedule_make
from audit.services.outbox import exports_sweep, outbox_sweep
from config.celery import app
from config.floor import alone
from tables.models import OutboxItem, Role
from tests import floor
from tests.audit import support
from tests.audit.jobs.conftest import asked, cancel

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own."""
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))


def scheduled(house: floor.House) -> ExportJob:
    """An export one of the house's schedules has asked for."""
    answer = schedule_make(
        casino_id=house.casino.id,
        command=support.at_desk(house, Role.AUDITOR),
        filter={},
        form="csv",
        hour=8,
        destination="folder",
        folder="daily",
    )
    assert _run(uuid.UUID(answer.body["schedule"]["id"]), date(2026, 11, 29), timezone.now())
    return ExportJob.objects.get(schedule=answer.body["schedule"]["id"])


def test_so_many_exports_may_wait_of_a_person_and_of_a_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """What schedules ask for is not counted; calling one off makes room; other houses are not concerned."""
    house, other = floor.make_house(), floor.make_house()
    scheduled(house)
    jobs = [asked(house) for _ in range(MOST_OF_PERSON)]
    ExportJob.objects.filter(id=jobs[0].id).update(
        status="failed", error="destination_away", started_at=timezone.now(), finished_at=timezone.now()
    )
    before = ExportJob.objects.count(), OutboxItem.objects.count()
    with floor.refused(house, "export_limit"):
        asked(house)
    assert (ExportJob.objects.count(), OutboxItem.objects.count()) == before
    cancel(house, jobs[0])
    asked(house)
    monkeypatch.setattr(export_queue, "MOST_OF_HOUSE", MOST_OF_PERSON + 1)
    asked(house, role=Role.SURVEILLANCE)
    with floor.refused(house, "export_limit"):
        asked(house, role=Role.SURVEILLANCE)
    asked(other)
    monkeypatch.setattr(export_queue, "MOST_SCHEDULES", 1)
    with floor.refused(house, "export_schedule_limit"):
        scheduled(house)


def test_houses_and_people_take_turns() -> None:
    house, other = floor.make_house(), floor.make_house()
    first, second, third = (asked(house) for _ in range(3))
    theirs, by_night = asked(house, role=Role.SURVEILLANCE), scheduled(house)
    elsewhere = asked(other)
    served = []
    for _ in range(6):
        item = OutboxItem.objects.get(id=export_next() or 0)
        assert export_next() is None, "one at a time"
        job = ExportJob.objects.filter(id=item.subject)
        now = timezone.now()
        job.update(status="cancelled", started_at=now, finished_at=now)
        served.append(job.get())
        OutboxItem.objects.filter(id=item.id).update(done_at=now)
    assert served == [first, elsewhere, theirs, by_night, second, third]
    assert export_next() is None


def test_without_a_broker_exports_are_written_beside_what_watches_the_floor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread beside beat, whatever goes wrong; beat itself hands out none."""
    item, written = OutboxItem.objects.get(subject=asked(floor.make_house()).id), list[int]()
    pauses = iter((False, True))

    def perform(*, item_id: int) -> bool:
        written.append(item_id)
        raise ZeroDivisionError

    def pause() -> None:
        if next(pauses):
            raise KeyboardInterrupt

    monkeypatch.setattr(alone, "outbox_perform", perform)
    monkeypatch.setattr(alone, "close_old_connections", lambda: None)  # ours is the test's
    with pytest.raises(KeyboardInterrupt):
        alone.write_exports(pause)
    assert written == [item.id], "what failed is tried again later"
    begun: list[str] = []
    conf = SimpleNamespace(beat_schedule=dict(app.conf.beat_schedule), task_always_eager=False)
    beat = SimpleNamespace(conf=conf, Beat=lambda **how: Begun(begun, "beat"))
    with monkeypatch.context() as patched:
        patched.setattr(alone, "app", beat)
        patched.setattr(threading, "Thread", lambda **how: Begun(begun, how["target"].__name__))
        assert alone.run() == 0
    assert begun == ["write_exports", "beat"]
    assert conf.task_always_eager
    assert app.conf.beat_schedule.keys() - conf.beat_schedule.keys() == {alone.EXPORTS}


class Begun:
    """Something that runs when it is told to."""

    def __init__(self, begun: list[str], name: str) -> None:
        self.start = self.run = lambda: begun.append(name)


def test_the_sweep_of_the_floor_hands_out_no_export_and_one_that_is_lost_is_handed_out_again() -> None:
    job, sent = asked(floor.make_house()), list[int]()
    item = OutboxItem.objects.get(subject=job.id)
    outbox_sweep(send=lambda topic, item_id: sent.append(item_id))
    assert item.id not in sent

    def no_broker(topic: str, item_id: int) -> None:
        raise ConnectionError("no broker")

    assert exports_sweep(send=no_broker) == 0
    for moment, handed_out in ((0, [item.id]), (1, []), (61, [item.id])):
        sent.clear()
        with time_machine.travel(timezone.now() + timedelta(seconds=moment), tick=False):
            exports_sweep(send=lambda topic, item_id: sent.append(item_id))
        assert sent == handed_out
