"""Putting people and terminals at their places, and letting all tables play at once."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass

from tables.simulation.cage import Cage
from tables.simulation.dealer import Dealer, Post
from tables.simulation.house import CHIPS, TABLES, House, TablePlan
from tables.simulation.incidents import Script
from tables.simulation.terminal import Terminal, enrol
from tables.simulation.world import Chronicle, Lobby, PhysicalShoe

CAGE = "cage"
WATCH_SECONDS = 0.1


class Stopped(Exception):
    """The play was told to stop, or another table could not go on."""


@dataclass(frozen=True)
class Staging:
    """What a day shall show.

    Attributes:
        scripts: by table code, what is to happen when.
        all_in: by table code, the rounds in which everybody bets as much as he may.
        on_top: by table code, the cards on top of a physical shoe's first shuffle.
    """

    scripts: Mapping[str, Script]
    all_in: Mapping[str, frozenset[int]]
    on_top: Mapping[str, Sequence[str]]


NOTHING_STAGED = Staging({}, {}, {})


class Floor(AbstractContextManager["Floor"]):
    """The dealers and the cage of a house, each at an enrolled terminal.

    Attributes:
        stop: set it to end all play before the next command of each table.

    Args:
        base_url: where the server is.
        seed: of the guests' decisions and the physical shuffles.
        patience: the fewest and the most rounds a guest stays at one table.
        pace_seconds: pause before each command.
    """

    def __init__(
        self,
        house: House,
        base_url: str,
        *,
        seed: str,
        patience: tuple[int, int],
        staging: Staging = NOTHING_STAGED,
        pace_seconds: float = 0.0,
    ) -> None:
        self.chronicle = Chronicle()
        self.stop = threading.Event()
        self._pace_seconds = pace_seconds
        self._house = house
        self._seed = seed
        self._terminals = {
            place: Terminal(base_url, credential, sleep=self._wait)
            for place, credential in house.credentials.items()
        }
        self.lobby = Lobby(
            seed,
            [plan.code for plan in TABLES],
            cash={plan.code: plan.wallet for plan in TABLES},
            patience=patience,
            known=house.players,
        )
        self.cage = Cage(
            self._terminals[CAGE],
            chips=CHIPS,
            cashier=house.person("C001"),
            second=house.person("C002"),
            chronicle=self.chronicle,
        )
        self.dealers = {
            plan.code: self._dealer(number, plan, staging) for number, plan in enumerate(TABLES, start=1)
        }

    def __exit__(self, *_: object) -> None:
        for terminal in self._terminals.values():
            terminal.close()

    def everywhere(self, work: Callable[[Dealer], None], *, watch: Callable[[], None] = lambda: None) -> None:
        """Do `work` at all tables at once; the first failure stops the others and is raised.

        Args:
            watch: called some times a second meanwhile, in the calling thread.
        """
        with ThreadPoolExecutor(len(self.dealers)) as threads:
            running = [threads.submit(work, dealer) for dealer in self.dealers.values()]
            try:
                while not all(done.done() for done in running):
                    if any(done.done() and done.exception() for done in running):
                        self.stop.set()
                    watch()
                    time.sleep(WATCH_SECONDS)
            except BaseException:
                self.stop.set()
                raise
            failures = [done.exception() for done in running]
        for failure in sorted(filter(None, failures), key=lambda error: isinstance(error, Stopped)):
            raise failure

    def close(self, *, watch: Callable[[], None] = lambda: None) -> None:
        """End the day: everybody leaves, all tables close, the boxes are counted; `watch` as above."""
        self.everywhere(lambda dealer: dealer.count_drop(dealer.close()), watch=watch)
        for guest in self.lobby.still_waiting():
            self.cage.redeem(guest)
            self.lobby.go_home(guest)

    def _dealer(self, number: int, plan: TablePlan, staging: Staging) -> Dealer:
        rng = random.Random(f"{self._seed}/{plan.code}")  # noqa: S311 (play, not a secret)
        on_top = staging.on_top.get(plan.code, ())
        return Dealer(
            Post(
                table_id=self._house.tables[plan.code],
                code=plan.code,
                chips=CHIPS,
                dealer=self._house.person(f"D00{number}"),
                supervisor=self._house.person("F001"),
                guests=plan.guests,
                script=staging.scripts.get(plan.code, {}),
                all_in=staging.all_in.get(plan.code, frozenset()),
            ),
            terminal=self._terminals[plan.code],
            cage=self.cage,
            lobby=self.lobby,
            chronicle=self.chronicle,
            shoe=PhysicalShoe(rng, plan.packs, on_top) if plan.scanned else None,
            pace=self._pace,
        )

    def _pace(self) -> None:
        self._wait(self._pace_seconds)

    def _wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped


def enrol_terminals(house: House, base_url: str, keep: Callable[[], None]) -> None:
    """Trade every code for a credential, writing each down at once: a code is good once only."""
    for place, code in list(house.codes.items()):
        house.credentials[place] = str(enrol(base_url, code)["credential"])
        del house.codes[place]
        keep()
