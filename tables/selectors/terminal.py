"""The rows a terminal is shown, with what goes on there."""

import uuid
from collections.abc import Mapping

from tables.models import Cage, Table
from tables.selectors.written import Written

WITH_WHAT_GOES_ON = ("casino", "rules", "session", "shoe", "round", "stint")
_KEY = uuid.UUID(int=1)
_TABLE = Written(lambda: Table.objects.select_related(*WITH_WHAT_GOES_ON).filter(pk=_KEY), _KEY)


def table_within(table_id: uuid.UUID, reach: Mapping[str, uuid.UUID]) -> Table | None:
    """The table with its casino, rules, session, shoe and round, if it lies within reach.

    Args:
        reach: what the row must meet for the caller to see it (see `Actor.reach`).
    """
    table = _TABLE.get(table_id)
    if table is None or any(getattr(table, field) != value for field, value in reach.items()):
        return None
    return table


def cage_of(casino_id: uuid.UUID) -> Cage:
    """The cage of a casino; every casino has one."""
    return Cage.objects.get(pk=casino_id)
