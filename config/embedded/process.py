"""Starting processes that cannot outlive whoever started them, as whom they may run."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from config.embedded.paths import EmbeddedError

TRAMPOLINE = Path(__file__).with_name("trampoline.py")
DEDICATED_USER = "pitledger"
LOG_BYTES = 10_000_000


@dataclass(frozen=True)
class Footing:
    """As whom servers run here.

    Attributes:
        mode: ``direct`` as the caller; ``namespace`` as the caller, seen as ``uid`` from inside;
            ``user`` as the separate account ``uid``.
        uid, gid: see ``mode``; -1 when it means nothing.
    """

    mode: Literal["direct", "namespace", "user"]
    uid: int = -1
    gid: int = -1

    @property
    def owner(self) -> int | None:
        """The uid that must own what servers write; None: whoever starts them."""
        return self.uid if self.mode == "user" else None

    def give(self, path: Path) -> None:
        """Hand a file WE made to the account the servers run as."""
        if self.owner is not None:
            os.chown(path, self.owner, -1, follow_symlinks=False)


DIRECT = Footing("direct")


def spawn(
    command: Sequence[str | Path],
    *,
    footing: Footing = DIRECT,
    death_signal: signal.Signals = signal.SIGTERM,
    new_session: bool = True,
    keep: Sequence[int] = (),
    output: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> "subprocess.Popen[bytes]":
    """Start ``command``; the kernel sends it ``death_signal`` when the calling THREAD ends.

    Args:
        new_session: keep it out of the terminal's reach, so that Ctrl-C is ours to pass on.
        keep: descriptors it inherits, for example a lock.
        output: descriptor for stdout and stderr (then stdin is empty); None inherits all three.
        env: its whole environment; None inherits ours.
    """
    trampoline = [sys.executable, "-I", "-S", TRAMPOLINE, os.getpid(), int(death_signal)]
    who = [footing.mode, footing.uid, footing.gid]
    return subprocess.Popen(  # noqa: S603 (our own command lines, no shell)
        [str(part) for part in (*trampoline, *who, *command)],
        start_new_session=new_session,
        pass_fds=tuple(keep),
        stdin=None if output is None else subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=None if env is None else dict(env),
        cwd=cwd,
    )


def open_log(path: Path) -> int:
    """Open a log for a child to append to; a big one is set aside first, replacing the one before."""
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def last_lines(log: Path, count: int) -> list[str]:
    """The end of a log, for a message about whoever wrote it."""
    try:
        return log.read_text(errors="replace").splitlines()[-count:]
    except FileNotFoundError:
        return []


def choose_footing(programs: Sequence[Path], folder: Path) -> Footing:
    """As whom to run ``programs`` on data under ``folder``.

    A plain user runs them directly. Root uses a user namespace where the kernel allows one and
    where, seen from inside, programs and folder can be reached (root's right to pass any folder
    ends at the namespace's door); otherwise a separate account.
    """
    if os.geteuid() != 0:
        return DIRECT
    inside = Footing("namespace", *_unprivileged_ids())
    if _usable(inside, programs, folder):
        return inside
    return Footing("user", *dedicated_ids())


def _usable(footing: Footing, programs: Sequence[Path], folder: Path) -> bool:
    script = 'folder=$1; shift; test -w "$folder" || exit 1; for p; do test -x "$p" || exit 1; done'
    probe = spawn(
        ["/bin/sh", "-c", script, "sh", folder, *programs], footing=footing, output=subprocess.DEVNULL
    )
    return probe.wait() == 0


def _unprivileged_ids() -> tuple[int, int]:
    """An existing account other than root: initdb wants its own uid to have a name.

    The number has no power: outside the namespace the process stays who it was. The kernel's
    overflow id (nobody) is avoided because inside every foreign file seems to be its own.
    """
    overflow = int(Path("/proc/sys/kernel/overflowuid").read_text())
    for entry in pwd.getpwall():
        if entry.pw_uid not in (0, overflow):
            return entry.pw_uid, entry.pw_uid
    return overflow, overflow


def dedicated_ids() -> tuple[int, int]:
    """Uid and gid of the account for servers, made if missing (root only).

    Raises:
        EmbeddedError: it cannot be made.
    """
    try:
        entry = pwd.getpwnam(DEDICATED_USER)
    except KeyError:
        _make_account()
        entry = pwd.getpwnam(DEDICATED_USER)
    return entry.pw_uid, entry.pw_gid


def _make_account() -> None:
    useradd = shutil.which("useradd")
    advice = "run as a plain user, or set DATABASE_URL, DATABASE_OWNER_URL and REDIS_URL"
    if useradd is None:
        raise EmbeddedError(f"user namespaces are refused here and there is no useradd; {advice}")
    options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"]
    made = subprocess.run(  # noqa: S603 (fixed arguments)
        [useradd, *options, DEDICATED_USER], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        raise EmbeddedError(
            f"user namespaces are refused here and useradd failed: {made.stderr.strip()}; {advice}"
        )
