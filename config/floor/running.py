"""`make up`: the floor kept running, with people who can sign in to its admin site."""

import socket
import sys
from io import StringIO

from django.core.management import call_command

from config import env
from config.embedded import services
from config.embedded.lock import FileLock, noted_owner
from config.embedded.paths import Layout
from config.embedded.supervisor import Child, Floor
from config.floor.children import LOOPBACK, NotServing, base_url, processes, wait_until_serving
from config.floor.guests import house_file
from tables.models import Role, Staff
from tables.simulation import setup
from tables.simulation.house import House, keep_house, keep_text, load_house, planned_house

EMPTY_CASINO, EMPTY_BADGE, EMPTY_SECRET = "house", "ADMIN", "first_administrator"
SHOWN = ("pit_boss", "auditor", "administrator")
TAKEN = 69  # EX_UNAVAILABLE of sysexits.h


def run(*, port: int, empty: bool) -> int:
    """Serve until Ctrl-C; the exit code."""
    layout = Layout(env.home())
    layout.make()
    with FileLock(layout.lock("floor")) as ours:
        if not ours.attempt():
            other = noted_owner(ours.path)
            sys.stderr.write(
                f"the floor of {layout.home} is up already, as process {other};"
                f" stop it with Ctrl-C in its terminal, or: kill {other}\n"
            )
            return TAKEN
        ours.note_owner()
        if not _port_is_free(port):
            sys.stderr.write(f"port {port} is in use; stop what serves there, or set PITLEDGER_PORT\n")
            return TAKEN
        return _serve(port, empty=empty)


def _serve(port: int, *, empty: bool) -> int:
    call_command("migrate", verbosity=0)
    # A file of passwords is only ever written below the home, readable by its owner alone.
    people = first_administrator() if empty else _people(_furnished_house())
    with services() as endpoints:
        children = processes(endpoints, port)
        if not empty:
            play = [sys.executable, "-m", "config.floor", "play", "--port", str(port)]
            children.append(Child("terminals", play))
        with Floor(endpoints, children) as floor:
            log = Layout(env.home()).logs / "web.log"
            try:
                wait_until_serving(base_url(port), meanwhile=floor.poll, log=log)
            except NotServing as error:
                sys.stderr.write(f"{error}\n")
                return 1
            _announce(port, people, empty=empty)
            floor.wait()
            sys.stderr.write("\nstopping; a round in progress goes on with the next `make up`\n")
    return 0


def _port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _furnished_house() -> House:
    """The simulated house of this home: as it was left, or made now."""
    path = house_file()
    house = load_house(path) or planned_house(setup.free_suffix())
    keep_house(house, path)
    setup.set_up(house, lambda: keep_house(house, path))
    return house


def _people(house: House) -> list[tuple[str, str, str]]:
    return [
        (person.role, person.badge, person.password)
        for person in house.people.values()
        if person.role in SHOWN
    ]


def first_administrator() -> list[tuple[str, str, str]]:
    """An empty house has its first administrator, whose first password is kept like every other secret."""
    badge, path = EMPTY_BADGE, env.home() / "secrets" / EMPTY_SECRET
    call_command("create_casino", EMPTY_CASINO, verbosity=0, stdout=StringIO())
    if not Staff.objects.filter(badge=badge).exists():
        said = StringIO()
        call_command("create_administrator", EMPTY_CASINO, badge, stdout=said)
        keep_text(path, said.getvalue().strip())
    return [(Role.ADMINISTRATOR, badge, path.read_text() if path.exists() else "(see who made it)")]


def _announce(port: int, people: list[tuple[str, str, str]], *, empty: bool) -> None:
    url = base_url(port)
    lines = [
        "",
        f"The floor is open.        {url}/admin/",
        f"API documentation         {url}/api/v1/docs",
        "",
        *(f"  {role:<14} badge {badge:<6} password {password}" for role, badge, password in people),
    ]
    if not empty:
        lines.append(f"  (kept, with all PINs, in {house_file()})")
    lines += ["", f"Logs are in {Layout(env.home()).logs}. Ctrl-C stops everything.", ""]
    sys.stdout.write("\n".join(lines))
    sys.stdout.flush()
