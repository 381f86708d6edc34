"""Exports of each gaming day that nobody asks for: once per day and schedule, however often it runs."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from audit.exports.filters import FilterInvalid
from audit.models import ExportDestination, ExportForm, ExportJob, ExportKind, ExportSchedule
from audit.selectors.exports import schedule_record
from audit.services.export_destinations import checked_folder
from audit.services.export_jobs import file_name, round_filter
from audit.services.export_queue import TOPIC, check_schedule_room
from audit.services.saved_filters import checked_filter
from config import env
from config.errors import DomainError
from ledger.services import Posted
from tables.figures import gaming_day
from tables.models import Casino, ClosedDay, OutboxItem
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office

OPERATION = "export.schedule"
DAY = timedelta(days=1)


def schedule_make(*, casino_id: uuid.UUID, command: Command, **said: Any) -> Answer:
    """Have round histories exported of each gaming day from now on.

    Args:
        said: see `_content`.

    Raises:
        DomainError: `export_schedule_limit`, and those of `_content`.
    """

    def decide(casino: Casino) -> ExportSchedule:
        content, made_by = _content(casino, said), command.actor.staff_id
        check_schedule_room(casino)
        return ExportSchedule(casino=casino, made_by_id=made_by, made_at=timezone.now(), **content)

    return _act(casino_id, command, {"make": _plain(said)}, decide, status=201)


def schedule_change(
    *, casino_id: uuid.UUID, schedule_id: uuid.UUID, active: bool, command: Command, **said: Any
) -> Answer:
    """Change what a schedule says from the next gaming day on, or let it rest.

    Args:
        active: whether it runs; one that rested begins again with the day at hand.
        said: all of it anew, see `_content`.

    Raises:
        DomainError: `export_schedule_not_found` (404) and those of `_content`.
    """

    def decide(casino: Casino) -> ExportSchedule:
        schedule = _standing(casino, schedule_id)
        if active and not schedule.active:
            schedule.last_day = None
        schedule.active = active
        for name, value in _content(casino, said).items():
            setattr(schedule, name, value)
        return schedule

    request = {"change": str(schedule_id), "active": active, **_plain(said)}
    return _act(casino_id, command, request, decide)


def schedule_end(*, casino_id: uuid.UUID, schedule_id: uuid.UUID, command: Command) -> Answer:
    """End a schedule for good; what it has exported stays.

    Raises:
        DomainError: `export_schedule_not_found` (404).
    """

    def decide(casino: Casino) -> ExportSchedule:
        schedule = _standing(casino, schedule_id)
        schedule.active, schedule.ended_at = False, timezone.now()
        return schedule

    return _act(casino_id, command, {"end": str(schedule_id)}, decide)


def closing_schedules_run(*, day_id: uuid.UUID) -> int:
    """Ask for the exports that follow the closing of a gaming day; how many were new."""
    closed = ClosedDay.objects.select_related("casino").get(id=day_id)
    waiting = ExportSchedule.objects.filter(casino=closed.casino_id, active=True, hour=None)
    return sum(_run(schedule.id, closed.gaming_day, timezone.now()) for schedule in waiting)


def hourly_schedules_run(*, now: datetime | None = None) -> int:
    """Ask for the exports whose hour has come, and for those of days it was missed on; how many were new.

    Args:
        now: the moment to judge by, the clock's when None.
    """
    moment = now or timezone.now()
    waiting = ExportSchedule.objects.filter(active=True, hour__isnull=False).select_related("casino")
    return sum(
        _run(schedule.id, day, moment)
        for schedule in waiting.order_by("id")
        for day in _due(schedule, moment)
    )


def _due(schedule: ExportSchedule, now: datetime) -> Iterator[date]:
    """The gaming days whose export is due: from the one after the last to the one that ended last when the
    hour last struck on the casino's clock."""
    casino = schedule.casino
    local = now.astimezone(ZoneInfo(casino.time_zone))
    struck = local.replace(hour=schedule.hour or 0, minute=0, second=0, microsecond=0)
    if struck > local:
        struck -= DAY  # by the clock on the wall, as all that is done between two moments of one zone
    newest = gaming_day(struck, casino.time_zone, casino.rollover_hour) - DAY
    day = newest if schedule.last_day is None else schedule.last_day + DAY
    while day <= newest:
        yield day
        day += DAY


