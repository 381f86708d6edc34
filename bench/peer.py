"""django-hordak at work, in an environment and a database of its own on the same server.

`python -m bench.peer SECONDS RUNS` compares on a server of its own that does not wait for the disk.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bench.databases import create, libpq_environment
from bench.measure import Row, announced, compare, rate
from config.env import BASE_DIR

PYTHON = BASE_DIR / "build" / "bench-venv" / "bin" / "python"


class Peer:
    """A process that makes hordak's transfers when told."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._answer()

    def transfers(self, seconds: float) -> float:
        """Transfers per second, made for about `seconds`."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        return float(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line: str = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError("django-hordak ended before it answered")
        return line


@contextmanager
def hordak() -> Iterator[Peer]:
    """django-hordak with two accounts, ready to transfer.

    Raises:
        RuntimeError: it cannot be started.
    """
    create("bench_hordak")
    process = subprocess.Popen(
        [PYTHON, str(Path(__file__).with_name("hordak_peer.py"))],
        env=libpq_environment("owner", "bench_hordak"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Peer(process)
    finally:
        process.kill()
        process.communicate()


def compared(seconds: float, runs: int, *, without: str = "") -> Row:
    """One transfer after the other from Python, ours and hordak's in turn."""
    from bench import postgres

    with announced(f"post one movement from Python, 1 client{without}") as name, hordak() as other:
        return compare(
            name,
            "entries/s",
            lambda: rate(postgres.post_from_python, seconds),
            "django-hordak",
            lambda: other.transfers(seconds),
            goal=">= 5",
            runs=runs,
        )


def compared_without_fsync(seconds: float, runs: int) -> Row:
    """The same where neither waits for the disk, in a process of its own."""
    theirs = {key: value for key, value in os.environ.items() if not key.startswith("DATABASE_")}
    with tempfile.TemporaryDirectory(prefix="pitledger-bench-") as home:
        done = subprocess.run(
            [sys.executable, "-m", "bench.peer", str(seconds), str(runs)],
            env=theirs | {"PITLEDGER_HOME": home},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    *announcements, row = done.stdout.splitlines()
    print("\n".join(announcements), flush=True)
    return Row(**json.loads(row))


def main() -> None:
    """Compare on a server without fsync, and answer the row as JSON."""
    import django

    from config.embedded import services

    with services(fast=True) as endpoints:
        os.environ.update(endpoints.environ())
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        from django.core.management import call_command
        from django.db import connections

        from bench import postgres

        call_command("migrate", verbosity=0)
        postgres.prepare()
        row = compared(float(sys.argv[1]), int(sys.argv[2]), without=", no fsync")
        connections.close_all()
    print(json.dumps(asdict(row)))


if __name__ == "__main__":
    main()
