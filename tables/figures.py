"""The floor's figures: ONE definition of each, used by every screen, report, task and export.

Pure functions of integers (minor units); the standard library only, so that an auditor's verifier can
use the very same ones. Sources: the table-games accounting every regulator's minimum internal controls
describe (win = closer + credits + drop - opener - fills; hold = win / drop).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from zoneinfo import ZoneInfo


class WinState(StrEnum):
    """How much is known about a table's win; a missing input is missing, never zero."""

    PENDING = "pending"
    PROVISIONAL = "provisional"
    COUNTED = "counted"
    RECONCILED = "reconciled"
    FINAL = "final"


MONEY_PLAY = "money:"
"""What the accounts of currency at stake begin with, one for each of the seats a rule set may have."""
INSERTIONS = (
    ("cash:patrons", "cash:drop_box"),
    ("markers:patrons", "markers:drop_box"),
    *((f"{MONEY_PLAY}{seat}", "cash:drop_box") for seat in range(1, 33)),
)
"""From where to where what is put into a drop box goes: cash, credit instruments issued at the table, and
currency a seat has bet and lost.

The other way round it is taken out again: a buy-in entered wrongly, an instrument redeemed at the table.
"""


def inserted(source: str, target: str, amount: int) -> int:
    """What a movement (minor units) adds to a box's insertions, negative for what it takes out of them."""
    if (source, target) in INSERTIONS:
        return amount
    return -amount if (target, source) in INSERTIONS else 0


def money_lost(source: str, target: str, amount: int) -> int:
    """What a movement (minor units) brings the house of currency that was bet: what goes into the box."""
    return amount if target == "cash:drop_box" and source.startswith(MONEY_PLAY) else 0


@dataclass(frozen=True, slots=True)
class Papers:
    """What a table had besides chips and cash, minor units: none of it ever lies in the tray.

    Attributes:
        markers_issued: credit given in chips against markers, which went into the drop box.
        markers_redeemed: those of them that were redeemed at the table and came out of it again.
        promo_pieces, promo_worth: how many promotional pieces were played, and what they were played for;
            they are in no drop and no handle, and what they won is in R.
    """

    markers_issued: int = 0
    markers_redeemed: int = 0
    promo_pieces: int = 0
    promo_worth: int = 0

    @property
    def markers_dropped(self) -> int:
        """Markers that stayed in the drop."""
        return self.markers_issued - self.markers_redeemed

    @classmethod
    def together(cls, parts: Iterable["Papers"]) -> "Papers":
        """Those of several sessions."""
        found = list(parts)
        return cls(
            sum(each.markers_issued for each in found),
            sum(each.markers_redeemed for each in found),
            sum(each.promo_pieces for each in found),
            sum(each.promo_worth for each in found),
        )

    def to_dict(self) -> dict[str, int]:
        """The amounts by name."""
        return {
            "markers_issued": self.markers_issued,
            "markers_redeemed": self.markers_redeemed,
            "promo_pieces": self.promo_pieces,
            "promo_worth": self.promo_worth,
        }


NO_PAPERS = Papers()


@dataclass(frozen=True, slots=True)
class TableWin:
    """A table's win in minor units, its hold, and how much of it is known.

    `win` is None while there is nothing to go by; `hold` is None when win is, or when the drop is zero.
    """

    state: WinState
    win: int | None
    hold: Fraction | None


def table_win(
    *,
    opener: int,
    fills: int,
    credits: int,
    closer: int | None,
    drop: int | None,
    insertions: int | None = None,
) -> TableWin:
    """Win and hold of a table between two counts.

    Args:
        opener, fills, credits, closer: chips in minor units; `closer` None while the table is open.
        drop: what the count room counted in the box, None before that.
        insertions: cash and instruments recorded as put into the box (see `INSERTIONS`), an estimate of the
            drop; None if not known.
    """
    box = insertions if drop is None else drop
    if closer is None or box is None:
        return TableWin(WinState.PENDING, None, None)
    win = closer + credits + box - opener - fills
    state = WinState.PROVISIONAL if drop is None else WinState.COUNTED
    return TableWin(state, win, hold_of(win, box))


def hold_of(win: int | None, drop: int | None) -> Fraction | None:
    """Win by drop (minor units); None where either is missing or nothing was dropped."""
    return Fraction(win, drop) if win is not None and drop else None


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The three checks, each zero on an honest table; None where an input is not known yet.

    `tray` (T) compares the counted tray with what went through it, `box` (B) the counted box with the
    recorded insertions, `unexplained` (U) the win with what the rounds won. One of them alone hides
    errors that offset each other: an unrecorded buy-in leaves U at zero.
    """

    tray: int
    box: int | None
    unexplained: int | None


def reconcile(
    *,
    opener: int,
    fills: int,
    credits: int,
    closer: int,
    rounds_result: int,
    other_tray_moves: int,
    drop: int | None,
    insertions: int,
    money_won: int = 0,
) -> Reconciliation:
    """T, B and U of one session, all in minor units.

    Args:
        rounds_result: R, what the house won by rounds as paid (negative: it lost).
        other_tray_moves: chips into the tray less chips out of it that were no wager and no fill or
            credit (a buy-in takes chips out, so it counts negative).
        drop: the counted box, None before the count.
        insertions: cash and instruments recorded as put into the box.
        money_won: the part of R that went into the box and not through the tray: money plays that were lost.
    """
    tray = (closer + credits - opener - fills) - (rounds_result - money_won + other_tray_moves)
    if drop is None:
        return Reconciliation(tray, None, None)
    win = table_win(opener=opener, fills=fills, credits=credits, closer=closer, drop=drop).win
    assert win is not None, "closer and drop are both known here"
    return Reconciliation(tray, drop - insertions, win - rounds_result)


def win_standing(win: TableWin, checks: Reconciliation) -> WinState:
    """How much of a win is known once it was reconciled: `reconciled` when T, B and U are all zero."""
    settled = win.state == WinState.COUNTED and (checks.tray, checks.box, checks.unexplained) == (0, 0, 0)
    return WinState.RECONCILED if settled else win.state


def final_standing(state: WinState, *, day_closed: bool, nothing_open: bool) -> WinState:
    """How much of a win is known in the end: `final` once it was counted, its gaming day is closed, and no
    finding about it is open. What was not counted never becomes final by a day's end."""
    counted = state in (WinState.COUNTED, WinState.RECONCILED)
    return WinState.FINAL if counted and day_closed and nothing_open else state


