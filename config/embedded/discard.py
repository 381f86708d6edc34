"""Removing a home with everything in it: data, sockets, secrets, logs, exports."""

import shutil
from pathlib import Path

from config.embedded.fallback import PLACE, RECORD
from config.embedded.launcher import read_state
from config.embedded.paths import EmbeddedError, Layout, forget_socket_folder


def discard(*homes: Path) -> int:
    """Remove homes that nobody uses, all of them or none; a folder that is no home is left alone.

    Returns:
        How many of them there were.

    Raises:
        EmbeddedError: servers run on one of them, or one does not look like a home; nothing was removed.
    """
    found = [home for home in homes if home.exists()]
    for home in found:
        _check(home)
    for home in found:
        _remove(home)
    return len(found)


def _check(home: Path) -> None:
    layout = Layout(home)
    if not any(home.iterdir()):
        return
    if not (layout.run.is_dir() and layout.secrets.is_dir()):
        raise EmbeddedError(f"{home} does not look like a home of the embedded servers; not removed")
    if read_state(layout) is not None:
        raise EmbeddedError(f"servers run on {home}; stop what uses them first")


def _remove(home: Path) -> None:
    layout = Layout(home)
    if layout.run.is_dir():
        forget_socket_folder(layout)
    # Where the servers run under an account of their own, their folder lies elsewhere.
    record = home / RECORD
    if record.exists():
        elsewhere = Path(record.read_text())
        if elsewhere.parent == PLACE:
            shutil.rmtree(elsewhere, ignore_errors=True)
    shutil.rmtree(home)
