"""The processes of a running floor, looked after by one.

    with services() as endpoints, Floor(endpoints, [Child("web", ["gunicorn", ...]), ...]) as floor:
        floor.wait()

Each child has its own session, so that Ctrl-C reaches only us and they are stopped in order; each
is bound to our life by the kernel, so that killing us leaves nothing running. A child that ends is
started again, at growing intervals, and never silently.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from config import env
from config.embedded.launcher import Endpoints
from config.embedded.paths import Layout
from config.embedded.process import last_lines, open_log, spawn

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_SECONDS = 0.5
GRACE_SECONDS = 15.0
ECHO_SECONDS = 1.0
BACKOFF_SECONDS = (1.0, 2.0, 5.0, 10.0, 30.0)
# A child that ran this long before it ended is taken to be sound again.
SOUND_SECONDS = 60.0


@dataclass(frozen=True)
class Child:
    """A program to keep running.

    Attributes:
        name: for messages and its log, ``<home>/logs/<name>.log``.
        command: program and arguments.
        env: variables on top of ours and the endpoints'.
    """

    name: str
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)


def say(message: str) -> None:
    """Tell whoever watches the terminal."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


class Floor:
    """Runs the children, in order, while the ``with`` block runs.

    To be used from the main thread: the kernel binds children to the thread that starts them.

    Args:
        endpoints: the services; started again if their keeper is killed.
        children: in the order to start them; they are stopped in the reverse one.
        home: holds the logs; default PITLEDGER_HOME.
        tell: takes each message for the person who watches.
    """

    def __init__(
        self,
        endpoints: Endpoints,
        children: Sequence[Child],
        *,
        home: Path | None = None,
        tell: Callable[[str], None] = say,
    ) -> None:
        self._endpoints = endpoints
        self._layout = Layout((home or env.home()).resolve())
        self._tell = tell
        self._runners = [_Runner(child, endpoints, self._layout.logs) for child in children]
        self._handlers: dict[signal.Signals, signal._HANDLER] = {}

    def __enter__(self) -> "Floor":
        self._layout.make()
        for number in (signal.SIGTERM, signal.SIGHUP):
            # So that the block is left in good order, as it is on Ctrl-C.
            self._handlers[number] = signal.signal(number, _leave_block)
        try:
            for runner in self._runners:
                runner.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with _signals_waiting():
            self._stop()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def pid(self, name: str) -> int | None:
        """The process id of the child called ``name``; None while it does not run."""
        return next(runner.pid() for runner in self._runners if runner.child.name == name)

    def poll(self) -> None:
        """Look after everything once; for callers that do other work between."""
        if self._endpoints.revive():
            self._tell("PostgreSQL and Redis were gone (keeper killed); started again")
        for runner in self._runners:
            for message in runner.look():
                self._tell(message)

    def wait(self, seconds: float | None = None) -> signal.Signals | None:
        """Look after the children until a signal says stop, or ``seconds`` have passed.

        Returns:
            The signal (SIGINT, SIGTERM or SIGHUP), or None when the time was up.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        with _signals_waiting():
            while deadline is None or time.monotonic() < deadline:
                self.poll()
                pause = POLL_SECONDS if deadline is None else min(POLL_SECONDS, deadline - time.monotonic())
                news = signal.sigtimedwait((*STOPPING, signal.SIGCHLD), max(pause, 0.0))
                if news is not None and news.si_signo in STOPPING:
                    return signal.Signals(news.si_signo)
        return None

    def _stop(self) -> None:
        """Stop one after the other; a second Ctrl-C cuts all grace short.

        One that comes at once is the first one's echo: a signal to the whole process group reaches us
        directly and through whoever started us.
        """
        grace, echoes_until = GRACE_SECONDS, time.monotonic() + ECHO_SECONDS
        for runner in reversed(self._runners):
            deadline = time.monotonic() + grace
            runner.terminate()
            while runner.pid() is not None and time.monotonic() < deadline:
                news = signal.sigtimedwait((*STOPPING, signal.SIGCHLD), 0.1)
                insists = news is not None and news.si_signo in STOPPING
                if insists and time.monotonic() > echoes_until:
                    deadline, grace = 0.0, 0.0
            if runner.pid() is not None:
                self._tell(f"{runner.child.name} did not stop in time and was killed")
            runner.kill()


class _Runner:
    """One child and its history."""

    def __init__(self, child: Child, endpoints: Endpoints, logs: Path) -> None:
        self.child = child
        self.log = logs / f"{child.name}.log"
        self._env = endpoints.environ() | dict(child.env)
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._failures = 0
        self._due = 0.0

    def pid(self) -> int | None:
        """The running child's process id."""
        return self._process.pid if self._process is not None and not _ended(self._process.pid) else None

    def start(self) -> None:
        """Start the child with its output in its log."""
        output = open_log(self.log)
        try:
            self._process = spawn(self.child.command, output=output, env=os.environ | self._env)
        finally:
            os.close(output)
        self._started = time.monotonic()

    def look(self) -> Iterator[str]:
        """Notice that the child ended, start it again when that is due; yields what to tell."""
        if self._process is None:
            if time.monotonic() >= self._due:
                self.start()
                yield f"{self.child.name} started again"
        elif _ended(self._process.pid):
            yield self._bury()

    def _bury(self) -> str:
        code = self.kill()
        if time.monotonic() - self._started >= SOUND_SECONDS:
            self._failures = 0
        pause = BACKOFF_SECONDS[min(self._failures, len(BACKOFF_SECONDS) - 1)]
        self._failures += 1
        self._due = time.monotonic() + pause
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        head = f"{self.child.name} {how}; starting it again in {pause:.0f} s; the end of {self.log}:"
        return "\n  ".join([head, *last_lines(self.log, 5)])

    def terminate(self) -> None:
        """Ask the child to end: it alone, for it knows how to end its own processes."""
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGTERM)

    def kill(self) -> int:
        """Kill what is left of the child's process group, the child included; its exit code."""
        if self._process is None:
            return 0
        # The child is not collected yet, so its number cannot have become somebody else's.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self._process = None
        return code


def _ended(pid: int) -> bool:
    """Whether our child has ended, without collecting it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _leave_block(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """Hold signals back, for sigtimedwait to take: no handler runs in the middle of our work."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*STOPPING, signal.SIGCHLD))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
