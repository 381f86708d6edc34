"""What two people do at once, on connections of their own: one gets it, nothing is half done, nobody waits
for each other.

More of it: two who want one slip (`test_fills_and_credits`), a day closed under what begins (`test_days`), a
retry beside its original and a PIN tried by many (`tests.api`), cash at two places (`tests.audit.test_cash`).
"""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from audit.services.house import conservation_check
from ledger.models import Entry
from ledger.selectors import balances
from ledger.verify_journal import verify_journal
from tables.figures import gaming_day
from tables.models import (
    BoxStatus,
    CardSource,
    ClosedDay,
    Countersignature,
    DropBox,
    Player,
    PromoPiece,
    Redemption,
    Role,
    Stint,
    Table,
    TableSession,
)
from tables.services import cage, corrections, credits, drops, office, seats, sessions
from tables.services.approvals import approval_give
from tables.services.command import Actor, Command
from tables.services.days import gaming_day_close
from tables.services.locks import lock_cage, lock_office, lock_table
from tables.services.promos import promo_issue, promo_stock
from tables.services.rounds import round_deal, round_start
from tables.services.signatures import Approved, Badge
from tables.services.stints import dealer_relieve, dealer_sign_on
from tests import floor
from tests.audit import support
from tests.embedded.harness import eventually
from tests.floor import House
from tests.tables.life import hire
from tests.tables.test_cash_reporting import known
from tests.tables.test_slips import at_once

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.django_db(transaction=True)]
DRAWER = 30_000  # all the cash of the cage, minor units


@pytest.fixture(scope="module")
def house(own_database: None, django_db_blocker: DjangoDbBlocker) -> House:
    """A house that stands for all races: what they do is committed."""
    with django_db_blocker.unblock():
        made = floor.make_house()
        floor.stock_cage(made, cash=DRAWER)
        return made


def open_table(house: House) -> tuple[Table, uuid.UUID]:
    """A table of its own for a race, open, with two players."""
    code = f"t-{uuid.uuid4().hex[:6]}"
    return floor.ready_table(house, code, card_source=CardSource.SCANNED)


def today(house: House) -> date:
    return gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)


def sound(house: House, table: Table) -> None:
    """The table's chain is whole, and every chip of the house is somewhere."""
    assert verify_journal(stream=table.stream).findings == []
    assert conservation_check(casino_id=house.casino.id).conserved


def entries(table: Table, kind: str) -> int:
    return Entry.objects.filter(stream__name=table.stream, kind=kind).count()


def test_one_box_is_counted_once_for_the_first_time_and_once_for_the_second(house: House) -> None:
    table, session_id = open_table(house)
    support.close(house, table, session_id)
    box = floor.remove_box(house, session_id)
    found: dict[str, Any] = {"notes": {"10000": 40}, "chips": {}, "instruments": {}}

    def first(command: Callable[[], Command]) -> Any:
        return lambda: drops.drop_count_first(box_id=box, **found, command=command())

    def second() -> Any:
        return drops.drop_count_second(box_id=box, **found, command=house.second_count())

    by_one: Callable[[], Command] = lambda: house.command(Role.CAGE)  # noqa: E731
    assert at_once(first(by_one), first(house.second_count)) == ["done", "second_count_due"]
    if DropBox.objects.get(id=box).first_counter_id == house.cashier_2.id:
        third = hire(house, Role.CAGE)
        staff = house.casino.staff.get(badge=third.number)
        by = Actor(staff.id, Role.CAGE, None, "cage")
    else:
        by = Actor(house.cashier_2.id, Role.CAGE, None, "cage")

    def again() -> Any:
        return drops.drop_count_second(box_id=box, **found, command=Command(uuid.uuid4(), by))

    assert at_once(again, again) == ["done", "drop_counted"]
    kept = TableSession.objects.get(id=session_id)
    assert (kept.drop_total, DropBox.objects.get(id=box).status) == (400_000, BoxStatus.COUNTED)
    assert (entries(table, "drop.count_first"), entries(table, "session.count_drop")) == (1, 1)
    assert balances(table.stream)["cash:count_room"] == 400_000, "a drop is not counted twice"
    sound(house, table)


def test_one_dealer_is_relieved_by_one(house: House) -> None:
    table, _ = open_table(house)
    dealer_sign_on(table_id=table.id, command=house.command(Role.DEALER))
    reliefs = [hire(house), hire(house)]

    def relieve(relief: Badge) -> Any:
        return lambda: dealer_relieve(
            table_id=table.id, relief=relief, count=None, command=house.command(Role.DEALER)
        )

    assert at_once(*map(relieve, reliefs)) == ["done", "not_your_stint"]
    assert entries(table, "dealer.relieve") == 1
    assert Stint.objects.filter(table=table, ended_at=None).count() == 1
    sound(house, table)


