"""Every form read back by programs of others: what they find is what the database holds."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from django.db import connection

from audit.exports.columns import COLUMNS, NO_ACTIVITY, Kind
from audit.exports.filters import RoundFilter
from audit.exports.forms import FORMS, Form
from audit.exports.parts import Work
from audit.exports.rounds import rounds_export
from audit.exports.select import CONTROLS, FORMULA_STARTS, PICTURES
from audit.exports.workbook import EXACT
from config import env
from tables.models import Pit, Round, Staff, Table
from tests.audit.exports.conftest import Told
from tests.audit.exports.plain import all_rows
from tests.audit.exports.reading import export, manifest_of

Row = dict[str, Any]
TEXTS = [name for name, column in COLUMNS.items() if column.kind in (Kind.LABEL, Kind.TEXT)]
MOST = 2**63 - 1
"""The largest amount a column of the database takes; a sum of several may be larger."""


@pytest.fixture
def rows(told: Told) -> list[Row]:
    """The rows of a house whose texts and amounts are as awkward as the schema lets them be."""
    runs = told.rounds(told.table)
    awkward = [
        *(
            "=1+1",
            '@SUM("A1")',
            "-2+3",
            "\t=x",
            "'quoted'",
            'a "b", c',
            "line\nbreak\r\n",
            "\u200f\u2066\ufeff",
        ),
        *(
            "",
            " ",
            "NULL",
            "\\N",
            "\\.",
            "\x01\x1f\x7f",
            "\ud7ff\ue000\U0001f0a1\U0001f469\u200d\U0001f692",
            "naïve ß 牌",
        ),
    ]
    for number, played in enumerate(runs):
        played.game = awkward[number % len(awkward)][:40]
        played.state |= {"void_reason": awkward[(number + 7) % len(awkward)]}
        played.players = {"1": awkward[-1 - number], "2": None}
        played.save(update_fields=["game", "state", "players"])
    room = Round.objects.filter(table__casino=told.casino, game="high_card_pool").order_by("number").first()
    assert room is not None
    results = dict(room.state["results"])
    for amount, seat in zip((2**53 - 1, 2**53 + 1, MOST), results, strict=True):
        results[seat] = results[seat] | {
            "bet": amount,
            "won": amount,
            "net": -amount,
            "mispaid": -(2**53) - 1,
        }
    room.state |= {"results": results, "carried": 10**15, "pool": 10**15 - 1}
    room.save(update_fields=["state"])
    Pit.objects.filter(casino=told.casino, code="pit-1").update(code="=HYPERLINK(1)")
    Table.objects.filter(id=told.other.id).update(code="+44 '20'")
    Staff.objects.filter(id=runs[0].dealer_id).update(badge="-cmd|' /C'!A0")
    return [{name: row[name] for name in COLUMNS} for _, row in all_rows(told.casino)]


def harmless(text: str) -> str:
    """A text as a spreadsheet may have it: pictures for controls, an apostrophe before what it might run."""
    shown = text.translate(str.maketrans(CONTROLS, PICTURES))
    return f"'{shown}" if text.startswith(tuple(FORMULA_STARTS)) else shown


def as_cells(row: Row) -> dict[str, str | None]:
    """A row as CSV has it, None where there is nothing and "" where there is an empty text."""
    cells: dict[str, str | None] = {}
    for name, value in row.items():
        if value is None or isinstance(value, bool):
            cells[name] = None if value is None else str(value).lower()
        else:
            cells[name] = harmless(value) if name in TEXTS else str(value)
    return cells


def without_nothing(rows: list[dict[str, str | None]]) -> list[dict[str, str]]:
    """Rows for readers that know no difference between nothing and an empty text."""
    return [{name: cell or "" for name, cell in row.items()} for row in rows]


def test_csv(told: Told, rows: list[Row], tmp_path: Path) -> None:
    """By Python, pandas, polars and DuckDB; a missing value is not an empty text where they tell."""
    path = tmp_path / "rounds.csv"
    export(told.casino, path, "csv")
    expected = [as_cells(row) for row in rows]
    with path.open(newline="") as file:
        assert list(csv.DictReader(file)) == without_nothing(expected)
    read = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert read.to_dict("records") == without_nothing(expected)
    assert pl.read_csv(path, infer_schema=False).to_dicts() == expected
    found = duckdb.read_csv(
        str(path), quotechar='"', escapechar='"', delimiter=",", all_varchar=True, allow_quoted_nulls=False
    )
    assert in_duckdb(found) == expected
    for row, cells in zip(rows, expected, strict=True):  # one apostrophe taken off gives the text again
        assert all(
            (cells[name] or "").removeprefix("'") == row[name].translate(str.maketrans(CONTROLS, PICTURES))
            for name in TEXTS
            if row[name] is not None and cells[name] != row[name]
        )


def in_duckdb(found: Any) -> list[Row]:
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def test_json_lines(told: Told, rows: list[Row], tmp_path: Path) -> None:
    """By Python, polars and DuckDB; nothing is escaped twice, and no digit is lost."""
    path = tmp_path / "rounds.jsonl"
    export(told.casino, path, "jsonl")
    lines = path.read_bytes().split(b"\n")
    assert (lines.pop(), [json.loads(line) for line in lines]) == (b"", rows)
    types = {Kind.INT: (pl.Int64, "BIGINT"), Kind.BOOL: (pl.Boolean, "BOOLEAN")}
    by = {name: types.get(column.kind, (pl.String, "VARCHAR")) for name, column in COLUMNS.items()}
    assert pl.read_ndjson(path, schema={name: one for name, (one, _) in by.items()}).to_dicts() == rows
    found = duckdb.read_json(
        str(path), format="newline_delimited", columns={n: t for n, (_, t) in by.items()}
    )
    assert in_duckdb(found) == rows


def typed(row: Row) -> Row:
    """A row with a date and times for their texts."""
    moments = {
        name: pd.Timestamp(row[name]).to_pydatetime() for name in ("started_at", "ended_at") if row[name]
    }
    return row | moments | {"gaming_day": date.fromisoformat(row["gaming_day"])}


def test_parquet(told: Told, rows: list[Row], tmp_path: Path) -> None:
    """By pyarrow, pandas, polars and DuckDB: dates, UTC times in microseconds, 64-bit integers, texts."""
    path = tmp_path / "rounds.parquet"
    export(told.casino, path, "parquet")
    expected = [typed(row) for row in rows]
    assert pq.read_table(path).to_pylist() == expected
    assert pl.read_parquet(path).to_dicts() == expected
    found = duckdb.sql(f"SET TimeZone = 'UTC'; SELECT * FROM read_parquet('{path}')")  # noqa: S608
    assert in_duckdb(found) == expected
    read = pd.read_parquet(path, dtype_backend="pyarrow").astype(object)
    assert read.where(read.notna(), None).to_dict("records") == expected
    kept = pq.read_schema(path)
    assert kept.metadata[b"version"] == b"8"
    assert kept.field("bet").metadata[b"description"] == b"Bet, minor units."


def as_in_workbook(row: Row) -> Row:
    """A row as a workbook has it: long numbers and times are texts, an empty text is nothing to see."""
    shown = {name: str(value) for name, value in row.items() if type(value) is int and abs(value) >= EXACT}
    return row | shown


def test_workbook(told: Told, rows: list[Row], tmp_path: Path) -> None:
    """By openpyxl and pandas: no formula, no link, no digit lost; what the columns mean on the last sheet."""
    path = tmp_path / "rounds.xlsx"
    export(told.casino, path, "xlsx")
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["rounds", "columns"]
    head, *lines = book["rounds"].iter_rows()
    assert [cell.value for cell in head] == list(COLUMNS)
    assert not [cell for line in lines for cell in line if cell.data_type == "f" or cell.hyperlink]
    found = [[cell.value for cell in line] for line in lines]
    assert [of_workbook(line) for line in found] == [seen(as_in_workbook(row)) for row in rows]
    read = pd.read_excel(path, dtype=object, keep_default_na=False)
    assert list(read.columns) == list(COLUMNS)
    assert list(read["bet"].astype(str)) == [
        str(row["bet"] if row["bet"] is not None else "") for row in rows
    ]
    assert [row[0].value for row in book["columns"].iter_rows(min_row=2)] == list(COLUMNS)


def of_workbook(line: list[Any]) -> list[Any]:
    return [value.date().isoformat() if at == 0 else value or None for at, value in enumerate(line)]


def seen(row: Row) -> list[Any]:
    """What can be seen of a row: nothing where a text is empty."""
    return [None if value == "" else value or None for value in row.values()]


def test_a_workbook_goes_on_on_another_sheet(
    told: Told, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sheet has 1,048,576 rows at most; here it has six, header included."""
    monkeypatch.setattr("audit.exports.workbook.SHEET_ROWS", 6)
    path = tmp_path / "rounds.xlsx"
    export(told.casino, path, "xlsx")
    book = openpyxl.load_workbook(path)
    pieces = [rows[at : at + 5] for at in range(0, len(rows), 5)]
    assert book.sheetnames == [
        *(f"rounds {n}" if n > 1 else "rounds" for n in range(1, len(pieces) + 1)),
        "columns",
    ]
    for sheet, piece in zip(book.worksheets, pieces, strict=False):
        head, *lines = sheet.iter_rows(values_only=True)
        assert list(head) == list(COLUMNS)
        assert [of_workbook(list(line)) for line in lines] == [seen(as_in_workbook(row)) for row in piece]


