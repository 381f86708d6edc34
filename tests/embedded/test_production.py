"""In production nothing is invented: whatever is missing stops the program before it serves anybody."""

import json
import os
import subprocess
import sys
from pathlib import Path

from config import env

COMPLETE = {
    "PITLEDGER_ENV": "production",
    "PITLEDGER_ALLOWED_HOSTS": "pit.example",
    "DATABASE_URL": "postgresql://app:secret@/pitledger?host=/nowhere",
    "DATABASE_OWNER_URL": "postgresql://owner:secret@/pitledger?host=/nowhere",
    "PITLEDGER_DJANGO_SECRET_KEY": "for a test",
    "PITLEDGER_TERMINAL_PEPPER": "for a test",
    "PITLEDGER_SHOE_KEY": "for a test",
}


# Loads the web process's entry point with each order's settings, in a copy of a process that has loaded what
# knows nothing of them; answers exit code and errors.
STARTER = """
import json, os, sys, tempfile
import django.conf, django.core.wsgi, csp.constants

for settings in json.load(sys.stdin):
    with tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if not child:
            os.dup2(errors.fileno(), 2)
            os.environ.update(settings)
            import config.wsgi
            os._exit(0)
        _, status = os.waitpid(child, 0)
        errors.seek(0)
        print(json.dumps([os.waitstatus_to_exitcode(status), errors.read()]), flush=True)
"""


def started(home: Path, *orders: dict[str, str]) -> list[tuple[int, str]]:
    """Start with each of these settings and no others; exit codes and errors."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL")}
    done = subprocess.run(
        [sys.executable, "-c", STARTER],
        input=json.dumps(orders),
        cwd=env.BASE_DIR,
        env=kept | {"PITLEDGER_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(orders)
    return [(code, errors) for code, errors in answers]


def test_what_is_complete_starts_and_leaves_no_secret_behind(tmp_path: Path) -> None:
    assert started(tmp_path, COMPLETE) == [(0, "")]
    assert not (tmp_path / "secrets").exists()


def test_whatever_is_missing_stops_it(tmp_path: Path) -> None:
    names = sorted(COMPLETE.keys() - {"PITLEDGER_ENV"})
    absent = [{name: value for name, value in COMPLETE.items() if name != missing} for missing in names]
    empty = [COMPLETE | {missing: ""} for missing in names]
    for missing, (code, errors) in zip(names * 2, started(tmp_path, *absent, *empty), strict=True):
        assert code != 0, missing
        assert f"{missing} is not set" in errors
    assert not (tmp_path / "secrets").exists()


def test_a_misspelt_environment_is_not_taken_for_development(tmp_path: Path) -> None:
    words = ("prod", "Production", " production", "staging")
    for code, errors in started(tmp_path, *({"PITLEDGER_ENV": word} for word in words)):
        assert code != 0
        assert "PITLEDGER_ENV is development or production" in errors
    assert not (tmp_path / "secrets").exists()
