"""Removing a home with everything in it: data, sockets, secrets, logs, exports."""

import shutil
from pathlib import Path

from config.embedded.fallback import PLACE, RECORD
from config.embedded.launcher import read_state
from config.embedded.paths import EmbeddedError, Layout, forget_socket_folder


def discard(home: Path) -> bool:
    """Remove a home that nobody uses; a folder that is no home is left alone.

    Returns:
        Whether there was one.

    Raises:
        EmbeddedError: servers run on it, or it does not look like a home.
    """
    layout = Layout(home)
    if not home.exists():
        return False
    if not any(home.iterdir()):
        home.rmdir()
        return True
    if not (layout.run.is_dir() and layout.secrets.is_dir()):
        raise EmbeddedError(f"{home} does not look like a home of the embedded servers; not removed")
    if read_state(layout) is not None:
        raise EmbeddedError(f"servers run on {home}; stop what uses them first")
    forget_socket_folder(layout)
    # Where the servers run under an account of their own, their folder lies elsewhere.
    record = home / RECORD
    if record.exists():
        elsewhere = Path(record.read_text())
        if elsewhere.parent == PLACE:
            shutil.rmtree(elsewhere, ignore_errors=True)
    shutil.rmtree(home)
    return True
