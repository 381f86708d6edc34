"""Closed gaming days as the journal has them, and the checkpoints that seal their entries."""

import uuid
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

from audit.selectors.journal import date_in, parsed, uuid_in
from tables.models import Casino

# A closing entry's leaf, if it has one yet, and the first checkpoint beyond it. LATERAL with a limit keeps
# the planner to the index, whatever it guesses of the ranges.
_CLOSINGS = """
    SELECT e.seq, e.recorded_at, e.payload,
           (SELECT min(c.size) FROM ledger_checkpoint c WHERE c.size > r.position + e.seq - r.seq_from)
      FROM ledger_stream s
      JOIN ledger_entry e ON e.stream_id = s.id
      LEFT JOIN LATERAL (
           SELECT r.position, r.seq_from, r.seq_to FROM ledger_checkpoint_range r
            WHERE r.stream_id = e.stream_id AND r.seq_from <= e.seq ORDER BY r.seq_from DESC LIMIT 1
           ) r ON e.seq <= r.seq_to
     WHERE s.name = %s AND e.kind = 'day.close' AND e.seq >= %s AND e.seq <= %s
     ORDER BY e.seq"""
_NO_LIMIT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Closing:
    """The closing of a gaming day as its entry says it.

    Args:
        id: of the day's row; None where the entry names none.
        checkpoint: entries under the first checkpoint that seals it, None while none does.
    """

    id: uuid.UUID | None
    gaming_day: date | None
    seq: int
    closed_at: datetime
    early: Any
    figures: Any
    checkpoint: int | None


def closings_of(casino: Casino, *, seq: int | None = None) -> list[Closing]:
    """The closings of a casino's gaming days in their order, or the one under an entry of the office."""
    first, last = (1, _NO_LIMIT) if seq is None else (seq, seq)
    with connection.cursor() as cursor:
        cursor.execute(_CLOSINGS, [casino.stream, first, last])
        return [_closing(*row) for row in cursor.fetchall()]


def _closing(seq: int, recorded_at: datetime, payload: str, checkpoint: int | None) -> Closing:
    said = parsed(payload)
    return Closing(
        uuid_in(said, "day"),
        date_in(said, "gaming_day"),
        seq,
        recorded_at,
        said.get("early"),
        said.get("figures"),
        checkpoint,
    )
