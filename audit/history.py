"""Round histories a page at a time, straight from the statement that exports them.

A page begins where the one before it ended, in the order of the play. Rows are read of some sessions at a
time, as many as it takes: all rows of a long history are nothing to sort for one page.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from audit.exports.columns import COLUMNS
from audit.exports.filters import RoundFilter
from audit.exports.select import OF_SESSIONS, parameters, rows_of

SESSIONS_AT_FIRST = 50
_SESSIONS = """
SELECT s.id, s.gaming_day, t.code, s.number
  FROM tables_tablesession s
  JOIN tables_table t ON t.id = s.table_id
  JOIN tables_pit p ON p.id = t.pit_id
 WHERE {} ORDER BY s.gaming_day, t.code COLLATE "C", s.number LIMIT %(most)s
"""
_FROM_SESSION = '(s.gaming_day, t.code COLLATE "C", s.number) {} (%(day)s::date, %(code)s::text, %(number)s)'
_BEYOND = (
    '(s.gaming_day, t.code COLLATE "C", s.number, r.number, coalesce(seat.number::int, 0))'
    " > (%(day)s::date, %(code)s::text, %(number)s, %(round)s, %(at)s)"
)


class Place(NamedTuple):
    """Where a row stands among all: gaming day, table, session, round, seat (0 when it has none)."""

    day: str
    code: str
    number: int
    round: int
    at: int


def place_of(row: dict[str, Any]) -> Place:
    """Where a row stands."""
    return Place(str(row["gaming_day"]), row["table"], row["session"], row["round"], row["seat"] or 0)


def history_rows(wanted: RoundFilter, *, after: Place | None, most: int) -> list[dict[str, Any]]:
    """The filter's rows that follow a place, in the order of the play, by the names of `COLUMNS`.

    Args:
        after: None for the first ones.
        most: how many at most.
    """
    rows: list[dict[str, Any]] = []
    for sessions in _sessions(wanted, after):
        rows += _rows(wanted, sessions, after, most - len(rows))
        if len(rows) >= most:
            break
    return rows


def _sessions(wanted: RoundFilter, after: Place | None) -> Iterator[list[UUID]]:
    """The sessions the filter's rows can be of, from the one of a place on; ever more at a time."""
    most, begin, how = SESSIONS_AT_FIRST, after and after[:3], ">="
    while True:
        where = [sql for name, sql in OF_SESSIONS.items() if getattr(wanted, name) is not None]
        values = parameters(wanted) | {"most": most}
        if begin is not None:
            where.append(_FROM_SESSION.format(how))
            values |= dict(zip(("day", "code", "number"), begin, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(_SESSIONS.format(" AND ".join(where)), values)
            found = cursor.fetchall()
        if found:
            yield [row[0] for row in found]
        if len(found) < most:
            return
        begin, how, most = found[-1][1:], ">", most * 2


def _rows(
    wanted: RoundFilter, sessions: Sequence[UUID], after: Place | None, most: int
) -> list[dict[str, Any]]:
    where, values = ["r.session_id = ANY(%(sessions)s)"], {"sessions": list(sessions)}
    if after is not None:
        where.append(_BEYOND)
        values |= after._asdict()
    statement = rows_of(wanted, where=where, params=values)
    with connection.cursor() as cursor:
        cursor.execute(f"{statement.sql} LIMIT %(rows)s", {**statement.params, "rows": most})
        return [dict(zip(COLUMNS, row, strict=True)) for row in cursor.fetchall()]
