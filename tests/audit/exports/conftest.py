"""One house whose round histories are told in many ways: every game's kind of row, three gaming days, two
of them the nights of daylight saving. It stands for all tests; what one does to it is rolled back."""

import uuid
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from audit.codes import Found
from audit.services.findings import finding_record
from tables.models import CardSource, Role, Round, Table, TableSession
from tables.services import office, rounds, seats
from tables.services.corrections import round_correct
from tables.services.promos import promo_issue, promo_stock
from tables.services.table_life import round_cancel
from tests import floor
from tests.audit import support
from tests.databases import apart
from tests.room import make_room

DAYS = (date(2025, 11, 1), date(2026, 3, 7), date(2026, 3, 9))
"""In the night after the first an hour comes twice in New York, after the second one is skipped."""
BEGAN = {
    DAYS[0]: "2025-11-02T05:30:00.000001 2025-11-02T06:30:00.000002",  # 01:30 local, twice
    DAYS[1]: "2026-03-08T06:59:59.999999 2026-03-08T07:00:00.000000",  # 01:59:59 and 03:00 local
    DAYS[2]: "2026-03-09T10:00:00 2026-03-09T17:59:59.999999 2026-03-09T18:00:00 2026-03-10T02:00:00",
}


@dataclass
class Told:
    """The house.

    Attributes:
        house: its people.
        table: where casino Red Dog is played on the last day; `other` on the second, in another pit.
        player: somebody known, who sat at `other`.
    """

    house: floor.House
    table: Table
    other: Table
    player: uuid.UUID

    @property
    def casino(self) -> uuid.UUID:
        """The casino's id."""
        return self.house.casino.id

    def rounds(self, table: Table) -> list[Round]:
        """The rounds of a table in order."""
        return list(Round.objects.filter(table=table).order_by("session__number", "number"))


@pytest.fixture(scope="package")
def _told(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Told]:
    with django_db_blocker.unblock(), apart(tmp_path_factory.mktemp("published")):
        yield _build(floor.stocked_house())


@pytest.fixture
def told(db: None, _told: Told) -> Told:
    """The house, for a test to do with as it likes."""
    return deepcopy(_told)


def _build(house: floor.House) -> Told:
    table = _red_dog(house)
    other, player = _in_another_pit(house)
    room = make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, source=CardSource.DRAWN)
    room.deal()
    room.play_out(bets=(1, 2))
    room.shuffle()
    room.deal()
    for where, day in zip((room.table, other, table), DAYS, strict=True):
        _set_in(where, day)
    found = Found("void_after_decision", {}, table.stream, 1, None, Round.objects.get(table=other).id)
    finding_record(casino_id=house.casino.id, found=found)
    return Told(house, table, other, player)


def _red_dog(house: floor.House) -> Table:
    """A win, a loss corrected, a push, a void, one cancelled, one that runs."""
    table, _ = support.open_scanned(house)
    why: dict[str, Any] = {"reason": "other", "second": house.badge(Role.PIT_BOSS)}
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    lost = support.play_with_raise(house, table, support.LOSE, {})
    floor.play_round(house, table, {2: 500}, support.PUSH)
    voided = support.raising(house, table, ("5S", "QH"))
    rounds.round_void(
        round_id=voided.id,
        reason="misdeal",
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    round_correct(round_id=lost.id, cards=support.WIN, command=house.command(Role.SUPERVISOR), **why)
    won = support.play_with_raise(house, table, support.WIN, {2: 2500})
    round_cancel(round_id=won.id, command=house.command(Role.SUPERVISOR), **why)
    support.raising(house, table, ("5D", "QC"))
    return table


def _in_another_pit(house: floor.House) -> tuple[Table, uuid.UUID]:
    first = house.pit_id
    made = office.pit_create(casino_id=house.casino.id, code="pit-2", command=house.office())
    house.pit_id = uuid.UUID(made.body["pit"])
    other, _ = support.open_scanned(house, "RD-2")
    house.pit_id = first
    known = office.player_create(
        casino_id=house.casino.id, reference="P001", description="", command=house.office()
    )
    player = uuid.UUID(known.body["player"])
    seats.seat_take(
        table_id=other.id,
        seat=3,
        player_id=player,
        cash=100_000,
        chips=0,
        command=house.command(Role.DEALER),
    )
    _play_for_the_dealers(house, other, player)
    return other, player


def _issue(house: floor.House, player: uuid.UUID, pieces: dict[str, int]) -> None:
    """Give a player promotional pieces out of a stock that has just these."""
    stock = {str(value): 1 for value in pieces.values()}
    second, teller = house.badge(Role.PIT_BOSS), house.command
    promo_stock(casino_id=house.casino.id, pieces=stock, second=second, command=teller(Role.CAGE))
    promo_issue(casino_id=house.casino.id, player_id=player, pieces=pieces, command=teller(Role.CAGE))


def _play_for_the_dealers(house: floor.House, table: Table, player: uuid.UUID) -> None:
    """Three of a kind, with bets for the dealers beside both, and a promotional piece beside one; in truth a
    win on a spread of six."""
    _issue(house, player, {"MP-1": 500})
    begun = rounds.round_start(
        table_id=table.id,
        bets={3: 20_000, 1: 500},
        tokes={3: 1_000, 1: 100},
        coupons={3: "MP-1"},
        command=house.command(Role.DEALER),
    )
    for cards in (support.TRIPS[:2], support.TRIPS[2:]):
        rounds.round_deal(
            round_id=uuid.UUID(begun.body["round"]["id"]),
            cards=cards,
            number=len(cards),
            command=house.command(Role.DEALER),
        )
    round_correct(
        round_id=Round.objects.get(table=table).id,
        cards=support.WIN,
        reason="other",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.SUPERVISOR),
    )


def _set_in(table: Table, day: date) -> None:
    """Put a table's session into a gaming day, and its rounds at the moments of that day's list."""
    TableSession.objects.filter(table=table).update(gaming_day=day)
    moments = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in BEGAN[day].split()]
    for number, played in enumerate(Round.objects.filter(table=table).order_by("number")):
        played.started_at = moments[number % len(moments)]
        if played.ended_at is not None:
            played.ended_at = played.started_at + timedelta(seconds=20, microseconds=number)
        played.save(update_fields=["started_at", "ended_at"])
