"""Writing what was asked for: one performer at a time, killed anywhere, resumed by the next.

It runs outside the transaction that marks the outbox item as done. The performer holds that item's row on a
connection of its own: while it lives no sweep hands the item out again and a second performer leaves it
alone, and when it is killed the lock is gone with it. How far it is, and whether it was called off, goes
over another connection still, because the rows themselves are read in one long transaction.

One export is written at a time, whichever it is: long ones must not take all workers from what watches the
floor. Which is next is `export_queue`'s to say.
"""

import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import cast

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from audit.bundle.scope import NothingToBundle
from audit.bundle.write import bundle_write
from audit.exports.filters import RoundFilter
from audit.exports.rounds import ExportCancelled, Form, rounds_export
from audit.models import ExportJob, ExportKind, ExportStatus
from audit.selectors.exports import OVER, is_over
from audit.services.checkpoints import journal_seal
from audit.services.closing import NotYet
from audit.services.export_destinations import deliver
from audit.services.export_files import file_of, files_remove, work_folder
from audit.services.export_jobs import bundle_asked
from audit.services.export_queue import ONE_AT_A_TIME, TOPIC
from config import env
from config.errors import DomainError
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.store import last_checkpoint

TELL_EVERY_SECONDS = 1.0
_HOLD = """
    SELECT id FROM tables_outboxitem
     WHERE topic = %s AND subject = %s AND done_at IS NULL
       FOR UPDATE SKIP LOCKED
"""
_TELL = """
    UPDATE audit_exportjob SET progress_done = %s, progress_total = greatest(%s::bigint, %s)
     WHERE id = %s AND status = 'running'
"""


def export_perform(*, job_id: uuid.UUID) -> None:
    """Write a job's file and deliver it where a schedule says so; must not run inside a transaction.

    Safe to run again and at once: what is done is left alone, what another performs is not touched, and
    what a killed one left half-way is gone on with.

    Raises:
        NotYet: somebody else is at it.
        Exception: whatever kept it from being written or delivered; the job says why, and is tried again.
    """
    with _sole_performer(job_id) as telling:
        job = _begun(job_id)
        try:
            if job is not None:
                _written_and_delivered(job, telling)
        except ExportCancelled:
            pass
        except Exception as refusal:
            _failed(job_id, _code_of(refusal))
            if not _is_over(job_id):
                raise
        finally:
            if ExportJob.objects.filter(id=job_id, status=ExportStatus.CANCELLED).exists():
                files_remove(job_id)


def _code_of(refusal: Exception) -> str:
    """Why an export failed, as a code."""
    if isinstance(refusal, NothingToBundle):
        return "nothing_to_bundle"
    return refusal.code if isinstance(refusal, DomainError) else "export_failed"


def export_performed(*, job_id: uuid.UUID) -> None:
    """See that nothing more is to be done for a job.

    Raises:
        NotYet: it failed, and is to be tried again.
    """
    if not _is_over(job_id):
        raise NotYet


def _is_over(job_id: uuid.UUID) -> bool:
    return is_over(ExportJob.objects.get(id=job_id))


@contextmanager
def _sole_performer(job_id: uuid.UUID) -> Iterator["_Telling"]:
    """Hold the job's outbox item on a connection of its own, and have another one to tell of the work."""
    with closing(connections.create_connection("default")) as holding:
        holding.set_autocommit(False)
        with holding.cursor() as cursor:
            cursor.execute(_HOLD, [TOPIC, job_id])
            if cursor.fetchone() is None:
                raise NotYet
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [ONE_AT_A_TIME])
            if not cursor.fetchone()[0]:
                raise NotYet
        with closing(connections.create_connection("default")) as line:
            yield _Telling(holding, line, job_id)


