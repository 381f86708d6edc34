"""What PostgreSQL and Redis have in common: one process tree, held by one lock."""

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from config.embedded.lock import FileLock, processes_with
from config.embedded.paths import EmbeddedError, Layout
from config.embedded.process import Footing, last_lines, open_log, spawn

START_SECONDS = 60.0
# Time for processes orphaned by a killed keeper to finish by themselves; PostgreSQL may have a
# checkpoint to write.
ORPHAN_SECONDS = 30.0
POLL_SECONDS = 0.01


class Server(ABC):
    """One embedded server. Subclasses say what to run and when it is ready.

    Attributes:
        name: names its lock, its log and itself in messages.
        stop_signals: sent one after the other, each with the seconds to wait before the next.
    """

    name: str
    stop_signals: tuple[tuple[signal.Signals, float], ...]

    def __init__(self, layout: Layout, footing: Footing, *, fast: bool) -> None:
        self.layout = layout
        self.footing = footing
        self.fast = fast
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """Where the server's output goes."""
        return self.layout.logs / f"{self.name}.log"

    @abstractmethod
    def prepare(self, lock: FileLock) -> None:
        """Make what the server needs before it can start, while nothing of it runs."""

    @abstractmethod
    def command(self) -> list[str | Path]:
        """The program and its arguments."""

    @abstractmethod
    def ready(self) -> bool:
        """Whether the started server serves."""

    def settle(self) -> None:  # noqa: B027 - most servers have nothing to do here
        """What is to be done each time right after the server has become ready."""

    def start(self) -> None:
        """Start the server and wait until it serves.

        Raises:
            EmbeddedError: it does not start, with the end of its log.
        """
        with FileLock(self.layout.lock(self.name)) as lock:
            self._outlive_orphans(lock)
            self.prepare(lock)
            self.process = self.run(self.command(), lock)
            # Our own share of the lock goes here; from now on the server's processes alone hold it.
        self._await(self.ready)
        self.settle()

    def run(self, command: list[str | Path], lock: FileLock) -> "subprocess.Popen[bytes]":
        """Run ``command`` as the server's account, logged, holding the server's lock."""
        output = open_log(self.log)
        try:
            return spawn(
                command,
                footing=self.footing,
                death_signal=self.stop_signals[0][0],
                keep=[lock.fileno()],
                output=output,
                # Nothing of the caller's environment (PGPORT, LC_ALL, ...) shall change the server.
                env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"},
                cwd=Path("/"),
            )
        finally:
            os.close(output)

    def alive(self) -> bool:
        """Whether the server's main process runs."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop the server, gently first, and wait until it has gone."""
        for stop_signal, seconds in self.stop_signals:
            if not self.alive() or self.process is None:
                return
            self.process.send_signal(stop_signal)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue

    def failure(self, what: str) -> EmbeddedError:
        """An error about this server that quotes the end of its log."""
        lines = [f"{self.name} {what}; the end of {self.log}:", *last_lines(self.log, 12)]
        return EmbeddedError("\n  ".join(lines))

    def _await(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            if not self.alive():
                raise self.failure("stopped while starting")
            if time.monotonic() > deadline:
                self.stop()
                raise self.failure(f"was not ready within {START_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)

    def _outlive_orphans(self, lock: FileLock) -> None:
        """Get the lock: wait for what an earlier keeper left behind, then kill it.

        Whoever holds this lock is by construction a process of this very server (it was started
        with the lock in hand), and its keeper is dead, for we hold the keeper's lock.
        """
        if lock.wait(ORPHAN_SECONDS):
            return
        for pid in processes_with(lock.path):
            os.kill(pid, signal.SIGKILL)
        if not lock.wait(5.0):
            left = ", ".join(str(pid) for pid in processes_with(lock.path)) or "of another user or container"
            raise EmbeddedError(f"processes of an earlier {self.name} will not end: {left}")
