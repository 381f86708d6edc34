"""A tray by denomination, where every movement of its chips carries denominations.

    counted then + what came in - what went out = counted now, of each chip

Counts, slips, colour changes and chips that are none of the house's say which chips they are; bets, payments,
buy-ins and whatever else moves an amount do not. One of those between two counts, and nothing is known by
denomination: that is said, and is no zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

Count = Mapping[str, int]
CHANGE = "seat.change"
CARRIED: Mapping[str, tuple[str, int]] = {
    "fill.receive": ("chips", 1),
    "fill.void": ("chips", -1),
    "credit.send": ("chips", -1),
    "credit.take_back": ("counted", 1),
    "chips.reject": ("pieces", -1),
}
"""By kind of entry that moves chips of a tray, the field that says which, and whether they come in."""
CARRYING = (*CARRIED, CHANGE)


class ByValue(NamedTuple):
    """The first entry between two counts that moved chips of the tray by value only."""

    seq: int
    kind: str


@dataclass(frozen=True, slots=True)
class ChipCheck:
    """T by denomination between two counts of a tray.

    Attributes:
        difference: by chip how many more were counted than went through, none of it zero; None where not
            every movement carried denominations, or one of the counts did not.
        by_value: which movement it was; None where there was none.
    """

    difference: Mapping[str, int] | None
    by_value: ByValue | None = None

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON values."""
        difference = None if self.difference is None else dict(self.difference)
        return {"difference": difference, "by_value": self.by_value and self.by_value._asdict()}


def chips_checked(
    began: Count | None, through: Count, by_value: ByValue | None, ended: Count | None
) -> ChipCheck:
    """Compare two counts with the chips that went through between them.

    Args:
        began, ended: pieces by chip value; None where they are not known.
        through: pieces that came in less those that went out.
        by_value: the first movement that does not carry denominations.
    """
    if began is None or ended is None or by_value is not None:
        return ChipCheck(None, by_value)
    due = added(began, through)
    difference = added(ended, {value: -number for value, number in due.items()})
    return ChipCheck(dict(sorted(difference.items(), key=lambda item: int(item[0]))))


def added(*counts: Count) -> dict[str, int]:
    """Counts added up, chips of which there are none left out."""
    total: dict[str, int] = {}
    for count in counts:
        for value, number in count.items():
            total[value] = total.get(value, 0) + number
    return {value: number for value, number in total.items() if number}


def chips_of(kind: str, said: Mapping[str, Any]) -> Count | None:
    """The chips that an entry of a kind in `CARRYING` brought a tray (negative: took); None where it does
    not say them."""
    if kind == CHANGE:
        given, taken = counted(said.get("into_tray")), counted(said.get("out_of_tray"))
        return None if given is None or taken is None else added(given, _times(taken, -1))
    return chips_named(said, *CARRIED[kind])


def chips_named(said: Mapping[str, Any], field: str, way: int) -> Count | None:
    """The chips an entry says in a field, as they come in (`way` 1) or go out (-1); None: it says none."""
    found = counted(said.get(field))
    return None if found is None else _times(found, way)


def counted(said: Any) -> Count | None:
    """A count as an entry says it; None where that is none."""
    if not isinstance(said, Mapping):
        return None
    whole = all(
        isinstance(value, str) and value.isdecimal() and type(number) is int for value, number in said.items()
    )
    return dict(said) if whole else None


def _times(count: Count, way: int) -> dict[str, int]:
    return {value: way * number for value, number in count.items()}
