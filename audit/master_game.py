"""The master game report and the stiff sheets it is made of; no database, no Django.

A stiff sheet is one session's account of itself: opener, fills, credits, closer, the drop by denomination,
and the win they make. The master game report adds the sheets of a gaming day up: by table, pit and game,
with the month and the year to date. Each figure has its one definition in `tables.figures`; a sum of which
a part is missing is missing. Openers and closers of several sessions are summed as they stand, so that
win = closer + credits + drop - opener - fills holds in every line.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

from audit.chips import ChipCheck
from audit.hold import HoldJudgement
from audit.pieces import PlaySums, theory_dict
from tables.figures import (
    NO_PAPERS,
    Papers,
    Reconciliation,
    TableWin,
    WinState,
    decimal,
    hold_of,
    known_sum,
    least_known,
    table_win,
)
from tables.jurisdiction.profile import Profile

PLACES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class DropPeriod:
    """A drop box on its table, from box to box; amounts in minor units, None where not known.

    B is known of each box that was counted. T and U are known only between two moments at which both the tray
    was counted and the box changed: of a box that lay there from the opener to the closer.

    Attributes:
        booked: cash recorded as put into it.
        total: what was counted in it.
    """

    number: int
    put_at: datetime
    removed_at: datetime | None
    booked: int | None
    total: int | None
    tray: int | None
    unexplained: int | None

    @property
    def box(self) -> int | None:
        """B: counted less recorded."""
        return None if self.total is None or self.booked is None else self.total - self.booked

    def to_dict(self) -> dict[str, Any]:
        """The period as JSON values."""
        return {
            "number": self.number,
            "put_at": self.put_at.isoformat(),
            "removed_at": self.removed_at and self.removed_at.isoformat(),
            "booked": self.booked,
            "total": self.total,
            "T": self.tray,
            "B": self.box,
            "U": self.unexplained,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One session's stiff sheet; counts by denomination, totals in minor units, None where missing.

    Attributes:
        drop_parts: what was counted in its boxes: notes, chips, instruments.
        insertions: cash recorded as put into the boxes.
        standing: how much of the win is known, all considered (reconciliation, closing of the day).
        play: what its play came to; None where that was not worked out to its end yet. Of an open session
            it is what was worked out so far.
        checks: T, B and U; None before it was reconciled as it stands.
        periods: its drop boxes, where they were asked for.
        chips: T by denomination, where it was asked for; None while the session is open.
        papers: its markers and promotional pieces.
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
    play: PlaySums | None = None
    checks: Reconciliation | None = None
    periods: Sequence[DropPeriod] = ()
    chips: ChipCheck | None = None
    papers: Papers = NO_PAPERS

    @property
    def handle(self) -> int | None:
        """What was played for against the house; None where it was not worked out."""
        return None if self.play is None else self.play.handle

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
            **play_dict(self.play),
            **self.papers.to_dict(),
            "T": None if self.checks is None else self.checks.tray,
            "B": None if self.checks is None else self.checks.box,
            "U": None if self.checks is None else self.checks.unexplained,
            "chips": None if self.chips is None else self.chips.to_dict(),
            "drop_periods": [each.to_dict() for each in self.periods],
        }

    @property
    def win_drop(self) -> int | None:
        """What the win rests on: the counted drop, before the count the recorded insertions."""
        return self.insertions if self.drop is None else self.drop


def play_dict(play: PlaySums | None) -> dict[str, Any]:
    """What was played, as JSON values; null where it was not worked out, or does not apply."""
    if play is None:
        return dict.fromkeys(("rounds", "voided", "handle", "result")) | theory_dict(None, None)
    counted = {"rounds": play.rounds, "voided": play.voided, "handle": play.handle, "result": play.result}
    return counted | theory_dict(play.best, play.actual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Sums of several sheets, or of what is known of a dealer or a shift; amounts in minor units.

    None where a part of a sum is missing, and where there is no such figure: opener, fills, credits, closer
    and drop are a table's, and so is its win; a dealer's or a shift's is pending, for want of counts.

    Attributes:
        tray, box, unexplained: T, B and U.
    """

    name: str
    sessions: int
    opener: int | None = None
    fills: int | None = None
    credits: int | None = None
    closer: int | None = None
    drop: int | None = None
    variance: int | None = None
    win: int | None = None
    win_state: WinState = WinState.PENDING
    hold: str | None = None
    play: PlaySums | None = None
    papers: Papers | None = None
    tray: int | None = None
    box: int | None = None
    unexplained: int | None = None

    @property
    def handle(self) -> int | None:
        """What was played for against the house."""
        return None if self.play is None else self.play.handle

    @property
    def rounds(self) -> int | None:
        """Rounds that count."""
        return None if self.play is None else self.play.rounds

    @property
    def result(self) -> int | None:
        """R: what was paid."""
        return None if self.play is None else self.play.result

    @property
    def expected(self) -> tuple[Fraction | None, Fraction | None]:
        """What the house could expect under the decisions as they were taken, and under the best."""
        return (None, None) if self.play is None else (self.play.actual, self.play.best)

    def to_dict(self) -> dict[str, Any]:
        """The line as JSON values."""
        plain = {name: getattr(self, name) for name in PLAIN}
        checks = {"T": self.tray, "B": self.box, "U": self.unexplained}
        papers = dict.fromkeys(NO_PAPERS.to_dict()) if self.papers is None else self.papers.to_dict()
        return plain | {"win_state": self.win_state.value} | play_dict(self.play) | papers | checks


