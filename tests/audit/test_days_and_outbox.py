"""Which days are due and when; how work is handed out, done once, and seen when it fails."""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from audit import tasks
from audit.models import Finding, GamingDayCheck, SessionReconciliation
from audit.services import days, outbox
from audit.services.days import due_days_queue
from config.celery import app
from tables.models import OutboxItem, Round, Table, TableSession
from tests import floor
from tests.audit import support
from tests.floor import House

NEW_YORK = ZoneInfo("America/New_York")


def of_house(house: House, *, topic: str) -> list[OutboxItem]:
    """The outbox items about a house's sessions or days."""
    subjects = {
        outbox.RECONCILE: TableSession.objects.filter(table__casino=house.casino),
        days.TOPIC: GamingDayCheck.objects.filter(casino=house.casino),
    }[topic]
    return list(OutboxItem.objects.filter(topic=topic, subject__in=subjects.values("pk")).order_by("id"))


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


@pytest.mark.parametrize(
    ("opened", "not_yet", "due"),
    [
        ("2026-07-01T20:00", "2026-07-02T05:59:59", "2026-07-02T06:00"),
        ("2026-03-07T20:00", "2026-03-08T05:59:59", "2026-03-08T06:00"),  # 23 hours
        ("2026-10-31T20:00", "2026-11-01T05:59:59", "2026-11-01T06:00"),  # 25 hours
    ],
)
@pytest.mark.django_db
def test_a_day_is_due_at_the_casinos_roll_over(opened: str, not_yet: str, due: str) -> None:
    with time_machine.travel(local(opened), tick=True):
        house = floor.make_house()
        floor.stock_cage(house)
        _, session_id = support.open_scanned(house)
    assert TableSession.objects.get(id=session_id).gaming_day == local(opened).date()
    assert due_days_queue(now=local(not_yet)) == []
    (check,) = due_days_queue(now=local(due))
    assert (check.casino, check.gaming_day) == (house.casino, local(opened).date())
    assert due_days_queue(now=local(due)) == []
    assert [item.subject for item in of_house(house, topic=days.TOPIC)] == [check.id]


@pytest.fixture
def yesterday(db: None) -> tuple[House, Table, uuid.UUID]:
    """A house whose open session began yesterday, with one round played; no other day is due."""
    due_days_queue()  # what tests that commit have left, if a gaming day has ended since
    with time_machine.travel(timezone.now() - timedelta(days=1), tick=True):
        house = floor.make_house()
        floor.stock_cage(house)
        table, session_id = support.open_scanned(house)
        support.play_with_raise(house, table, support.WIN, {1: 1000})
    return house, table, session_id


def test_a_session_that_closes_late_has_its_day_checked_again(
    yesterday: tuple[House, Table, uuid.UUID],
) -> None:
    house, table, session_id = yesterday
    (check,) = due_days_queue()
    assert outbox.outbox_perform(item_id=of_house(house, topic=days.TOPIC)[0].id)
    check.refresh_from_db()
    assert (check.rounds, check.findings) == (1, 0)
    assert check.finished_at is not None
    support.play_with_raise(house, table, support.LOSE, {})
    support.close(house, table, session_id)
    (again,) = due_days_queue()
    assert again.id == check.id
    assert outbox.outbox_perform(item_id=of_house(house, topic=days.TOPIC)[1].id)
    check.refresh_from_db()
    assert (check.rounds, check.findings) == (2, 0)
    assert due_days_queue() == []


def test_the_nightly_check_records_what_it_finds(
    yesterday: tuple[House, Table, uuid.UUID],
) -> None:
    house, table, _ = yesterday
    Round.objects.filter(table=table).update(last_seq=1)
    due_days_queue()
    (item,) = of_house(house, topic=days.TOPIC)
    assert outbox.outbox_perform(item_id=item.id)
    found = Finding.objects.get(casino=house.casino)
    check = GamingDayCheck.objects.get(casino=house.casino)
    assert (found.code, found.gaming_day) == ("round_projection_differs", check.gaming_day)
    assert check.findings == 1


def test_the_nightly_check_looks_at_the_sessions_rows_again(
    yesterday: tuple[House, Table, uuid.UUID],
) -> None:
    house, _, session_id = yesterday
    row = TableSession.objects.get(id=session_id)
    TableSession.objects.filter(id=session_id).update(gaming_day=row.gaming_day - timedelta(days=3))
    row.id, row.number, row.opened_seq = uuid.uuid4(), 9, 2
    row.status, row.closer_total, row.closed_seq = "closed", 0, 3
    row.save(force_insert=True)
    due_days_queue()
    for item in of_house(house, topic=days.TOPIC):
        outbox.outbox_perform(item_id=item.id)
    found = {finding.code: finding for finding in Finding.objects.filter(casino=house.casino)}
    assert set(found) == {"session_not_in_journal", "session_projection_differs"}
    assert found["session_not_in_journal"].session_id == row.id
    assert found["session_projection_differs"].session_id == session_id


