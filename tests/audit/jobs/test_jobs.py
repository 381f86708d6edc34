"""Exports that are asked for: written once, by one, whoever is killed; called off; removed."""

import csv
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from audit.bundle.scope import Scope
from audit.bundle.write import bundle_write
from audit.exports.filters import RoundFilter
from audit.exports.rounds import manifest_path, rounds_export
from audit.models import ExportJob, ExportKind, ExportStatus, Finding
from audit.services import export_work
from audit.services.export_files import (
    exports_clean_up,
    file_of,
    kept_folder,
    manifest_of,
    note_of,
    work_folder,
)
from audit.services.export_queue import export_next
from audit.verify import container
from audit.verify.manifest import MEMBERS
from audit.writing.errors import ExportBusy
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.store import last_checkpoint
from ledger.models import Entry
from tables.models import Role
from tests import floor
from tests.audit.jobs.conftest import Played, asked, cancel, item_of, perform, stands
from tests.audit.test_celery import kill, wait_until
from tests.audit.verify.made import members_of

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.django_db(transaction=True)]


def cancel_meanwhile(house: floor.House, job: ExportJob) -> None:
    """Call an export off, on a connection of its own."""

    def run() -> None:
        cancel(house, job)
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def test_an_export_is_written_by_a_worker_and_the_journal_says_who_asked(played: Played) -> None:
    job = asked(played.house, table="rd-1", stake_min=1000)
    assert (stands(job), job.size) == ((ExportStatus.QUEUED, ""), None)
    entry = Entry.objects.get(stream__name=played.house.casino.stream, kind="export.ask")
    assert (entry.actor, str(job.id) in entry.payload) == (played.house.staff[Role.AUDITOR].id, True)
    assert perform(job)
    assert stands(job) == (ExportStatus.DONE, "")
    path = file_of(job)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["round"], row["seat"], row["net"]) for row in rows] == [
        ("1", "1", "2000"),
        ("1", "2", "2500"),
        ("1", "1", "-1000"),
        ("1", "2", "-2500"),
    ]
    assert job.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert job.size == path.stat().st_size
    assert (job.progress_done, job.progress_total) == (3, 3)
    assert manifest_of(job).is_file()
    assert played.house.staff[Role.AUDITOR].badge in note_of(job).read_text()
    assert not work_folder(job.id).exists()
    assert path.stat().st_mode & 0o077 == 0
    before = path.stat().st_mtime_ns
    assert not perform(job), "what is done is not done again"
    assert path.stat().st_mtime_ns == before


def test_a_bundle_is_a_job_like_any_other(played: Played) -> None:
    job = asked(played.house, ExportKind.BUNDLE, "zip", session=str(played.sessions[0].id))
    assert perform(job)
    assert container.decode(file_of(job).read_bytes(), MEMBERS)[1] == []
    assert job.sha256 == hashlib.sha256(file_of(job).read_bytes()).hexdigest()
    assert (stands(job)[0], job.progress_done > 1) == (ExportStatus.DONE, True)
    assert job.progress_done == job.progress_total
    earlier, session = last_checkpoint(), str(played.sessions[1].id)
    assert earlier is not None
    cancel(played.house, asked(played.house))  # an entry, so that there is another checkpoint
    whole = asked(played.house, ExportKind.BUNDLE, "zip", session=session, whole=True, since=earlier.size)
    assert perform(whole)
    members = members_of(file_of(whole).read_bytes())
    scope = json.loads(members["manifest.json"])["scope"]
    assert scope == {"kind": "session", "whole": True, "session": session}
    (line,) = members["consistency.jsonl"].splitlines()
    assert json.loads(line)["note"] == earlier.note
    nothing = asked(played.house, ExportKind.BUNDLE, "zip", gaming_day="2001-01-01")
    assert perform(nothing), "that there is nothing is an answer, and no use trying again"
    assert stands(nothing) == (ExportStatus.FAILED, "nothing_to_bundle")
    assert item_of(nothing).done_at is not None
    with floor.refused(played.house, "export_over"):
        cancel(played.house, nothing)


