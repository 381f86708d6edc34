"""Counts by denomination, as people write them down: chip (or note) value to how many."""

from collections.abc import Mapping

from config.errors import DomainError
from ledger.services import Movement
from tables.figures import count_total
from tables.models import Casino

Count = Mapping[str, int]
MAX_PIECES = 10_000_000
MAX_VALUE = 2**53 - 1


def check_chips(count: Count, casino: Casino) -> int:
    """Check a count of chips and return its value in minor units.

    Args:
        count: chip value (minor units, as a string of digits) to number of chips.
        casino: whose chips they must be.

    Raises:
        DomainError: `unknown_denomination`, `bad_count` (422).
    """
    for value in count:
        if not value.isdecimal() or int(value) not in casino.denominations or str(int(value)) != value:
            raise DomainError("unknown_denomination", f"The house has no chip of {value}.", status=422)
    return check_pieces(count)


def check_pieces(count: Count) -> int:
    """Check how many of each there are, of whatever kind, and return the value in minor units.

    Raises:
        DomainError: `bad_count` (422).
    """
    for value, number in count.items():
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not value.isdecimal() or int(value) < 1 or not whole or not 0 <= number <= MAX_PIECES:
            raise DomainError("bad_count", f"Not a count: {number} of {value}.", status=422)
    total = count_total(count)
    if total > MAX_VALUE:
        raise DomainError("bad_count", "The count's value is beyond every limit.", status=422)
    return total


def without_zeros(count: Count) -> dict[str, int]:
    """A count without the denominations of which there are none, so that equal counts are equal."""
    return {value: number for value, number in count.items() if number}


def to_count(place: str, difference_account: str, variance: int) -> list[Movement]:
    """Bring the books of a place to what was counted there (`variance` = counted less booked)."""
    if variance == 0:
        return []
    if variance > 0:
        return [Movement(difference_account, place, variance)]
    return [Movement(place, difference_account, -variance)]