def known_sum(parts: Iterable[int | None]) -> int | None:
    """A sum in which a missing part makes the whole missing."""
    total = 0
    for part in parts:
        if part is None:
            return None
        total += part
    return total


def applicable_sum(parts: Iterable[Fraction | None]) -> Fraction | None:
    """A sum of those parts to which a figure applies; None where it applies to none of them.

    Not to be mistaken for `known_sum`: what the house could expect of a game it does not bank is not missing,
    there is no such figure.
    """
    found = [part for part in parts if part is not None]
    return sum(found, Fraction()) if found else None


def decimal(value: Fraction, places: int) -> str:
    """A fraction as a decimal number, rounded half to even; no float is involved."""
    scaled = round(value * 10**places)
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}" + (f".{rest:0{places}d}" if places else "")


OTHER_DECIMALS = dict.fromkeys(
    ("CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"), 0
) | dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3)


def decimals_of(currency: str) -> int:
    """How many decimals an amount has in a currency's major unit (ISO 4217); most have two."""
    return OTHER_DECIMALS.get(currency, 2)


def least_known(states: Iterable[WinState]) -> WinState:
    """How much of a win is known that is made of several: as much as of the one least known."""
    return min(states, key=list(WinState).index, default=WinState.RECONCILED)


def is_late(day: date, *, today: date, closed: date | None) -> bool:
    """Whether what arrives now for a gaming day comes late: the day has ended, or was closed before.

    Args:
        day: the gaming day it is about, which it keeps.
        today: the gaming day of this moment.
        closed: the last gaming day the house has closed, None before the first.
    """
    return day < today or (closed is not None and day <= closed)


def count_total(count: Mapping[str, int]) -> int:
    """The value of a count in minor units: chip (or note) value times how many, summed."""
    return sum(int(value) * number for value, number in count.items())


def gaming_day(moment: datetime, time_zone: str, rollover_hour: int) -> date:
    """The gaming day a moment belongs to, in the casino's own time zone.

    A gaming day begins at the roll-over hour of local (wall clock) time, whatever the offset is that
    day, so it is 23 or 25 hours long when daylight saving changes.

    Args:
        moment: an aware datetime.
        time_zone: IANA name, for example ``America/New_York``.
        rollover_hour: 0 to 23.
    """
    local = moment.astimezone(ZoneInfo(time_zone))
    return local.date() if local.hour >= rollover_hour else local.date() - timedelta(days=1)


def gaming_day_bounds(day: date, time_zone: str, rollover_hour: int) -> tuple[datetime, datetime]:
    """The moments a gaming day begins (inclusive) and ends (exclusive), in UTC.

    They are 23, 24 or 25 hours apart; the roll-over hour must exist once on every day.
    """
    zone = ZoneInfo(time_zone)
    begins, ends = (
        datetime.combine(when, time(rollover_hour), tzinfo=zone).astimezone(UTC)
        for when in (day, day + timedelta(days=1))
    )
    return begins, ends


SHIFT_HOURS = 8
"""How many hours of the wall clock a shift has; three of them make a gaming day."""


def shift_of(moment: datetime, time_zone: str, rollover_hour: int) -> int:
    """The shift of its gaming day a moment belongs to: 1, 2 or 3, each eight hours of its wall clock.

    The first begins at the roll-over. An hour that daylight saving skips makes its shift shorter, one that
    comes twice makes it longer, so that a shift begins at the same time of day all year (our decision).

    Args:
        moment: an aware datetime.
        time_zone: IANA name, for example ``America/New_York``.
        rollover_hour: 0 to 23.
    """
    local = moment.astimezone(ZoneInfo(time_zone))
    return (local.hour - rollover_hour) % 24 // SHIFT_HOURS + 1


@lru_cache(maxsize=32)  # each of some thousand days is looked at
def rollover_is_safe(time_zone: str, rollover_hour: int, years: range) -> bool:
    """Whether the roll-over hour exists exactly once on every day of these years.

    An hour that daylight saving skips or repeats cannot begin a gaming day.
    """
    zone = ZoneInfo(time_zone)
    day = date(years.start, 1, 1)
    while day.year < years.stop:
        wall = datetime(day.year, day.month, day.day, rollover_hour, tzinfo=zone)
        skipped = wall.astimezone(ZoneInfo("UTC")).astimezone(zone).hour != rollover_hour
        if skipped or wall.utcoffset() != wall.replace(fold=1).utcoffset():
            return False
        day += timedelta(days=1)
    return True
