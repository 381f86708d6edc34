"""A gaming day of two pits over a night of daylight saving, played from the house's opening to its closing.

All amounts are minor units: 100 is a dollar.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from audit.models import GamingDayCheck
from audit.services.cash import closed_day_cash
from audit.services.days import day_check
from audit.services.house import conservation_check
from ledger.models import Entry
from tables.models import CardSource, Casino, ClosedDay, Role, Table, TableSession
from tables.services import cage, corrections, drops, office, rounds, seats, sessions, voids
from tables.services.days import gaming_day_close
from tests import floor
from tests.audit import support
from tests.clock import at
from tests.floor import House, refused
from tests.room import make_room

NEW_YORK = ZoneInfo("America/New_York")
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Night:
    """A gaming day and two moments of its night, an hour or less apart on the clock on the wall."""

    day: date
    hours: int
    before: datetime
    after: datetime


def local(day: date, clock: str, fold: int = 0) -> datetime:
    """A moment by the clock on the wall."""
    return datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=NEW_YORK, fold=fold)


AUTUMN, SPRING = date(2026, 10, 31), date(2026, 3, 7)
NIGHTS = {
    "01:30 comes twice": Night(
        AUTUMN, 25, local(AUTUMN + DAY, "01:30"), local(AUTUMN + DAY, "01:30", fold=1)
    ),
    "02:30 does not come": Night(SPRING, 23, local(SPRING + DAY, "01:30"), local(SPRING + DAY, "03:00")),
}


@dataclass
class Played:
    """The day as it was played: its house, its sessions by table, and whose cash there was most of."""

    house: House
    night: Night
    player: uuid.UUID
    sessions: dict[str, uuid.UUID] = field(default_factory=dict)

    @property
    def casino(self) -> Casino:
        """The casino as it is now."""
        return Casino.objects.get(id=self.house.casino.id)

    def table(self, code: str) -> Table:
        """A table by its code."""
        return self.house.tables[code]

    def clock(self, clock: str) -> datetime:
        """A moment of the gaming day by the clock on the wall; before noon it is the next date."""
        return local(self.night.day + (DAY if clock < "12" else 0 * DAY), clock)

    def signed(self, reason: str) -> dict[str, Any]:
        """Reason, second signature and command of a correction."""
        second, command = self.house.badge(Role.PIT_BOSS), self.house.command(Role.SUPERVISOR)
        return {"reason": reason, "second": second, "command": command}

    def sit(self, code: str, seat: int, cash: int, player: uuid.UUID | None = None) -> None:
        """Somebody sits down and buys in."""
        seats.seat_take(
            table_id=self.table(code).id,
            seat=seat,
            player_id=player,
            cash=cash,
            chips=0,
            command=self.house.command(Role.DEALER),
        )

    def leave(self, code: str, seat: int) -> None:
        """Somebody leaves with the chips of the seat."""
        command = self.house.command(Role.DEALER)
        seats.seat_leave(table_id=self.table(code).id, seat=seat, command=command)

    def redeem(self, chips: Mapping[str, int], player: uuid.UUID | None = None) -> None:
        """The cage pays cash for chips."""
        casino_id, command = self.casino.id, self.house.command(Role.CAGE)
        cage.cage_redeem(casino_id=casino_id, chips=chips, player_id=player, command=command)

    def close_day(self) -> None:
        """Close the gaming day at the cage."""
        gaming_day_close(
            casino_id=self.casino.id,
            gaming_day=self.night.day,
            second=self.house.badge(Role.PIT_BOSS),
            command=self.house.command(Role.CAGE),
        )


def play(night: Night) -> Played:
    """The day, from the opening of the house to the morning after, when it is closed and checked."""
    with at(local(night.day, "19:00")):
        house = floor.stocked_house()
        done = Played(house, night, _known_player(house))
        for code in ("rd-1", "rd-2", "rd-3"):
            if code == "rd-3":
                made = office.pit_create(casino_id=house.casino.id, code="pit-2", command=house.office())
                house.pit_id = uuid.UUID(made.body["pit"])
            floor.fill_table(house, floor.make_table(house, code, card_source=CardSource.SCANNED))
    with at(local(night.day, "20:00")):
        for code, table in house.tables.items():
            done.sessions[code] = floor.open_table(house, table)
            done.sit(code, 1, 600_000 if code == "rd-1" else 200_000, done.player if code == "rd-1" else None)
            done.sit(code, 2, 200_000)
    _evening(done)
    _pool(done)
    _night(done)
    _morning(done)
    return done


def _known_player(house: House) -> uuid.UUID:
    made = office.player_create(
        casino_id=house.casino.id, reference="R-1", description="", command=house.office()
    )
    return uuid.UUID(made.body["player"])


def _evening(done: Played) -> None:
    """What goes well and what goes wrong at the first pit."""
    house, one, two = done.house, done.table("rd-1"), done.table("rd-2")
    with at(done.clock("21:00")):
        support.play_with_raise(house, one, support.WIN, {1: 1_000})  # the house pays 4,500
        misread = support.play_with_raise(house, one, support.LOSE, {})  # takes 3,500 ...
        corrections.round_correct(  # ... and pays 3,500 instead
            round_id=misread.id, cards=support.WIN, **done.signed("card_misread")
        )
        floor.fill_table(house, one, {"500": 4, "100": 10})  # F-4: 3,000
        twice = seats.seat_buy_in(table_id=one.id, seat=2, cash=7_000, command=house.command(Role.DEALER))
        assert twice.status == 200
        entered = Entry.objects.filter(stream__name=one.stream).latest("seq")
        corrections.entry_reverse(table_id=one.id, entry_id=entered.id, **done.signed("entered_twice"))
    with at(done.clock("22:00")):
        void = support.raising(house, two, support.WIN[:2])  # a round of which nothing remains
        rounds.round_void(round_id=void.id, **done.signed("misdeal"))
        support.new_shoe(house, two)
        floor.play_round(house, two, {1: 1_000, 2: 2_500}, support.TRIPS)  # pays 11 to 1: 38,500
        corrections.correction_post(  # 5,000 of it came back
            table_id=two.id, seat=2, amount=5_000, direction="to_tray", **done.signed("mispaid")
        )
        floor.receive_credit(house, floor.send_credit(house, two, {"10000": 7}), {"10000": 7})  # C-1: 70,000
        slip = floor.send_fill(house, two, {"500": 2})  # F-5: void on its way, its chips go back
        voids.slip_void(
            table_id=two.id,
            slip_id=slip,
            reason="wrong table",
            second=house.badge(Role.SUPERVISOR),
            command=house.command(Role.DEALER),
        )
        voids.cage_take_back(
            casino_id=house.casino.id,
            slip_id=slip,
            chips={"500": 2},
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.CAGE),
        )
    with at(done.clock("23:00")):
        done.leave("rd-1", 1)


def _pool(done: Played) -> None:
    """Three who have chips by then play each other at a card-room table; the house has its collection."""
    house, fee = done.house, {"kind": "deal", "amount": 500, "minutes": 0}
    with at(done.clock("23:30")):
        bring = dict.fromkeys((1, 2, 4), 10_000)
        room = make_room(house, chips=bring, dealer=4, code="pool", chip=100, ante=1_000, fee=fee)
        done.sessions["pool"] = TableSession.objects.get(table=room.table).id
        room.deal()  # 1,500 for the house, 3,000 in the pool
        room.bet(1, 1_000)
        room.turn("QS")
        room.show(1, "KS")
        room.lay_down(2)  # pays 1,000 to the pool
        room.bet(4, 2_000)
        room.turn("9H")
        room.show(4, "2C", "3C", "4C", "5C", "6C")  # and loses it
        room.settle()
        room.divide()  # all 5,000 of it
        for seat in bring:
            room.leave(seat)
        sessions.session_close(
            session_id=done.sessions["pool"],
            closer={"500": 3},
            second=house.badge(Role.SUPERVISOR),
            command=house.command(Role.DEALER),
        )
        floor.count_drop(house, done.sessions["pool"], {})


def _night(done: Played) -> None:
    """The hour that comes twice, or not at all; two tables close, and their boxes are counted in time."""
    house, two, three = done.house, done.table("rd-2"), done.table("rd-3")
    with at(done.night.before):
        support.play_with_raise(house, three, support.LOSE, {2: 2_500})  # the house takes 6,000
    with at(done.night.after):
        done.sit("rd-3", 3, 500_000, done.player)
        support.play_with_raise(house, three, support.WIN, {})  # pays 3,500
    with at(done.clock("04:00")):
        support.close(house, two, done.sessions["rd-2"], off=-500)  # one chip of 500 is not there
        support.count_drop(house, done.sessions["rd-2"], slips=["F-2"])  # the copy of C-1 is not there
    with at(done.clock("05:00")):
        done.leave("rd-3", 3)
        support.close(house, three, done.sessions["rd-3"])
        box = floor.remove_box(house, done.sessions["rd-3"])
        found: dict[str, Any] = {"chips": {}, "instruments": {}}
        drops.drop_count_first(box_id=box, notes={"10000": 90}, **found, command=house.command(Role.CAGE))
        short: dict[str, Any] = found | {"notes": {"10000": 89, "5000": 1}, "slips": ["F-3"]}
        drops.drop_count_second(box_id=box, **short, command=house.second_count())
        drops.drop_recount(box_id=box, **short, second=house.badge(Role.CAGE), command=house.second_count())
        done.redeem({"10000": 100}, done.player)


def _morning(done: Played) -> None:
    """The day ends at six by the clock on the wall, and one session goes on over it."""
    house, one = done.house, done.table("rd-1")
    with at(done.clock("05:59")), refused(house, "gaming_day_open") as caught:
        done.close_day()
    assert [each["code"] for each in caught.value.extra["open"]] == ["session_open"]
    with at(done.clock("06:30")):
        done.sit("rd-1", 1, 300_000, done.player)
        done.redeem({"100": 50})
        support.open_again(house, done.table("rd-2"))
    with at(done.clock("07:00")):
        support.close(house, one, done.sessions["rd-1"])
        with refused(house, "gaming_day_open") as caught:
            done.close_day()
        assert [each["code"] for each in caught.value.extra["open"]] == ["drop_not_counted"]
    with at(done.clock("08:00")):
        support.count_drop(house, done.sessions["rd-1"], slips=["F-1", "F-4"])
        done.close_day()
        check = GamingDayCheck.objects.create(
            casino=done.casino, gaming_day=done.night.day, requested_at=done.clock("08:00")
        )
        day_check(check_id=check.id)
        closed_day_cash(day_id=ClosedDay.objects.get(casino=done.casino).id)
        conservation_check(casino_id=done.casino.id)
