"""Files that are there as a whole or not at all, and stay there when the power goes."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def read_text(path: Path) -> str:
    """The text in a file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no text; the message names it.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as exc:
        raise ValueError(f"{path}: it is no text (UTF-8)") from exc


def write_whole(path: Path, content: str | bytes, *, mode: int) -> None:
    """Put ``content`` in the place of ``path`` at once, and see it to the disk.

    Args:
        mode: the file's permissions.
    """
    with _draft(path, content, mode) as draft:
        os.replace(draft, path)
    sync_folder(path.parent)


def create_whole(path: Path, text: str, *, mode: int) -> None:
    """As ``write_whole``, but a file that is there stays as it is: of two makers one wins for both."""
    with _draft(path, text, mode) as draft, contextlib.suppress(FileExistsError):
        os.link(draft, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """See the names in ``folder`` to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _draft(path: Path, content: str | bytes, mode: int) -> Iterator[Path]:
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        yield Path(draft)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)
