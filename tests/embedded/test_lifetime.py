"""Servers live exactly as long as somebody uses them, and data outlives everything."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import redis

from config.embedded import services
from tests.embedded.harness import (
    Launch,
    Launched,
    as_person,
    environment,
    eventually,
    in_terminal,
    nothing_left,
    processes_of,
    read_until,
)

# For tests of the command alone, which no servers need be started for.
ELSEWHERE = {
    "DATABASE_URL": "postgresql://app@elsewhere/x",
    "DATABASE_OWNER_URL": "postgresql://owner@elsewhere/x",
    "REDIS_URL": "redis://elsewhere",
}


def _state(home: Path) -> dict[str, dict[str, int]]:
    state: dict[str, dict[str, int]] = json.loads((home / "run" / "state.json").read_text())
    return state


def _keep_something(launched: Launched) -> None:
    with launched.connect("owner") as connection:
        connection.execute("DROP TABLE IF EXISTS kept")
        connection.execute("CREATE TABLE kept (value int)")
        connection.execute("INSERT INTO kept VALUES (42)")


def _kept(launched: Launched) -> object:
    with launched.connect("owner") as connection:
        return connection.execute("SELECT value FROM kept").fetchall()


def test_data_and_queued_work_outlive_a_restart(launch: Launch, home: Path, person: str) -> None:
    first = launch(home, person=person).ready()
    _keep_something(first)
    with redis.from_url(first.shown["REDIS_URL"]) as client:
        client.delete("queue")
        client.rpush("queue", "work")
    assert processes_of(home) != []
    assert first.finish() == 7
    assert processes_of(home) == []

    second = launch(home, person=person).ready()
    assert _kept(second) == [(42,)]
    with redis.from_url(second.shown["REDIS_URL"]) as client:
        assert client.lrange("queue", 0, -1) == [b"work"]
    assert second.shown["DATABASE_URL"] == first.shown["DATABASE_URL"]
    assert second.finish() == 7


def test_killed_launcher_leaves_nothing_and_loses_nothing(launch: Launch, home: Path, person: str) -> None:
    launched = launch(home, person=person).ready()
    _keep_something(launched)
    assert processes_of(home) != []
    launched.kill()
    assert nothing_left(home)

    again = launch(home, person=person).ready()
    assert _kept(again) == [(42,)]
    assert again.finish() == 7


def test_killing_everything_at_once_loses_nothing(launch: Launch, home: Path) -> None:
    launched = launch(home).ready()
    _keep_something(launched)
    for line in processes_of(home):
        with suppress(ProcessLookupError):  # ended with the one just killed
            os.kill(int(line.split()[0]), signal.SIGKILL)
    launched.kill()
    assert nothing_left(home)

    again = launch(home).ready()
    assert _kept(again) == [(42,)]
    assert again.finish() == 7


def test_killed_servers_come_back_at_the_same_address(launch: Launch, home: Path, person: str) -> None:
    launched = launch(home, person=person).ready()
    _keep_something(launched)
    for name in ("postgres", "redis"):
        os.kill(_state(home)["servers"][name], signal.SIGKILL)
    assert eventually(lambda: _state(home)["restarts"] == {"postgres": 1, "redis": 1})
    assert _kept(launched) == [(42,)]
    with redis.from_url(launched.shown["REDIS_URL"]) as client:
        assert client.ping()
    assert launched.finish() == 7
    assert "postgres has died; starting it again" in (home / "logs" / "keeper.log").read_text()


def test_killed_keeper_is_replaced(launch: Launch, home: Path, person: str) -> None:
    launched = launch(home, person=person).ready()
    _keep_something(launched)
    first = _state(home)["keeper"]
    os.kill(int(str(first)), signal.SIGKILL)

    def replaced() -> bool:
        return _state(home)["keeper"] != first

    assert eventually(replaced)
    assert _kept(launched) == [(42,)]
    launched.process.communicate()
    assert launched.process.returncode == 7


def test_two_launchers_at_once_share_the_servers(launch: Launch, empty_home: Path) -> None:
    both = [launch(empty_home) for _ in range(2)]
    one, other = (launched.ready() for launched in both)
    assert one.shown["DATABASE_URL"] == other.shown["DATABASE_URL"]
    _keep_something(one)
    # Whoever started the servers may leave first.
    assert one.finish() == 7
    assert _kept(other) == [(42,)]
    assert other.finish() == 7
    assert processes_of(empty_home) == []


def test_killed_launcher_does_not_take_the_servers_from_another(launch: Launch, home: Path) -> None:
    one = launch(home).ready()
    other = launch(home).ready()
    _keep_something(one)
    one.kill()
    assert _kept(other) == [(42,)]
    assert other.finish() == 7


def test_control_c_reaches_the_command_once_and_stops_all(home: Path, person: str) -> None:
    command = "trap 'echo GOT; sleep 0.2; exit 7' INT; echo READY; while :; do sleep 0.05; done"
    run = [sys.executable, "-m", "config.embedded", "run", "--", "/bin/sh", "-c", command]
    process, terminal = in_terminal(as_person(person, run), environment(home))
    read_until(terminal, b"READY")
    os.write(terminal, b"\x03")
    shown = read_until(terminal, b"end of output")
    assert process.wait() == 7
    os.close(terminal)
    assert shown.count(b"GOT") == 1
    assert processes_of(home) == []


def test_a_signal_to_the_launcher_is_passed_on(launch: Launch, home: Path) -> None:
    command = f": {home}; trap 'exit 9' TERM; echo READY; while :; do sleep 0.05; done"
    launched = launch(home, command=["/bin/sh", "-c", command], **ELSEWHERE).ready()
    launched.process.terminate()
    assert launched.finish() == 9
    assert processes_of(home) == []


def test_a_command_killed_by_a_signal_gives_the_shells_code(launch: Launch, home: Path) -> None:
    launched = launch(home, command=["/bin/sh", "-c", "kill -KILL $$"], **ELSEWHERE)
    assert launched.finish() == 128 + signal.SIGKILL


def test_the_command_ends_with_a_killed_launcher(launch: Launch, home: Path) -> None:
    mark = f"{home}/only-for-the-command-line"
    command = f": {mark}; echo READY; while :; do sleep 0.05; done"
    launched = launch(home, command=["/bin/sh", "-c", command], **ELSEWHERE).ready()
    launched.kill()
    assert nothing_left(home)


def test_the_command_ends_with_the_launchers_killed_parent(home: Path) -> None:
    mark = f"{home}/only-for-the-command-line"
    run = f"{sys.executable} -m config.embedded run --with-parent $$ -- /bin/sh -c"
    # What follows keeps the outer shell, as a make would be kept: nothing takes its place.
    make = subprocess.Popen(
        ["/bin/sh", "-c", f"{run} ': {mark}; echo READY; while :; do sleep 0.05; done'; :"],
        stdout=subprocess.PIPE,
        env=environment(home, **ELSEWHERE),
    )
    with make:
        assert make.stdout is not None
        assert make.stdout.readline() == b"READY\n"
        make.kill()
    assert nothing_left(home)


def test_nothing_is_started_for_a_parent_that_has_gone(home: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    mark = home / "was-started"
    run = [sys.executable, "-m", "config.embedded", "run", "--with-parent", str(gone.pid), "--"]
    done = subprocess.run([*run, "touch", mark], env=environment(home), capture_output=True, check=False)
    assert done.returncode == 69
    assert b"is gone" in done.stderr
    assert not mark.exists()


def test_lock_files_naming_a_stranger_or_a_zombie_are_no_obstacle(launch: Launch, home: Path) -> None:
    zombie = subprocess.Popen(["true"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    data, sockets = home / "postgres" / "data", home / "sockets"
    rest = f"{data}\n1700000000\n5432\n{sockets}\n\n  1 1\nready\n"
    (data / "postmaster.pid").write_text(f"{os.getpid()}\n{rest}")
    (sockets / ".s.PGSQL.5432.lock").write_text(f"{zombie.pid}\n{rest}")
    assert launch(home).ready().finish() == 7
    zombie.wait()


def test_half_made_cluster_is_made_again(empty_home: Path) -> None:
    half = empty_home / "postgres" / "data.new"
    half.mkdir(parents=True)
    (empty_home / "postgres").chmod(0o700)
    (half / "PG_VERSION").write_text("18\n")
    with services(empty_home, fast=True) as endpoints, psycopg.connect(endpoints.database_url) as app:
        assert app.execute("SELECT 1").fetchone() == (1,)
    assert not half.exists()


def test_a_cluster_that_cannot_start_is_explained(launch: Launch, spoilt_home: Path) -> None:
    (spoilt_home / "postgres" / "data" / "global" / "pg_control").write_bytes(b"")
    launched = launch(spoilt_home)
    _, message = launched.process.communicate()
    assert launched.process.returncode == 69
    assert "postgres stopped while starting" in message
    assert "pg_control" in message
    assert processes_of(spoilt_home) == []


def test_status_tells_what_runs(launch: Launch, home: Path) -> None:
    def status() -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "config.embedded", "status"]
        return subprocess.run(command, env=environment(home), capture_output=True, text=True, check=False)

    assert status().returncode == 3
    launched = launch(home).ready()
    told = status()
    assert told.returncode == 0
    assert f"postgres process {_state(home)['servers']['postgres']}" in told.stdout
    assert "redis" in told.stdout
    # A forgotten connection does not keep the servers.
    with launched.connect() as connection:
        assert launched.finish() == 7
        assert processes_of(home) == []
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
