"""Where the embedded servers keep their things, and the rule about other people's folders.

Everything lies under one folder, the home: data, sockets, locks, logs, secrets. The home itself
may be any folder the operator chose, with whatever permissions it has; we never change those.
What we make below it is for its owner alone.
"""

import contextlib
import os
import secrets
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from config.embedded.addresses import POSTGRES_SOCKET

# The kernel's sockaddr_un holds 108 bytes, the last of which both servers keep for a NUL.
SOCKET_PATH_BYTES = 107


class EmbeddedError(Exception):
    """The embedded servers cannot be started or used; the message says why and what helps."""


@dataclass(frozen=True)
class Layout:
    """The folders and files of one home."""

    home: Path

    @property
    def run(self) -> Path:
        """Locks, sockets and the state file: worthless once nothing runs."""
        return self.home / "run"

    @property
    def secrets(self) -> Path:
        """One file per password."""
        return self.home / "secrets"

    @property
    def logs(self) -> Path:
        """One log per server or supervised child."""
        return self.home / "logs"

    @property
    def state_file(self) -> Path:
        """What the keeper tells those who join: addresses and process ids, no secrets."""
        return self.run / "state.json"

    def make(self) -> None:
        """Create the home and its private folders where they do not exist."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.run, self.secrets, self.logs):
            private_folder(folder)

    def lock(self, name: str) -> Path:
        """The lock file called ``name``."""
        return self.run / f"{name}.lock"

    def password(self, name: str, *, create: bool = False) -> str:
        """The password kept as ``name``, made now if ``create`` and it does not exist.

        Raises:
            EmbeddedError: the file is missing, empty, or open to others.
        """
        path = self.secrets / name
        if create:
            _create_secret(path)
        try:
            mode = path.stat().st_mode
            value = path.read_text().strip()
        except FileNotFoundError:
            raise EmbeddedError(f"{path} is gone; put it back from a copy of the home") from None
        if stat.S_IMODE(mode) & 0o077:
            raise EmbeddedError(f"{path} can be read by others; run: chmod 600 {path}")
        if not value:
            raise EmbeddedError(f"{path} is empty; put it back from a copy of the home")
        return value


def private_folder(path: Path, owner: int | None = None) -> Path:
    """Make ``path`` with mode 0700, or insist that it is private already.

    Args:
        owner: uid it is handed to (root only); default the caller.

    Raises:
        EmbeddedError: it belongs to someone else, or others may enter it.
    """
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), owner):
        raise EmbeddedError(f"{path} is not a folder of uid {os.geteuid()}; choose another PITLEDGER_HOME")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise EmbeddedError(f"{path} is open to others; run: chmod 700 {path}")
    if owner is not None and found.st_uid != owner:
        os.chown(path, owner, -1)
    return path


def _create_secret(path: Path) -> None:
    """Write a fresh password to ``path`` unless there is one.

    Written aside and linked into place, so that nobody ever reads half of it and of two makers
    one wins for both.
    """
    if path.exists():
        return
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.unlink(draft)


def socket_folder(layout: Layout, preferred: Path, owner: int | None = None) -> Path:
    """A private folder for both servers' sockets, with a path that works for one.

    Args:
        layout: the home, which records a folder that had to be made elsewhere.
        preferred: used when the socket's whole path fits the kernel's limit and has no comma,
            which libpq would read as the end of a first host.
        owner: see private_folder.
    """
    if len(os.fsencode(preferred / POSTGRES_SOCKET)) <= SOCKET_PATH_BYTES and "," not in str(preferred):
        return private_folder(preferred, owner)
    record = layout.run / "sockets.path"
    with contextlib.suppress(FileNotFoundError, EmbeddedError):
        recorded = Path(record.read_text())
        # A folder under /tmp can be swept away and made again by anybody: use it only if it is
        # still there and still ours, never create that name anew.
        if recorded.is_dir():
            return private_folder(recorded, owner)
    folder = Path(tempfile.mkdtemp(prefix="pitledger-", dir=_short_temporary_folder()))
    record.write_text(str(folder))
    return private_folder(folder, owner)


def forget_socket_folder(layout: Layout) -> None:
    """Remove a socket folder that had to be made outside the home, once it is empty."""
    record = layout.run / "sockets.path"
    with contextlib.suppress(OSError):
        Path(record.read_text()).rmdir()
        record.unlink()


def _short_temporary_folder() -> str:
    usual = tempfile.gettempdir()
    fits = len(os.fsencode(usual)) < SOCKET_PATH_BYTES // 2 and "," not in usual
    return usual if fits else "/tmp"  # noqa: S108 (mkdtemp below it)


def write_atomically(path: Path, text: str) -> None:
    """Replace ``path``'s content so that readers see the old or the new text, never a mixture."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text)
    draft.replace(path)