def test_of_two_performers_at_once_one_leaves_it_alone(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And another export waits, so that the other workers are left to what watches the floor."""
    job, other, begun, go_on = asked(played.house), asked(played.house), threading.Event(), threading.Event()
    results: list[bool] = []

    def slowly(**options: Any) -> Any:
        begun.set()
        assert go_on.wait(60)
        return rounds_export(**options)

    def run() -> None:
        results.append(perform(ExportJob.objects.get(id=job.id)))
        connection.close()

    monkeypatch.setattr(export_work, "rounds_export", slowly)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert begun.wait(60)
        assert stands(job) == (ExportStatus.RUNNING, "")
        assert not perform(job)
        assert stands(job) == (ExportStatus.RUNNING, "")
        assert not perform(other)
        assert stands(other) == (ExportStatus.QUEUED, "")
        assert export_next() is None, "none is handed out while one is written"
        assert not Finding.objects.filter(casino=played.house.casino, code="work_failed").exists()
    finally:
        go_on.set()
        thread.join()
    assert results == [True]
    assert stands(job) == (ExportStatus.DONE, "")
    assert perform(other)


def test_an_export_called_off_in_the_middle_leaves_nothing(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = asked(played.house)

    def called_off(*, progress: Callable[[int, int], None], **options: Any) -> Any:
        def tell(done: int, total: int) -> None:
            progress(done, total)
            if done:
                cancel_meanwhile(played.house, job)

        return rounds_export(progress=tell, **options)

    monkeypatch.setattr(export_work, "TELL_EVERY_SECONDS", 0.0)
    monkeypatch.setattr(export_work, "rounds_export", called_off)
    assert perform(job)
    assert stands(job) == (ExportStatus.CANCELLED, "")
    assert job.finished_at is not None
    assert item_of(job).done_at is not None
    assert not kept_folder(job.id).exists()
    assert not work_folder(job.id).exists()
    with floor.refused(played.house, "export_over"):
        cancel(played.house, job)
    stranger = floor.make_house()
    with floor.refused(stranger, "export_not_found"):
        cancel(stranger, job)


def test_an_export_called_off_when_all_of_it_is_written_says_nothing_of_a_file(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer looked for the last time before."""
    job = asked(played.house)

    def written(**options: Any) -> Any:
        done = rounds_export(**options)
        cancel_meanwhile(played.house, job)
        return done

    monkeypatch.setattr(export_work, "rounds_export", written)
    assert perform(job)
    assert stands(job) == (ExportStatus.CANCELLED, "")
    assert (job.size, job.sha256) == (None, "")
    assert not kept_folder(job.id).exists()


@pytest.mark.parametrize("at", ["read", "judged"])
def test_a_bundle_called_off_in_the_middle_leaves_nothing(
    played: Played, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    job, seen = asked(played.house, ExportKind.BUNDLE, "zip", session=str(played.sessions[0].id)), list[int]()

    def called_off(scope: Scope, *, progress: Callable[[int, int], None], **options: Any) -> Any:
        def tell(done: int, total: int) -> None:
            seen.append(done)
            if done > (total // 2 if at == "judged" else 0):
                cancel_meanwhile(played.house, job)
            progress(done, total)

        return bundle_write(scope, progress=tell, **options)

    monkeypatch.setattr(export_work, "TELL_EVERY_SECONDS", 0.0)
    monkeypatch.setattr("audit.bundle.write.ENTRIES_BETWEEN_LOOKS", 4)
    monkeypatch.setattr(export_work, "bundle_write", called_off)
    assert perform(job)
    assert stands(job) == (ExportStatus.CANCELLED, "")
    assert len(seen) == len(set(seen)) > 1 if at == "read" else len(seen) > 4
    assert not kept_folder(job.id).exists()


def test_a_bundle_whose_performer_was_killed_is_begun_again(played: Played, tmp_path: Path) -> None:
    """What such a one leaves: a job that runs, and half a file under another name, which nobody holds."""
    job = asked(played.house, ExportKind.BUNDLE, "zip", table=str(played.table.id))
    ExportJob.objects.filter(id=job.id).update(status=ExportStatus.RUNNING, started_at=timezone.now())
    env.private_folder(kept_folder(job.id))
    draft = file_of(job).with_name(f".{job.file_name}.draft")
    draft.write_bytes(b"half a file, and longer than the whole one" * 10_000)
    with draft.open("r+b") as another:
        fcntl.flock(another, fcntl.LOCK_EX)
        with pytest.raises(ExportBusy):
            export_work.export_perform(job_id=job.id)
        assert stands(job) == (ExportStatus.FAILED, "export_busy")
        assert draft.stat().st_size == 420_000
    assert perform(job)
    assert [path.name for path in kept_folder(job.id).iterdir()] == [job.file_name]
    checkpoint, fresh = last_checkpoint(), tmp_path / "fresh.zip"
    assert checkpoint is not None
    scope = Scope(played.house.casino, played.table)
    bundle_write(scope, checkpoint=checkpoint, keys=KeyStore(env.home()), path=fresh)
    assert fresh.read_bytes() == file_of(job).read_bytes()


def test_an_export_called_off_before_it_began_is_never_written(played: Played) -> None:
    job = asked(played.house)
    cancel(played.house, job)
    assert perform(job)
    assert (stands(job), job.started_at) == ((ExportStatus.CANCELLED, ""), None)
    assert not env.exports_folder().exists()


def test_what_keeps_it_from_being_written_is_seen_and_tried_again(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = asked(played.house)
    env.private_folder(env.exports_folder().parent)
    env.exports_folder().write_text("a file where the folder should be")
    with pytest.raises(OSError):
        perform(job)
    assert stands(job) == (ExportStatus.FAILED, "export_failed")
    assert item_of(job).done_at is None, "it is handed out again"
    assert Finding.objects.get(casino=played.house.casino, code="work_failed").counter == 1
    env.exports_folder().unlink()
    assert perform(job)
    assert stands(job) == (ExportStatus.DONE, "")


PERFORMER = """
import sys, time, uuid
import django
django.setup()
from audit.services import export_work
tell = export_work._Telling.progress
def progress(self, done, total):
    tell(self, done, total)
    if done == total:  # the first day's part is whole, the second's not yet
        print("half-way", flush=True)
        time.sleep(600)
export_work._Telling.progress = progress
export_work.TELL_EVERY_SECONDS = 0.0
export_work.export_perform(job_id=uuid.UUID(sys.argv[1]))
"""


def test_a_performer_killed_in_the_middle_is_followed_by_one_that_goes_on(
    played: Played, tmp_path: Path
) -> None:
    job = asked(played.house)
    environ = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    process = subprocess.Popen(
        [sys.executable, "-c", PERFORMER, str(job.id)],
        env=environ,
        cwd=env.BASE_DIR,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half-way\n"
        assert not perform(job), "it lives, and holds the work"
        assert (stands(job)[0], job.progress_done, job.progress_total) == (ExportStatus.RUNNING, 3, 3)
    finally:
        kill(process)
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    (part,) = work_folder(job.id).glob("*.tally")
    written = part.stat().st_ino, part.stat().st_mtime_ns
    seen: list[tuple[int, int]] = []
    wait_until(lambda: _performed(job, part, seen), "the lock of the killed one is gone")
    assert stands(job) == (ExportStatus.DONE, "")
    assert set(seen) == {written}, "the part that was whole was not written again"
    fresh = tmp_path / "fresh.csv"
    assert rounds_export(filter=RoundFilter.from_dict(job.about), form="csv", path=fresh).rows == 5
    for path, other in ((file_of(job), fresh), (manifest_of(job), manifest_path(fresh))):
        assert path.read_bytes() == other.read_bytes(), "as if nobody had been killed"


def _performed(job: ExportJob, part: Path, seen: list[tuple[int, int]]) -> bool:
    """Perform it if it can be had, and look at the part while it is joined."""
    tell = export_work._Telling.progress

    def progress(self: Any, done: int, total: int) -> None:
        tell(self, done, total)
        seen.append((part.stat().st_ino, part.stat().st_mtime_ns))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_work._Telling, "progress", progress)
        return perform(job)


def test_files_expire_rows_stay_and_folders_of_nobody_go(played: Played) -> None:
    job, waiting = asked(played.house), asked(played.house)
    assert perform(job)
    kept, orphan, foreign = (
        kept_folder(job.id),
        kept_folder(uuid.uuid4()),
        env.exports_folder() / "jobs" / "notes",
    )
    for folder in (orphan, foreign, work_folder(job.id), work_folder(waiting.id), work_folder(uuid.uuid4())):
        env.private_folder(folder)
        (folder / "part").write_text("x")
    outside = env.private_folder(env.exports_folder().parent / "outside")
    (link := kept_folder(uuid.uuid4())).symlink_to(outside)
    exports_clean_up()
    assert sorted(path.name for path in kept.parent.iterdir()) == sorted([kept.name, "notes", link.name])
    assert [path.name for path in work_folder(job.id).parent.iterdir()] == [str(waiting.id)]
    assert outside.is_dir(), "what a link leads to is not ours"
    job.refresh_from_db()
    assert (file_of(job).is_file(), job.removed_at) == (True, None)
    later = timezone.now() + timedelta(days=8)
    exports_clean_up(now=later)
    job.refresh_from_db()
    assert (kept.exists(), job.removed_at, stands(job)) == (False, later, (ExportStatus.DONE, ""))
    assert exports_clean_up(now=later) == 0
    assert work_folder(waiting.id).is_dir(), "what is still to be done keeps its parts"
