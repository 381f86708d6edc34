"""The services are the processes that `make up` runs: what is tested everywhere is what an operator has."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from celery.bin import beat, worker
from celery.bin.base import CLIContext
from django.conf import settings
from django.utils.module_loading import import_string
from gunicorn.config import Config  # type: ignore[import-untyped]

from config.celery import app
from config.embedded import Endpoints
from config.env import BASE_DIR
from config.floor.children import processes
from tests.deploy import files

SERVICES = files.services()
HARDENED = {
    "User": "pitledger",
    "EnvironmentFile": "/etc/pitledger/env",
    "WorkingDirectory": "/opt/pitledger",
    "Restart": "always",
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "CapabilityBoundingSet": "",
}
MOST_EXPOSED = 20
"""Of 100, as `systemd-analyze security` reckons; a service that is not hardened has 96."""


def made_up() -> dict[str, list[str]]:
    """What `make up` starts, by name."""
    endpoints = Endpoints("", "", redis_url="redis://nowhere", revive=lambda: False)
    return {child.name: list(child.command) for child in processes(endpoints, 8000)}


def queues(words: list[str]) -> str:
    """The queues a worker takes from."""
    return words[words.index("--queues") + 1]


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_hardened_and_started_again(name: str) -> None:
    said = SERVICES[name]["Service"]
    assert {key: said[key][-1] for key in HARDENED} == HARDENED
    assert SERVICES[name]["Unit"]["PartOf"] == ["pitledger.target"]
    assert SERVICES[name]["Install"] == {"WantedBy": ["pitledger.target"]}


def test_what_they_run_is_what_make_up_runs() -> None:
    assert SERVICES.keys() == {"web", "worker", "exports", "beat"}
    expected, said = made_up(), {name: files.command(service) for name, service in SERVICES.items()}
    assert {words[0] for words in said.values()} == {files.PYTHON}
    web = expected["web"]
    del web[web.index("--chdir") : web.index("--chdir") + 2]  # WorkingDirectory says it
    assert said["web"][1:] == web[1:]
    assert said["beat"][1:] == expected["beat"][1:]
    for name in ("worker", "exports"):
        length = len(expected["worker"])
        assert said[name][1:length] == expected["worker"][1:]
    taken = [queues(said["worker"]), queues(said["exports"])]
    assert sorted(taken) == sorted(settings.CELERY_TASK_QUEUES), "each queue is somebody's"
    assert taken[1] == settings.CELERY_TASK_ROUTES["audit.perform_export"]["queue"]


def test_their_programs_take_these_arguments() -> None:
    """Each is read by its own program's reader; what it does not know ends that."""
    for name, program in (("worker", worker.worker), ("exports", worker.worker), ("beat", beat.beat)):
        words = files.command(SERVICES[name])
        assert words[1:5] == ["-m", "celery", "-A", "config.celery"]
        context = program.make_context(words[5], words[6:], obj=CLIContext(app, no_color=True, workdir="."))
        assert context.args == [], "nothing is left over"
        assert context.params["loglevel"]
    nodes = {files.command(SERVICES[name])[-1] for name in ("worker", "exports")}
    assert len(nodes) == 2, "workers are told apart by name"
    words = files.command(SERVICES["web"])
    options = Config().parser().parse_args(words[3:])
    assert words[1:3] == ["-m", "gunicorn"]
    (target,) = options.args
    assert callable(import_string(target.replace(":", ".")))
    assert SERVICES["web"]["Service"]["Type"] == ["notify"], "gunicorn tells systemd when it serves"


def test_systemd_takes_the_units_as_they_are(tmp_path: Path) -> None:
    """As it reads them, where it is; a setting it does not know, or a service left open, fails it."""
    folder = tmp_path / "units"
    shutil.copytree(files.UNITS, folder)
    for path in folder.rglob("*.*"):
        if path.is_file():
            text = path.read_text().replace(files.PYTHON, sys.executable)
            path.write_text(text.replace("/opt/pitledger", str(BASE_DIR)))
    units = sorted(path for path in folder.iterdir() if path.is_file())
    assert [path.suffix for path in units] == [".service"] * 4 + [".target"]
    if (program := shutil.which("systemd-analyze")) is None:
        return  # every name in them was seen by systemd where there is one
    verified = subprocess.run([program, "verify", *units], capture_output=True, text=True, check=False)
    said = (verified.stdout + verified.stderr).splitlines()
    assert not [line for line in said if "pitledger" in line], "what it says of other units is not ours"
    for path in units[:-1]:
        judged = subprocess.run(
            [program, "security", "--offline=yes", f"--threshold={MOST_EXPOSED}", "--no-pager", path],
            capture_output=True,
            text=True,
            check=False,
        )
        assert judged.returncode == 0, judged.stdout
