"""Closing a gaming day: only when nothing of it is open, once, in order, by two; and what comes late."""

import json
import threading
import uuid
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from ledger.models import Entry, Head
from ledger.services import AccountSpec, Movement, open_accounts, post
from tables.figures import WinState, is_late, known_sum, least_known
from tables.figures import gaming_day as day_of
from tables.models import (
    Casino,
    ClosedDay,
    Countersignature,
    OutboxItem,
    Role,
    Round,
    SessionStatus,
    Table,
    TableSession,
)
from tables.selectors.days import day_to_close
from tables.services import cage, corrections, sessions
from tables.services.approvals import approval_give
from tables.services.command import Actor, Command
from tables.services.days import gaming_day_close, running_day
from tables.services.signatures import Approved
from tests import floor
from tests.audit import support
from tests.floor import House, refused

NEW_YORK = ZoneInfo("America/New_York")
DAY = timedelta(days=1)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


def today(house: House) -> date:
    return day_of(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)


def close_day(house: House, day: date, *, second: Role = Role.PIT_BOSS, **command: Any) -> dict[str, Any]:
    """Close a day at the cage; answers what was answered."""
    return gaming_day_close(
        casino_id=house.casino.id,
        gaming_day=day,
        second=house.badge(second),
        command=command.get("command", house.command(Role.CAGE)),
    ).body


def said(stream: str, kind: str) -> dict[str, Any]:
    """What the last entry of a kind says."""
    payload: dict[str, Any] = json.loads(
        Entry.objects.filter(stream__name=stream, kind=kind).latest("seq").payload
    )
    return payload


