"""The floor's figures, one definition of each: against the case file, and where others went wrong."""

import json
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.figures import (
    Reconciliation,
    TableWin,
    WinState,
    count_total,
    gaming_day,
    gaming_day_bounds,
    reconcile,
    rollover_is_safe,
    shift_of,
    table_win,
    win_standing,
)

CASES = json.loads((Path(__file__).parent.parent / "data" / "table_win.json").read_text())
NEW_YORK = "America/New_York"
AMOUNTS = st.integers(min_value=0, max_value=10**12)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["note"]))
def test_win_and_hold_of_the_case_file(case: dict[str, Any]) -> None:
    inputs = {name: case[name] for name in ("opener", "fills", "credits", "closer", "drop")}
    found = table_win(**inputs)
    assert found.win == case["win"]
    if case["hold"] is None:
        assert found.hold is None
    else:
        assert found.hold is not None
        assert abs(found.hold - Fraction(case["hold"])) <= Fraction(1, 2_000_000)
    assert found.state == (WinState.PENDING if case["win"] is None else WinState.COUNTED)


def test_what_is_known_of_a_win_and_what_is_not() -> None:
    counts: dict[str, Any] = {"opener": 1000, "fills": 0, "credits": 0}
    pending = TableWin(WinState.PENDING, None, None)
    assert table_win(**counts, closer=None, drop=None) == pending
    assert table_win(**counts, closer=900, drop=None) == pending
    assert table_win(**counts, closer=None, drop=500, insertions=500) == pending
    estimated = table_win(**counts, closer=900, drop=None, insertions=500)
    assert estimated == TableWin(WinState.PROVISIONAL, 400, Fraction(4, 5))
    counted = table_win(**counts, closer=900, drop=450, insertions=500)
    assert counted == TableWin(WinState.COUNTED, 350, Fraction(7, 9))
    assert table_win(**counts, closer=900, drop=0).hold is None


def test_a_win_is_reconciled_when_all_three_checks_are_zero_and_not_before() -> None:
    counted = TableWin(WinState.COUNTED, 350, Fraction(7, 9))
    assert win_standing(counted, Reconciliation(0, 0, 0)) == WinState.RECONCILED
    assert win_standing(counted, Reconciliation(-1000, 1000, 0)) == WinState.COUNTED
    provisional = TableWin(WinState.PROVISIONAL, 400, Fraction(4, 5))
    assert win_standing(provisional, Reconciliation(0, None, None)) == WinState.PROVISIONAL


def honest(**changed: int | None) -> Reconciliation:
    """A session that opened with 1,000, filled 200, sold chips for 300, won 150; changed as told."""
    inputs: dict[str, Any] = {
        "opener": 1000,
        "fills": 200,
        "credits": 50,
        "closer": 1000 + 200 - 50 - 300 + 150,
        "rounds_result": 150,
        "other_tray_moves": -300,
        "drop": 300,
        "insertions": 300,
    }
    return reconcile(**(inputs | changed))


def test_each_error_has_its_own_signature() -> None:
    assert honest() == Reconciliation(0, 0, 0)
    assert honest(drop=None) == Reconciliation(0, None, None)
    assert honest(closer=990) == Reconciliation(-10, 0, -10)
    assert honest(drop=290) == Reconciliation(0, -10, -10)
    assert honest(rounds_result=160) == Reconciliation(-10, 0, -10)
    # currency of 80 was bet and lost: R and the box have it, the tray never had
    lost = {"rounds_result": 230, "money_won": 80, "insertions": 380}
    assert honest(**lost, drop=380) == Reconciliation(0, 0, 0)
    assert honest(**lost) == Reconciliation(0, -80, -80)
    # chips for 100 left the tray and 100 went into the box, unrecorded: U sees nothing
    assert honest(closer=900, drop=400) == Reconciliation(-100, 100, 0)


@given(
    opener=AMOUNTS,
    fills=AMOUNTS,
    credits=AMOUNTS,
    closer=AMOUNTS,
    rounds_result=st.integers(-(10**12), 10**12),
    bought=AMOUNTS,
    money_won=AMOUNTS,
    drop=AMOUNTS,
)
def test_u_is_t_plus_b_when_buy_ins_and_lost_currency_are_all_that_moves(
    bought: int, money_won: int, **inputs: int
) -> None:
    checks = reconcile(**inputs, other_tray_moves=-bought, insertions=bought + money_won, money_won=money_won)
    assert checks.box is not None
    assert checks.unexplained == checks.tray + checks.box


def test_a_count_is_values_times_pieces_in_minor_units() -> None:
    assert count_total({"100": 3, "2500": 2}) == 5300
    assert count_total({}) == 0


