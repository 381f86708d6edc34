"""The children of a floor: started in order, restarted aloud, stopped in reverse, never left over."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded import Endpoints
from config.embedded.supervisor import Child, Floor
from tests.embedded.harness import (
    environment,
    eventually,
    in_terminal,
    nothing_left,
    processes_of,
    read_until,
)

ENDPOINTS = Endpoints("postgresql://app", "postgresql://owner", None)


def _child(home: Path, name: str, script: str) -> Child:
    """A shell that shows the home on its command line, so that processes_of finds it."""
    return Child(name, ["/bin/sh", "-c", f": {home}\n{script}"], {"MARK": name})


def _logged(home: Path, name: str) -> str:
    log = home / "logs" / f"{name}.log"
    return log.read_text() if log.exists() else ""


def _steady(home: Path, name: str) -> Child:
    """A child that notes in a common file when it starts and when it is asked to stop."""
    note = f"{home}/notes"
    return _child(
        home,
        name,
        f"trap 'echo stop-{name} >> {note}; exit 0' TERM; echo start-{name} >> {note};"
        ' echo "$MARK $DATABASE_URL"; while :; do sleep 0.05; done',
    )


def _notes(home: Path) -> list[str]:
    return (home / "notes").read_text().split() if (home / "notes").exists() else []


def test_children_start_in_order_and_stop_in_reverse(empty_home: Path) -> None:
    names = ["worker", "beat", "web"]
    children = [_steady(empty_home, name) for name in names]
    with Floor(ENDPOINTS, children, home=empty_home) as floor:
        assert eventually(lambda: len(_notes(empty_home)) == 3)
        assert {floor.pid(name) for name in names}.isdisjoint({None})
        # Each leads a session of its own: the terminal's Ctrl-C cannot reach it.
        assert all(os.getsid(floor.pid(name) or 0) == floor.pid(name) for name in names)
        assert floor.wait(0.05) is None
    assert _notes(empty_home)[3:] == ["stop-web", "stop-beat", "stop-worker"]
    assert _logged(empty_home, "web") == "web postgresql://app\n"
    assert processes_of(empty_home) == []


def test_a_dead_child_is_told_of_and_started_again(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.embedded.supervisor.BACKOFF_SECONDS", (0.0,))
    told: list[str] = []
    child = _child(empty_home, "web", "echo why; exit 3")

    def told_thrice() -> bool:
        floor.poll()
        return sum("ended with code 3" in message for message in told) == 3

    with Floor(ENDPOINTS, [child], home=empty_home, tell=told.append) as floor:
        assert eventually(told_thrice)
    assert "why" in told[0]
    assert "web started again" in told
    assert _logged(empty_home, "web").count("why") >= 3


def test_what_a_dead_child_leaves_of_its_group_is_killed(empty_home: Path) -> None:
    told: list[str] = []
    child = _child(empty_home, "web", f"/bin/sh -c ': {empty_home}; sleep 1000; :' & sleep 1000")
    with Floor(ENDPOINTS, [child], home=empty_home, tell=told.append) as floor:
        assert eventually(lambda: len(processes_of(empty_home)) == 2)
        os.kill(floor.pid("web") or 0, signal.SIGKILL)
        assert eventually(lambda: floor.pid("web") is None)
        floor.poll()
        # A killed process is gone only when the kernel has come to it.
        assert eventually(lambda: processes_of(empty_home) == [])
        assert "web was killed by SIGKILL; starting it again in 1 s" in told[0]


def test_a_child_that_will_not_stop_is_killed(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.embedded.supervisor.GRACE_SECONDS", 0.2)
    told: list[str] = []
    child = _child(empty_home, "web", "trap '' TERM; echo up; while :; do sleep 0.05; done")
    with Floor(ENDPOINTS, [child], home=empty_home, tell=told.append):
        assert eventually(lambda: _logged(empty_home, "web") == "up\n")
    assert told == ["web did not stop in time and was killed"]
    assert processes_of(empty_home) == []


def test_a_program_that_does_not_exist_is_told_of(empty_home: Path) -> None:
    told: list[str] = []

    def told_once() -> bool:
        floor.poll()
        return bool(told)

    with Floor(ENDPOINTS, [Child("web", ["/no/such/program"])], home=empty_home, tell=told.append) as floor:
        assert eventually(told_once)
    assert "/no/such/program" in told[0]


FLOOR = """
import sys
from pathlib import Path
from config.embedded import Endpoints, supervisor
from config.embedded.supervisor import Child, Floor

if "stubborn" in sys.argv:
    supervisor.ECHO_SECONDS = 0.0
home = Path(sys.argv[1])
script = f": {home}; trap 'echo asked; sleep 1000' TERM; echo up; while :; do sleep 0.05; done"
if "stubborn" not in sys.argv:
    script = f": {home}; trap 'echo asked; exit' TERM; echo up; while :; do sleep 0.05; done"
if "slow" in sys.argv:
    script = script.replace("echo asked; exit", "echo asked; sleep 0.5; echo done; exit")
with Floor(Endpoints("a", "b", None), [Child("web", ["/bin/sh", "-c", script])], home=home) as floor:
    print("UP", flush=True)
    print("LEFT", floor.wait(), flush=True)
"""


def _floor(home: Path, *more: str) -> tuple["subprocess.Popen[bytes]", int]:
    command = [sys.executable, "-c", FLOOR, str(home), *more]
    process, terminal = in_terminal(command, environment(home))
    read_until(terminal, b"UP")
    assert eventually(lambda: "up" in _logged(home, "web"))
    return process, terminal


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_floor_in_good_order(empty_home: Path, number: signal.Signals) -> None:
    process, terminal = _floor(empty_home)
    process.send_signal(number)
    assert f"LEFT {number!s}".encode() in read_until(terminal, b"end of output")
    assert process.wait() == 0
    os.close(terminal)
    assert _logged(empty_home, "web") == "up\nasked\n"


def test_the_echo_of_a_signal_is_not_a_second_one(empty_home: Path) -> None:
    process, terminal = _floor(empty_home, "slow")
    os.write(terminal, b"\x03")
    assert eventually(lambda: "asked" in _logged(empty_home, "web"))
    process.send_signal(signal.SIGINT)
    assert b"killed" not in read_until(terminal, b"end of output")
    assert process.wait() == 0
    os.close(terminal)
    assert _logged(empty_home, "web") == "up\nasked\ndone\n"


def test_a_second_control_c_cuts_the_grace_short(empty_home: Path) -> None:
    process, terminal = _floor(empty_home, "stubborn")
    os.write(terminal, b"\x03")
    assert eventually(lambda: "asked" in _logged(empty_home, "web"))
    os.write(terminal, b"\x03")
    assert b"web did not stop in time and was killed" in read_until(terminal, b"end of output")
    assert process.wait() == 0
    os.close(terminal)


def test_killing_the_supervisor_ends_the_children(empty_home: Path) -> None:
    process, terminal = _floor(empty_home)
    process.kill()
    process.wait()
    assert nothing_left(empty_home)
    os.close(terminal)
    assert _logged(empty_home, "web") == "up\nasked\n"