OWN_SETTINGS = {
    "DateStyle": "German, DMY",
    "IntervalStyle": "sql_standard",
    "TimeZone": "Asia/Kathmandu",
    "extra_float_digits": "-15",
    "bytea_output": "escape",
    "client_encoding": "LATIN1",
}
JOIN = """
import sys
from pathlib import Path
from audit.exports.forms import FORMS

folder, out = map(Path, sys.argv[1:])
for form, writer in FORMS.items():
    with (out / form).open("wb") as file:
        writer.join(file, sorted(folder.glob(f"*.{writer.kind}")), lambda: None)
"""
ABROAD = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_no_setting_and_no_process_makes_other_bytes(
    told: Told, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not what a role, a database or a server may have set, nor time zone, locale and hashes of a process."""
    for form in FORMS:
        export(told.casino, tmp_path / f"here.{form}", form)
    with connection.cursor() as cursor:
        for name, value in OWN_SETTINGS.items():
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
    monkeypatch.setattr(Work, "remove", lambda work: None)
    wanted, work = RoundFilter(casino=told.casino), tmp_path / "work"
    for form in FORMS:
        rounds_export(filter=wanted, form=form, path=tmp_path / "x", work=work)
    (tmp_path / "abroad").mkdir()
    environ = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "7", **ABROAD}
    command = [sys.executable, "-c", JOIN, str(work), str(tmp_path / "abroad")]
    subprocess.run(command, check=True, env=environ, cwd=env.BASE_DIR, timeout=120)
    for form in FORMS:
        assert (tmp_path / "abroad" / form).read_bytes() == (tmp_path / f"here.{form}").read_bytes(), form
    sums = manifest_of(tmp_path / "here.csv")["sums"]["USD"]
    assert sums["paid"] == sum(row["paid"] or 0 for row in rows) > MOST, "sums lose no digit either"


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_said_to_be_nothing(told: Told, tmp_path: Path, form: Form) -> None:
    path = tmp_path / f"none.{form}"
    done = export(told.casino, path, form, seat=9)
    assert (done.rounds, done.rows, manifest_of(path)["activity"]) == (0, 0, NO_ACTIVITY)
    said: dict[str, Callable[[], Any]] = {
        "csv": lambda: path.read_text().splitlines()[1].rstrip(","),
        "jsonl": lambda: json.loads(path.read_text())["no_activity"],
        "parquet": lambda: pq.read_schema(path).metadata[b"activity"].decode(),
        "xlsx": lambda: openpyxl.load_workbook(path)["rounds"]["A2"].value,
    }
    assert said[form]() == NO_ACTIVITY
    if form == "parquet":
        assert pl.read_parquet(path).shape == (0, len(COLUMNS))


LIBREOFFICE = [name for name in ("soffice",) if shutil.which(name)]
"""A program of the system's (see tests/conftest.py)."""


@pytest.mark.parametrize("program", LIBREOFFICE)
def test_the_workbook_in_libreoffice(told: Told, rows: list[Row], tmp_path: Path, program: str) -> None:
    """It computes nothing from a text, and shows every number with all its digits."""
    path = tmp_path / "rounds.xlsx"
    export(told.casino, path, "xlsx")
    own = f"-env:UserInstallation=file://{tmp_path}/profile"
    to = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false"
    subprocess.run(
        [program, own, "--headless", "--convert-to", to, "--outdir", tmp_path, path],
        check=True,
        capture_output=True,
        timeout=120,
    )
    with path.with_suffix(".csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [of_libreoffice(row) for row in found] == [
        {name: "" if value is None else of_controls(str(value)) for name, value in row.items()}
        for row in rows
    ]


def of_libreoffice(row: Mapping[str, str]) -> dict[str, str]:
    shown = {"TRUE": "True", "FALSE": "False"}
    return {name: of_controls(shown.get(cell, cell)) for name, cell in row.items()}


def of_controls(text: str) -> str:
    """Without control characters, which LibreOffice drops, and with lines that end its way."""
    return "".join(char for char in text.replace("\r\n", "\n") if char not in CONTROLS)
