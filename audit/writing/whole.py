"""A file that is there as a whole or not at all, written by one at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path

from audit.writing.errors import ExportBusy

PRIVATE = 0o600


@contextmanager
def whole(path: Path) -> Iterator[BufferedRandom]:
    """A file that takes its name when all of it is on the disk, and leaves nothing otherwise.

    Killed, it leaves a draft, which whoever writes this file next begins again.

    Raises:
        ExportBusy: somebody else is writing it.
    """
    draft = path.with_name(f".{path.name}.draft")
    with open(os.open(draft, os.O_RDWR | os.O_CREAT, PRIVATE), "r+b") as out:
        _hold(out, draft)
        try:
            out.truncate()
            yield out
            out.flush()
            os.fsync(out.fileno())
            os.replace(draft, path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _hold(out: BufferedRandom, draft: Path) -> None:
    """Be the only one that writes to a draft, until it is closed or its writer killed."""
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(out.fileno()), draft.stat()):
            raise FileNotFoundError  # it took its name before it was held
    except (BlockingIOError, FileNotFoundError):
        raise ExportBusy from None
