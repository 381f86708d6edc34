"""Dealers' stints, with what was dealt in them and what the tray says of them."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from tables.models import Stint

# The rounds begun in each stint, and what its entries brought the tray by the books; what a count put right
# (`over_short`) is no flow. An entry that ends a stint belongs to it, the one that began it does not.
_FIGURES = """
SELECT stint.id,
       (SELECT count(*) FROM tables_round round
         WHERE round.session_id = stint.session_id AND round.first_seq > stint.began_seq
           AND round.first_seq < coalesce(stint.ended_seq, 9223372036854775807)),
       (SELECT coalesce(sum(CASE WHEN target.name = 'tray' THEN m.amount ELSE -m.amount END), 0)::bigint
          FROM ledger_stream stream
          JOIN ledger_movement m ON m.stream_id = stream.id AND m.seq > stint.began_seq
                                AND m.seq <= coalesce(stint.ended_seq, 9223372036854775807)
          JOIN ledger_account source ON source.id = m.source_id
          JOIN ledger_account target ON target.id = m.target_id
         WHERE stream.name = 'table:' || stint.table_id
           AND 'tray' IN (source.name, target.name) AND 'over_short' NOT IN (source.name, target.name))
  FROM tables_stint stint
 WHERE stint.id = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class StintFigures:
    """How much a stint was.

    Attributes:
        rounds: how many were begun in it.
        seconds: how long it took, or takes already.
        tray: T between the counts at its two ends, minor units; None unless both were made.
    """

    rounds: int
    seconds: int
    tray: int | None


def stints_of(
    *, casino_id: uuid.UUID | None, gaming_day: date | None = None, table: uuid.UUID | None = None
) -> QuerySet[Stint]:
    """The stints of a casino, of one gaming day and one table where given."""
    rows = Stint.objects.filter(table__casino=casino_id).select_related("session", "dealer")
    if gaming_day is not None:
        rows = rows.filter(session__gaming_day=gaming_day)
    return rows if table is None else rows.filter(table=table)


def stint_figures(stints: Iterable[Stint]) -> dict[uuid.UUID, StintFigures]:
    """The figures of these stints, in one statement."""
    by_id = {stint.id: stint for stint in stints}
    with connection.cursor() as cursor:
        cursor.execute(_FIGURES, [list(by_id)])
        return {row[0]: _figures(by_id[row[0]], row[1], row[2]) for row in cursor.fetchall()}


def _figures(stint: Stint, rounds: int, booked: int) -> StintFigures:
    lasted = (stint.ended_at or timezone.now()) - stint.began_at
    counted = stint.began_total is not None and stint.ended_total is not None
    tray = (stint.ended_total or 0) - (stint.began_total or 0) - booked if counted else None
    return StintFigures(rounds, int(lasted.total_seconds()), tray)


def stint_records(stints: Iterable[Stint]) -> list[dict[str, Any]]:
    """Stints with their figures as plain JSON values."""
    kept = list(stints)
    figures = stint_figures(kept)
    return [_record(stint, figures[stint.id]) for stint in kept]


def _record(stint: Stint, figures: StintFigures) -> dict[str, Any]:
    return {
        "id": str(stint.id),
        "table": str(stint.table_id),
        "session": str(stint.session_id),
        "gaming_day": stint.session.gaming_day.isoformat(),
        "dealer": str(stint.dealer_id),
        "badge": stint.dealer.badge,
        "began_at": stint.began_at.isoformat(),
        "began_seq": stint.began_seq,
        "began_total": stint.began_total,
        "ended_at": stint.ended_at.isoformat() if stint.ended_at else None,
        "ended_seq": stint.ended_seq,
        "ended_total": stint.ended_total,
        "rounds": figures.rounds,
        "seconds": figures.seconds,
        "T": figures.tray,
    }
