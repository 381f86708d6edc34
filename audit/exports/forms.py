"""The forms an export may have: how the parts of a work folder become one file."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from audit.exports.columns import COLUMNS, NO_ACTIVITY

Form = Literal["csv", "jsonl", "parquet", "xlsx"]


@dataclass(frozen=True, slots=True)
class Writer:
    """A form.

    Attributes:
        kind: what the parts hold it is made from (`audit.exports.parts.KINDS`).
        join: writes the file from the parts' files, those that have rows, in order; the last argument is
            called now and then and may raise.
    """

    kind: str
    join: Callable[[IO[bytes], Sequence[Path], Callable[[], None]], object]


def _join_csv(out: IO[bytes], parts: Sequence[Path], look: Callable[[], None]) -> None:
    """The header, then the rows; lines end with a newline, missing values are empty, empty texts quoted."""
    out.write((",".join(COLUMNS) + "\n").encode())
    _append(out, parts, look)
    if not parts:
        out.write((NO_ACTIVITY + "," * (len(COLUMNS) - 1) + "\n").encode())


def _join_lines(out: IO[bytes], parts: Sequence[Path], look: Callable[[], None]) -> None:
    """One object per line, keys in the order of the columns."""
    _append(out, parts, look)
    if not parts:
        out.write(json.dumps({"no_activity": NO_ACTIVITY}, separators=(",", ":")).encode() + b"\n")


def _append(out: IO[bytes], parts: Sequence[Path], look: Callable[[], None]) -> None:
    for part in parts:
        look()
        with part.open("rb") as rows:
            shutil.copyfileobj(rows, out, 1 << 20)


# Imported when one is written: loading them is a good part of what the start of a process takes.


def _join_parquet(out: IO[bytes], parts: Sequence[Path], look: Callable[[], None]) -> None:
    from audit.exports.parquet import write_parquet

    write_parquet(out, parts, look)


def _join_workbook(out: IO[bytes], parts: Sequence[Path], look: Callable[[], None]) -> None:
    from audit.exports.workbook import write_workbook

    write_workbook(out, parts, look)


FORMS: Mapping[Form, Writer] = {
    "csv": Writer("guarded", _join_csv),
    "jsonl": Writer("json", _join_lines),
    "parquet": Writer("plain", _join_parquet),
    "xlsx": Writer("json", _join_workbook),
}
