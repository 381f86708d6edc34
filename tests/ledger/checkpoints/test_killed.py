"""Sealers that are killed, run at once, or meet people who post: nothing is lost, forked or blocked."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from django.db import connection

from config.env import BASE_DIR
from ledger.checkpoints.store import seal_state
from ledger.errors import SealerBusy
from ledger.models import Checkpoint, Entry
from ledger.verify_journal import verify_journal
from tests.ledger.checkpoints.sealers import KILLED
from tests.ledger.checkpoints.support import Sealer, assert_whole, picture
from tests.ledger.support import DEALER, filled_stream, post

STEPS = {
    "locked": False,
    "read": False,
    "computed": False,
    "signed": False,
    "stored": False,
    "committed": True,
    "locked:2": True,
    "read:2": True,
    "committed:2": True,
    "file_written": True,
    "published": True,
    "committed:3": True,
}
"""Every step of a run that seals one checkpoint, and whether it is in the database after it."""


class Sealers:
    """Processes that seal on demand."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def start(self, *, sealers: int = 1, times: int = 1, step: str = "") -> None:
        """Let sealers go; the first is killed after a step, if one is named."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"sealers": sealers, "times": times, "step": step}) + "\n")
        self._process.stdin.flush()

    def codes(self) -> list[int]:
        """Their exit codes, once all have ended."""
        assert self._process.stdout is not None
        codes: list[int] = json.loads(self._process.stdout.readline())
        return codes


@pytest.fixture(scope="module")
def _process(_journal: object) -> Iterator["subprocess.Popen[str]"]:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "PITLEDGER_HOME": str(_journal)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.checkpoints.sealers"],
        cwd=BASE_DIR,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.communicate()
    assert process.returncode == 0


@pytest.fixture
def sealers(_process: "subprocess.Popen[str]") -> Sealers:
    """Sealers of the tests' journal, in processes of their own."""
    return Sealers(_process)


@pytest.mark.parametrize("step", STEPS)
def test_killed_after_any_step_the_next_run_completes_it(sealer: Sealer, sealers: Sealers, step: str) -> None:
    sealer.seal()
    before = picture()
    stream = filled_stream()
    sealers.start(step=step)
    assert sealers.codes() == [KILLED]
    stored = picture()
    assert (stored != before) == STEPS[step]
    assert stored["checkpoints"][: len(before["checkpoints"])] == before["checkpoints"]
    post(stream, ("cage", "tray", 1))
    sealers.start()
    assert sealers.codes() == [0]
    assert picture()["checkpoints"][: len(stored["checkpoints"])] == stored["checkpoints"]
    assert_whole(sealer)


def test_the_steps_are_all_there_are(sealer: Sealer) -> None:
    sealer.seal()
    filled_stream()
    taken: list[str] = []
    sealer.seal(step=taken.append)
    numbered = [f"{name}:{taken[: at + 1].count(name)}".removesuffix(":1") for at, name in enumerate(taken)]
    assert {*STEPS} == {*numbered} - {"locked:3"}, "the last one locks to publish, and holds nothing yet"


def test_four_sealers_at_once_while_people_post(sealer: Sealer, sealers: Sealers) -> None:
    """One tree, in one line, whoever wins; and posting goes on meanwhile."""
    sealer.seal()
    streams = [filled_stream() for _ in range(3)]
    before = Checkpoint.objects.count()
    sealers.start(sealers=4, times=5)
    for _ in range(10):
        for stream in streams:
            post(stream, ("cage", "tray", 1))
    assert sealers.codes() == [0] * 4
    sealer.seal()
    assert_whole(sealer)
    assert Checkpoint.objects.count() > before
    assert [verify_journal(stream=stream).findings for stream in streams] == [[]] * 3


def test_one_of_two_sealers_is_killed_and_the_other_seals_all_the_same(
    sealer: Sealer, sealers: Sealers
) -> None:
    """At every step, while people post; whichever of the two came first."""
    sealer.seal()
    stream = filled_stream()
    for step in STEPS:
        sealers.start(sealers=2, step=step)
        for _ in range(3):
            post(stream, ("cage", "tray", 1))
        killed, other = sealers.codes()
        assert killed in (KILLED, 0), "a step is not reached where the other has left nothing to do"
        assert other == 0, step
    sealer.seal()
    assert_whole(sealer)
    assert verify_journal(stream=stream).findings == []


def test_an_entry_that_is_not_committed_is_not_sealed_and_holds_nobody_up(sealer: Sealer) -> None:
    waiting, other = filled_stream(), filled_stream()
    sealer.seal()
    sealed = Entry.objects.count()
    posting = (
        "SELECT o_seq FROM ledger_post(%s, 'k', '{}', '{}', '{}', '{}', %s, NULL, uuidv4(), NULL, NULL, NULL)"
    )
    with psycopg.connect(os.environ["DATABASE_URL"]) as poster:
        assert poster.execute(posting, [waiting, DEALER]).fetchone() == (3,)
        post(other)
        assert sealer.seal().appended == 1
        assert sealer.seal().appended == 0
        poster.commit()
    assert sealer.seal().size == sealed + 2
    assert_whole(sealer)


def test_a_sealer_that_hangs_makes_others_give_up_and_nobody_else(sealer: Sealer) -> None:
    stream = filled_stream()
    sealer.seal()
    before = picture()
    with psycopg.connect(os.environ["DATABASE_URL"]) as hanging:
        hanging.execute("SELECT ledger_lock_sealing()")
        post(stream, ("cage", "tray", 1))
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        try:
            with pytest.raises(SealerBusy):
                sealer.seal()
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
        assert picture() == before
        state = seal_state()
        assert (state.size, state.unsealed) == (Entry.objects.count() - 1, 1)
        assert state.age > timedelta()
        assert verify_journal(stream=stream).ok
    assert sealer.seal().appended == 1
    assert seal_state().unsealed == 0
    assert seal_state().age == timedelta()
