"""Round histories at rest: one table for others to read, kept up to date; the questions of QUERIES.md."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from django.core.management import CommandError, call_command

from audit.exports.columns import COLUMNS
from audit.exports.lake import lake_export
from audit.report import day_report
from tables.models import Casino, Round
from tests.audit.exports.conftest import DAYS, Told
from tests.audit.exports.plain import all_rows
from tests.audit.exports.reading import rows_of

Row = dict[str, Any]
DOCUMENT = Path("audit/QUERIES.md")
QUESTION = re.compile(r"^## (\w+).*?^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUERIES = dict(QUESTION.findall(DOCUMENT.read_text()))


@pytest.fixture
def lake(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files of a casino that has closed its first two days."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    close_until(told, 1)
    (tmp_path / "lake").mkdir()
    return tmp_path / "lake"


def close_until(told: Told, day: int) -> None:
    """Close the gaming days up to one of `DAYS`."""
    Casino.objects.filter(id=told.casino).update(closed_day=DAYS[day])


def laid(told: Told, lake: Path, *arguments: str) -> list[str]:
    """Run the command; what it said, line by line."""
    out = StringIO()
    to = ("--output", str(lake), "--casino", told.house.casino.code)
    call_command("export_lake", *to, *arguments, stdout=out)
    return out.getvalue().splitlines()


def asked(lake: Path, title: str) -> list[Row]:
    """What a question of the document is answered."""
    with duckdb.connect() as database:
        files = f"{lake}/rounds/**/*.parquet"
        database.execute(
            f"CREATE VIEW rounds AS SELECT * FROM read_parquet('{files}', hive_partitioning = true)"  # noqa: S608
        )
        found = database.sql(QUERIES[title])
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def test_closed_days_are_one_table(told: Told, lake: Path, tmp_path: Path) -> None:
    """Run again nothing is written; a day that is closed is added, one that changed is written again."""
    assert [line.endswith("rounds") for line in laid(told, lake)] == [True, True]
    files = sorted(lake.rglob("*.parquet"))
    code = told.house.casino.code
    names = [f"rounds/casino={code}/gaming_day={day}/part-0.parquet" for day in DAYS]
    assert [str(file.relative_to(lake)) for file in files] == names[:2]
    before = {file: (file.stat().st_ino, file.read_bytes()) for file in files}
    assert [line.endswith("as it was") for line in laid(told, lake)] == [True, True]
    assert {file: (file.stat().st_ino, file.read_bytes()) for file in files} == before
    Round.objects.filter(table=told.other).update(last_seq=1000)
    files[0].write_bytes(bytes(len(before[files[0]][1])))  # as long as it was
    close_until(told, 2)
    assert [line.endswith("as it was") for line in laid(told, lake)] == [False] * 3
    assert files[0].read_bytes() == before[files[0]][1]
    read = pl.scan_parquet(f"{lake}/rounds/**/*.parquet", hive_partitioning=True).collect().to_dicts()
    expected = [row for _, row in all_rows(told.casino)]
    assert [(row["round_id"], row["seat"], row["net"], row["last_seq"]) for row in read] == [
        (row["round_id"], row["seat"], row["net"], row["last_seq"]) for row in expected
    ]
    assert {(row["casino"], row["gaming_day"]) for row in read} == {(code, day) for day in DAYS}
    assert list(read[0]) == list(COLUMNS)


def test_one_bar_is_of_all_days(told: Told, lake: Path) -> None:
    """Of the rounds of those that stay as they are, too."""
    close_until(told, 2)
    assert laid(told, lake, "--gaming-day", DAYS[1].isoformat())
    seen: list[tuple[int, int]] = []
    done = list(lake_export(told.house.casino, lake, progress=lambda *far: seen.append(far)))
    assert [one.is_new for one in done] == [True, False, True]
    assert {total for _, total in seen} == {sum(one.rounds for one in done)} == {9}
    assert seen == sorted(seen)
    assert seen[-1] == (9, 9)


def test_a_day_that_is_not_closed_is_not_at_rest(told: Told, lake: Path) -> None:
    assert len(laid(told, lake, "--gaming-day", DAYS[1].isoformat())) == 1
    with pytest.raises(CommandError, match="is not closed, or has no rounds"):
        laid(told, lake, "--gaming-day", DAYS[2].isoformat())
    Casino.objects.filter(id=told.casino).update(closed_day=None)
    assert laid(told, lake) == ["nothing to write: no closed gaming day has rounds"]
    assert len(list(lake.rglob("*.parquet"))) == 1
    with pytest.raises(CommandError, match="no folder"):
        laid(told, lake / "none")


def test_the_questions_are_answered_as_the_journal_does(told: Told, lake: Path, tmp_path: Path) -> None:
    close_until(told, 2)
    laid(told, lake)
    figures = {(line["table"], line["month"]): line for line in asked(lake, "Handle")}
    for day in DAYS:
        for line in day_report(casino_id=told.casino, gaming_day=day).lines:
            found = figures[line.code, day.replace(day=1)]
            due = line.to_dict()
            assert [found[name] for name in ("rounds", "handle", "result")] == [
                due[name] for name in ("rounds", "handle", "result")
            ]
    rows = rows_of(told.casino, tmp_path)
    dealers = asked(lake, "The")
    assert {row["dealer"] for row in rows} == {line["dealer"] for line in dealers}
    assert sum(line["rounds"] for line in dealers) == len({row["round_id"] for row in rows})
    stakes = [row[name] or 0 for row in rows for name in ("bet", "raise", "toke")]
    assert sum(line["handle"] for line in dealers) == sum(stakes)
    (player,) = asked(lake, "Players")
    of_player = [row for row in rows if row["player"] == str(told.player)]
    assert player == {
        "player": str(told.player),
        "rounds": len(of_player),
        "staked": sum(row["bet"] for row in of_player),
        "gained": sum(row["corrected_net"] for row in of_player),
    }
    (pairs,) = asked(lake, "Pairs")
    played = {row["round_id"]: row["cards"].split() for row in rows if row["game"] == "red_dog"}
    of_a_kind = sum(cards[0][0] == cards[1][0] for cards in played.values())
    assert (pairs["rounds"], pairs["pairs"]) == (len(played), of_a_kind)
    assert pairs["residual"] == pytest.approx(of_a_kind - len(played) * 23 / 311, abs=1e-6)


def test_what_is_wrong_is_found_at_rest(told: Told, lake: Path) -> None:
    """A win paid twice, and a void under two signatures after the third card, besides the one cancelled."""
    close_until(told, 2)
    laid(told, lake)
    assert asked(lake, "Wrong") == []
    (cancelled,) = asked(lake, "Voids")
    assert (cancelled["table"], cancelled["round"], cancelled["outcome"]) == ("rd-1", 5, "win")
    won, *_, voided, _, _ = told.rounds(told.table)
    results = {seat: one | {"paid": 2 * one["paid"]} for seat, one in won.state["results"].items()}
    Round.objects.filter(id=won.id).update(state=won.state | {"results": results}, last_seq=2000)
    Round.objects.filter(id=voided.id).update(state=voided.state | {"cards": ["5S", "QH", "9D"]})
    laid(told, lake)
    assert [(row["round"], row["seat"], row["paid"]) for row in asked(lake, "Wrong")] == [
        (1, 1, 4000),
        (1, 2, 5000),
    ]
    assert [(row["round"], row["outcome"]) for row in asked(lake, "Voids")] == [(4, "void"), (5, "win")]
