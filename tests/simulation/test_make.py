"""`make demo` and `make up` as a person starts them: own processes, own home, nothing left behind."""

import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from config import env
from config.floor.running import TAKEN

PATIENCE_SECONDS = 600.0
RUN = [sys.executable, "-m", "config.embedded", "run", "--", sys.executable, "-m", "config.floor"]


def surroundings(home: Path) -> dict[str, str]:
    """The environment of a person who has configured nothing; PINs alone are hashed cheaply, for a floor
    checks hundreds of them."""
    given = {"DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "PITLEDGER_PORT"}
    return {name: value for name, value in os.environ.items() if name not in given} | {
        "PITLEDGER_HOME": str(home),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }


def what_runs_on(home: Path) -> int:
    """Exit code of `status`: 3 when nothing does."""
    command = [sys.executable, "-m", "config.embedded", "status"]
    done = subprocess.run(command, cwd=env.BASE_DIR, env=surroundings(home), check=False, capture_output=True)
    return done.returncode


def test_a_short_demo_from_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [*RUN, "demo", "--rounds", "16", "--seed", "test"],
        cwd=env.BASE_DIR,
        env=surroundings(tmp_path / "home"),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert "Every chip is accounted for." in done.stdout
    assert re.search(r"^closed +gaming day \S+ under two signatures, sealed by", done.stdout, re.MULTILINE)
    assert re.search(r"^T2 red dog, 2 packs, scanned +3 \+1 ", done.stdout, re.MULTILINE)
    assert re.search(r"^T5 high card pool, 1 pack, scanned +4 \+1 ", done.stdout, re.MULTILINE)
    for code in ("T1", "T3", "T4", "T6", "T7"):
        assert re.search(rf"^{code} .* (drawn|scanned) +4  ", done.stdout, re.MULTILINE)
    _, refused = done.stdout.split("without effect", 1)
    assert refused.split("\n\n")[0].count(";") + 1 == 29
    assert "\r" not in done.stderr
    (csv_file,) = (tmp_path / "home" / "exports").glob("*.csv")
    (lines_file,) = (tmp_path / "home" / "exports").glob("*.jsonl")
    with csv_file.open(newline="") as opened:
        from_csv = {row["round_id"] for row in csv.DictReader(opened)}
    from_lines = {json.loads(line)["round_id"] for line in lines_file.read_text().splitlines()}
    assert from_csv == from_lines
    assert len(from_csv) == 29
    (bundle,) = (tmp_path / "home" / "bundles").glob("*.zip")
    assert f"{bundle} (verified there, offline)" in done.stdout
    assert what_runs_on(tmp_path / "home") == 3


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def up(home: Path, port: int, *options: str) -> Iterator[str]:
    """A floor that is up; gives what it announced. Stopped as by Ctrl-C, and it must stop cleanly."""
    process = subprocess.Popen(
        [*RUN, "up", "--port", str(port), *options],
        cwd=env.BASE_DIR,
        env=surroundings(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            said = ""
            while "Ctrl-C" not in said:
                line = process.stdout.readline()
                assert line, process.communicate()
                said += line
            yield said
        finally:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
    assert "killed" not in errors


def password_of(said: str, badge: str) -> str:
    found = re.search(rf"badge {badge} +password (\S+)", said)
    assert found is not None, said
    return found[1]


@contextmanager
def browser(url: str, badge: str, password: str) -> Iterator[httpx.Client]:
    """Somebody who has signed in to the admin site."""
    with httpx.Client(base_url=url, follow_redirects=True, timeout=PATIENCE_SECONDS) as client:
        form = client.get("/admin/login/?next=/admin/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form.text)
        assert token is not None
        fields = {"username": badge, "password": password, "csrfmiddlewaretoken": token[1], "next": "/admin/"}
        answer = client.post("/admin/login/", data=fields, headers={"Referer": url})
        assert answer.url.path == "/admin/"
        yield client


def rounds_shown(client: httpx.Client) -> int:
    """How many rounds an auditor's first page has."""
    answer = client.get("/api/v1/rounds")
    assert answer.status_code == 200, answer.text
    return len(answer.json()["results"])


def refused_start(home: Path, port: int) -> str:
    """What a second start on a home is told, which must not come up."""
    done = subprocess.run(
        [*RUN, "up", "--port", str(port)],
        cwd=env.BASE_DIR,
        env=surroundings(home),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == TAKEN
    return done.stderr


def test_a_floor_that_is_up_plays_and_finds_its_data_again(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    url = f"http://127.0.0.1:{port}"
    with up(home, port) as said:
        password = password_of(said, "A001")
        assert f"{url}/admin/" in said
        with browser(url, "P001", password_of(said, "P001")):
            pass
        with browser(url, "A001", password) as auditor:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not (before := rounds_shown(auditor)) and time.monotonic() < deadline:
                time.sleep(0.5)
            assert before
        assert re.search(rf"the floor of {home} is up already, .* kill \d+\n", refused_start(home, port))
    assert what_runs_on(home) == 3
    with up(home, port) as said:
        assert password_of(said, "A001") == password
        with browser(url, "A001", password) as auditor:
            assert rounds_shown(auditor) >= before
