"""Whether the pieces of a session's play are kept as the journal gives them, all at once."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db import connection

from audit.pieces import Piece
from tables.figures import shift_of
from tables.models import TableSession

# Times as numbers, which quarters are counted in, and ids as bytes, which they are made of.
_PIECES = """
SELECT seq, (extract(epoch FROM at) * 1000000)::bigint, shift, uuid_send(dealer), uuid_send(round),
       rounds, voided, handle, result, ways, best, actual
  FROM audit_playpiece WHERE session_id = %s ORDER BY seq
"""
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
QUARTER = 15 * 60 * 1_000_000


def pieces_are_kept(session: TableSession, pieces: Sequence[Piece]) -> bool:
    """Whether just these pieces of a session are kept, column by column."""
    with connection.cursor() as cursor:
        cursor.execute(_PIECES, [session.id])
        kept: list[tuple[Any, ...]] = cursor.fetchall()
    return kept == [_row(session.table.casino, piece) for piece in pieces]


def _row(casino: Any, piece: Piece) -> tuple[Any, ...]:
    at, theory = (piece.at - EPOCH) // MICROSECOND, piece.theory
    return (
        *(piece.seq, at, _shift(at // QUARTER, casino.time_zone, casino.rollover_hour)),
        *(piece.dealer and piece.dealer.bytes, piece.round and piece.round.bytes),
        *(piece.rounds, piece.voided, piece.handle, piece.result),
        *((None, None, None) if theory is None else (theory.ways, theory.best, theory.actual)),
    )


# An hour of any time zone's clock begins with a quarter of one of UTC's.
@lru_cache(maxsize=1024)
def _shift(quarter: int, time_zone: str, rollover_hour: int) -> int:
    return shift_of(EPOCH + timedelta(microseconds=quarter * QUARTER), time_zone, rollover_hour)
