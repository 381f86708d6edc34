"""The simulated terminals of `make up`: they take over what they find, and play slowly until stopped."""

import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from django.db import connections
from django.utils import timezone

from config import env
from config.floor.children import base_url, wait_until_serving
from tables.figures import gaming_day
from tables.models import Casino
from tables.simulation import setup
from tables.simulation.dealer import Dealer
from tables.simulation.floor import Floor, Stopped, enrol_terminals
from tables.simulation.house import DRAWER, STOCK, TABLES, House, keep_house, load_house
from tables.simulation.players import Player, make_player
from tables.simulation.slips import finish
from tables.simulation.terminal import OVERTAKEN, Refused

PACE_SECONDS = 1.5
PATIENCE = (8, 40)
NEW_CASH = 200_000
ROUNDS_BETWEEN_LOOKS = 10
REST_SECONDS = 10.0


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
    with Floor(house, url, seed=seed, patience=PATIENCE, pace_seconds=PACE_SECONDS) as floor:
        stop_on_signals(floor.stop)
        try:
            floor.cage.sign_in()
            stock_cage(house, floor)
            floor.everywhere(lambda dealer: work(casino, dealer, seed, rest=floor.rest))
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


def work(casino: Casino, dealer: Dealer, seed: str, *, rest: Callable[[float], None] = time.sleep) -> None:
    """One table, for ever; taken over again, as it stands then, whenever a command is refused there.

    As a rule somebody else has acted there meanwhile. Any other refusal (the table is frozen, a drawer is
    empty) is for a person to see to: this table waits, and the others play on.

    Args:
        rest: waits so many seconds before such a table is looked at again; it may raise to stop.
    """
    dealer.sign_in()
    while True:
        try:
            take_over(dealer, seed)
            run_table(casino, dealer)
        except Refused as refusal:
            overtaken = refusal.code in OVERTAKEN
            said = f"somebody else has acted here ({refusal.code})" if overtaken else f"refused: {refusal}"
            sys.stderr.write(f"{dealer.post.code}: {said}\n")
            sys.stderr.flush()
            if not overtaken:
                rest(REST_SECONDS)


def run_table(casino: Casino, dealer: Dealer) -> None:
    """Play until refused or stopped; the table is closed and opened anew with every gaming day."""
    while True:
        if dealer.view["session"] is None:
            open_table(dealer)
        dealer.play(dealer.number + ROUNDS_BETWEEN_LOOKS)
        today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
        if dealer.view["session"]["gaming_day"] != today.isoformat():
            dealer.finish()


def open_table(dealer: Dealer) -> None:
    """Have the first chips brought, and open; the tray of a table that was open before has its chips.

    A box that was left uncounted when the play was stopped is counted first.
    """
    dealer.count_drop()
    plan = next(plan for plan in TABLES if plan.code == dealer.post.code)
    if dealer.tray < plan.tray:
        dealer.get_fill(plan.tray - dealer.tray)
    dealer.open()


def take_over(dealer: Dealer, seed: str) -> None:
    """Go on where a table stands, with whoever sits there and the slips that are under way.

    The terminal is looked at first: who acts after that makes the dealer's next command a stale one.

    Args:
        dealer: signed in.
        seed: of the guests' further decisions.
    """
    dealer.look()
    seats = {seat["number"]: _guest(dealer, seed, seat) for seat in dealer.view["seats"] if seat["occupied"]}
    lying = setup.lying_at(dealer.post.table_id)
    connections.close_all()  # this thread's, which needs them no more for a long time
    dealer.find(lying, seats)
    for slip in dealer.view["slips"]:
        finish(dealer, slip)


def _guest(dealer: Dealer, seed: str, seat: Mapping[str, Any]) -> Player:
    """Whoever sits there, as the terminal shows the seat."""
    guest = make_player(f"{seed}/{dealer.post.code}", seat["number"], cash=NEW_CASH, patience=PATIENCE)
    guest.player_id, guest.stack = seat["player"], seat["chips"]
    return guest
