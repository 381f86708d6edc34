"""Starting the launcher as different people, and seeing from outside what is left of it."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg

from config.embedded import trampoline
from config.env import BASE_DIR

SERVICE_VARIABLES = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL")
PATIENCE_SECONDS = 30.0
# Shows its environment, then lives until its standard input is closed.
SHOW_AND_WAIT = ["/bin/sh", "-c", "env; echo READY; cat; exit 7"]


def can_make_namespaces() -> bool:
    """Whether this kernel lets us make user namespaces (some containers do not)."""
    script = f"import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare({trampoline.CLONE_NEWUSER}) != 0)"
    return subprocess.run([sys.executable, "-I", "-S", "-c", script], check=False).returncode == 0


def people() -> list[str]:
    """As whom the launcher is tested.

    ``caller`` is whoever runs the tests. When that is root, ``plain`` is a process that has lost
    every privilege by entering a user namespace where it is somebody else: it cannot be told from
    an ordinary user by anything the launcher does, yet may still execute an interpreter that lies
    under root's own folder, which a real other user could not enter.
    """
    return ["caller", "plain"] if os.geteuid() == 0 and can_make_namespaces() else ["caller"]


def as_person(person: str, command: list[str]) -> list[str]:
    """``command``, run as ``person``."""
    if person == "caller":
        return command
    bind = [str(os.getpid()), str(int(signal.SIGKILL)), "namespace", "1", "1"]
    return [sys.executable, "-I", "-S", trampoline.__file__, *bind, *command]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Our environment for ``home``, without services configured from outside."""
    kept = {name: value for name, value in os.environ.items() if name not in SERVICE_VARIABLES}
    return kept | {"PITLEDGER_HOME": str(home), "PYTHONPATH": str(BASE_DIR)} | more


class Launched:
    """``python -m config.embedded run -- COMMAND`` as a child that can be hurt."""

    def __init__(
        self, home: Path, *, person: str = "caller", command: list[str] = SHOW_AND_WAIT, **more: str
    ) -> None:
        self.home = home
        run = [sys.executable, "-m", "config.embedded", "run", "--", *command]
        self.process = subprocess.Popen(
            as_person(person, run),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(home, **more),
        )
        self.shown: dict[str, str] = {}

    def ready(self) -> "Launched":
        """Wait for the command to run; keeps the environment it was given."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line == "READY\n":
                return self
            name, _, value = line.rstrip("\n").partition("=")
            self.shown[name] = value
        raise AssertionError(f"not ready: {self.process.communicate()[1]}")

    def finish(self) -> int:
        """Let the command end, and return the launcher's exit code."""
        self.process.communicate()
        return self.process.returncode

    def kill(self) -> None:
        """kill -9 the launcher."""
        self.process.kill()
        self.process.communicate()

    def connect(self, role: str = "app") -> "psycopg.Connection[tuple[object, ...]]":
        """Connect as ``app`` or ``owner``."""
        variable = {"app": "DATABASE_URL", "owner": "DATABASE_OWNER_URL"}[role]
        return psycopg.connect(self.shown[variable], autocommit=True)

    def sockets(self) -> Path:
        """Where the servers' sockets are."""
        return Path(parse_qs(urlsplit(self.shown["DATABASE_URL"]).query)["host"][0])

    def dispose(self) -> None:
        """End what a failed test left running."""
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


Launch = Callable[..., Launched]


def processes_of(home: Path) -> list[str]:
    """Everything that runs on ``home``: says so on its command line, or stands in a folder of it.

    Looks at /proc only, so that it shares nothing with the code under test.
    """
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            folder = os.readlink(entry / "cwd")
        except OSError:
            continue
        if str(home) in line or folder.startswith(str(home)):
            found.append(f"{entry.name} {line}")
    return found


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether ``condition`` comes true before we lose patience; no test depends on when."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def nothing_left(home: Path) -> bool:
    """Whether every process of ``home`` ends."""
    return eventually(lambda: not processes_of(home))


def in_terminal(command: list[str], env: dict[str, str]) -> tuple["subprocess.Popen[bytes]", int]:
    """Start ``command`` in a terminal of its own; returns it with the terminal's other end.

    Writing byte 3 to that end is what a person's Ctrl-C does: the kernel sends SIGINT to the whole
    foreground process group.
    """
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        # A test run started in the background has SIGINT ignored, and children inherit that.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=env,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    os.close(theirs)
    return process, ours


def read_until(terminal: int, mark: bytes) -> bytes:
    """Read from a terminal until ``mark`` was printed or the other side is closed."""
    text = b""
    while mark not in text:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # how Linux says that nobody has the other side any more
            break
        text += piece
    return text
