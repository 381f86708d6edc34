"""The simulated terminals of `make up`: they take over what they find, and play slowly until stopped."""

import secrets
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

from django.utils import timezone

from config import env
from config.floor.children import base_url, wait_until_serving
from tables.figures import gaming_day
from tables.models import Casino
from tables.simulation import setup
from tables.simulation.dealer import Dealer
from tables.simulation.floor import Floor, Stopped, enrol_terminals
from tables.simulation.house import DRAWER, STOCK, TABLES, House, keep_house, load_house
from tables.simulation.players import make_player
from tables.simulation.terminal import Refused

PACE_SECONDS = 1.5
PATIENCE = (8, 40)
NEW_CASH = 200_000
ROUNDS_BETWEEN_LOOKS = 10


def house_file() -> Path:
    """Where the simulated house is kept."""
    return env.home() / "secrets" / "demo_floor.json"


def run(*, port: int) -> int:
    """Play until SIGTERM; the exit code."""
    house = load_house(house_file())
    if house is None or not house.complete:
        sys.stderr.write("there is no simulated house to play in\n")
        return 1
    url, seed = base_url(port), secrets.token_hex(4)
    wait_until_serving(url, meanwhile=lambda: None, log=env.home() / "logs" / "web.log")
    have_terminals(house, url)
    casino = Casino.objects.get(id=house.casino)
    lying = {code: setup.lying_at(table_id) for code, table_id in house.tables.items()}
    with Floor(house, url, seed=seed, patience=PATIENCE, pace_seconds=PACE_SECONDS) as floor:
        stop_on_signals(floor.stop)
        try:
            floor.cage.sign_in()
            stock_cage(house, floor)
            floor.everywhere(lambda dealer: work(casino, dealer, lying[dealer.post.code], seed))
        except Stopped:
            return 0
    return 0


def have_terminals(house: House, url: str) -> None:
    """Enrol what is not enrolled; a code that was used up by a start cut short is replaced."""

    def keep() -> None:
        keep_house(house, house_file())

    try:
        enrol_terminals(house, url, keep)
    except Refused:
        setup.new_codes(house)
        keep()
        enrol_terminals(house, url, keep)


def stop_on_signals(stop: threading.Event) -> None:
    """End the play in good order on SIGTERM and Ctrl-C."""

    def handler(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)


def stock_cage(house: House, floor: Floor) -> None:
    """See what lies in the cage, and bring in the first chips and cash if nothing does."""
    floor.cage.vault, floor.cage.drawer = setup.lying_in_cage(house)
    if not floor.cage.vault:
        floor.cage.stock(chips=STOCK, cash=DRAWER)


def work(casino: Casino, dealer: Dealer, lying: setup.Lying, seed: str) -> None:
    """One table, for ever: taken over as it stands, closed and opened anew with every gaming day."""
    take_over(dealer, lying, seed)
    while True:
        if dealer.view["session"] is None:
            open_table(dealer)
        dealer.play(dealer.number + ROUNDS_BETWEEN_LOOKS)
        today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
        if dealer.view["session"]["gaming_day"] != today.isoformat():
            dealer.count_drop(dealer.close())


def open_table(dealer: Dealer) -> None:
    """Have the first chips brought, and open; the tray of a table that was open before has its chips."""
    plan = next(plan for plan in TABLES if plan.code == dealer.post.code)
    if dealer.tray < plan.tray:
        dealer.get_fill(plan.tray - dealer.tray)
    dealer.open()


def take_over(dealer: Dealer, lying: setup.Lying, seed: str) -> None:
    """Come to a table and go on where it stands, with whoever sits there.

    Args:
        lying: what lies there.
        seed: of the guests' further decisions.
    """
    dealer.sign_in()
    dealer.tray, dealer.box, dealer.layout = lying.tray, lying.box, dict(lying.wagers)
    for seat, stack in lying.stacks.items():
        guest = make_player(f"{seed}/{dealer.post.code}", seat, cash=NEW_CASH, patience=PATIENCE)
        guest.stack = stack
        dealer.seats[seat] = guest
    if dealer.shoe and lying.cards:
        dealer.shoe.take_over(lying.cards, lying.burnt)