def test_two_cashiers_take_one_credit_and_one_drawer_once(house: House) -> None:
    table, _ = open_table(house)
    chips = {"10000": 3}
    slip = floor.send_credit(house, table, chips)
    casino_id, vault = house.casino.id, balances(house.casino.cage_stream)["vault"]

    def take(command: Command) -> Any:
        return lambda: credits.credit_receive(casino_id=casino_id, slip_id=slip, chips=chips, command=command)

    assert at_once(take(house.command(Role.CAGE)), take(house.second_count())) == ["done", "slip_received"]
    assert balances(house.casino.cage_stream)["vault"] == vault + 30_000
    support.everybody_leaves(house, table)

    def redeem(command: Command) -> Any:
        return lambda: cage.cage_redeem(
            casino_id=casino_id, chips={"100": DRAWER // 100}, player_id=None, command=command
        )

    got = at_once(redeem(house.command(Role.CAGE)), redeem(house.second_count()))
    assert got == ["done", "floor_broken"], "the same cash is not paid twice"
    assert Redemption.objects.filter(casino=house.casino).count() == 1
    sound(house, table)


def test_one_approval_is_used_once(house: House) -> None:
    """By two at once, at one table: the chips it allows move once."""
    table, _ = open_table(house)
    given = approval_give(
        casino_id=house.casino.id,
        act="correction.post",
        subject=table.id,
        badge=house.badge(Role.PIT_BOSS),
        command=support.at_desk(house, Role.PIT_BOSS),
    )
    approved, before = Approved(uuid.UUID(given.body["approval"])), balances(table.stream)["tray"]

    def post() -> Any:
        return corrections.correction_post(
            table_id=table.id,
            seat=1,
            amount=100,
            direction="to_tray",
            reason="mispaid",
            second=approved,
            command=house.command(Role.SUPERVISOR),
        )

    assert at_once(post, post, post) == ["approval_refused", "approval_refused", "done"]
    assert balances(table.stream)["tray"] == before + 100
    assert Countersignature.objects.filter(approval=approved.id).count() == 1
    sound(house, table)


def test_a_table_opens_once_closes_once_and_not_under_who_sits_down(house: House) -> None:
    table, session_id = open_table(house)
    support.everybody_leaves(house, table)
    tray = balances(table.stream)["tray"]

    def close() -> Any:
        return sessions.session_close(
            session_id=session_id,
            closer={"100": tray // 100},
            second=house.badge(Role.SUPERVISOR),
            command=house.command(Role.DEALER),
        )

    def sit() -> Any:
        return floor.seat_player(house, table, 1, 5_000)

    def open_again() -> Any:
        return sessions.session_open(
            table_id=table.id,
            opener={"100": tray // 100},
            second=house.badge(Role.SUPERVISOR),
            command=house.command(Role.DEALER),
        )

    got = at_once(close, sit)
    assert got in (["done", "seats_occupied"], ["done", "table_closed"])
    if "seats_occupied" in got:
        seats.seat_leave(table_id=table.id, seat=1, command=house.command(Role.DEALER))
        tray -= 5_000
        close()
    floor.clear_box(house, table)
    assert at_once(open_again, open_again) == ["done", "table_open"]
    session_id = TableSession.objects.get(table=table, status="open").id
    got = at_once(close, open_again)
    assert got in (["done", "table_open"], ["box_on_table", "done"])
    assert at_once(close, close) == ["session_over", "session_over"]
    assert (entries(table, "session.open"), entries(table, "session.close")) == (2, 2)
    sound(house, table)


def test_who_signs_here_and_approves_there_at_once_waits_and_does_not_deadlock(house: House) -> None:
    """A correction takes the table, then its second's row; an approval the office, then the same row."""
    table, _ = open_table(house)
    seats.seat_buy_in(table_id=table.id, seat=1, cash=5_000, command=house.command(Role.DEALER))
    bought = Entry.objects.filter(stream__name=table.stream).latest("seq")

    def approve() -> Any:
        return approval_give(
            casino_id=house.casino.id,
            act="correction.post",
            subject=table.id,
            badge=house.badge(Role.PIT_BOSS),
            command=support.at_desk(house, Role.PIT_BOSS),
        )

    def reverse() -> Any:
        return corrections.entry_reverse(
            table_id=table.id,
            entry_id=bought.id,
            reason="entered_twice",
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.SUPERVISOR),
        )

    assert at_once(approve, reverse, approve) == ["done"] * 3
    sound(house, table)


def test_a_row_that_is_held_does_not_hold_up_what_refers_to_it(house: House) -> None:
    """Else who writes such a row after a signature, and who signs under the lock, wait for each other."""
    table, _ = open_table(house)
    with transaction.atomic():
        lock_office(house.casino.id, house.office())
        lock_cage(house.casino.id, house.command(Role.CAGE))
        lock_table(table.id, house.command(Role.DEALER))

        def refer() -> None:
            held = {
                "tables_casino": house.casino.id,
                "tables_cage": house.casino.id,
                "tables_table": table.id,
            }
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '5s'")
                for name, key in held.items():
                    column = "casino_id" if name == "tables_cage" else "id"
                    cursor.execute(f"SELECT FROM {name} WHERE {column} = %s FOR KEY SHARE", [key])

        assert at_once(refer) == ["done"]


def test_what_begins_while_the_day_is_being_closed_is_in_it_or_refused() -> None:
    """A redemption, a sale and an opening beside the closing: what was done before it, its figures have."""
    house = floor.stocked_house()
    table = floor.make_table(house)
    floor.fill_table(house, table)

    def close_day() -> Any:
        return gaming_day_close(
            casino_id=house.casino.id,
            gaming_day=today(house),
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.CAGE),
        )

    def redeem() -> Any:
        return cage.cage_redeem(
            casino_id=house.casino.id, chips={"100": 1}, player_id=None, command=house.command(Role.CAGE)
        )

    def sell() -> Any:
        return cage.cage_sell(
            casino_id=house.casino.id, chips={"100": 5}, player_id=None, command=house.second_count()
        )

    def open_() -> Any:
        return floor.open_table(house, table)

    got = at_once(close_day, redeem, sell, open_)
    assert set(got) <= {"done", "gaming_day_closed", "gaming_day_open"}
    opened = TableSession.objects.filter(table=table)
    closed = ClosedDay.objects.filter(casino=house.casino).first()
    assert opened.exists() != (closed is not None), "a session in a closed day, or neither"
    if closed is not None:
        paid = Redemption.objects.filter(casino=house.casino).count()
        assert closed.figures["redemptions"] == {"number": paid, "paid": 100 * paid}
    else:
        floor.seat_player(house, table, 1, 5_000)
        with floor.refused(house, "gaming_day_open"):
            close_day()
    sound(house, table)


def test_people_whose_currency_a_round_plays_are_held_in_one_order() -> None:
    """RD-MONEY: whatever their seats; else two tables with the same two people would wait for each other."""
    house = floor.make_house(profile="generic_markers_money_plays")
    floor.stock_cage(house)
    table, _ = open_table(house)
    low, high = sorted(known(house) for _ in range(2))
    for seat, player in ((3, high), (4, low)):
        none, command = {"cash": 0, "chips": 0}, house.command(Role.DEALER)
        seats.seat_take(table_id=table.id, seat=seat, player_id=player, **none, command=command)
    money, command = {3: 1_000, 4: 1_000}, house.command(Role.DEALER)
    begun = round_start(table_id=table.id, bets={}, money=money, command=command)

    def settle() -> None:
        round_id, command = uuid.UUID(begun.body["round"]["id"]), house.command(Role.DEALER)
        round_deal(round_id=round_id, cards=support.PUSH, number=2, command=command)

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            Player.objects.select_for_update(no_key=True).get(id=low)
            settling = threads.submit(at_once, settle)
            eventually(_somebody_waits)
            Player.objects.select_for_update(no_key=True, nowait=True).get(id=high)
        assert settling.result() == ["done"]
    sound(house, table)


def _somebody_waits() -> bool:
    """Whether somebody waits for what this connection holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")
        return cursor.fetchone() is not None


def test_one_piece_is_played_at_one_of_two_tables(house: House) -> None:
    """RD-PROMO: the other is refused at once, and waits for no round that has a piece at stake."""
    tables = [open_table(house)[0] for _ in range(2)]
    player = office.player_create(
        casino_id=house.casino.id, reference="", description="a guest", command=house.office()
    )
    cashier, pieces = house.command, {"race-1": 500, "race-2": 500}
    boss = house.badge(Role.PIT_BOSS)
    promo_stock(casino_id=house.casino.id, pieces={"500": 2}, second=boss, command=cashier(Role.CAGE))
    promo_issue(
        casino_id=house.casino.id,
        player_id=uuid.UUID(player.body["player"]),
        pieces=pieces,
        command=cashier(Role.CAGE),
    )

    def start(table: Table, coupons: dict[int, str]) -> Callable[[], Any]:
        command = house.command(Role.DEALER)
        return lambda: round_start(
            table_id=table.id, bets={1: 1000, 2: 1000}, coupons=coupons, command=command
        )

    assert at_once(*[start(table, {1: "race-1"}) for table in tables]) == ["coupon_not_good", "done"]
    staked = PromoPiece.objects.get(serial="race-1")
    other = next(table for table in tables if table.id != staked.table_id)
    with transaction.atomic():
        PromoPiece.objects.select_for_update().get(id=staked.id)

        def both() -> Any:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '5s'")
            return start(other, {1: "race-1", 2: "race-2"})()

        assert at_once(both) == ["coupon_not_good"]
    assert PromoPiece.objects.get(serial="race-2").status == "issued"
    for table in tables:
        sound(house, table)