class _Telling:
    """Says how far the work is and learns whether it was called off, now and then."""

    def __init__(self, holding: BaseDatabaseWrapper, line: BaseDatabaseWrapper, job_id: uuid.UUID) -> None:
        self._holding, self._line, self._job_id = holding, line, job_id
        self._done, self._total = 0, 0
        self._last = 0.0
        self._stopped = False

    def progress(self, done: int, total: int) -> None:
        """So many of so many are written."""
        self._done, self._total = done, total
        self._tell_when_due()

    def cancelled(self) -> bool:
        """Whether somebody called it off."""
        self._tell_when_due()
        return self._stopped

    def _tell_when_due(self) -> None:
        if not self._stopped and time.monotonic() >= self._last + TELL_EVERY_SECONDS:
            self.tell()

    def tell(self) -> None:
        """Say it now; and fail where what is held got lost, for another may be at it by then."""
        self._last = time.monotonic()
        with self._holding.cursor() as cursor:
            cursor.execute("SELECT 1")
        with self._line.cursor() as cursor:
            cursor.execute(_TELL, [self._done, self._total, self._done, self._job_id])
            self._stopped = cursor.rowcount == 0


def _begun(job_id: uuid.UUID) -> ExportJob | None:
    """The job, running; None when there is nothing to do for it any more."""
    ExportJob.objects.filter(id=job_id).exclude(OVER).update(
        status=ExportStatus.RUNNING, started_at=Coalesce("started_at", Now()), finished_at=None, error=""
    )
    job = ExportJob.objects.select_related("casino", "schedule", "asked_by").get(id=job_id)
    return job if job.status == ExportStatus.RUNNING else None


def _written_and_delivered(job: ExportJob, telling: _Telling) -> None:
    if not (job.sha256 and file_of(job).is_file()):
        _write(job, telling)
    if job.schedule is not None:
        deliver(job)
    now = timezone.now()
    running = ExportJob.objects.filter(id=job.id, status=ExportStatus.RUNNING)
    running.update(
        status=ExportStatus.DONE,
        finished_at=now,
        expires_at=now + timedelta(days=settings.EXPORT_KEEP_DAYS),
    )


def _write(job: ExportJob, telling: _Telling) -> None:
    """Write the job's file, of what is sealed by then, and keep its size and digest.

    Raises:
        ExportCancelled: somebody called it off.
    """
    env.private_folder(file_of(job).parent)
    journal_seal()
    write = _write_bundle if job.kind == ExportKind.BUNDLE else _write_rounds
    size, digest = write(job, telling)
    telling.tell()
    running = ExportJob.objects.filter(id=job.id, status=ExportStatus.RUNNING)
    if not running.update(size=size, sha256=digest):
        raise ExportCancelled  # it was called off when all of it was written: nothing of it is delivered
    job.size, job.sha256 = size, digest


def _write_rounds(job: ExportJob, telling: _Telling) -> tuple[int, str]:
    """Round histories; size and digest of the file."""
    work = work_folder(job.id)
    env.private_folder(work.parent)
    done = rounds_export(
        filter=RoundFilter.from_dict(job.about),
        form=cast(Form, job.form),
        path=file_of(job),
        progress=telling.progress,
        cancelled=telling.cancelled,
        work=work,
        asked_by=job.asked_by.badge,
    )
    return done.size, done.sha256


def _write_bundle(job: ExportJob, telling: _Telling) -> tuple[int, str]:
    """The bundle of what was asked for, cut at the last checkpoint; size and digest of the file."""
    checkpoint = last_checkpoint()
    if checkpoint is None:
        raise NothingToBundle("nothing is sealed")
    asked = bundle_asked(job.casino, job.about)
    done = bundle_write(
        asked.scope,
        checkpoint=checkpoint,
        keys=KeyStore(env.home()),
        path=file_of(job),
        since=asked.since,
        progress=telling.progress,
        cancelled=telling.cancelled,
    )
    return done.size, done.sha256


def _failed(job_id: uuid.UUID, code: str) -> None:
    """Say on the job why it is not done; one that was called off meanwhile stays so."""
    running = ExportJob.objects.filter(id=job_id, status=ExportStatus.RUNNING)
    running.update(status=ExportStatus.FAILED, finished_at=timezone.now(), error=code)
