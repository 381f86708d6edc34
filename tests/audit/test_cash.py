"""A gaming day's cash derived again from the journal, and looked through for what was arranged."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from audit import tasks
from audit.codes import Found
from audit.models import Finding
from audit.services.cash import cash_astray
from ledger.models import Entry
from tables.figures import gaming_day
from tables.models import CashTotal, CashTransaction, OutboxItem, Role, Table
from tables.services import cage, cash, corrections, office, people, seats
from tables.services.cash import CHECK
from tables.services.days import gaming_day_close
from tests import floor
from tests.audit import support
from tests.floor import House

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> House:
    """A house of the test's own, stocked."""
    return floor.stocked_house()


def described(house: House) -> uuid.UUID:
    """Somebody nobody knows by name."""
    made = people.person_describe(
        casino_id=house.casino.id, description="grey hat", command=house.command(Role.SUPERVISOR)
    )
    return uuid.UUID(made.body["player"])


def sit(house: House, table: Table, seat: int, amount: int, person: uuid.UUID | None) -> None:
    """Sit down with cash."""
    seats.seat_take(
        table_id=table.id,
        seat=seat,
        player_id=person,
        cash=amount,
        chips=0,
        command=house.command(Role.DEALER),
    )


def at_cage(house: House, act: Any, amount: int, person: uuid.UUID | None) -> None:
    """Buy or redeem chips at the cage."""
    act(
        casino_id=house.casino.id,
        chips={"100": amount // 100},
        player_id=person,
        command=house.command(Role.CAGE),
    )


def astray(house: House) -> list[Found]:
    """What the check of the day that runs finds."""
    house.casino.refresh_from_db()
    casino = house.casino
    today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
    return list(cash_astray(casino, today))


def codes(house: House) -> list[str]:
    """Their codes."""
    return [found.code for found in astray(house)]


def test_an_honest_day_is_derived_as_it_was_kept(house: House) -> None:
    """Buy-ins, one taken back, cash whose owner was found later, and two described who are one."""
    table, _ = support.open_scanned(house)
    first, second = described(house), described(house)
    sit(house, table, 3, 400_000, first)
    seats.seat_buy_in(table_id=table.id, seat=3, cash=50_000, command=house.command(Role.DEALER))
    corrections.entry_reverse(
        table_id=table.id,
        entry_id=Entry.objects.filter(stream__name=table.stream).latest("seq").id,
        reason="entered_twice",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.SUPERVISOR),
    )
    sit(house, table, 4, 700_000, None)
    at_cage(house, cage.cage_redeem, 300_000, first)
    cash.transaction_identify(
        casino_id=house.casino.id,
        transaction_id=CashTransaction.objects.get(table=table, seat=4).id,
        player_id=second,
        command=house.command(Role.PIT_BOSS),
    )
    assert codes(house) == []
    cash.person_tie(
        casino_id=house.casino.id,
        player_id=second,
        same_as_id=first,
        command=house.command(Role.PIT_BOSS),
    )
    assert CashTotal.objects.get(person=first, direction="in").total == 1_100_000
    assert codes(house) == []

    row = CashTransaction.objects.get(table=table, seat=4)
    CashTransaction.objects.filter(pk=row.pk).update(amount=1)
    (found,) = astray(house)
    assert (found.code, found.stream, found.seq) == ("cash_projection_differs", table.stream, row.seq)
    CashTransaction.objects.filter(pk=row.pk).update(amount=row.amount)
    CashTotal.objects.filter(person=first, direction="in").update(total=1)
    (found,) = astray(house)
    assert (found.code, found.evidence) == ("cash_projection_differs", {"journal": 1_100_000, "row": 1})


def test_a_report_nobody_filed_is_found_once_it_is_overdue(house: House) -> None:
    at_cage(house, cage.cage_sell, 1_000_100, described(house))
    row = CashTotal.objects.get(casino=house.casino)
    day = row.gaming_day
    for days, expected in ((15, []), (17, ["cash_report_overdue"])):
        later = timezone.now() + timedelta(days=days)
        assert [found.code for found in cash_astray(house.casino, day, now=later)] == expected


def test_small_sums_at_several_places_are_one_finding_however_often_it_is_looked(house: House) -> None:
    """When the day is closed, and again when somebody is tied to the person later."""
    table, session_id = support.open_scanned(house)
    person, other = described(house), described(house)
    sit(house, table, 3, 250_000, person)
    for _ in range(3):
        at_cage(house, cage.cage_sell, 250_000, person)
    assert codes(house) == []
    at_cage(house, cage.cage_sell, 100, other)
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    day = CashTransaction.objects.filter(casino=house.casino).latest("at").gaming_day
    gaming_day_close(
        casino_id=house.casino.id,
        gaming_day=day,
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    assert _checked(house) == 1
    assert not Finding.objects.filter(casino=house.casino).exists()

    cash.person_tie(
        casino_id=house.casino.id,
        player_id=other,
        same_as_id=person,
        command=house.command(Role.PIT_BOSS),
    )
    assert _checked(house) == 1
    assert [found.code for found in astray(house)] == ["cash_structuring"]
    (finding,) = Finding.objects.filter(casino=house.casino)
    assert (finding.code, finding.counter, finding.gaming_day) == ("cash_structuring", 1, day)
    evidence = finding.evidence.get().body
    assert (evidence["person"], evidence["total"], evidence["places"]) == (str(person), 1_000_100, 2)


def _checked(house: House) -> int:
    """Do what the outbox asks for about cash; answers how much that was."""
    days = house.casino.closed_days.values("id")
    items = list(OutboxItem.objects.filter(topic=CHECK, subject__in=days, done_at=None))
    assert all(tasks.TASKS[CHECK](item.id) for item in items)
    return len(items)


@pytest.mark.parametrize(("bet", "expected"), [(1_000, ["cash_minimal_play"]), (100_000, [])])
def test_much_cash_that_hardly_plays_is_found(house: House, bet: int, expected: list[str]) -> None:
    """What was staked on the person's seat counts, whatever was won."""
    table, _ = support.open_scanned(house)
    made = office.player_create(
        casino_id=house.casino.id, reference="member 1", description="", command=house.office()
    )
    player = uuid.UUID(made.body["player"])
    sit(house, table, 3, 500_000, player)
    for _ in range(2):
        floor.play_round(house, table, {3: bet}, support.PUSH)
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    at_cage(house, cage.cage_redeem, 400_000, player)
    assert codes(house) == expected


@pytest.mark.django_db(transaction=True)
def test_cash_taken_at_two_places_at_once_while_two_become_one_adds_up() -> None:
    """Neither place misses the other's, nor the tie what is being taken: nobody waits for each other."""
    house = floor.stocked_house()
    table, _ = support.open_scanned(house)
    first, second = described(house), described(house)
    sit(house, table, 3, 100_000, first)
    start = threading.Barrier(3)

    def buy() -> None:
        for _ in range(5):
            seats.seat_buy_in(table_id=table.id, seat=3, cash=100_000, command=house.command(Role.DEALER))

    def sell() -> None:
        for _ in range(5):
            at_cage(house, cage.cage_sell, 100_000, second)

    def tie() -> None:
        cash.person_tie(
            casino_id=house.casino.id,
            player_id=first,
            same_as_id=second,
            command=house.command(Role.PIT_BOSS),
        )

    def work(act: Callable[[], None]) -> None:
        start.wait()
        try:
            act()
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(work, act) for act in (buy, sell, tie)]:
            done.result()
    total = CashTotal.objects.get(person=second, direction="in")
    assert (total.total, total.is_due) == (1_100_000, True)
    assert codes(house) == ["cash_structuring"]
