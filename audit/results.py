"""Results of a period: the same lines as the master game report's, by whatever one asks; no Django.

    table, pit, game, day, month   sums of the sessions' stiff sheets, by gaming day
    dealer, shift                  of the play alone: no count is made when a shift or a stint ends, so win,
                                   drop and hold of one are pending, for ever; T is a dealer's where every
                                   one of their stints lies between two counts

The total is always that of the sessions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from audit.master_game import Line, Sheet, line_of

BY_SHEET: Mapping[str, Callable[[Sheet], str]] = {
    "table": lambda sheet: sheet.code,
    "pit": lambda sheet: sheet.pit,
    "game": lambda sheet: sheet.game,
    "day": lambda sheet: sheet.gaming_day.isoformat(),
    "month": lambda sheet: sheet.gaming_day.isoformat()[:7],
}
BY_PLAY = ("dealer", "shift")
GROUPINGS = (*BY_SHEET, *BY_PLAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What a casino's gaming days from `first` to `last` came to.

    Attributes:
        by: one of `GROUPINGS`.
        sheets: the sessions of these days.
        lines: what was asked for.
        as_of: until when the play of the sessions that are open was worked out; None where none is, and
            where that of one was not at all.
    """

    casino: str
    currency: str
    by: str
    first: date
    last: date
    sheets: Sequence[Sheet]
    lines: Sequence[Line]
    as_of: datetime | None = None

    @property
    def total(self) -> Line:
        """All sessions together."""
        return line_of("all", self.sheets)

    @property
    def waiting(self) -> int:
        """How many sessions' play is not worked out yet, so that the lines of dealers and shifts lack it."""
        return sum(sheet.play is None for sheet in self.sheets)

    def to_dict(self) -> dict[str, Any]:
        """The results as JSON values."""
        return {
            "casino": self.casino,
            "currency": self.currency,
            "by": self.by,
            "from": self.first.isoformat(),
            "to": self.last.isoformat(),
            "activity": bool(self.sheets),
            "as_of": self.as_of and self.as_of.isoformat(),
            "waiting": self.waiting,
            "lines": [line.to_dict() for line in self.lines],
            "total": self.total.to_dict(),
        }
