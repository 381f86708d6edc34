"""Which rows of a bundle's rounds the filter of an export chooses, as far as the journal tells."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]

ON_TRUST = frozenset({"pit", "dealer", "alert"})
"""Where a table stands, whose badge it is and what the house has found are in no journal of tables: an export
chosen by them is checked row by row, and nobody can say that none is missing."""


class Place(NamedTuple):
    """Where a round was played: its session's id and gaming day, its table's code ("" when nothing tells)."""

    session: str
    gaming_day: str
    table: str


OF_ROUNDS: Mapping[str, Callable[[Place, Any], bool]] = {
    "gaming_day_from": lambda place, day: place.gaming_day >= day,
    "gaming_day_to": lambda place, day: place.gaming_day <= day,
    "table": lambda place, code: place.table == code,
    "session": lambda place, session: place.session == session,
}
OF_ROWS: Mapping[str, Callable[[Row, Any], bool]] = {
    "shift": lambda row, shift: row["shift"] in (shift, None),
    "player": lambda row, player: row["player"] == player,
    "seat": lambda row, seat: row["seat"] == seat,
    "outcome": lambda row, outcome: row["outcome"] == outcome,
    "stake_min": lambda row, least: row["bet"] is not None and _stake(row) >= least,
    "stake_max": lambda row, most: row["bet"] is not None and _stake(row) <= most,
}
KNOWN = {"casino", *ON_TRUST, *OF_ROUNDS, *OF_ROWS}


def _stake(row: Row) -> int:
    """Bet and raise together, minor units."""
    return int(row["bet"]) + int(row["raise"] or 0)


def is_whole(asked: Mapping[str, Any], *, knows_shifts: bool) -> bool:
    """Whether the journal, and the time zones this machine knows, tell all of what a filter chooses."""
    return not ON_TRUST & asked.keys() and (knows_shifts or "shift" not in asked)


def chosen(asked: Mapping[str, Any], place: Place, rows: Sequence[Row]) -> list[Row]:
    """The rows of a round a filter chooses, what is on trust left aside; raises TypeError on nonsense."""
    if not all(holds(place, asked[name]) for name, holds in OF_ROUNDS.items() if name in asked):
        return []
    tests = [(holds, asked[name]) for name, holds in OF_ROWS.items() if name in asked]
    return [row for row in rows if all(holds(row, value) for holds, value in tests)]
