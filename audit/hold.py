"""When a table's hold must be investigated, by the rule of the house's profile; no database, no Django.

Only days that were closed are judged, for their drops are all counted. Of too little nothing is said: a
hold of a few days is chance. How much is enough is our decision, since no rule that profiles follow says it.

    month             the last calendar month that has ended and whose days are closed
    rolling 30 days   the thirty gaming days up to the last one closed
    previous year     the calendar year before the one the window begins in
    lifetime          every gaming day up to the last one closed, the window's among them
"""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from fractions import Fraction
from typing import Any

from audit.codes import Found
from tables.figures import decimal, hold_of
from tables.jurisdiction.profile import HoldBase, HoldRule, HoldWindow, Profile

WINDOW_DAYS = 7
"""Gaming days with business that a window must have to be judged."""
BASE_DAYS = 30
"""Gaming days with business that a base must have beyond the window's."""
ROLLING = 30


class Standing(StrEnum):
    """What is said of a hold."""

    WITHIN = "within"
    OUT_OF_RANGE = "out_of_range"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True)
class Days:
    """Gaming days, both included; `first` None: since the table's first."""

    first: date | None
    last: date


@dataclass(frozen=True, slots=True)
class Business:
    """What gaming days came to at a table, minor units.

    Attributes:
        days: those with business.
        win, drop: of the sessions that were counted.
        uncounted: sessions that were not.
    """

    days: int = 0
    win: int = 0
    drop: int = 0
    uncounted: int = 0

    @property
    def hold(self) -> Fraction | None:
        """Win by drop, None where nothing was dropped."""
        return hold_of(self.win, self.drop)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        hold = self.hold
        return {
            "days": self.days,
            "win": self.win,
            "drop": self.drop,
            "uncounted": self.uncounted,
            "hold": None if hold is None else decimal(hold, 6),
        }


def days_of(rule: HoldRule, last_closed: date) -> tuple[Days, Days]:
    """The window a rule judges once a gaming day was closed, and the base it is compared with."""
    if rule.window == HoldWindow.MONTH:
        beyond = (last_closed + timedelta(days=1)).replace(day=1)
        last = beyond - timedelta(days=1)
        window = Days(last.replace(day=1), last)
    else:
        window = Days(last_closed - timedelta(days=ROLLING - 1), last_closed)
    if rule.base == HoldBase.LIFETIME:
        return window, Days(None, window.last)
    assert window.first is not None, "a window has a beginning"
    year = window.first.year - 1
    return window, Days(date(year, 1, 1), date(year, 12, 31))


def judged(rule: HoldRule, window: Business, base: Business) -> tuple[Standing, str]:
    """What is said of a hold, and why nothing is where nothing is.

    Args:
        window: what is judged.
        base: what it is compared with; a lifetime has the window in it.
    """
    beyond = base.days - (window.days if rule.base == HoldBase.LIFETIME else 0)
    if window.uncounted or base.uncounted:
        return Standing.NOT_JUDGED, "not all drops are counted and reconciled"
    if window.days < WINDOW_DAYS:
        return Standing.NOT_JUDGED, f"fewer than {WINDOW_DAYS} gaming days of business"
    if beyond < BASE_DAYS:
        return Standing.NOT_JUDGED, f"fewer than {BASE_DAYS} gaming days to compare with"
    if window.hold is None or base.hold is None:
        return Standing.NOT_JUDGED, "nothing was dropped"
    if rule.broken_by(hold=window.hold, base=base.hold):
        return Standing.OUT_OF_RANGE, ""
    return Standing.WITHIN, ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldJudgement:
    """A table's hold judged; `why` says why it was not, where it was not."""

    code: str
    stream: str
    profile: Profile
    window_days: Days
    base_days: Days
    window: Business
    base: Business

    @property
    def verdict(self) -> tuple[Standing, str]:
        """What is said of it, and why not, where nothing is."""
        return judged(self.profile.hold, self.window, self.base)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        (standing, why), rule = self.verdict, self.profile.hold
        return {
            "table": self.code,
            "standing": standing.value,
            "why": why,
            "profile": f"{self.profile.name} v{self.profile.version}",
            "threshold_bp": rule.threshold_bp,
            "window": _said(rule.window, self.window_days, self.window),
            "base": _said(rule.base, self.base_days, self.base),
        }

    def found(self) -> Found | None:
        """The finding it is, one cause for each month, and one for a window that rolls on; None for none."""
        if self.verdict[0] != Standing.OUT_OF_RANGE:
            return None
        window = self.profile.hold.window
        month = window == HoldWindow.MONTH and self.window_days.last.isoformat()[:7]
        return Found("hold_out_of_range", self.to_dict(), self.stream, about=month or window.value)


def _said(kind: StrEnum, days: Days, business: Business) -> dict[str, Any]:
    first = days.first and days.first.isoformat()
    return {"kind": kind.value, "from": first, "to": days.last.isoformat(), **business.to_dict()}
