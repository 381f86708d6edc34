"""Which gaming days are due for their nightly check, and the check of one."""

import uuid
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from audit.codes import Found
from audit.models import GamingDayCheck
from audit.selectors.cage import cage_astray
from audit.selectors.days import days_opened_since, sessions_of_day
from audit.selectors.promos import pieces_astray
from audit.selectors.signatures import office_by_one, signatures_astray
from audit.services.cash import cash_astray
from audit.services.closing import closings_astray
from audit.services.findings import finding_record
from audit.services.hold import holds_out_of_range
from audit.services.profiles import profiles_astray
from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import Resettled, gaming_day_resettle
from audit.services.signatures import signed_as_one
from tables.figures import gaming_day
from tables.models import Casino, OutboxItem, SessionStatus, TableSession

TOPIC = "day.resettle"
LOOK_BACK = timedelta(days=4)


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
        for day, last_closed in sorted(_days(casino, moment).items()):
            check = _queue(casino, day, last_closed, moment) if day < today else None
            if check is not None:
                queued.append(check)
    return queued


def _days(casino: Casino, now: datetime) -> dict[date, datetime | None]:
    """The casino's gaming days with the last closing of each.

    From the sessions' rows, and for the last days from the journal too: a row that was altered or taken
    away must not keep its day from being checked.
    """
    sessions = TableSession.objects.filter(table__casino=casino)
    last_closed = Max("closed_at", filter=~Q(status=SessionStatus.OPEN))
    rows = sessions.values_list("gaming_day").annotate(last_closed=last_closed)
    opened: dict[date, datetime | None] = dict.fromkeys(days_opened_since(casino, now - LOOK_BACK))
    return opened | dict(rows)


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
    """Re-settle the gaming day of a check, reconcile its sessions once more, and note that it was done.

    Reconciling again compares each session's row with the journal, whatever was done to it since; and the
    house's profiles are compared with what was chosen, the day's cash and signatures are looked through, and
    every promotional piece is followed by its number, the vault's chips by denomination,
    and the cage's cash and credit.
    """
    check = GamingDayCheck.objects.select_related("casino").get(id=check_id)
    done = gaming_day_resettle(casino_id=check.casino_id, gaming_day=check.gaming_day)
    casino = check.casino
    for found in (
        *_sessions_astray(check),
        *closings_astray(casino),
        *profiles_astray(casino),
        *cash_astray(casino, check.gaming_day),
        *holds_out_of_range(casino),
        *signed_as_one(casino, check.gaming_day),
        *signatures_astray(casino, check.gaming_day),
        *office_by_one(casino),
        *pieces_astray(casino),
        *cage_astray(casino),
    ):
        done.findings += 1
        finding_record(casino_id=check.casino_id, found=found, gaming_day=check.gaming_day)
    check.finished_at, check.rounds, check.findings = timezone.now(), done.rounds, done.findings
    check.save(update_fields=["finished_at", "rounds", "findings"])
    return done


def _sessions_astray(check: GamingDayCheck) -> Iterator[Found]:
    """Sessions of the day that only the journal has, or only the table of sessions; the rest reconciled."""
    spans = {span.id: span for span in sessions_of_day(check.casino, check.gaming_day)}
    rows = TableSession.objects.filter(table__casino=check.casino).select_related("table")
    kept = {row.id: row for row in rows.filter(Q(gaming_day=check.gaming_day) | Q(id__in=list(spans)))}
    for missing in spans.keys() - kept.keys():
        span = spans[missing]
        yield Found(
            "session_projection_missing", {}, stream=span.table.stream, seq=span.opened_seq, session=missing
        )
    for row in kept.values():
        session_reconcile(session_id=row.id)
