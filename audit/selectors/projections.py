"""Rows of rounds as the re-settlement compares them with the journal, many at a time."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from audit.selectors.journal import EPOCH
from tables.engine.registry import digest


class RoundRow(NamedTuple):
    """What a round's row says.

    Attributes:
        plain: table, session, shoe, rules, dealer; number, game, engine's version, status; first and last
            entry; beginning and end, in microseconds since 1970; the entries that corrected and cancelled it.
        players: by seat.
        state: its digest.
    """

    plain: tuple[Any, ...]
    players: Any
    state: str


# Times as numbers and JSON as text: read by the driver they take several times as long.
_ROUNDS = """
SELECT id, players::text, state::text,
       table_id, session_id, shoe_id, rules_id, dealer_id, number, game, engine_version, status, first_seq,
       last_seq, (extract(epoch FROM started_at) * 1000000)::bigint,
       (extract(epoch FROM ended_at) * 1000000)::bigint, corrected_seq, cancelled_seq
  FROM tables_round WHERE id = ANY(%s)
"""


def round_rows(ids: Iterable[UUID]) -> dict[UUID, RoundRow]:
    """The rows of these rounds by id; one that is not there is left out."""
    with connection.cursor() as cursor:
        cursor.execute(_ROUNDS, [list(ids)])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return {row[0]: RoundRow(row[3:], _players(row[1]), digest(json.loads(row[2]))) for row in rows}


# The same people sit there round after round.
@lru_cache(maxsize=1024)
def _players(text: str) -> Any:
    return json.loads(text)


def microseconds(moment: datetime | None) -> int | None:
    """Microseconds since 1970."""
    return None if moment is None else (moment - EPOCH) // timedelta(microseconds=1)
