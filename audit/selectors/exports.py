"""Exports as those who asked for them read them: what of, how far, and the file's digest."""

import uuid
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from audit.models import ExportJob, ExportSchedule, ExportStatus, SavedFilter

# What is tried again is no use trying: these errors are the request's own.
FINAL_ERRORS = frozenset({"nothing_to_bundle", "filter_invalid"})
OVER = Q(status__in=[ExportStatus.DONE, ExportStatus.CANCELLED]) | Q(
    status=ExportStatus.FAILED, error__in=FINAL_ERRORS
)


def jobs_of(*, casino_id: uuid.UUID | None, status: str | None = None) -> QuerySet[ExportJob]:
    """The exports of a casino, those of one status where given."""
    rows = ExportJob.objects.filter(casino=casino_id)
    return rows if status is None else rows.filter(status=status)


def is_over(job: ExportJob) -> bool:
    """Whether nothing more is done for it (see `OVER`)."""
    done = job.status in (ExportStatus.DONE, ExportStatus.CANCELLED)
    return done or (job.status == ExportStatus.FAILED and job.error in FINAL_ERRORS)


def job_record(job: ExportJob) -> dict[str, Any]:
    """An export as plain JSON values; people by their ids."""
    return {
        "id": str(job.id),
        "asked_by": str(job.asked_by_id),
        "asked_at": job.asked_at.isoformat(),
        "kind": str(job.kind),
        "about": job.about,
        "form": str(job.form),
        "schedule": job.schedule_id and str(job.schedule_id),
        "gaming_day": job.gaming_day and job.gaming_day.isoformat(),
        "status": str(job.status),
        "error": job.error,
        "progress": {"done": job.progress_done, "total": job.progress_total},
        "started_at": _time(job.started_at),
        "finished_at": _time(job.finished_at),
        "file": _file(job),
        "expires_at": _time(job.expires_at),
        "removed_at": _time(job.removed_at),
    }


def _file(job: ExportJob) -> dict[str, Any] | None:
    """The file, once it is whole."""
    if job.size is None:
        return None
    return {"name": job.file_name, "size": job.size, "sha256": job.sha256}


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def schedules_of(*, casino_id: uuid.UUID | None) -> QuerySet[ExportSchedule]:
    """The schedules of a casino that were not ended."""
    return ExportSchedule.objects.filter(casino=casino_id, ended_at=None)


def schedule_record(schedule: ExportSchedule) -> dict[str, Any]:
    """A schedule as plain JSON values."""
    return {
        "id": str(schedule.id),
        "made_by": str(schedule.made_by_id),
        "made_at": schedule.made_at.isoformat(),
        "filter": schedule.filter,
        "form": str(schedule.form),
        "hour": schedule.hour,
        "destination": str(schedule.destination),
        "folder": schedule.folder,
        "active": schedule.active,
        "last_day": schedule.last_day and schedule.last_day.isoformat(),
        "last_run_at": _time(schedule.last_run_at),
    }


def saved_filters_of(*, staff_id: uuid.UUID) -> QuerySet[SavedFilter]:
    """The filters somebody keeps."""
    return SavedFilter.objects.filter(staff=staff_id)


def saved_filter_record(kept: SavedFilter) -> dict[str, Any]:
    """A kept filter as plain JSON values."""
    return {"name": kept.name, "filter": kept.filter, "saved_at": kept.saved_at.isoformat()}
