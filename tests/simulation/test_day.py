"""Days played over HTTP against a live server: to the end, cut short and taken over, and robbed."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from pytest_django.live_server_helper import LiveServer

from audit.models import Finding
from audit.services.house import conservation_check
from audit.services.outbox import outbox_perform, outbox_sweep
from config import env
from config.floor import accounts, guests
from config.floor.outcome import Outcome, shortcomings
from config.floor.show import Progress
from ledger.checkpoints.keys import KeyStore
from ledger.selectors import balances
from tables.models import (
    Casino,
    CommandAnswer,
    Round,
    RoundStatus,
    SessionStatus,
    Slip,
    SlipStatus,
    Table,
    TableSession,
)
from tables.simulation import setup
from tables.simulation.dealer import Dealer
from tables.simulation.floor import Floor, Stopped
from tables.simulation.house import DRAWER, STOCK, TABLES, House, load_house, planned_house

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for what the simulation keeps; the sealer's keys come along, as the database does."""
    KeyStore(env.home()).signer()
    for kept in ("secrets/sealer", "keys"):
        shutil.copytree(env.home() / kept, tmp_path / kept)
    monkeypatch.setenv("PITLEDGER_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def codes() -> tuple[str, ...]:
    """The tables of the house: one of each kind is enough for most."""
    return ("T3", "T5")


@pytest.fixture
def house(home: Path, live_server: LiveServer, codes: tuple[str, ...]) -> Iterator[House]:
    """A simulated house with some of the tables and their terminals enrolled."""
    cache.clear()
    made = planned_house(setup.free_suffix())
    setup.set_up(made, lambda: None, [plan for plan in TABLES if plan.code in codes])
    guests.have_terminals(made, live_server.url)
    yield made
    cache.clear()


def play(house: House, floor: Floor, rounds: int) -> None:
    floor.cage.sign_in()
    floor.cage.stock(chips=STOCK, cash=DRAWER)
    floor.everywhere(start)
    floor.everywhere(lambda dealer: dealer.play(rounds))


def start(dealer: Dealer) -> None:
    dealer.sign_in()
    guests.open_table(dealer)


def work_off_the_queue() -> None:
    """What beat and worker do, at once."""

    def send(topic: str, item_id: int) -> None:
        outbox_perform(item_id=item_id)

    outbox_sweep(send=send)


def judge(house: House, floor: Floor, each: int, folder: Path) -> Outcome:
    return accounts.judge(
        house,
        floor,
        wanted=dict.fromkeys(floor.dealers, each),
        exports=folder / "exports",
        progress=Progress(),
        look_after=work_off_the_queue,
    )


def test_a_chip_that_a_dealer_pockets_shows(house: House, live_server: LiveServer, home: Path) -> None:
    with Floor(house, live_server.url, seed="theft", patience=(2, 3)) as floor:
        play(house, floor, 2)
        floor.dealers["T3"].tray -= 500
        floor.close()
        outcome = judge(house, floor, 2, home)
    wrong = shortcomings(outcome)
    assert "T3: T is -500" in wrong
    assert "T3: U is -500" in wrong
    assert not any(said.startswith("T5") for said in wrong), "the other table is in order"
    assert "finding: tray_difference" in wrong
    assert Finding.objects.filter(casino_id=house.casino, code="tray_difference").count() == 1


@pytest.mark.parametrize("codes", [("T3",)])
def test_a_retried_buy_in_is_one_buy_in(house: House, live_server: LiveServer) -> None:
    with Floor(house, live_server.url, seed="retry", patience=(9, 9)) as floor:
        play(house, floor, 1)
        dealer = floor.dealers["T3"]
        seat, stream = min(dealer.seats), f"table:{house.tables['T3']}"
        before, answers = balances(stream), CommandAnswer.objects.filter(stream=stream).count()
        dealer.seats[seat].cash += 5_000
        dealer.terminal.network.lose_next_answer = True
        dealer.buy_in(seat, 5_000)
        assert dealer.terminal.network.lost == 1
        after = balances(stream)
    assert after["tray"] == before["tray"] - 5_000
    assert after[f"seat:{seat}"] == before[f"seat:{seat}"] + 5_000
    assert after["cash:drop_box"] == before["cash:drop_box"] + 5_000
    assert CommandAnswer.objects.filter(stream=stream).count() == answers + 1


def waits_for(dealer: Dealer) -> set[str]:
    """What a round in progress waits for, in the words of its game."""
    shown = dealer.round or {}
    return {shown.get("phase", ""), (shown.get("turn") or {}).get("due", "")}


CUTS = (
    {"T1": "betting", "T2": "raising", "T5": "bet", "T6": "show", "T7": "show"},
    {"T1": "raising", "T2": "betting", "T5": "show", "T6": "bet", "T7": "bet"},
)


def cut_short(house: House, floor: Floor, phases: Mapping[str, str]) -> list[UUID]:
    """Play until at each table a round is in this phase, then stop as killed terminals would; the rounds."""

    def work(dealer: Dealer) -> None:
        def pace() -> None:
            if phases[dealer.post.code] in waits_for(dealer):
                raise Stopped

        dealer._pace = pace
        with pytest.raises(Stopped):
            dealer.play(dealer.number + 40)

    floor.everywhere(work)
    tables = Table.objects.filter(casino_id=house.casino, round__isnull=False)
    running = list(tables.values_list("round_id", flat=True))
    assert len(running) == len(phases)
    return running


def start_again(house: House, floor: Floor) -> None:
    floor.cage.sign_in()
    guests.stock_cage(house, floor)
    floor.everywhere(return_to_work)
    # a locked terminal is no obstacle to a dealer with a PIN
    floor.dealers[min(house.tables)].terminal.sign_out()
    floor.everywhere(lambda dealer: dealer.play(2))


def return_to_work(dealer: Dealer) -> None:
    dealer.sign_in()
    guests.take_over(dealer, "second")


@pytest.mark.parametrize("codes", [tuple(CUTS[0])])
def test_a_round_cut_short_is_finished_by_the_next_start(
    house: House, live_server: LiveServer, home: Path
) -> None:
    with Floor(house, live_server.url, seed="first", patience=(50, 60)) as floor:
        play(house, floor, 1)
        running = cut_short(house, floor, CUTS[0])
    with Floor(house, live_server.url, seed="second", patience=(50, 60)) as floor:
        start_again(house, floor)
        running += cut_short(house, floor, CUTS[1])
    with Floor(house, live_server.url, seed="third", patience=(2, 3)) as floor:
        start_again(house, floor)
        floor.close()
        work_off_the_queue()
    rows = Round.objects.filter(id__in=running)
    assert [row.status for row in rows] == [RoundStatus.COMPLETE] * len(running)
    assert conservation_check(casino_id=Casino.objects.get(id=house.casino).id).conserved
    assert not Finding.objects.filter(casino_id=house.casino).exists()


class Stranger:
    """Somebody at a second terminal of a table, who acts just before the dealer's command arrives."""

    def __init__(self, dealer: Dealer) -> None:
        self.dealer = dealer
        self.terminal = dealer.terminal.twin()
        self.to_do = [self.open_table, self.announce, self.buy_in]
        self.pace, dealer._pace = dealer._pace, self.act

    def act(self) -> None:
        self.pace()
        done = [act for act in self.to_do if act()]
        self.to_do = [act for act in self.to_do if act not in done]

    def send(self, path: str, body: dict[str, Any]) -> bool:
        self.terminal.look(self.dealer.path)
        self.terminal.command("POST", path, body)
        return True

    def open_table(self) -> bool:
        """The dealer is about to receive the first fill, which stays on its way."""
        shown = self.terminal.look(self.dealer.path)
        if not any(slip["status"] == "on_the_way" for slip in shown["slips"]):
            return False
        second = self.dealer.post.supervisor.as_json()
        return self.send(f"{self.dealer.path}/sessions", {"opener": {}, "second": second})

    def announce(self) -> bool:
        shown = self.dealer.round
        if shown is None or shown["phase"] != "raising" or shown["announced"] is not None:
            return False
        return self.send(f"rounds/{shown['id']}/announcement", {"spread": shown["spread"]})

    def buy_in(self) -> bool:
        if not self.dealer.seats or self.dealer.round is not None:
            return False
        return self.send(f"{self.dealer.path}/seats/{min(self.dealer.seats)}/buy-ins", {"cash": 1_000})


class Freezer:
    """Somebody who freezes a table, and has it released as soon as its dealer has found out."""

    def __init__(self, dealer: Dealer) -> None:
        self.dealer = dealer
        self.terminal = dealer.terminal.twin()
        self.pace, dealer._pace = dealer._pace, self.act
        self.frozen, self.rests = False, 0

    def act(self) -> None:
        self.pace()
        if not self.frozen and self.dealer.round is not None:
            self.frozen = True
            self.send("freeze", {"reason": "a card lies on the floor"})

    def rest(self, seconds: float) -> None:
        """The dealer waits before the table is looked at again; meanwhile two people release it."""
        self.rests += 1
        second = self.dealer.post.supervisor.as_json()
        self.send("release", {"reason": "it was picked up", "second": second})

    def send(self, what: str, body: dict[str, Any]) -> None:
        self.terminal.look(self.dealer.path)
        self.terminal.command("POST", f"{self.dealer.path}/{what}", body)


@pytest.mark.parametrize("codes", [("T1", "T2", "T7")])
def test_new_gaming_days_begin_with_new_sessions_and_a_stranger_stops_no_table(
    house: House, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guests, "gaming_day", lambda *_: date(2000, 1, 1))
    monkeypatch.setattr(guests, "ROUNDS_BETWEEN_LOOKS", 1)
    casino = Casino.objects.get(id=house.casino)
    with Floor(house, live_server.url, seed="days", patience=(2, 3)) as floor:
        stranger, freezer = Stranger(floor.dealers["T1"]), Freezer(floor.dealers["T7"])

        def watch() -> None:
            if floor.chronicle.counts().get("drops counted", 0) >= 6 and not stranger.to_do:
                floor.stop.set()

        floor.cage.sign_in()
        guests.stock_cage(house, floor)
        mine = (floor.cage._terminal.twin(), stranger.terminal, freezer.terminal)
        with closing(mine[0]) as another, closing(mine[1]), closing(mine[2]):
            another.look("cage")
            another.command("POST", "cage/cash", {"amount": 100})
            with pytest.raises(Stopped):
                floor.everywhere(
                    lambda dealer: guests.work(casino, dealer, "days", rest=freezer.rest), watch=watch
                )
    said = capsys.readouterr().err
    assert said.count("T1: somebody else has acted here (stale_version)") >= 3
    assert said.count("T7: refused: 409 table_frozen") == freezer.rests == 1
    first = Slip.objects.filter(table_id=house.tables["T1"]).earliest("number")
    assert first.status == SlipStatus.RECEIVED, "the fill the stranger had left on its way"
    work_off_the_queue()
    sessions = TableSession.objects.filter(table__casino=casino)
    assert sessions.filter(status=SessionStatus.COUNTED).count() >= 6
    assert sessions.filter(status=SessionStatus.COUNTED, number=2).exists()
    assert not Finding.objects.filter(casino=casino).exists()


@pytest.mark.parametrize("codes", [("T3",)])
def test_a_set_up_that_is_repeated_finds_everything_done(house: House) -> None:
    made, streams = dict(house.tables), Table.objects.filter(casino_id=house.casino).count()
    house.complete = False
    setup.set_up(house, lambda: None, [plan for plan in TABLES if plan.code in made])
    assert (house.tables, Table.objects.filter(casino_id=house.casino).count()) == (made, streams)
    assert house.codes == {}


@pytest.mark.parametrize("codes", [("T3",)])
def test_a_code_used_up_by_a_start_cut_short_is_replaced(house: House, live_server: LiveServer) -> None:
    lost = house.credentials.pop("T3")
    house.codes["T3"] = "0123456789abcdef"
    guests.have_terminals(house, live_server.url)
    assert house.credentials["T3"] not in ("", lost)
    assert house.codes == {}
    kept = load_house(guests.house_file())
    assert kept is not None
    assert kept.credentials == house.credentials
    assert guests.house_file().stat().st_mode & 0o777 == 0o600
