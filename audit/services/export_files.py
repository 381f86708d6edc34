"""Where the files of exports lie, and their removal: no path comes from anybody but the job's own row.

Below `PITLEDGER_EXPORTS` there are `jobs/<job>/`, what is kept for download, `work/<job>/`, parts of what is
being written, and `delivered/<folder>/`, what schedules were told to put there.
"""

import shutil
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from django.utils import timezone

from audit.exports.rounds import manifest_path, note_path
from audit.models import ExportJob, ExportStatus
from audit.selectors.exports import OVER
from config import env


def file_of(job: ExportJob) -> Path:
    """Where the job's file lies, or will; its manifest and note lie beside it."""
    return kept_folder(job.id) / job.file_name


def manifest_of(job: ExportJob) -> Path:
    """Where the manifest of the job's file lies."""
    return manifest_path(file_of(job))


def note_of(job: ExportJob) -> Path:
    """Where the signed note of that manifest lies."""
    return note_path(file_of(job))


def kept_folder(job_id: uuid.UUID) -> Path:
    """The folder of a job's files."""
    return env.exports_folder() / "jobs" / str(job_id)


def work_folder(job_id: uuid.UUID) -> Path:
    """The folder of the parts of a job's file."""
    return env.exports_folder() / "work" / str(job_id)


def files_remove(job_id: uuid.UUID) -> bool:
    """Remove whatever there is of a job; answers whether nothing is left."""
    return all([_removed(kept_folder(job_id)), _removed(work_folder(job_id))])


def exports_clean_up(*, now: datetime | None = None) -> int:
    """Remove the files that have expired, and folders no job has any use for; the rows stay.

    Args:
        now: the moment to judge by, the clock's when None.

    Returns:
        How many folders and expired files were removed.
    """
    moment = now or timezone.now()
    removed = 0
    rows = ExportJob.objects.filter(status=ExportStatus.DONE, removed_at=None, expires_at__lte=moment)
    for job in rows:
        if files_remove(job.id):
            ExportJob.objects.filter(id=job.id).update(removed_at=moment)
            removed += 1
    found = {name: set(_ids(env.exports_folder() / name)) for name in ("jobs", "work")}
    in_work = set(ExportJob.objects.exclude(OVER).values_list("id", flat=True))
    kept = in_work | set(
        ExportJob.objects.filter(status=ExportStatus.DONE, removed_at=None).values_list("id", flat=True)
    )
    orphans = [*map(kept_folder, found["jobs"] - kept), *map(work_folder, found["work"] - in_work)]
    return removed + sum(map(_removed, orphans))


def _ids(folder: Path) -> Iterator[uuid.UUID]:
    """The jobs folders are named after; what has another name is none of ours."""
    entries: Iterable[Path] = folder.iterdir() if folder.is_dir() else ()
    for entry in entries:
        try:
            named = uuid.UUID(entry.name)
        except ValueError:
            continue
        if str(named) == entry.name:
            yield named


def _removed(folder: Path) -> bool:
    """Remove a folder (never what a link leads to); whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
