"""Using the embedded servers: join those of a home, starting them if nobody has."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config import env
from config.embedded.addresses import APP, OWNER, PASSWORDS, REDIS_PASSWORD, postgres_url, redis_url
from config.embedded.lock import FileLock, noted_owner
from config.embedded.paths import EmbeddedError, Layout
from config.embedded.process import open_log

# Longer than any start or orderly stop takes, so that only a process that hangs is reported.
PATIENCE_SECONDS = 120.0
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Endpoints:
    """Addresses of the services, passwords included.

    Attributes:
        database_url: as the application role.
        database_owner_url: as the role that owns the schema and migrates it.
        redis_url: in redis-py's form; None where there is no Redis and Celery runs in-process.
        revive: starts the servers again, at the same addresses, if their keeper was killed; says
            whether it had to. To be called now and then by whoever uses them for long.
    """

    database_url: str
    database_owner_url: str
    redis_url: str | None
    revive: Callable[[], bool] = field(default=lambda: False, repr=False, compare=False)

    def environ(self) -> dict[str, str]:
        """The variables a child process needs; REDIS_URL is empty where there is no Redis."""
        return {
            "DATABASE_URL": self.database_url,
            "DATABASE_OWNER_URL": self.database_owner_url,
            "REDIS_URL": self.redis_url or "",
        }


@contextmanager
def services(home: Path | None = None, *, fast: bool = False) -> Iterator[Endpoints]:
    """Have PostgreSQL and Redis while the block runs.

    What DATABASE_URL with DATABASE_OWNER_URL, or REDIS_URL, name is used as it is. Everything
    else is served from ``home``: by servers that run there already, or by new ones. They stop
    when their last user leaves, and this returns only after that if we are the last.

    Args:
        home: folder of data, sockets, secrets and logs; default PITLEDGER_HOME.
        fast: give up durability, for tests: allowed only on homes first made that way.

    Raises:
        EmbeddedError: they cannot be started or joined.
    """
    database = _outside_database()
    redis = os.environ.get("REDIS_URL") or None
    wanted = [name for name, given in (("postgres", database), ("redis", redis)) if not given]
    if not wanted:
        yield _endpoints(database, redis)
        return
    membership = _Membership(Layout((home or env.home()).resolve()), wanted, fast=fast)
    with membership as state:
        layout, sockets = membership.layout, Path(state["sockets"])
        if database is None:
            app, owner = (
                postgres_url(role, layout.password(PASSWORDS[role]), sockets) for role in (APP, OWNER)
            )
            database = (app, owner)
        if "redis" in state["servers"] and redis is None:
            redis = redis_url(layout.password(REDIS_PASSWORD), sockets)
        yield _endpoints(database, redis, membership.revive)


def read_state(layout: Layout) -> dict[str, Any] | None:
    """What runs on a home, as its keeper wrote it; None if nothing does."""
    with FileLock(layout.lock("keeper")) as keeper:
        if keeper.attempt(shared=True):
            return None
    try:
        state: dict[str, Any] = json.loads(layout.state_file.read_text())
    except FileNotFoundError:
        return None
    return state


def _outside_database() -> tuple[str, str] | None:
    app, owner = os.environ.get("DATABASE_URL"), os.environ.get("DATABASE_OWNER_URL")
    if bool(app) != bool(owner):
        raise EmbeddedError("set both DATABASE_URL and DATABASE_OWNER_URL, or neither")
    return (app, owner) if app and owner else None


def _endpoints(
    database: tuple[str, str] | None, redis: str | None, revive: Callable[[], bool] = lambda: False
) -> Endpoints:
    if database is None:
        raise EmbeddedError("no database")
    return Endpoints(*database, redis_url=redis, revive=revive)


class _Membership:
    """A share of the home's ``users`` lock, on which its keeper's life depends."""

    def __init__(self, layout: Layout, wanted: list[str], *, fast: bool) -> None:
        layout.make()
        self.layout = layout
        self._wanted = wanted
        self._fast = fast
        self._users = FileLock(layout.lock("users"))
        self._keepers: list[int] = []

    def __enter__(self) -> dict[str, Any]:
        try:
            with _door(self.layout):
                if not self._users.wait(PATIENCE_SECONDS, shared=True):
                    raise EmbeddedError(
                        f"process {_keeper_of(self.layout)} is stopping and does not get done"
                    )
                state = self._join()
            return _suitable(self.layout, state, self._wanted, fast=self._fast)
        except BaseException:
            # Not joined: let go, so that a keeper we may have started stops again.
            self._users.close()
            raise

    def __exit__(self, *_: object) -> None:
        """Give up our share; if nobody else has one, wait until the servers have stopped."""
        with _door(self.layout):
            self._users.release()
            # Nobody can join while we are in the door. Got it: we were the last. Not even a share
            # to be had: the keeper was quicker and has it. Otherwise others stay; we just go.
            last = self._users.attempt() or not self._users.attempt(shared=True)
            self._users.close()
        if not last:
            return
        with FileLock(self.layout.lock("keeper")) as keeper:
            if not keeper.wait(PATIENCE_SECONDS, shared=True):
                raise EmbeddedError(f"process {_keeper_of(self.layout)} does not get done stopping")
        for pid in self._keepers:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def revive(self) -> bool:
        """See Endpoints."""
        with FileLock(self.layout.lock("keeper")) as keeper:
            if not keeper.attempt(shared=True):
                return False
        with _door(self.layout):
            self._join()
        return True

    def _join(self) -> dict[str, Any] | None:
        """The state of the running keeper, started if there is none."""
        state = _running_state(self.layout)
        if state is None:
            self._keepers.append(_start_keeper(self.layout, self._wanted, fast=self._fast))
            state = _running_state(self.layout)
        return state


@contextmanager
def _door(layout: Layout) -> Iterator[None]:
    """One joins or leaves at a time."""
    with FileLock(layout.lock("door")) as door:
        if not door.wait(PATIENCE_SECONDS):
            raise EmbeddedError(f"process {noted_owner(door.path)} has been starting here for too long")
        door.note_owner()
        yield


def _running_state(layout: Layout) -> dict[str, Any] | None:
    """The state of a keeper to join. One that was told to stop is waited for until it has gone."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with FileLock(layout.lock("keeper")) as keeper:
        while not keeper.attempt(shared=True):
            with suppress(FileNotFoundError):
                state: dict[str, Any] = json.loads(layout.state_file.read_text())
                return state
            if time.monotonic() > deadline:
                raise EmbeddedError(f"process {_keeper_of(layout)} is stopping and does not get done")
            time.sleep(POLL_SECONDS)
    return None