@pytest.mark.parametrize(
    ("local", "day"),
    [
        ("2026-07-01T05:59:59.999999", "2026-06-30"),
        ("2026-07-01T06:00:00", "2026-07-01"),
        ("2026-07-01T23:59:59", "2026-07-01"),
        ("2026-07-02T00:30:00", "2026-07-01"),  # already the next day in UTC terms, too
        ("2026-03-08T05:59:00", "2026-03-07"),  # the clock went forward at two that night
        ("2026-03-08T06:00:00", "2026-03-08"),
        ("2026-11-01T05:59:00", "2026-10-31"),  # the clock went back at two that night
        ("2026-11-01T06:00:00", "2026-11-01"),
    ],
)
def test_the_gaming_day_is_that_of_the_casinos_own_clock(local: str, day: str) -> None:
    moment = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(NEW_YORK)).astimezone(UTC)
    assert gaming_day(moment, NEW_YORK, 6) == date.fromisoformat(day)


def test_the_gaming_day_is_not_the_utc_date() -> None:
    evening = datetime(2026, 7, 2, 1, 0, tzinfo=UTC)  # nine in the evening of the first in New York
    assert gaming_day(evening, NEW_YORK, 6) == date(2026, 7, 1)


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-07", 23), ("2026-03-08", 24), ("2026-10-31", 25), ("2026-11-01", 24)]
)
def test_a_gaming_day_across_a_clock_change_is_23_or_25_hours_long(day: str, hours: int) -> None:
    begins, ends = gaming_day_bounds(date.fromisoformat(day), NEW_YORK, 6)
    assert ends - begins == timedelta(hours=hours)


@given(
    moment=st.datetimes(
        min_value=datetime(2020, 1, 1), max_value=datetime(2035, 1, 1), timezones=st.just(UTC)
    ),
    zone=st.sampled_from([NEW_YORK, "Europe/Berlin", "Asia/Tokyo", "Australia/Lord_Howe", "UTC"]),
    hour=st.integers(4, 12),
)
def test_every_moment_lies_in_exactly_its_own_gaming_day(moment: datetime, zone: str, hour: int) -> None:
    begins, ends = gaming_day_bounds(gaming_day(moment, zone, hour), zone, hour)
    assert begins <= moment < ends


@pytest.mark.parametrize(
    ("local", "shift"),
    [
        ("2026-07-01T06:00:00", 1),
        ("2026-07-01T13:59:59.999999", 1),
        ("2026-07-01T14:00:00", 2),
        ("2026-07-01T21:59:59", 2),
        ("2026-07-01T22:00:00", 3),
        ("2026-07-02T05:59:59", 3),
        ("2026-03-08T01:59:59", 3),  # the third shift of the 7th has seven hours: two to three is skipped
        ("2026-03-08T03:00:00", 3),
        ("2026-03-08T06:00:00", 1),
        ("2026-11-01T01:30:00", 3),  # the third shift of the 31st has nine: one to two comes twice
        ("2026-11-01T05:59:59", 3),
        ("2026-11-01T06:00:00", 1),
    ],
)
def test_a_shift_is_eight_hours_of_the_wall_clock_from_the_roll_over(local: str, shift: int) -> None:
    wall = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(NEW_YORK))
    for fold in (0, 1):
        assert shift_of(wall.replace(fold=fold).astimezone(UTC), NEW_YORK, 6) == shift


@given(
    day=st.dates(min_value=date(2020, 1, 1), max_value=date(2035, 1, 1)),
    zone=st.sampled_from([NEW_YORK, "Europe/Berlin", "Australia/Lord_Howe"]),
    hour=st.integers(4, 12),
    minutes=st.lists(st.integers(0, 25 * 60 - 1), min_size=2, max_size=8),
)
def test_shifts_of_a_gaming_day_follow_each_other(
    day: date, zone: str, hour: int, minutes: list[int]
) -> None:
    begins, ends = gaming_day_bounds(day, zone, hour)
    moments = [m for n in sorted(minutes) if (m := begins + timedelta(minutes=n)) < ends]
    shifts = [shift_of(moment, zone, hour) for moment in [begins, *moments, ends - timedelta(seconds=1)]]
    assert shifts == sorted(shifts)
    assert (shifts[0], shifts[-1]) == (1, 3)


def test_a_roll_over_hour_that_does_not_exist_or_comes_twice_is_not_safe() -> None:
    years = range(2025, 2028)
    assert not rollover_is_safe(NEW_YORK, 2, years)  # skipped in spring
    assert not rollover_is_safe(NEW_YORK, 1, years)  # comes twice in autumn
    assert rollover_is_safe(NEW_YORK, 6, years)
    assert rollover_is_safe("Asia/Tokyo", 2, years)
