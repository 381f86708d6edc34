"""Whose export is written next, and how many may wait: nobody's many exports hold up other people's.

One export is written at a time. The next is that of the house, and of the person in it, who was served
longest ago; what a house's schedules ask for takes its turns as one more person.
"""

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Q
from django.utils import timezone

from audit.models import ExportJob, ExportSchedule
from audit.selectors.exports import OVER
from config.errors import DomainError
from tables.models import Casino

TOPIC = "export.perform"
MOST_OF_PERSON, MOST_OF_HOUSE = 10, 50
"""Exports that were asked for and are not over; what schedules ask for is not counted."""
MOST_SCHEDULES = 20
"""Schedules of a house that were not ended: what they ask for in a day is bounded by that."""
ONE_AT_A_TIME = 7246583
"""The advisory lock of whoever writes an export; a number of ours, and of nothing else."""

# What was handed out and has not failed since is waited for, until it counts as lost.
_IN_HAND = """
    SELECT EXISTS (SELECT FROM pg_locks
                    WHERE locktype = 'advisory' AND classid = 0 AND objid = %(lock)s AND objsubid = 1
                      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        OR EXISTS (SELECT FROM tables_outboxitem item JOIN audit_exportjob job ON job.id = item.subject
                    WHERE item.topic = %(topic)s AND item.done_at IS NULL AND item.sent_at >= %(lost)s
                      AND job.status IN ('queued', 'running'))
"""
# What was never handed out comes first, so that work that fails again and again holds nothing up.
_NEXT = """
    UPDATE tables_outboxitem SET sent_at = %(now)s
     WHERE id = (
           SELECT item.id FROM tables_outboxitem item JOIN audit_exportjob job ON job.id = item.subject
            WHERE item.topic = %(topic)s AND item.done_at IS NULL
              AND (item.sent_at IS NULL OR item.sent_at < %(lost)s)
            ORDER BY item.sent_at IS NOT NULL,
                  (SELECT max(of_house.started_at) FROM audit_exportjob of_house
                    WHERE of_house.casino_id = job.casino_id) NULLS FIRST,
                  (SELECT max(own.started_at) FROM audit_exportjob own
                    WHERE own.casino_id = job.casino_id
                      AND CASE WHEN job.schedule_id IS NULL
                               THEN own.schedule_id IS NULL AND own.asked_by_id = job.asked_by_id
                               ELSE own.schedule_id IS NOT NULL END) NULLS FIRST,
                  item.id
            LIMIT 1 FOR UPDATE OF item SKIP LOCKED)
    RETURNING id
"""


def export_next() -> int | None:
    """The outbox item of the export that is to be handed out now, marked as sent; None while one is."""
    now = timezone.now()
    lost = now - timedelta(seconds=settings.OUTBOX_SEND_AGAIN_SECONDS)
    values: dict[str, Any] = {"topic": TOPIC, "lock": ONE_AT_A_TIME, "now": now, "lost": lost}
    with connection.cursor() as cursor:
        cursor.execute(_IN_HAND, values)
        if cursor.fetchone()[0]:
            return None
        cursor.execute(_NEXT, values)
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def check_export_room(casino: Casino, staff_id: uuid.UUID) -> None:
    """See that one more export may be asked for; the house's office must be locked.

    Raises:
        DomainError: `export_limit`.
    """
    waiting = ExportJob.objects.filter(casino=casino, schedule=None).exclude(OVER)
    counted = waiting.aggregate(house=Count("id"), person=Count("id", filter=Q(asked_by=staff_id)))
    for whose, most in (("person", MOST_OF_PERSON), ("house", MOST_OF_HOUSE)):
        if counted[whose] >= most:
            detail = f"{most} exports of this {whose} wait already; call one off, or wait for one."
            raise DomainError("export_limit", detail, limit=most, of=whose)


def check_schedule_room(casino: Casino) -> None:
    """See that one more schedule may be made; the house's office must be locked.

    Raises:
        DomainError: `export_schedule_limit`.
    """
    if ExportSchedule.objects.filter(casino=casino, ended_at=None).count() >= MOST_SCHEDULES:
        detail = f"The house has {MOST_SCHEDULES} schedules already; end one first."
        raise DomainError("export_schedule_limit", detail, limit=MOST_SCHEDULES)