PLAIN = (
    *("name", "sessions", "opener", "fills", "credits", "closer", "drop", "variance"),
    *("win", "win_state", "hold"),
)


def line_of(name: str, sheets: Iterable[Sheet]) -> Line:
    """Add sheets up. The hold is that of the sums, of what the win rests on."""
    found = list(sheets)
    win = known_sum(sheet.win.win for sheet in found)
    checks = [sheet.checks for sheet in found]
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
        play=_play_of(found),
        papers=Papers.together(sheet.papers for sheet in found),
        tray=known_sum(None if each is None else each.tray for each in checks),
        box=known_sum(None if each is None else each.box for each in checks),
        unexplained=known_sum(None if each is None else each.unexplained for each in checks),
    )


def _play_of(sheets: Iterable[Sheet]) -> PlaySums | None:
    """What several sheets' play came to; None while that of one is not worked out."""
    parts = []
    for sheet in sheets:
        if sheet.play is None:
            return None
        parts.append(sheet.play)
    return PlaySums.together(parts)


def lines_by(sheets: Iterable[Sheet], key: Callable[[Sheet], str]) -> list[Line]:
    """A line for each value of a key, in its order."""
    grouped: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        grouped.setdefault(key(sheet), []).append(sheet)
    return [line_of(name, grouped[name]) for name in sorted(grouped)]


def with_papers(lines: Iterable[Line]) -> list[tuple[Line, Papers]]:
    """The lines that have any markers or promotional pieces, with them."""
    return [(line, line.papers) for line in lines if line.papers not in (None, NO_PAPERS)]


def hold_text(win: int | None, drop: int | None) -> str | None:
    """A hold as a decimal number, rounded half to even; None where there is none."""
    hold = hold_of(win, drop)
    return None if hold is None else decimal(hold, PLACES)


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
        holds: the tables' holds as they are judged once the day is closed.
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
    holds: Sequence[HoldJudgement] = ()

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
            "holds": [each.to_dict() for each in self.holds],
            "sheets": [sheet.to_dict() for sheet in self.sheets],
        }


def _to_date(sheets: Sequence[Sheet]) -> dict[str, Any]:
    by_table = _plain(lines_by(sheets, lambda sheet: sheet.code))
    return {"total": line_of("all", sheets).to_dict(), "tables": by_table}


def _plain(lines: Iterable[Line]) -> list[dict[str, Any]]:
    return [line.to_dict() for line in lines]
