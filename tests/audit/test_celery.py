"""The work behind the floor with real processes: a broker that was down, a worker that was killed."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from audit.exports.filters import RoundFilter
from audit.exports.scope import parts_of
from audit.models import ExportForm, ExportJob, ExportKind, Finding, SessionReconciliation
from audit.services.export_jobs import export_ask
from config import env
from config.embedded.redis import find_redis
from tables.models import OutboxItem, Role
from tests import floor
from tests.audit import support

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.django_db(transaction=True)]

PATIENCE_SECONDS = 300.0
CELERY = [sys.executable, "-m", "celery", "-A", "config.celery"]


def wait_until(condition: Callable[[], Any], what: str) -> None:
    """Wait for something other processes do."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE_SECONDS} s: {what}"
        time.sleep(0.05)


class Processes:
    """A broker, workers and a beat of a test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "r.sock"
        self.stack = ExitStack()
        self.logs: dict[str, Path] = {}
        self.environ = os.environ | {
            "REDIS_URL": f"unix://:secret%2F1@{self.socket}?db=0",
            "PITLEDGER_SEND_AGAIN_SECONDS": "1",
            "PITLEDGER_CHECKPOINTS": str(folder / "checkpoints"),
            "PITLEDGER_EXPORTS": str(folder / "exports"),
        }

    def start(self, name: str, command: list[str]) -> "subprocess.Popen[bytes]":
        """Start a process in a group of its own, its output in a log."""
        self.logs[name] = self.folder / f"{name}.log"
        with self.logs[name].open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=env.BASE_DIR,
                env=self.environ,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.stack.callback(kill, process)
        return process

    def redis(self) -> "subprocess.Popen[bytes]":
        """Start the broker and wait until it listens."""
        binary = find_redis()
        assert binary is not None, "the tests' requirements bring a redis-server"
        options = ["--port", "0", "--unixsocket", str(self.socket), "--requirepass", "secret/1"]
        broker = self.start("redis", [str(binary), *options, "--save", "", "--dir", str(self.folder)])
        wait_until(self.socket.exists, "the broker listens")
        return broker

    def worker(self) -> "subprocess.Popen[bytes]":
        """Start a worker."""
        quiet = ["--without-gossip", "--without-mingle", "--loglevel", "INFO"]
        return self.start("worker", [*CELERY, "worker", "-c", "2", *quiet])

    def looked_after(self, worker: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes]":
        """The worker, or another in its place if it has ended, as whatever runs workers does.

        Celery 5.7 ends now and then when the broker goes away over a message not acknowledged yet.
        """
        return worker if worker.poll() is None else self.worker()

    def beat(self) -> "subprocess.Popen[bytes]":
        """Start beat."""
        return self.start("beat", [*CELERY, "beat", "--pidfile", "", "--loglevel", "INFO"])

    def said(self, name: str, text: str) -> bool:
        """Whether a process has written `text`."""
        return text in self.logs[name].read_text(errors="replace")


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill -9 a process we started with all its children, and collect it."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """Processes that are gone when the test is."""
    made = Processes(tmp_path)
    with made.stack:
        yield made


def closed_short() -> tuple[floor.House, uuid.UUID]:
    """A session that was closed 100 short; its reconciliation waits in the outbox."""
    house = floor.make_house()
    floor.stock_cage(house)
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.close(house, table, session_id, off=-100)
    return house, session_id


def item_of(session_id: uuid.UUID) -> OutboxItem:
    return OutboxItem.objects.get(subject=session_id)


def asked(house: floor.House, form: ExportForm) -> str:
    """The id of an export the auditor has asked for."""
    answer = export_ask(
        casino_id=house.casino.id,
        kind=ExportKind.ROUNDS,
        form=form,
        about={},
        command=support.at_desk(house, Role.AUDITOR),
    )
    return str(answer.body["export"]["id"])


def status(export: str) -> str:
    """Where an export stands."""
    return ExportJob.objects.get(id=export).status


@contextmanager
def standing_still(exports: Path, export: str) -> Iterator[None]:
    """Whoever writes an export comes to a part that will not be read, a pipe nobody writes to."""
    job = ExportJob.objects.get(id=export)
    (part,) = parts_of(RoundFilter.from_dict(job.about), None, kind="guarded")
    pipe = exports / "work" / export / f"{part.name}.tally"
    pipe.parent.mkdir(mode=0o700, parents=True)
    os.mkfifo(pipe)
    try:
        yield
    finally:
        writer = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # whoever reads goes on, if anybody does
        pipe.unlink()
        os.close(writer)


def test_a_broker_that_was_down_and_workers_that_were_killed_delay_the_work_and_lose_none(
    processes: Processes,
) -> None:
    house, session_id = closed_short()
    export = asked(house, ExportForm.PARQUET)
    worker, beat = processes.worker(), processes.beat()
    wait_until(lambda: processes.said("beat", "beat: Starting"), "beat runs")
    wait_until(lambda: processes.said("worker", "Cannot connect"), "the worker misses its broker")
    assert (item_of(session_id).sent_at, item_of(session_id).done_at) == (None, None)
    broker = processes.redis()
    wait_until(lambda: item_of(session_id).done_at, "the sweep hands out what waited")
    assert SessionReconciliation.objects.get(session=session_id).tray == -100
    assert support.codes(house) == ["tray_difference"]
    wait_until(lambda: status(export) == "done", "what was asked for is exported")
    assert list((processes.folder / "exports" / "jobs" / export).glob("*.parquet"))
    kill(broker)  # down again, in the middle of everything, and with all it held
    processes.socket.unlink()
    worker = an_export_that_stands_still_holds_nothing_up(processes, worker, house, session_id)
    killed_in_the_middle_they_leave_nothing_half_done(processes, worker, beat)


def an_export_that_stands_still_holds_nothing_up(
    processes: Processes, worker: "subprocess.Popen[bytes]", house: floor.House, session_id: uuid.UUID
) -> "subprocess.Popen[bytes]":
    """The broker is back; an export leaves a process to what watches the floor. Answers the worker."""
    stuck = asked(house, ExportForm.CSV)

    def begun() -> bool:
        nonlocal worker
        worker = processes.looked_after(worker)
        return status(stuck) == "running"

    with standing_still(processes.folder / "exports", stuck):
        processes.redis()
        wait_until(begun, "an export has begun, and will not end")
        support.count_drop(house, session_id)
        wait_until(
            lambda: OutboxItem.objects.filter(subject=session_id, done_at=None).count() == 0,
            "what was queued meanwhile is done",
        )
        assert SessionReconciliation.objects.get(session=session_id).unexplained == -100
        assert status(stuck) == "running"
    wait_until(lambda: status(stuck) == "done", "and it is written when it can be")
    return worker


def killed_in_the_middle_they_leave_nothing_half_done(
    processes: Processes, worker: "subprocess.Popen[bytes]", beat: "subprocess.Popen[bytes]"
) -> None:
    """Of another session, whose work others do after them; these stop when they are asked to."""
    with held() as holder:
        house, session_id = closed_short()
        wait_until(lambda: somebody_waits_for(holder), "the job has recorded its finding and wants to write")
        kill(worker)
        kill(beat)
    assert item_of(session_id).done_at is None
    assert not SessionReconciliation.objects.filter(session=session_id).exists()
    assert not Finding.objects.filter(casino=house.casino, code="tray_difference").exists()
    others = processes.worker(), processes.beat()
    wait_until(lambda: item_of(session_id).done_at, "the sweep hands it out again")
    assert SessionReconciliation.objects.get(session=session_id).tray == -100
    assert Finding.objects.get(casino=house.casino, code="tray_difference").counter == 1
    for process in others:
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0


@contextmanager
def held() -> Iterator[int]:
    """Hold the table a reconciliation is written to, so that the job stands still in the middle.

    Gives the server's process that holds it, for a connection of its own.
    """
    with psycopg.connect(os.environ["DATABASE_URL"]) as holder:
        holder.execute("LOCK TABLE audit_sessionreconciliation IN SHARE MODE")
        yield holder.info.backend_pid


def somebody_waits_for(holder: int) -> bool:
    """Whether a transaction waits for what this server's process holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND %s = ANY(pg_blocking_pids(pid))", [holder]
        )
        return bool(cursor.fetchone()[0])
