"""The parts of an export in its work folder: a file per gaming day, each there as a whole or not at all."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from django.db import connection, transaction

from audit.exports.columns import COLUMNS, SUMMED
from audit.exports.filters import RoundFilter
from audit.exports.scope import Part
from audit.exports.select import Statement, copied, copied_as_json, totals
from audit.writing.watch import Watch
from audit.writing.whole import whole

ROWS_BETWEEN_LOOKS = 4096


def _guarded(wanted: RoundFilter, session: Any) -> Statement:
    return copied(wanted, session, guarded=True)


def _plain(wanted: RoundFilter, session: Any) -> Statement:
    return copied(wanted, session, guarded=False)


KINDS: dict[str, Callable[[RoundFilter, Any], Statement]] = {
    "guarded": _guarded,
    "json": copied_as_json,
    "plain": _plain,
}
"""What the files of parts hold: CSV for spreadsheets, JSON lines, or CSV that others are made from."""
_ROUND = list(COLUMNS).index("round")


@dataclass(slots=True)
class Tally:
    """What rows add up to; sums in minor units, of the columns in `SUMMED`."""

    rounds: int = 0
    rows: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    rules: set[str] = field(default_factory=set)

    def add(self, other: "Tally") -> None:
        """Take in another's."""
        self.rounds += other.rounds
        self.rows += other.rows
        self.sums.update(other.sums)
        self.rules |= other.rules

    def as_dict(self) -> dict[str, Any]:
        """The tally as JSON."""
        said = {"rounds": self.rounds, "rows": self.rows, "sums": dict(self.sums)}
        return said | {"rules": sorted(self.rules)}

    @classmethod
    def from_dict(cls, said: dict[str, Any]) -> "Tally":
        """The inverse of `as_dict`."""
        return cls(said["rounds"], said["rows"], Counter(said["sums"]), set(said["rules"]))


@dataclass(frozen=True, slots=True)
class Work:
    """A work folder.

    Args:
        folder: made when it is not there; nothing else is in it.
        kind: which of `KINDS`.
    """

    folder: Path
    kind: str

    def fetch(self, wanted: RoundFilter, parts: Sequence[Part], watch: Watch) -> Iterator[Tally]:
        """See to it that every part is there; the tally of each."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in parts:
            kept = self._kept(part)
            if kept is None:
                kept = self._write(wanted, part, watch)
            else:
                watch.advance(part.rounds)
            yield kept

    def path(self, part: Part) -> Path:
        """The file of a part."""
        return self.folder / f"{part.name}.{self.kind}"

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _kept(self, part: Part) -> Tally | None:
        """The tally of a part that is there as a whole: it is written after its file."""
        with suppress(FileNotFoundError):
            return Tally.from_dict(json.loads(self._tally(part).read_text()))
        return None

    def _tally(self, part: Part) -> Path:
        return self.path(part).with_suffix(".tally")

    def _write(self, wanted: RoundFilter, part: Part, watch: Watch) -> Tally:
        tally = Tally()
        with whole(self.path(part)) as out:
            for session in part.sessions:
                with transaction.atomic(), connection.cursor() as cursor:
                    reached = partial(watch.within, most=session.rounds)
                    rows = self._copy(cursor, KINDS[self.kind](wanted, session.id), out, reached)
                    tally.add(_tallied(cursor, totals(wanted, session.id), rows))
                watch.advance(session.rounds)
        with whole(self._tally(part)) as out:
            out.write(json.dumps(tally.as_dict()).encode())
        return tally

    def _copy(self, cursor: Any, statement: Statement, out: IO[bytes], reached: Callable[[int], None]) -> int:
        """What a COPY gives, into a file; how many rows.

        Args:
            reached: told now and then which round of the session it is at.
        """
        with cursor.copy(cursor.mogrify(*statement)) as copy:  # Django's own copy takes no parameters
            for number, row in enumerate(copy):
                out.write(row)
                if not number % ROWS_BETWEEN_LOOKS:
                    reached(self._round_in(bytes(row).decode()))
        return int(cursor.rowcount)

    def _round_in(self, row: str) -> int:
        """The number of a row's round in its session."""
        return int(json.loads(row)["round"] if self.kind == "json" else next(csv.reader([row]))[_ROUND])


def _tallied(cursor: Any, statement: Statement, copied_rows: int) -> Tally:
    cursor.execute(*statement)
    rounds, rows, rules, *sums = cursor.fetchone()
    assert rows == copied_rows, "both were read under one snapshot"
    known = {name: int(value) for name, value in zip(SUMMED, sums, strict=True) if value is not None}
    return Tally(rounds, rows, Counter(known), set(rules or ()))
