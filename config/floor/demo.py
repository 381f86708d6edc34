"""`make demo`: one compressed gaming day on seven tables, from an empty database to the audited close."""

import signal
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from django.core.management import call_command

from config import env
from config.embedded import Endpoints, services
from config.embedded.paths import Layout
from config.embedded.supervisor import Floor as Processes
from config.floor import accounts
from config.floor.children import LOOPBACK, NotServing, base_url, processes, wait_until_serving
from config.floor.guests import have_terminals, house_file, open_table
from config.floor.outcome import Outcome, shortcomings
from config.floor.page import render
from config.floor.show import Progress
from tables.simulation import setup
from tables.simulation.dealer import Dealer
from tables.simulation.floor import Floor, Stopped
from tables.simulation.house import DRAWER, STOCK, House, keep_house, planned_house
from tables.simulation.staging import ARRANGED, demonstration, shares
from tables.simulation.terminal import Refused, Unreachable

FAILED, CHIPS_MISSING = 2, 1


def run(*, rounds: int, seed: str) -> int:
    """Play the day and print the page; 0 when every chip is accounted for.

    Args:
        rounds: over all tables, at least.
        seed: of the players' decisions.
    """
    progress = Progress()
    progress.step(f"one gaming day of at least {rounds} rounds, seed {seed}")
    try:
        with services() as endpoints:
            outcome = _day(endpoints, rounds=rounds, seed=seed, progress=progress)
    except (NotServing, Refused, Unreachable, Stopped) as error:
        sys.stderr.write(f"the day could not be played to its end: {error}\nlogs are in {_logs()}\n")
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        return 128 + signal.SIGINT
    page = render(
        outcome, seed=seed, seconds=progress.seconds, exports=str(_exports()), note=f"staged: {ARRANGED}"
    )
    sys.stdout.write(page)
    return CHIPS_MISSING if shortcomings(outcome) else 0


def _logs() -> Path:
    return Layout(env.home()).logs


def _exports() -> Path:
    return env.home() / "exports"


def _day(endpoints: Endpoints, *, rounds: int, seed: str, progress: Progress) -> Outcome:
    progress.step("making the database")
    call_command("migrate", verbosity=0)
    port = _free_port()
    children = processes(endpoints, port)
    *names, last = (child.name for child in children)
    progress.step(f"starting {', '.join(names)} and {last}; employing people, putting up tables")
    with Processes(endpoints, children, tell=progress.step) as running:
        house = _new_house()
        wait_until_serving(base_url(port), meanwhile=running.poll, log=_logs() / "web.log")
        have_terminals(house, base_url(port))
        wanted = shares(rounds)
        least = min(wanted.values())
        patience = (max(2, least // 5), max(3, least // 2))
        staging = demonstration(house, wanted)
        with Floor(house, base_url(port), seed=seed, patience=patience, staging=staging) as floor:
            return _play_and_judge(house, floor, wanted, progress, running.poll)


def _new_house() -> House:
    house = planned_house(setup.free_suffix())
    keep_house(house, house_file())
    setup.set_up(house, lambda: keep_house(house, house_file()))
    return house


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _play_and_judge(
    house: House,
    floor: Floor,
    wanted: Mapping[str, int],
    progress: Progress,
    look_after: Callable[[], None],
) -> Outcome:
    def watch() -> None:
        look_after()
        played = floor.chronicle.rounds()
        tables = "  ".join(f"{code} {played.get(code, 0):>3}" for code in floor.dealers)
        progress.update(f"{sum(played.values())} of {sum(wanted.values())} rounds   {tables}")

    progress.step("opening the cage and the tables")
    floor.cage.sign_in()
    floor.cage.stock(chips=STOCK, cash=DRAWER)
    floor.everywhere(_open, watch=look_after)
    progress.step("playing")
    floor.everywhere(lambda dealer: dealer.play(wanted[dealer.post.code]), watch=watch)
    progress.step("closing and counting")
    floor.close(watch=look_after)
    return accounts.judge(
        house,
        floor,
        wanted=wanted,
        exports=_exports(),
        progress=progress,
        look_after=look_after,
    )


def _open(dealer: Dealer) -> None:
    dealer.sign_in()
    open_table(dealer)
