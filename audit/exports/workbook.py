"""Round histories as a workbook: nothing in it is a formula or a link, and no number loses a digit."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from itertools import chain, count, islice
from pathlib import Path
from typing import IO, Any

from xlsxwriter import Workbook
from xlsxwriter.exceptions import FileCreateError

from audit.exports.columns import COLUMNS, NO_ACTIVITY, Kind
from audit.verify.rounds_manifest import SCHEMA, SCHEMA_VERSION

SHEET_ROWS = 1_048_576
"""What a sheet has at most, its header included."""
EXACT = 10**15
"""A spreadsheet keeps fifteen digits; a number that has more is written as a text."""
CREATED = datetime(2000, 1, 1)
ROWS_BETWEEN_LOOKS = 4096
SAFE = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "default_date_format": "yyyy-mm-dd",
}


def write_workbook(out: IO[bytes], parts: Sequence[Path], look: Callable[[], None]) -> None:
    """Write the rows of JSON lines on as many sheets as they need, and what the columns mean on the last.

    Times are texts in ISO 8601, because a spreadsheet has neither time zones nor microseconds; gaming days
    are dates. A missing value is no cell; an empty text is a cell with nothing in it.

    Args:
        parts: files with rows in them, in order; temporary files go beside them.
        look: called now and then; may raise.
    """
    book = Workbook(out, SAFE | ({"tmpdir": str(parts[0].parent)} if parts else {}))
    book.use_zip64()
    book.set_properties({"title": f"{SCHEMA} {SCHEMA_VERSION}", "created": CREATED})
    try:
        _fill(book, _rows(parts), look)
        _describe(book)
        book.close()
    except FileCreateError as exc:  # what it stands for is an OSError
        raise exc.args[0] from exc
    finally:
        for sheet in book.worksheets():
            with suppress(OSError):  # what could not be written cannot be written now either
                sheet.row_data_fh.close()


def _fill(book: Workbook, rows: Iterator[dict[str, Any]], look: Callable[[], None]) -> None:
    """As many sheets as the rows need; without any, the word for it."""
    first = next(rows, None)
    if first is None:
        _headed(book, 1).write_string(1, 0, NO_ACTIVITY)
    for number in count(1):
        if first is None:
            return
        sheet = _headed(book, number)
        for line, row in enumerate(chain([first], islice(rows, SHEET_ROWS - 2)), start=1):
            _write(sheet, line, row)
            if not line % ROWS_BETWEEN_LOOKS:
                look()
        first = next(rows, None)


def _rows(parts: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for part in parts:
        with part.open(encoding="utf-8", newline="\n") as lines:
            yield from map(json.loads, lines)


def _headed(book: Workbook, number: int) -> Any:
    sheet = book.add_worksheet("rounds" if number == 1 else f"rounds {number}")
    sheet.freeze_panes(1, 0)
    sheet.write_row(0, 0, list(COLUMNS))
    return sheet


def _write(sheet: Any, line: int, row: dict[str, Any]) -> None:
    for at, (value, (kind, _, _)) in enumerate(zip(row.values(), COLUMNS.values(), strict=True)):
        if value is None:
            continue
        if kind == Kind.DATE:
            failed = sheet.write_datetime(line, at, date.fromisoformat(value))
        elif kind == Kind.BOOL:
            failed = sheet.write_boolean(line, at, value)
        elif kind == Kind.INT and abs(value) < EXACT:
            failed = sheet.write_number(line, at, value)
        else:
            failed = sheet.write_string(line, at, str(value))
        assert not failed, "a value that no cell takes"


def _describe(book: Workbook) -> None:
    """What the columns mean, for who has nothing but the workbook."""
    sheet = book.add_worksheet("columns")
    sheet.write_row(0, 0, ["column", "values", "meaning"])
    for line, (name, column) in enumerate(COLUMNS.items(), start=1):
        for at, text in enumerate((name, column.kind.value, column.text)):
            sheet.write_string(line, at, text)
