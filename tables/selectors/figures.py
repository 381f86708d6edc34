"""A session's inputs as the journal has them, and the figures that follow from them."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from tables.figures import INSERTIONS, TableWin, table_win
from tables.models import TableSession

# What crossed a table's boundaries between its opening entry and its closing one (or until now).
_BETWEEN_COUNTS = """
SELECT session.id,
       coalesce(sum(m.amount) FILTER (WHERE source.name = 'cage' AND target.name = 'tray'), 0)::bigint,
       coalesce(sum(m.amount) FILTER (WHERE source.name = 'tray' AND target.name = 'cage'), 0)::bigint,
       (coalesce(sum(m.amount) FILTER (WHERE source.name = ANY(%(patrons)s)
                                         AND target.name = ANY(%(boxes)s)), 0)
        - coalesce(sum(m.amount) FILTER (WHERE source.name = ANY(%(boxes)s)
                                           AND target.name = ANY(%(patrons)s)), 0))::bigint
  FROM tables_tablesession session
  JOIN ledger_stream stream ON stream.name = 'table:' || session.table_id
  JOIN ledger_movement m ON m.stream_id = stream.id AND m.seq > session.opened_seq
                        AND m.seq < coalesce(session.closed_seq, 9223372036854775807)
  JOIN ledger_account source ON source.id = m.source_id
  JOIN ledger_account target ON target.id = m.target_id
 WHERE session.id = ANY(%(sessions)s)
 GROUP BY session.id
"""

_INSERTED = {
    "patrons": [source for source, _ in INSERTIONS],
    "boxes": [*{target for _, target in INSERTIONS}],
}


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """What the journal says of a session, in minor units, and the win and hold it makes.

    Args:
        fills, credits: chips that came from the cage and went back to it.
        insertions: cash and markers recorded as put into the drop box, less what was taken out again.
        win: win and hold, with how much of them is known.
    """

    fills: int
    credits: int
    insertions: int
    win: TableWin


def session_figures(sessions: Iterable[TableSession]) -> dict[uuid.UUID, SessionFigures]:
    """The figures of each session, by id: one statement however many there are."""
    wanted = {session.id: session for session in sessions}
    with connection.cursor() as cursor:
        cursor.execute(_BETWEEN_COUNTS, _INSERTED | {"sessions": list(wanted)})
        crossed = {row[0]: row[1:] for row in cursor.fetchall()}
    return {
        session_id: _figures(session, *crossed.get(session_id, (0, 0, 0)))
        for session_id, session in wanted.items()
    }


def _figures(session: TableSession, fills: int, credits: int, insertions: int) -> SessionFigures:
    win = table_win(
        opener=session.opener_total,
        fills=fills,
        credits=credits,
        closer=session.closer_total,
        drop=session.drop_total,
        insertions=insertions,
    )
    return SessionFigures(fills, credits, insertions, win)
