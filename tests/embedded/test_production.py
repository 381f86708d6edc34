"""In production nothing is invented: whatever is missing stops the program before it serves anybody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def start(home: Path, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Load the web process's entry point with these settings and no others."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL")}
    return subprocess.run(
        [sys.executable, "-c", "import config.wsgi"],
        cwd=env.BASE_DIR,
        env=kept | settings | {"PITLEDGER_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_complete_starts_and_leaves_no_secret_behind(tmp_path: Path) -> None:
    started = start(tmp_path, COMPLETE)
    assert started.returncode == 0, started.stderr
    assert not (tmp_path / "secrets").exists()


@pytest.mark.parametrize("missing", sorted(COMPLETE.keys() - {"PITLEDGER_ENV"}))
def test_whatever_is_missing_stops_it(tmp_path: Path, missing: str) -> None:
    for settings in ({n: v for n, v in COMPLETE.items() if n != missing}, COMPLETE | {missing: ""}):
        started = start(tmp_path, settings)
        assert started.returncode != 0
        assert f"{missing} is not set" in started.stderr
    assert not (tmp_path / "secrets").exists()


@pytest.mark.parametrize("word", ["prod", "Production", " production", "staging"])
def test_a_misspelt_environment_is_not_taken_for_development(tmp_path: Path, word: str) -> None:
    started = start(tmp_path, {"PITLEDGER_ENV": word})
    assert started.returncode != 0
    assert "PITLEDGER_ENV is development or production" in started.stderr
    assert not (tmp_path / "secrets").exists()