def _suitable(
    layout: Layout, state: dict[str, Any] | None, wanted: list[str], *, fast: bool
) -> dict[str, Any]:
    if state is None:
        raise EmbeddedError(f"the servers stopped again at once; see {layout.logs}")
    if state["fast"] != fast or not set(wanted) <= set(state["wanted"]):
        raise EmbeddedError(
            f"process {state['keeper']} serves {layout.home} with other settings (fast={state['fast']},"
            f" {' and '.join(state['wanted'])}); stop what uses it, or choose another PITLEDGER_HOME"
        )
    return state


def _start_keeper(layout: Layout, wanted: list[str], *, fast: bool) -> int:
    """Start a keeper, wait until its servers serve, and return its process id."""
    order = json.dumps({"home": str(layout.home), "wanted": wanted, "fast": fast})
    answers, answer = os.pipe()
    log = open_log(layout.logs / "keeper.log")
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-m", "config.embedded.keeper", order],
            os.environ | {"PYTHONPATH": _python_path()},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nothing, 0),
                (os.POSIX_SPAWN_DUP2, answer, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
            ],
            # Its own session: Ctrl-C in our terminal must not reach it before its users are done.
            setsid=True,
        )
    finally:
        for descriptor in (answer, log, nothing):
            os.close(descriptor)
    with os.fdopen(answers) as pipe:
        line = pipe.readline()
    answered: dict[str, Any] = json.loads(line) if line else {"error": f"it died; see {layout.logs}"}
    if "error" in answered:
        os.waitpid(pid, 0)
        raise EmbeddedError(f"the embedded servers do not start: {answered['error']}")
    return pid


def _python_path() -> str:
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(env.BASE_DIR), *([inherited] if inherited else [])])


def _keeper_of(layout: Layout) -> str:
    return noted_owner(layout.lock("keeper"))
