"""Locks that the kernel drops by itself when their holder dies, however it dies.

``flock`` belongs to an open file, not to a process: a child that inherits the file shares the
lock. That is what makes "is any process of this server still alive" a question with an exact
answer: each server is started holding its lock, so the lock is free precisely when the last of
its processes has gone. Process ids written to files cannot say that: they are reused, seen as
zombies, or belong to another container.
"""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

POLL_SECONDS = 0.02


class FileLock:
    """One open lock file. Closing it gives up our share of the lock.

    Args:
        path: the lock file; created empty, mode 0600, if missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __enter__(self) -> "FileLock":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fileno(self) -> int:
        """The descriptor, for handing the lock to a child."""
        return self._fd

    def attempt(self, *, shared: bool = False) -> bool:
        """Take the lock if that is possible now; says whether it was."""
        mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(self._fd, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait(self, seconds: float, *, shared: bool = False) -> bool:
        """Take the lock within ``seconds``; says whether it was got.

        Polls, because a blocking ``flock`` has no time limit and an alarm signal is not ours to use.
        """
        deadline = time.monotonic() + seconds
        while not self.attempt(shared=shared):
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def release(self) -> None:
        """Give the lock up for everybody who shares this open file, keeping the file open."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file. Children that inherited it keep the lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def note_owner(self) -> None:
        """Write our process id into the file, for messages only: nothing is decided by it."""
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, str(os.getpid()).encode(), 0)


def noted_owner(path: Path) -> str:
    """The process id last noted in the lock file, or "unknown"."""
    try:
        return path.read_text() or "unknown"
    except OSError:
        return "unknown"


def processes_with(path: Path) -> list[int]:
    """The processes that have the lock file open, found through /proc.

    Only processes we may inspect are seen: our own user's, or all as root.
    """
    wanted = path.stat()
    others = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in others if pid != os.getpid() and _has_open(Path(f"/proc/{pid}/fd"), wanted)]


def _has_open(descriptors: Path, wanted: os.stat_result) -> bool:
    try:
        return any(os.path.samestat(fd.stat(), wanted) for fd in descriptors.iterdir() if fd.exists())
    except OSError:  # gone meanwhile, or not ours to look into
        return False
