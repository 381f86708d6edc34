"""The master game report and the stiff sheets it is made of; no database, no Django.

A stiff sheet is one session's account of itself: opener, fills, credits, closer, the drop by denomination,
and the win they make. The master game report adds the sheets of a gaming day up: by table, pit and game,
with the month and the year to date. Each figure has its one definition in `tables.figures`; a sum of which
a part is missing is missing. Openers and closers of several sessions are summed as they stand, so that
win = closer + credits + drop - opener - fills holds in every line.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID

from tables.figures import TableWin, WinState, hold_of, known_sum, least_known, table_win
from tables.jurisdiction.profile import Profile

PLACES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One session's stiff sheet; counts by denomination, totals in minor units, None where missing.

    Attributes:
        drop_parts: what was counted in its boxes: notes, chips, instruments.
        insertions: cash recorded as put into the boxes.
        standing: how much of the win is known, all considered (reconciliation, closing of the day).
        handle: what was played for against the house; None where it was not worked out.
    """

    session: UUID
    table: UUID
    code: str
    pit: str
    game: str
    number: int
    gaming_day: date
    opener: Mapping[str, int]
    opener_total: int
    fills: int
    credits: int
    closer: Mapping[str, int] | None
    closer_total: int | None
    drop_parts: Mapping[str, Mapping[str, int]]
    drop: int | None
    insertions: int
    standing: WinState
    handle: int | None = None

    @property
    def win(self) -> TableWin:
        """Win and hold."""
        return table_win(
            opener=self.opener_total,
            fills=self.fills,
            credits=self.credits,
            closer=self.closer_total,
            drop=self.drop,
            insertions=self.insertions,
        )

    @property
    def variance(self) -> int | None:
        """Counted drop less recorded insertions; None before the count."""
        return None if self.drop is None else self.drop - self.insertions

    def to_dict(self) -> dict[str, Any]:
        """The sheet as JSON values."""
        return {
            "session": str(self.session),
            "table": str(self.table),
            "code": self.code,
            "pit": self.pit,
            "game": self.game,
            "number": self.number,
            "gaming_day": self.gaming_day.isoformat(),
            "opener": dict(self.opener),
            "opener_total": self.opener_total,
            "fills": self.fills,
            "credits": self.credits,
            "closer": None if self.closer is None else dict(self.closer),
            "closer_total": self.closer_total,
            "drop_parts": {part: dict(count) for part, count in self.drop_parts.items()},
            "drop": self.drop,
            "insertions": self.insertions,
            "variance": self.variance,
            "win": self.win.win,
            "win_state": self.standing.value,
            "hold": hold_text(self.win.win, self.win_drop),
            "handle": self.handle,
        }

    @property
    def win_drop(self) -> int | None:
        """What the win rests on: the counted drop, before the count the recorded insertions."""
        return self.insertions if self.drop is None else self.drop


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The sums of some sheets, minor units; None where a part of a sum is missing."""

    name: str
    sessions: int
    opener: int
    fills: int
    credits: int
    closer: int | None
    drop: int | None
    variance: int | None
    win: int | None
    win_state: WinState
    hold: str | None
    handle: int | None

    def to_dict(self) -> dict[str, Any]:
        """The line as JSON values."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        return plain | {"win_state": self.win_state.value}


def line_of(name: str, sheets: Iterable[Sheet]) -> Line:
    """Add sheets up. The hold is that of the sums, of what the win rests on."""
    found = list(sheets)
    win = known_sum(sheet.win.win for sheet in found)
    return Line(
        name=name,
        sessions=len(found),
        opener=sum(sheet.opener_total for sheet in found),
        fills=sum(sheet.fills for sheet in found),
        credits=sum(sheet.credits for sheet in found),
        closer=known_sum(sheet.closer_total for sheet in found),
        drop=known_sum(sheet.drop for sheet in found),
        variance=known_sum(sheet.variance for sheet in found),
        win=win,
        win_state=least_known(sheet.standing for sheet in found),
        hold=hold_text(win, known_sum(sheet.win_drop for sheet in found)),
        handle=known_sum(sheet.handle for sheet in found),
    )


def lines_by(sheets: Iterable[Sheet], key: Callable[[Sheet], str]) -> list[Line]:
    """A line for each value of a key, in its order."""
    grouped: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        grouped.setdefault(key(sheet), []).append(sheet)
    return [line_of(name, grouped[name]) for name in sorted(grouped)]


def hold_text(win: int | None, drop: int | None) -> str | None:
    """A hold as a decimal number, rounded half to even; None where there is none."""
    hold = hold_of(win, drop)
    if hold is None:
        return None
    scaled = round(hold * 10**PLACES)
    digits = f"{abs(scaled):0{PLACES + 1}d}"
    return f"{'-' if scaled < 0 else ''}{digits[:-PLACES]}.{digits[-PLACES:]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """A correction of what was recorded: what kind, how much it moved (minor units), and why."""

    stream: str
    seq: int
    kind: str
    amount: int
    reason: str
    note: str

    def to_dict(self) -> dict[str, Any]:
        """The adjustment as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterGame:
    """The master game report of a gaming day.

    Attributes:
        sheets: of the day.
        month, year: the sheets to date, this day's among them.
        closed: the figures the day was closed with, None while it is open.
    """

    casino: str
    currency: str
    gaming_day: date
    profile: Profile
    sheets: Sequence[Sheet]
    month: Sequence[Sheet]
    year: Sequence[Sheet]
    adjustments: Sequence[Adjustment] = ()
    closed: Mapping[str, Any] | None = field(default=None)

    @property
    def listed(self) -> list[Adjustment]:
        """The adjustments above the profile's threshold."""
        return [each for each in self.adjustments if each.amount > self.profile.adjustments_above]

    @property
    def since_closing(self) -> dict[str, dict[str, int | None]]:
        """The figures that are not any more what the day was closed with; none while it is open."""
        if self.closed is None:
            return {}
        total, then = line_of("all", self.sheets).to_dict(), self.closed["total"]
        names = ("sessions", "fills", "credits", "drop", "win")
        return {
            name: {"closed": then[name], "now": total[name]} for name in names if then[name] != total[name]
        }

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "casino": self.casino,
            "currency": self.currency,
            "gaming_day": self.gaming_day.isoformat(),
            "activity": bool(self.sheets),
            "closed": self.closed is not None,
            "tables": _plain(lines_by(self.sheets, lambda sheet: sheet.code)),
            "pits": _plain(lines_by(self.sheets, lambda sheet: sheet.pit)),
            "games": _plain(lines_by(self.sheets, lambda sheet: sheet.game)),
            "total": line_of("all", self.sheets).to_dict(),
            "month_to_date": _to_date(self.month),
            "year_to_date": _to_date(self.year),
            "adjustments": [each.to_dict() for each in self.adjustments],
            "adjustments_above": self.profile.adjustments_above,
            "adjustments_listed": [each.to_dict() for each in self.listed],
            "since_closing": self.since_closing,
            "sheets": [sheet.to_dict() for sheet in self.sheets],
        }


def _to_date(sheets: Sequence[Sheet]) -> dict[str, Any]:
    by_table = _plain(lines_by(sheets, lambda sheet: sheet.code))
    return {"total": line_of("all", sheets).to_dict(), "tables": by_table}


def _plain(lines: Iterable[Line]) -> list[dict[str, Any]]:
    return [line.to_dict() for line in lines]