def _run(schedule_id: uuid.UUID, day: date, now: datetime) -> bool:
    """Ask for a schedule's export of a day, unless that was done; row and outbox item are one transaction."""
    with transaction.atomic():
        rows = ExportSchedule.objects.select_for_update(of=("self",)).select_related("casino")
        schedule = rows.get(id=schedule_id)
        if not schedule.active or schedule.jobs.filter(gaming_day=day).exists():
            return False
        bounds = {"gaming_day_from": day.isoformat(), "gaming_day_to": day.isoformat()}
        job = ExportJob(
            casino=schedule.casino,
            asked_by_id=schedule.made_by_id,
            asked_at=now,
            kind=ExportKind.ROUNDS,
            form=schedule.form,
            about=round_filter(schedule.casino, schedule.filter | bounds).as_dict,
            schedule=schedule,
            gaming_day=day,
        )
        job.file_name = file_name(job, day)
        job.save(force_insert=True)
        OutboxItem.objects.create(topic=TOPIC, subject=job.id)
        schedule.last_day, schedule.last_run_at = max(day, schedule.last_day or day), now
        schedule.save(update_fields=["last_day", "last_run_at"])
    return True


def _content(casino: Casino, said: Mapping[str, Any]) -> dict[str, Any]:
    """What a schedule says, checked.

    Args:
        said: `filter` (as `RoundFilter.as_dict` has it, without casino and gaming day), `form`, `hour` (of
            the casino's clock; None for when a day is closed), `destination` and `folder` below it.

    Raises:
        DomainError: `filter_invalid` (400), `export_form`, `schedule_hour`, `destination_outside`,
            `export_store_missing` (422).
    """
    for bound in ("gaming_day_from", "gaming_day_to"):
        if bound in said["filter"]:
            raise FilterInvalid(bound, "a schedule exports one gaming day at a time")
    if said["form"] == ExportForm.ZIP:
        raise DomainError("export_form", "A schedule exports round histories.", status=422)
    hour = said["hour"]
    if hour is not None and not 0 <= hour <= 23:
        raise DomainError("schedule_hour", "The hours of a day are 0 to 23.", status=422)
    if said["destination"] == ExportDestination.STORE and env.export_store() is None:
        raise DomainError("export_store_missing", "This installation has no object store.", status=422)
    return {
        "filter": checked_filter(casino.id, said["filter"]),
        "form": said["form"],
        "hour": hour,
        "destination": said["destination"],
        "folder": checked_folder(said["folder"]),
    }


def no_such_schedule() -> DomainError:
    """The refusal for a schedule that is not there, or was ended."""
    return DomainError("export_schedule_not_found", "There is no such schedule.", status=404)


def _standing(casino: Casino, schedule_id: uuid.UUID) -> ExportSchedule:
    rows = ExportSchedule.objects.select_for_update().filter(casino=casino, ended_at=None)
    schedule = rows.filter(id=schedule_id).first()
    if schedule is None:
        raise no_such_schedule()
    return schedule


def _act(
    casino_id: uuid.UUID,
    command: Command,
    request: Mapping[str, Any],
    decide: Callable[[Casino], ExportSchedule],
    *,
    status: int = 200,
) -> Answer:
    """One act on a schedule: an entry in the office's stream with all it says, and the row."""

    def work(casino: Casino) -> Effect:
        schedule = decide(casino)
        record = schedule_record(schedule)

        def write(posted: Posted) -> None:
            schedule.save()

        return Effect(
            kind=OPERATION,
            payload={"schedule": record["id"], "ended": schedule.ended_at is not None}
            | {name: record[name] for name in ("filter", "form", "hour", "destination", "folder", "active")},
            write=write,
            body=lambda: {"schedule": record},
            status=status,
        )

    return execute(OPERATION, command, request, lock_office, casino_id, work)


def _plain(said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said as plain JSON values, for the fingerprint."""
    return {name: str(value) if isinstance(value, str) else value for name, value in said.items()}