def open_again(house: House, table: Table) -> uuid.UUID:
    """Open the table on what its last closer left."""
    floor.clear_box(house, table)
    opened = sessions.session_open(
        table_id=table.id,
        opener=TableSession.objects.filter(table=table).latest("number").closer or {},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    return uuid.UUID(opened.body["session"]["id"])


@pytest.fixture
def played(house: House) -> tuple[House, Table, uuid.UUID]:
    """A house with one table: a round played, closed, its drop counted."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    return house, table, session_id


def test_a_day_is_refused_while_anything_of_it_is_open_and_all_of_it_is_listed(house: House) -> None:
    """Session open, round running, drop not counted, fill on its way, chips in a pool, earlier day."""
    before = floor.make_table(house, "rd-0")
    floor.fill_table(house, before)
    with time_machine.travel(timezone.now() - DAY, tick=True):
        support.close(house, before, _seated(house, before))
    counted, counted_id = support.open_scanned(house, "rd-1")
    support.close(house, counted, counted_id)
    running, running_id = support.open_scanned(house, "rd-2")
    round_ = support.raising(house, running, support.WIN[:2])
    slip = floor.send_fill(house, running, {"100": 1})
    pool = AccountSpec("pool", house.casino.chips_asset, 0)
    actor = house.staff[Role.DEALER].id
    open_accounts(stream=running.stream, accounts=[pool], actor=actor, command_id=uuid.uuid4())
    ante = [Movement("seat:1", "pool", 500)]
    post(stream=running.stream, kind="ante", payload={}, movements=ante, actor=actor, command_id=uuid.uuid4())
    day = today(house)
    with refused(house, "gaming_day_open") as caught:
        close_day(house, day)
    at_running = {"table": str(running.id), "session": str(running_id)}
    found = [{k: v for k, v in each.items() if k != "what"} for each in caught.value.extra["open"]]
    assert found == [
        {"code": "day_not_closed", "gaming_day": str(day - DAY)},
        {"code": "drop_not_counted", "table": str(counted.id), "session": str(counted_id)},
        {"code": "session_open", **at_running},
        {"code": "round_in_progress", **at_running, "round": str(round_.id)},
        {"code": "fill_in_transit", "table": str(running.id), "slip": str(slip)},
        {"code": "pool_not_empty", "table": str(running.id)},
    ]
    assert caught.value.detail.startswith(f"Still open: gaming day {day - DAY} was not closed; table rd-1,")
    assert caught.value.detail.endswith("; and 1 more.")


def _seated(house: House, table: Table) -> uuid.UUID:
    session_id = floor.open_table(house, table)
    for seat in (1, 2):
        floor.seat_player(house, table, seat, 200_000)
    return session_id


def test_closing_is_one_entry_with_the_days_figures_under_two_signatures(
    played: tuple[House, Table, uuid.UUID],
) -> None:
    house, table, session_id = played
    cage.cage_redeem(
        casino_id=house.casino.id, chips={"100": 3}, player_id=None, command=house.command(Role.CAGE)
    )
    day, heads = today(house), dict(Head.objects.values_list("stream__name", "seq"))
    command = house.command(Role.CAGE)
    answer = close_day(house, day, command=command)
    entry = Entry.objects.filter(stream__name=house.casino.stream).latest("seq")
    assert (entry.kind, entry.actor) == ("day.close", house.staff[Role.CAGE].id)
    told = json.loads(entry.payload)
    session = TableSession.objects.get(id=session_id)
    # the books add up: opener 1,740,000, no fill, nothing wrong; the table lost what the round paid
    assert session.closer_total is not None
    assert session.drop_total is not None
    win = session.closer_total + session.drop_total - session.opener_total
    summed = {"sessions": 1, "fills": 0, "credits": 0, "drop": 400_000, "win": win, "win_state": "counted"}
    assert told == {
        "day": answer["id"],
        "gaming_day": str(day),
        "early": True,
        "figures": {
            "tables": [{"table": str(table.id), "code": table.code, **summed}],
            "total": summed,
            "redemptions": {"number": 1, "paid": 300},
        },
        "streams": {
            name: heads[name] for name in (house.casino.stream, house.casino.cage_stream, table.stream)
        },
        "second": str(house.staff[Role.PIT_BOSS].id),
    }
    kept = ClosedDay.objects.get(casino=house.casino)
    assert (kept.gaming_day, kept.seq, kept.figures) == (day, entry.seq, told["figures"])
    assert (kept.early, kept.checkpoint, kept.timestamp) == (True, None, None)
    signed = Countersignature.objects.get(stream=entry.stream.name, seq=entry.seq)
    assert (signed.first, signed.second) == (house.staff[Role.CAGE], house.staff[Role.PIT_BOSS])
    assert Casino.objects.get(id=house.casino.id).closed_day == day
    assert OutboxItem.objects.filter(topic="day.seal", subject=kept.id, done_at=None).exists()
    assert close_day(house, day, command=command) == answer, "the same command again has no second effect"
    with refused(house, "gaming_day_closed"):
        close_day(house, day)
    kept.id, kept.seq = uuid.uuid4(), kept.seq + 1
    with pytest.raises(IntegrityError, match="gaming_day_closed_once"), transaction.atomic():
        kept.save(force_insert=True)


def test_who_closes_and_who_signs(played: tuple[House, Table, uuid.UUID]) -> None:
    """Two different people; the first at the cage or, a pit boss, in the admin site."""
    house, _, _ = played
    day = today(house)
    with refused(house, "same_person_signed"):
        close_day(house, day, second=Role.CAGE)
    with refused(house, "may_not_countersign"):
        close_day(house, day, second=Role.SUPERVISOR)
    with refused(house, "gaming_day_not_begun"):
        close_day(house, day + DAY)
    for before in (day - 2 * DAY, date.min):
        with refused(house, "gaming_day_before_house"):
            close_day(house, before)
    for role, kind in (
        (Role.SUPERVISOR, None),
        (Role.ADMINISTRATOR, None),
        (Role.CAGE, None),
        (Role.PIT_BOSS, "cage"),
        (Role.DEALER, "table"),
    ):
        actor = Actor(house.staff[role].id, role, None, kind)
        with refused(house, "operation_not_allowed"):
            close_day(house, day, second=Role.AUDITOR, command=Command(uuid.uuid4(), actor))
    given = approval_give(
        casino_id=house.casino.id,
        act="day.close",
        subject=house.casino.id,
        badge=house.badge(Role.AUDITOR),
        command=support.at_desk(house, Role.AUDITOR),
    )
    gaming_day_close(
        casino_id=house.casino.id,
        gaming_day=day,
        second=Approved(uuid.UUID(given.body["approval"])),
        command=support.at_desk(house, Role.PIT_BOSS),
    )
    signed = Countersignature.objects.get(stream=house.casino.stream, act="day.close")
    assert (signed.first, signed.second) == (house.staff[Role.PIT_BOSS], house.staff[Role.AUDITOR])


def test_nothing_of_a_day_that_was_closed_early_begins_until_the_next_one(
    played: tuple[House, Table, uuid.UUID],
) -> None:
    house, table, _ = played
    day = today(house)
    close_day(house, day)
    with refused(house, "gaming_day_closed") as caught:
        open_again(house, table)
    begins = datetime.fromisoformat(caught.value.extra["begins_at"])
    assert day_of(begins, "America/New_York", 6) == day + DAY
    redeemed: dict[str, Any] = {"casino_id": house.casino.id, "chips": {"100": 1}, "player_id": None}
    with refused(house, "gaming_day_closed"):
        cage.cage_redeem(**redeemed, command=house.command(Role.CAGE))
    with refused(house, "gaming_day_closed"):
        floor.stock_cage(house)
    with time_machine.travel(begins, tick=True):
        again = open_again(house, table)
        cage.cage_redeem(**redeemed, command=house.command(Role.CAGE))
        assert TableSession.objects.get(id=again).gaming_day == day + DAY
        assert day_to_close(Casino.objects.get(id=house.casino.id), begins) == day + DAY


@pytest.mark.parametrize(
    ("opened", "over"),
    [
        ("2026-03-07T20:00", "2026-03-08T06:00"),  # the night an hour is missing
        ("2025-11-01T20:00", "2025-11-02T06:00"),  # the night an hour comes twice
    ],
)
@pytest.mark.django_db
def test_a_session_over_the_roll_over_and_a_late_count_stay_with_their_day(opened: str, over: str) -> None:
    """Both daylight-saving nights: the day ends at the local hour, and nothing is re-dated."""
    day = local(opened).date()
    with time_machine.travel(local(opened), tick=True):
        house = floor.make_house()
        floor.stock_cage(house)
        table, session_id = support.open_scanned(house)
    with time_machine.travel(local(over) - timedelta(seconds=30), tick=False):
        assert today(house) == day
        with refused(house, "gaming_day_not_begun"):
            close_day(house, day + DAY)
    with time_machine.travel(local(over) + timedelta(hours=1), tick=True):
        assert today(house) == day + DAY
        support.close(house, table, session_id)
        closed_seq = TableSession.objects.get(id=session_id).closed_seq
        next_session = open_again(house, table)
        with refused(house, "gaming_day_open") as caught:
            close_day(house, day)
        assert [each["code"] for each in caught.value.extra["open"]] == ["drop_not_counted"]
        support.count_drop(house, session_id)
        assert said(table.stream, "session.count_drop")["late"] is True
        close_day(house, day)
        told = said(house.casino.stream, "day.close")
        assert (told["early"], told["figures"]["total"]["drop"]) == (False, 400_000)
        assert told["streams"][table.stream] == closed_seq, "the late count lies beyond it"
        running = TableSession.objects.get(id=next_session)
        assert (running.status, running.gaming_day) == (SessionStatus.OPEN, day + DAY), "play goes on"
    assert TableSession.objects.get(id=session_id).gaming_day == day


def test_a_count_in_time_is_not_late(played: tuple[House, Table, uuid.UUID]) -> None:
    _, table, _ = played
    assert said(table.stream, "session.count_drop")["late"] is False


def test_a_correction_of_a_closed_day_is_late_and_not_refused(
    played: tuple[House, Table, uuid.UUID],
) -> None:
    """The physical result wins whenever it is known; the closed day's figures stay as they were closed."""
    house, table, _ = played
    day = today(house)
    close_day(house, day)
    closed = ClosedDay.objects.get(casino=house.casino)
    with time_machine.travel(timezone.now() + DAY, tick=True):
        open_again(house, table)
        corrections.round_correct(
            round_id=Round.objects.get(table=table).id,
            cards=support.LOSE,
            reason="card_misread",
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.SUPERVISOR),
        )
        corrected = said(table.stream, "round.correct")
        assert corrected["late"] is True
        with refused(house, "gaming_day_closed"):
            close_day(house, day)
    corrected_round = Round.objects.select_related("session").get(id=corrected["round"])
    assert corrected_round.session.gaming_day == day
    assert ClosedDay.objects.get(casino=house.casino).figures == closed.figures


