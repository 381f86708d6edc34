"""Which gaming days are due for their nightly check, and the check of one."""

import uuid
from datetime import date, datetime

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from audit.models import GamingDayCheck
from audit.services.resettlement import Resettled, gaming_day_resettle
from tables.figures import gaming_day
from tables.models import Casino, OutboxItem, SessionStatus, TableSession

TOPIC = "day.resettle"


def due_days_queue(*, now: datetime | None = None) -> list[GamingDayCheck]:
    """Queue the check of every gaming day that is over and not checked yet, in every casino.

    A day is over at the casino's own roll-over. A session still open then keeps its gaming day; when
    it closes later, the day is queued once more. May be run as often as wanted.

    Args:
        now: the moment to judge by, the clock's when None.
    """
    moment = now or timezone.now()
    queued = []
    for casino in Casino.objects.order_by("id"):
        today = gaming_day(moment, casino.time_zone, casino.rollover_hour)
        sessions = TableSession.objects.filter(table__casino=casino, gaming_day__lt=today)
        last_closed = Max("closed_at", filter=~Q(status=SessionStatus.OPEN))
        for row in sessions.values("gaming_day").annotate(last_closed=last_closed).order_by("gaming_day"):
            check = _queue(casino, row["gaming_day"], row["last_closed"], moment)
            if check is not None:
                queued.append(check)
    return queued


def _queue(casino: Casino, day: date, last_closed: datetime | None, now: datetime) -> GamingDayCheck | None:
    """Queue one day's check unless it is covered; the row and its outbox item are one transaction."""
    with transaction.atomic():
        check, is_new = GamingDayCheck.objects.select_for_update().get_or_create(
            casino=casino,
            gaming_day=day,
            defaults={"requested_at": now},
        )
        if not is_new:
            if last_closed is None or last_closed <= check.requested_at:
                return None
            check.requested_at, check.finished_at = now, None
            check.save(update_fields=["requested_at", "finished_at"])
        OutboxItem.objects.create(topic=TOPIC, subject=check.id)
    return check


def day_check(*, check_id: uuid.UUID) -> Resettled:
    """Re-settle the gaming day of a check and note that it was done."""
    check = GamingDayCheck.objects.get(id=check_id)
    done = gaming_day_resettle(casino_id=check.casino_id, gaming_day=check.gaming_day)
    check.finished_at, check.rounds, check.findings = timezone.now(), done.rounds, done.findings
    check.save(update_fields=["finished_at", "rounds", "findings"])
    return done
