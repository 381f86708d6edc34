"""The one select gives what plain Python makes of the same rows, and each filter chooses as it does."""

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.exports.columns import COLUMNS, SHIFT
from audit.exports.filters import RoundFilter
from tables.figures import shift_of
from tables.models import Round
from tests.audit.exports.conftest import DAYS, Told
from tests.audit.exports.plain import all_rows, is_wanted
from tests.audit.exports.reading import export, rows_of


def test_rows_are_what_plain_python_makes_of_them(told: Told, tmp_path: Path) -> None:
    expected = [row for _, row in all_rows(told.casino)]
    rows = rows_of(told.casino, tmp_path)
    assert list(rows[0]) == list(COLUMNS)
    assert rows == [{name: row[name] for name in COLUMNS} for row in expected]
    assert {row["status"] for row in rows} == {"complete", "cancelled", "in_progress"}
    outcomes = {"consecutive", "lose", "settled", "trips", "void", "win", None}
    assert {row["outcome"] for row in rows} == outcomes
    assert sum(row["corrected_net"] is not None for row in rows) == 4
    for_dealers = [(row["toke"], row["tipped"], row["corrected_tipped"]) for row in rows if row["toke"]]
    assert for_dealers == [(100, 1_100 * 11, 1_100), (1_000, 0, 0)], "on one row, so that they add up"


def test_a_round_nobody_bet_in_is_one_row_without_a_seat(told: Told, tmp_path: Path) -> None:
    empty = told.rounds(told.table)[-1]
    Round.objects.filter(id=empty.id).update(state=empty.state | {"bets": {}, "raises": {}, "results": {}})
    row = rows_of(told.casino, tmp_path, table=told.table.code)[-1]
    assert (row["round"], row["seat"], row["bet"], row["raise"]) == (empty.number, None, None, None)
    assert row not in rows_of(told.casino, tmp_path, stake_min=0)


def test_a_round_whose_table_is_frozen_is_interrupted(told: Told, tmp_path: Path) -> None:
    """GLI-19 2.8.2: in progress, complete, interrupted, cancelled; other rounds of it are what they were."""
    told.table.frozen = "a card came twice"
    told.table.save(update_fields=["frozen"])
    rows = rows_of(told.casino, tmp_path)
    assert rows == [{name: row[name] for name in COLUMNS} for _, row in all_rows(told.casino)]
    of_table = {(row["round"], row["status"]) for row in rows if row["table"] == told.table.code}
    assert {status for _, status in of_table} == {"complete", "cancelled", "interrupted"}
    assert [number for number, status in of_table if status == "interrupted"] == [len(of_table)]


FILTERS: list[dict[str, Any]] = [
    *({"gaming_day_from": day} for day in DAYS),
    *({"gaming_day_to": day} for day in DAYS),
    {"gaming_day_from": DAYS[1], "gaming_day_to": DAYS[1]},
    *({"pit": code} for code in ("pit-1", "pit-2", "pit-3")),
    *({"table": code} for code in ("rd-1", "RD-2", "rd-2")),
    *({"shift": shift} for shift in (1, 2, 3)),
    *({"seat": seat} for seat in (1, 2, 3, 9)),
    *({"outcome": outcome} for outcome in ("win", "lose", "trips", "void", "settled")),
    *({"stake_min": least} for least in (0, 1000, 2000, 2001, 20_000)),
    *({"stake_max": most} for most in (0, 499, 500, 2000)),
    *({"alert": code} for code in ("any", "void_after_decision", "tray_difference")),
    {"player": uuid.UUID(int=1)},
    {"dealer": "D001"},
    {"shift": 3, "seat": 2, "outcome": "win", "stake_min": 3000, "pit": "pit-1"},
]


def test_each_filter_chooses_what_plain_python_does(told: Told, tmp_path: Path) -> None:
    every = list(all_rows(told.casino))
    own = [
        {"player": told.player},
        {"dealer": every[0][1]["dealer"]},
        {"session": every[0][0].session_id},
    ]
    chosen = set()
    for asked in [*FILTERS, *own]:
        wanted = RoundFilter(casino=told.casino, **asked)
        expected = [row for played, row in every if is_wanted(wanted, played, row)]
        assert rows_of(told.casino, tmp_path, **asked) == [
            {name: row[name] for name in COLUMNS} for row in expected
        ], asked
        chosen.add(len(expected))
    assert 0 in chosen
    assert len(chosen) > 5


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "rollover"), [("America/New_York", 6), ("Australia/Lord_Howe", 23), ("Asia/Kathmandu", 0)]
)
def test_shifts_are_those_of_the_figures_at_every_hour_of_a_year(zone: str, rollover: int) -> None:
    """`tables.figures.shift_of`, over nights of daylight saving too."""
    begins = datetime(2026, 1, 1, 0, 30, tzinfo=UTC)
    moments = [begins + timedelta(hours=hour) for hour in range(366 * 24)]
    given = "unnest(%s::timestamptz[]) WITH ORDINALITY AS r(started_at, number)"
    house = "(SELECT %s::text AS time_zone, %s::int AS rollover_hour) AS c ORDER BY r.number"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {SHIFT} FROM {given} CROSS JOIN {house}", [moments, zone, rollover])  # noqa: S608
        found = [row[0] for row in cursor.fetchall()]
    assert found == [shift_of(moment, zone, rollover) for moment in moments]


def test_an_export_asks_few_statements_a_session(told: Told, tmp_path: Path) -> None:
    """However many rows: the sessions, then a COPY and the totals of each, and what the manifest says."""
    with CaptureQueriesContext(connection) as asked:
        export(told.casino, tmp_path / "all.csv", "csv")
    assert len(asked) <= 20