def test_a_session_whose_row_was_moved_to_another_day_does_not_escape(
    yesterday: tuple[House, Table, uuid.UUID],
) -> None:
    house, _, session_id = yesterday
    row = TableSession.objects.get(id=session_id)
    TableSession.objects.filter(id=session_id).update(gaming_day=timezone.now().date() + timedelta(days=9))
    (check,) = due_days_queue()
    assert check.gaming_day == row.gaming_day
    outbox.outbox_perform(item_id=of_house(house, topic=days.TOPIC)[0].id)
    check.refresh_from_db()
    assert check.rounds == 1
    assert support.codes(house) == ["session_projection_differs"]


@pytest.fixture
def closed(house: House) -> tuple[House, uuid.UUID]:
    """A house with a session that was closed and waits to be reconciled, next in line for the sweep."""
    outbox.outbox_sweep(send=Post())  # what tests that commit have left
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    return house, session_id


def sent(house: House) -> list[int]:
    """The items of a house that were handed out."""
    return [item.id for item in of_house(house, topic=outbox.RECONCILE) if item.sent_at]


class Post:
    """Takes what a sweep hands out; breaks after a number of items."""

    def __init__(self, breaks_after: int = 1000) -> None:
        self.sent: list[int] = []
        self.breaks_after = breaks_after

    def __call__(self, topic: str, item_id: int) -> None:
        if len(self.sent) == self.breaks_after:
            raise ConnectionError("no broker")
        self.sent.append(item_id)


def test_a_sweep_hands_out_each_item_once_until_it_counts_as_lost(closed: tuple[House, uuid.UUID]) -> None:
    (item,) = of_house(closed[0], topic=outbox.RECONCILE)
    post = Post()
    assert outbox.outbox_sweep(send=post) >= 1
    assert outbox.outbox_sweep(send=post) == 0
    assert post.sent.count(item.id) == 1
    with time_machine.travel(timezone.now() + timedelta(seconds=61), tick=False):
        outbox.outbox_sweep(send=post)
    assert post.sent.count(item.id) == 2
    outbox.outbox_perform(item_id=item.id)
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=False):
        outbox.outbox_sweep(send=post)
    assert post.sent.count(item.id) == 2


def test_what_could_not_be_handed_out_stays_for_the_next_sweep(closed: tuple[House, uuid.UUID]) -> None:
    house, session_id = closed
    support.count_drop(house, session_id)
    first, second = of_house(house, topic=outbox.RECONCILE)
    assert outbox.outbox_sweep(send=Post(breaks_after=0)) == 0
    assert sent(house) == []
    assert outbox.outbox_sweep(send=Post(breaks_after=1)) == 1
    assert sent(house) == [first.id]
    post = Post()
    outbox.outbox_sweep(send=post)
    assert post.sent == [second.id]


def test_an_items_work_is_done_once(closed: tuple[House, uuid.UUID]) -> None:
    house, session_id = closed
    (item,) = of_house(house, topic=outbox.RECONCILE)
    assert outbox.outbox_perform(item_id=item.id)
    assert not outbox.outbox_perform(item_id=item.id)
    item.refresh_from_db()
    assert item.done_at is not None
    assert SessionReconciliation.objects.filter(session=session_id).exists()
    assert not outbox.outbox_perform(item_id=2**40)


def test_work_that_fails_stays_undone_and_is_a_finding(
    closed: tuple[House, uuid.UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = closed
    (item,) = of_house(house, topic=outbox.RECONCILE)

    def fail(subject: uuid.UUID) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(outbox.JOBS, outbox.RECONCILE, fail)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            outbox.outbox_perform(item_id=item.id)
    item.refresh_from_db()
    assert item.done_at is None
    found = Finding.objects.get(casino=house.casino)
    assert (found.code, found.counter) == ("work_failed", 2)
    assert found.evidence.get().body["error"] == "ZeroDivisionError"


@pytest.fixture
def eager() -> Iterator[None]:
    """Celery inside the process, as where there is no Redis."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.mark.usefixtures("eager")
def test_without_a_broker_the_sweep_does_the_work_itself(
    closed: tuple[House, uuid.UUID],
) -> None:
    house, session_id = closed
    support.count_drop(house, session_id)
    first, second = of_house(house, topic=outbox.RECONCILE)
    tasks.sweep_outbox.delay()
    assert all(item.done_at and item.sent_at for item in of_house(house, topic=outbox.RECONCILE))
    assert SessionReconciliation.objects.get(session=session_id).win_state == "reconciled"
    assert first.id < second.id


@pytest.mark.usefixtures("eager")
def test_the_periodic_tasks_find_nothing_on_an_honest_floor(
    yesterday: tuple[House, Table, uuid.UUID],
) -> None:
    house, table, session_id = yesterday
    support.close(house, table, session_id)
    assert tasks.queue_due_days.delay().get() == 1
    tasks.sweep_outbox.delay()
    assert tasks.check_conservation.delay().get()
    assert tasks.verify_journal_task.delay().get()
    assert GamingDayCheck.objects.get(casino=house.casino).rounds == 1
    assert support.codes(house) == []


def test_every_scheduled_task_exists_and_every_topic_has_its_task() -> None:
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled <= set(app.tasks)
    assert set(tasks.TASKS) == set(outbox.JOBS)
    assert app.conf.task_acks_late
    assert app.conf.task_ignore_result
    assert not app.conf.task_publish_retry
