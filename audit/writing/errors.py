"""Why an export was not written."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from config.errors import DomainError

NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class ExportCancelled(DomainError):
    """Whoever asked for the export wants it no more; nothing of it is left."""

    def __init__(self) -> None:
        super().__init__("export_cancelled", "The export was cancelled.")


class ExportBusy(DomainError):
    """Somebody else is writing the very file; nothing of theirs was touched."""

    def __init__(self) -> None:
        super().__init__("export_busy", "Somebody else is writing this file.")


class ExportFailed(DomainError):
    """The export could not be written; no half file is left.

    Codes: `export_no_space` when the disk (or what may be used of it) is full, else `export_failed`.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail, status=503)


@contextmanager
def writing() -> Iterator[None]:
    """Tell what keeps a file from being written by a code of ours; raises ExportFailed."""
    try:
        yield
    except OSError as exc:
        if exc.errno in NO_SPACE:
            raise ExportFailed("export_no_space", f"There is no space left: {exc.strerror}.") from exc
        raise ExportFailed("export_failed", f"The export could not be written: {exc}.") from exc