@pytest.mark.django_db(transaction=True)
def test_a_day_is_not_closed_under_what_is_just_beginning() -> None:
    """What begins holds the day open until it is committed, so no session opens in a closed day."""
    house = floor.make_house()
    holds, done = threading.Event(), threading.Event()

    def begin() -> None:
        with transaction.atomic():
            running_day(house.casino)
            holds.set()
            done.wait(30)
        connection.close()

    beginning = threading.Thread(target=begin)
    beginning.start()
    assert holds.wait(30)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '100ms'")
            with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
                close_day(house, today(house))
    finally:
        done.set()
        beginning.join()
    close_day(house, today(house))
    assert ClosedDay.objects.get(casino=house.casino).figures["tables"] == [], "a day without activity closes"


def test_the_figures_of_a_day_have_one_definition() -> None:
    """A missing part makes the sum missing; a sum is known as well as its least known part."""
    assert (known_sum([1, 2]), known_sum([1, None]), known_sum([])) == (3, None, 0)
    assert least_known([WinState.COUNTED, WinState.PENDING, WinState.PROVISIONAL]) == WinState.PENDING
    day = date(2026, 11, 30)
    cases = {(day, None): False, (day + DAY, None): True, (day, day): True, (day, day - DAY): False}
    assert {case: is_late(day, today=case[0], closed=case[1]) for case in cases} == cases
