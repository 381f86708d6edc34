"""The outbox: work that commands asked for, handed out and done at least once, marked done once.

Only the sweep hands out. An item is marked done by the transaction that does it, so whatever is lost on
the way (a broker that was down, a worker that was killed) is handed out again and nothing is done half.
"""

import logging
import uuid
from collections.abc import Callable, Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from audit.codes import Found
from audit.models import ExportJob, GamingDayCheck
from audit.services import cash, closing, days, export_queue, export_schedules, export_work, hold
from audit.services.findings import finding_record
from audit.services.reconciliation import session_reconcile
from tables.models import ClosedDay, OutboxItem, TableSession
from tables.services.cash import CHECK
from tables.services.days import SEAL

logger = logging.getLogger(__name__)

BATCH = 200
RECONCILE = "session.reconcile"


def _reconcile(subject: uuid.UUID) -> None:
    session_reconcile(session_id=subject)


def _check_day(subject: uuid.UUID) -> None:
    days.day_check(check_id=subject)


def _seal_day(subject: uuid.UUID) -> None:
    closing.day_seal(day_id=subject)


def _note_seal(subject: uuid.UUID) -> None:
    closing.day_sealed(day_id=subject)
    export_schedules.closing_schedules_run(day_id=subject)


def _stamp_day(subject: uuid.UUID) -> None:
    closing.day_stamp(day_id=subject)


def _note_stamp(subject: uuid.UUID) -> None:
    closing.day_stamped(day_id=subject)


def _check_closed(subject: uuid.UUID) -> None:
    cash.closed_day_cash(day_id=subject)
    hold.closed_day_holds(day_id=subject)


def _export(subject: uuid.UUID) -> None:
    export_work.export_perform(job_id=subject)


def _note_export(subject: uuid.UUID) -> None:
    export_work.export_performed(job_id=subject)


JOBS: dict[str, Callable[[uuid.UUID], None]] = {
    RECONCILE: _reconcile,
    days.TOPIC: _check_day,
    CHECK: _check_closed,
    SEAL: _note_seal,
    closing.STAMP: _note_stamp,
    export_queue.TOPIC: _note_export,
}
# What comes before, outside the transaction that marks an item done: work with transactions of its own, or
# that waits for somebody far away. It may be done more often than once.
BEFORE: dict[str, Callable[[uuid.UUID], None]] = {
    SEAL: _seal_day,
    closing.STAMP: _stamp_day,
    export_queue.TOPIC: _export,
}


def outbox_sweep(*, send: Callable[[str, int], None]) -> int:
    """Hand out what is not done: what was never sent, and what was sent `OUTBOX_SEND_AGAIN_SECONDS` ago.

    All but exports, which have a sweep of their own: however many wait, they are in nobody's way. An item
    that cannot be handed out (the broker is down) stays as it is, and so do those after it: the next sweep
    tries again.

    Args:
        send: hands out an item, given its topic and id; raises when it could not.

    Returns:
        How many items were handed out.
    """
    items = _claimed()
    for sent, item in enumerate(items):
        try:
            send(item.topic, item.id)
        except Exception as error:
            logger.warning("outbox item %s could not be handed out: %s", item.id, error)
            _give_back(items[sent:])
            return sent
    return len(items)


def exports_sweep(*, send: Callable[[str, int], None]) -> int:
    """Hand out the export whose turn it is, unless one is being written.

    Args:
        send: as in `outbox_sweep`.

    Returns:
        How many were handed out, 1 or none.
    """
    item_id = export_queue.export_next()
    if item_id is None:
        return 0
    try:
        send(export_queue.TOPIC, item_id)
    except Exception as error:
        logger.warning("outbox item %s could not be handed out: %s", item_id, error)
        OutboxItem.objects.filter(id=item_id, done_at=None).update(sent_at=None)
        return 0
    return 1


def _claimed() -> list[OutboxItem]:
    """Items to hand out, marked as sent so that no other sweep takes them.

    In a transaction of its own, for sending may do the work there and then. A sweep that is killed before
    it has sent them leaves them as lost ones, to be sent again.
    """
    lost_before = timezone.now() - timedelta(seconds=settings.OUTBOX_SEND_AGAIN_SECONDS)
    topics = [topic for topic in JOBS if topic != export_queue.TOPIC]
    rows = OutboxItem.objects.select_for_update(skip_locked=True).filter(
        Q(sent_at=None) | Q(sent_at__lt=lost_before), done_at=None, topic__in=topics
    )
    with transaction.atomic():
        # what was never sent comes first, so that work that fails again and again holds nothing up
        items = list(rows.order_by(F("sent_at").asc(nulls_first=True), "id")[:BATCH])
        OutboxItem.objects.filter(id__in=[item.id for item in items]).update(sent_at=timezone.now())
    return items


def _give_back(items: Iterable[OutboxItem]) -> None:
    """Mark items that were not sent as before: never sent, or lost since."""
    for item in items:
        OutboxItem.objects.filter(id=item.id, done_at=None).update(sent_at=item.sent_at)


def outbox_perform(*, item_id: int) -> bool:
    """Do one item's work and mark it done, in one transaction.

    Args:
        item_id: the item; one that is done is left alone, one that somebody else holds is waited for.

    Returns:
        Whether it was done here and now. What could not be done yet is handed out again, as what failed is.

    Raises:
        Exception: whatever the work raised; it is also a finding, and the item is handed out again.
    """
    try:
        _prepare(item_id)
        with transaction.atomic():
            # Waits rather than skips: whoever holds it may fail, and an item left alone for that would only
            # be sent again a minute later.
            item = OutboxItem.objects.select_for_update().filter(id=item_id, done_at=None).first()
            if item is None:
                return False
            JOBS[item.topic](item.subject)
            item.done_at = timezone.now()
            item.save(update_fields=["done_at"])
    except closing.NotYet:
        return False
    except Exception as error:
        _record_failure(item_id, error)
        raise
    return True


def _prepare(item_id: int) -> None:
    """Do what comes before an item's work, if anything does."""
    item = OutboxItem.objects.filter(id=item_id, done_at=None, topic__in=list(BEFORE)).first()
    if item is not None:
        BEFORE[item.topic](item.subject)


def _record_failure(item_id: int, error: Exception) -> None:
    """Work that fails time and again must be seen: one finding per item, with a counter."""
    item = OutboxItem.objects.get(id=item_id)
    casino_id = _casino_of(item)
    if casino_id is not None:
        evidence = {"topic": item.topic, "subject": str(item.subject), "error": type(error).__name__}
        finding_record(casino_id=casino_id, found=Found("work_failed", evidence, about=str(item.id)))


def _casino_of(item: OutboxItem) -> uuid.UUID | None:
    if item.topic == RECONCILE:
        sessions = TableSession.objects.filter(id=item.subject)
        return sessions.values_list("table__casino_id", flat=True).first()
    if item.topic == export_queue.TOPIC:
        return ExportJob.objects.filter(id=item.subject).values_list("casino_id", flat=True).first()
    if item.topic in (SEAL, closing.STAMP, CHECK):
        return ClosedDay.objects.filter(id=item.subject).values_list("casino_id", flat=True).first()
    return GamingDayCheck.objects.filter(id=item.subject).values_list("casino_id", flat=True).first()
