"""Who gets in, with which rights, and what the launcher leaves alone."""

import stat
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
import redis

from config.embedded import EmbeddedError, services
from config.embedded.paths import Layout, private_folder, socket_folder
from tests.embedded.harness import Launch, processes_of


def _refused(**changes: str) -> bool:
    try:
        psycopg.connect(connect_timeout=5, port=5432, **changes).close()  # type: ignore[arg-type]
    except psycopg.OperationalError as error:
        return "password" in str(error)
    return False


def test_nobody_gets_in_without_the_right_password(launch: Launch, home: Path) -> None:
    launched = launch(home).ready()
    at = str(launched.sockets())
    app_password = (home / "secrets" / "postgres_app").read_text()
    for role in ("postgres", "pitledger_owner", "pitledger_app"):
        for database in ("pitledger", "postgres"):
            assert _refused(host=at, user=role, dbname=database, password="wrong", passfile="/none")
            assert _refused(host=at, user=role, dbname=database, passfile="/none")
    assert _refused(host=at, user="pitledger_owner", dbname="pitledger", password=app_password)
    assert _refused(host=at, user="postgres", dbname="pitledger", password=app_password)
    for password in ("", ":wrong@"):
        url = f"unix://{password}{quote(at)}/redis.sock?db=0"
        with redis.from_url(url) as client, pytest.raises(redis.AuthenticationError):
            client.ping()
    assert launched.finish() == 7


def test_roles_have_the_rights_they_need_and_no_more(launch: Launch, home: Path) -> None:
    launched = launch(home).ready()
    with launched.connect("owner") as owner:
        roles = owner.execute(
            "SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls"
            " FROM pg_roles WHERE rolname LIKE 'pitledger%' ORDER BY 1"
        ).fetchall()
        assert roles == [
            ("pitledger_app", False, False, False, False, False),
            ("pitledger_owner", False, True, False, False, False),
        ]
        rights = owner.execute(
            "SELECT d.datname, r.rolname, p.name FROM pg_database d"
            " CROSS JOIN (VALUES ('pitledger_app'), ('pitledger_owner')) r (rolname)"
            " CROSS JOIN (VALUES ('CONNECT'), ('CREATE'), ('TEMPORARY')) p (name)"
            " WHERE has_database_privilege(r.rolname, d.oid, p.name) AND d.datname <> 'template0'"
            " ORDER BY 1, 2, 3"
        ).fetchall()
        assert rights == [
            ("pitledger", "pitledger_app", "CONNECT"),
            ("pitledger", "pitledger_owner", "CONNECT"),
            ("pitledger", "pitledger_owner", "CREATE"),
            ("pitledger", "pitledger_owner", "TEMPORARY"),
            ("postgres", "pitledger_owner", "CONNECT"),
        ]
        # What a test run does.
        owner.execute("CREATE DATABASE made_by_owner")
        owner.execute("DROP DATABASE made_by_owner")
    with launched.connect() as app:
        for refused in (
            "CREATE TABLE public.mine ()",
            "CREATE TEMPORARY TABLE mine ()",
            "CREATE SCHEMA mine",
            "CREATE DATABASE mine",
            "SET ROLE pitledger_owner",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute(refused)
        assert app.execute("SELECT to_regclass('public.mine'), to_regnamespace('mine')").fetchone() == (
            None,
            None,
        )
    assert launched.finish() == 7


def test_settings_are_durable_and_private(launch: Launch, home: Path) -> None:
    launched = launch(home).ready()
    with launched.connect() as app:
        names = (
            "fsync",
            "full_page_writes",
            "synchronous_commit",
            "listen_addresses",
            "TimeZone",
            "max_connections",
        )
        values = [app.execute("SELECT current_setting(%s)", [name]).fetchone() for name in names]
    assert values == [("on",), ("on",), ("on",), ("",), ("UTC",), ("120",)]
    with redis.from_url(launched.shown["REDIS_URL"]) as client:
        assert client.config_get("port") == {"port": "0"}
        assert client.config_get("appendonly") == {"appendonly": "yes"}
    # No password on a command line, where every user of the machine reads it, or in a log.
    shown = "\n".join(processes_of(home))
    assert launched.finish() == 7
    logged = "\n".join(path.read_text() for path in (home / "logs").iterdir())
    passwords = {path.read_text() for path in (home / "secrets").iterdir()}
    assert len(passwords) == 4
    assert not any(password in shown or password in logged for password in passwords)


def test_folders_we_did_not_make_keep_their_permissions(
    launch: Launch, short_path: Path, person: str
) -> None:
    closed = short_path / "closed"
    shared = closed / "shared"
    home = shared / 'it\'s "h" 50% @?&#\\'  # serves all the same
    for folder, mode in ((closed, 0o700), (shared, 0o2775), (home, 0o755)):
        folder.mkdir()
        folder.chmod(mode)
    (home / "of-the-operator.txt").touch(mode=0o644)
    theirs = [*home.parents, home, home / "of-the-operator.txt"]
    before = [(path, path.stat().st_mode, path.stat().st_uid) for path in theirs]

    launched = launch(home, person=person).ready()
    made = [path for path in home.iterdir() if path.is_dir()]
    assert {path.name for path in made} == {"logs", "postgres", "redis", "run", "secrets", "sockets"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (home / "secrets").iterdir()} == {0o600}
    assert stat.S_IMODE((home / "sockets" / ".s.PGSQL.5432").stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "redis" / "redis.conf").stat().st_mode) == 0o600
    with launched.connect() as app, redis.from_url(launched.shown["REDIS_URL"]) as client:
        assert app.execute("SELECT 1").fetchone() == (1,)
        assert client.ping()
    assert launched.finish() == 7

    assert [(path, path.stat().st_mode, path.stat().st_uid) for path in theirs] == before


