"""T by denomination of closed sessions, as many as a day has: two statements whatever it is."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import connection

from audit.chips import CARRYING, ByValue, ChipCheck, chips_checked
from audit.facts import Fact, Moved
from audit.reconcile import COUNTS, Flows
from audit.selectors.journal import parsed
from tables.models import TableSession

# It is found soon: somebody buys in, or bets, among the first entries of a session that is played at all.
_BY_VALUE = """
SELECT s.id, first.seq, first.kind
  FROM tables_tablesession s
  JOIN ledger_stream stream ON stream.name = 'table:' || s.table_id
  JOIN ledger_account tray ON tray.stream_id = stream.id AND tray.name = 'tray'
 CROSS JOIN LATERAL (
       SELECT m.seq, e.kind
         FROM ledger_movement m
         JOIN ledger_entry e ON e.stream_id = m.stream_id AND e.seq = m.seq
        WHERE m.stream_id = stream.id AND m.seq > s.opened_seq AND m.seq < s.closed_seq
          AND tray.id IN (m.source_id, m.target_id) AND e.kind <> ALL(%(carrying)s)
        ORDER BY m.seq LIMIT 1) AS first
 WHERE s.id = ANY(%(sessions)s)
"""
_CARRIED = """
SELECT s.id, stream.name, e.seq, e.kind, e.actor, e.recorded_at, e.payload,
       (SELECT coalesce(json_agg(json_build_array(source.name, target.name, m.amount) ORDER BY m.line), '[]')
          FROM ledger_movement m
          JOIN ledger_account source ON source.id = m.source_id
          JOIN ledger_account target ON target.id = m.target_id
         WHERE m.stream_id = e.stream_id AND m.seq = e.seq)
  FROM tables_tablesession s
  JOIN ledger_stream stream ON stream.name = 'table:' || s.table_id
  JOIN ledger_entry e ON e.stream_id = stream.id AND e.seq > s.opened_seq AND e.seq < s.closed_seq
 WHERE s.id = ANY(%(sessions)s) AND e.kind = ANY(%(carrying)s)
 ORDER BY e.seq
"""


def chip_checks(sessions: Iterable[TableSession]) -> dict[UUID, ChipCheck]:
    """T by denomination of those of some sessions that are closed, by their ids."""
    closed = {session.id: session for session in sessions if session.closed_seq is not None}
    carrying = [*CARRYING, *COUNTS]
    found = _rows(_BY_VALUE, sessions=list(closed), carrying=carrying)
    by_value = {key: ByValue(seq, kind) for key, seq, kind in found}
    flows = {key: Flows() for key in closed}
    others = [key for key in closed if key not in by_value]
    for key, stream, seq, kind, actor, at, payload, moves in _rows(
        _CARRIED, sessions=others, carrying=carrying
    ):
        moved = tuple(Moved(*move) for move in moves)
        flows[key].add(Fact(stream, seq, kind, actor, at, parsed(payload), moved))
    return {
        key: chips_checked(
            session.opener,
            flows[key].chips,
            by_value.get(key) or flows[key].by_value,
            session.closer,
        )
        for key, session in closed.items()
    }


def _rows(statement: str, **asked: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
