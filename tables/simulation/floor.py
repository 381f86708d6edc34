"""Putting people and terminals at their places, and letting all tables play at once."""

import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

from tables.simulation.cage import Cage
from tables.simulation.card_room import RoomDealer
from tables.simulation.dealer import Dealer, Post, Staged
from tables.simulation.house import CHIPS, TABLES, House, TablePlan
from tables.simulation.red_dog import RedDogDealer
from tables.simulation.terminal import Terminal, enrol
from tables.simulation.world import Chronicle, Lobby, PhysicalPack, PhysicalShoe

CAGE = "cage"
WATCH_SECONDS = 0.1


class Stopped(Exception):
    """The play was told to stop, or another table could not go on."""


Staging = Mapping[str, Staged]
"""By table code, what a day shall show there."""
NOTHING_STAGED: Staging = {}


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
            place: Terminal(base_url, credential, sleep=self.rest)
            for place, credential in house.credentials.items()
        }
        plans = [(number, plan) for number, plan in enumerate(TABLES, start=1) if plan.code in house.tables]
        self.lobby = Lobby(
            seed,
            [plan.code for _, plan in plans],
            cash={plan.code: plan.wallet for _, plan in plans},
            patience=patience,
            known=house.players,
        )
        self.cage = Cage(
            self._terminals[CAGE],
            chips=CHIPS,
            cashier=house.person("C001"),
            second=house.person("C002"),
            runner=house.person("S001"),
            remover=house.person("P001"),
            member=house.players[0],
            chronicle=self.chronicle,
        )
        self.dealers = {
            plan.code: self._dealer(number, plan, staging.get(plan.code, Staged())) for number, plan in plans
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
        self.everywhere(lambda dealer: dealer.finish(), watch=watch)
        for guest in self.lobby.still_waiting():
            self.cage.redeem(guest)
            self.lobby.go_home(guest)

    def _dealer(self, number: int, plan: TablePlan, staged: Staged) -> Dealer:
        post = Post(
            table_id=self._house.tables[plan.code],
            code=plan.code,
            chips=CHIPS,
            dealer=self._house.person(f"D00{number}"),
            supervisor=self._house.person("F001"),
            guests=plan.guests,
            staged=staged,
        )
        return (RoomDealer if plan.is_card_room else RedDogDealer)(
            post,
            terminal=self._terminals[plan.code],
            cage=self.cage,
            lobby=self.lobby,
            chronicle=self.chronicle,
            shoe=self._cards(plan, staged) if plan.scanned else None,
            pace=self._pace,
        )

    def _cards(self, plan: TablePlan, staged: Staged) -> PhysicalShoe:
        rng = random.Random(f"{self._seed}/{plan.code}")  # noqa: S311 (play, not a secret)
        if plan.is_card_room:
            return PhysicalPack(rng)
        return PhysicalShoe(rng, plan.rules.packs, staged.on_top)

    def _pace(self) -> None:
        self.rest(self._pace_seconds)

    def rest(self, seconds: float) -> None:
        """Wait, unless all play is to end.

        Raises:
            Stopped: it is.
        """
        if self.stop.wait(seconds):
            raise Stopped


def enrol_terminals(house: House, base_url: str, keep: Callable[[], None]) -> None:
    """Trade every code for a credential, writing each down at once: a code is good once only."""
    for place, code in list(house.codes.items()):
        house.credentials[place] = str(enrol(base_url, code)["credential"])
        del house.codes[place]
        keep()