def test_a_long_home_gets_a_short_private_socket_folder(launch: Launch, tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    launched = launch(home).ready()
    sockets = launched.sockets()
    assert home not in sockets.parents
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    with launched.connect() as app:
        assert app.execute("SELECT 1").fetchone() == (1,)
    with redis.from_url(launched.shown["REDIS_URL"]) as client:
        assert client.ping()
    assert launched.finish() == 7
    assert not sockets.exists()
    assert processes_of(home) == []


def test_a_home_with_a_comma_has_its_sockets_elsewhere(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "home")
    layout.make()
    folder = socket_folder(layout, layout.home / "a,b")
    assert "," not in str(folder)
    folder.rmdir()


def test_a_recorded_socket_folder_that_others_can_enter_is_not_used(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "home")
    layout.make()
    too_long = layout.home / ("x" * 110)
    first = socket_folder(layout, too_long)
    assert socket_folder(layout, too_long) == first
    first.chmod(0o755)
    second = socket_folder(layout, too_long)
    assert second != first
    first.rmdir()
    second.rmdir()
    third = socket_folder(layout, too_long)
    assert third not in (first, second)
    third.rmdir()


def test_open_or_foreign_folders_are_refused_not_mended(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    folder.mkdir()
    folder.chmod(0o750)
    with pytest.raises(EmbeddedError, match="chmod 700"):
        private_folder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o750
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(EmbeddedError, match="not a folder of uid"):
        private_folder(link)


def test_open_or_lost_passwords_are_refused(spoilt_home: Path) -> None:
    secret = spoilt_home / "secrets" / "postgres_superuser"
    secret.chmod(0o644)
    with pytest.raises(EmbeddedError, match="chmod 600"), services(spoilt_home):
        pass
    assert stat.S_IMODE(secret.stat().st_mode) == 0o644
    secret.chmod(0o600)
    # A role's password can be made anew, the superuser's cannot.
    (spoilt_home / "secrets" / "postgres_app").unlink()
    with services(spoilt_home) as endpoints, psycopg.connect(endpoints.database_url) as app:
        assert app.execute("SELECT current_user").fetchone() == ("pitledger_app",)
    secret.unlink()
    with pytest.raises(EmbeddedError, match="postgres_superuser is gone"), services(spoilt_home):
        pass
    assert not secret.exists()
