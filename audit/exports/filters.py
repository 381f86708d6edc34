"""Which rows of the round histories are wanted: one filter for exports, lists and what is saved of them."""

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from audit.codes import CODES
from config.errors import DomainError

OUTCOMES = ("consecutive", "pair_push", "trips", "win", "lose", "settled", "void")
"""What a round's outcome may be, of all games: `settled` in the card room."""
SHIFTS = (1, 2, 3)
ANY_ALERT = "any"
"""Instead of a finding's code: rounds with any finding about them."""
MOST = 2**63 - 1  # what the database's integers hold
SEATS = 100
_CODE = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,40}")


class FilterInvalid(DomainError):
    """A filter asks for something no row can be; `extra["field"]` names the part that does."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__("filter_invalid", f"{field}: {detail}.", status=400, field=field)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFilter:
    """Rows of one casino's round histories that have all of these; None asks for nothing.

    Args:
        casino: its id.
        gaming_day_from, gaming_day_to: gaming days of the session, both inclusive.
        pit, table: codes.
        session: its id.
        shift: 1 to 3, the shift in which the round began (`tables.figures.shift_of`).
        dealer: badge of who began the round.
        player: the id of who sat at the row's seat.
        seat: number of the row's seat.
        outcome: as it was recorded, one of `OUTCOMES`.
        stake_min, stake_max: bet and raise of the row together, minor units, both inclusive.
        alert: `ANY_ALERT`, or the code of a finding there is about the round.

    Raises:
        FilterInvalid: no row can be so.
    """

    casino: uuid.UUID
    gaming_day_from: date | None = None
    gaming_day_to: date | None = None
    pit: str | None = None
    table: str | None = None
    session: uuid.UUID | None = None
    shift: int | None = None
    dealer: str | None = None
    player: uuid.UUID | None = None
    seat: int | None = None
    outcome: str | None = None
    stake_min: int | None = None
    stake_max: int | None = None
    alert: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no row can be."""
        for name, (holds, wanted) in CHECKS.items():
            value = getattr(self, name)
            if value is not None and not holds(value):
                raise FilterInvalid(name, wanted)
        if not isinstance(self.casino, uuid.UUID):
            raise FilterInvalid("casino", CHECKS["casino"][1])
        _ordered("gaming_day", self.gaming_day_from, self.gaming_day_to)
        _ordered("stake", self.stake_min, self.stake_max)

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> "RoundFilter":
        """The inverse of `as_dict`: ids and dates are texts, numbers are numbers.

        Raises:
            FilterInvalid: an unknown key, a value of another form, or no row can be so.
        """
        unknown = sorted(set(said) - NAMES)
        if unknown:
            raise FilterInvalid(unknown[0], "there is no such part of a filter")
        if said.get("casino") is None:
            raise FilterInvalid("casino", "it is missing")
        return cls(**{name: _read(name, value) for name, value in said.items() if value is not None})

    @property
    def as_dict(self) -> dict[str, Any]:
        """The filter as JSON, without what it does not ask for: the same filter is the same object."""
        said = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: _said(value) for name, value in sorted(said.items()) if value is not None}


NAMES = frozenset(one.name for one in fields(RoundFilter))

Check = tuple[Callable[[Any], bool], str]


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_code(value: Any) -> bool:
    return isinstance(value, str) and _CODE.fullmatch(value) is not None


def _is_day(value: Any) -> bool:
    return type(value) is date


def _is_id(value: Any) -> bool:
    return isinstance(value, uuid.UUID)


def _is_amount(value: Any) -> bool:
    return _is_int(value) and 0 <= value <= MOST


_DAY: Check = (_is_day, "it is not a date like 2026-11-30")
_ID: Check = (_is_id, "it is not an id")
_TEXT: Check = (_is_code, "it is not a text of 1 to 40 characters")
_AMOUNT: Check = (_is_amount, "it is not an amount in minor units")

CHECKS: dict[str, Check] = {
    "casino": _ID,
    "gaming_day_from": _DAY,
    "gaming_day_to": _DAY,
    "pit": _TEXT,
    "table": _TEXT,
    "session": _ID,
    "shift": (lambda value: _is_int(value) and value in SHIFTS, "it is not 1, 2 or 3"),
    "dealer": _TEXT,
    "player": _ID,
    "seat": (lambda value: _is_int(value) and 1 <= value <= SEATS, "it is not the number of a seat"),
    "outcome": (lambda value: value in OUTCOMES, f"it is none of {', '.join(OUTCOMES)}"),
    "stake_min": _AMOUNT,
    "stake_max": _AMOUNT,
    "alert": (
        lambda value: value == ANY_ALERT or (isinstance(value, str) and value in CODES),
        f"it is neither {ANY_ALERT} nor the code of a finding",
    ),
}


def _ordered(name: str, low: Any, high: Any) -> None:
    if low is not None and high is not None and low > high:
        part = f"{name}_to" if name == "gaming_day" else f"{name}_max"
        raise FilterInvalid(part, "it lies before where the filter begins")


def _read(name: str, value: Any) -> Any:
    """A value as JSON has it; what has another form is left for the checks to refuse."""
    kind = CHECKS[name]
    try:
        if kind is _ID and isinstance(value, str):
            return uuid.UUID(value)
        if kind is _DAY and isinstance(value, str):
            return date.fromisoformat(value)
    except ValueError:
        raise FilterInvalid(name, kind[1]) from None
    return value


def _said(value: Any) -> Any:
    return value if isinstance(value, int | str) else str(value)
