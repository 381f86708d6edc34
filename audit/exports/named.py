"""Whether a house has what a filter names.

A code it does not have is a slip of the hand: a file that says No Activity would hide it.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from audit.exports.filters import FilterInvalid, RoundFilter
from tables.models import Pit, Player, Staff, Table, TableSession

NAMED: Mapping[str, Callable[[UUID, Any], QuerySet[Any]]] = {
    "pit": lambda casino, code: Pit.objects.filter(casino=casino, code=code),
    "table": lambda casino, code: Table.objects.filter(casino=casino, code=code),
    "session": lambda casino, session: TableSession.objects.filter(table__casino=casino, id=session),
    "dealer": lambda casino, badge: Staff.objects.filter(casino=casino, badge=badge),
    "player": lambda casino, player: Player.objects.filter(casino=casino, id=player),
}
"""By part of a filter, a casino's rows it may mean."""


def check_named(wanted: RoundFilter) -> None:
    """See that pit, table, session, dealer and player of a filter are the house's.

    Raises:
        FilterInvalid: one of them is none.
    """
    for name, rows in NAMED.items():
        value: Any = getattr(wanted, name)
        if value is not None and not rows(wanted.casino, value).exists():
            raise FilterInvalid(name, f"the house has no {name} {value}")
