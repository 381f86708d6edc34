"""What an export is made of: the sessions a filter chooses, by gaming day, and how far the journal goes."""

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection

from audit.exports.filters import ANY_ALERT, RoundFilter
from audit.exports.select import OF_SESSIONS, parameters
from audit.models import Finding
from audit.verify.rounds_manifest import SCHEMA_VERSION
from ledger.models import Checkpoint

# What is under the checkpoint is looked up once a table: its ranges are many. A session's last entry tells
# whether anything about its rounds is new: whatever changes one is a later entry of its table's stream.
_SESSIONS = """
  WITH sealed AS MATERIALIZED (
       SELECT t.id, coalesce((
              SELECT g.seq_to FROM ledger_checkpoint_range g JOIN ledger_stream l ON l.id = g.stream_id
               WHERE l.name = 'table:' || t.id AND g.position < %(size)s
               ORDER BY g.seq_from DESC LIMIT 1), 0) AS seq
         FROM tables_table t WHERE t.casino_id = %(casino)s)
SELECT s.id, s.gaming_day, 'table:' || t.id, count(*),
       max(greatest(r.last_seq, r.corrected_seq, r.cancelled_seq)),
       count(*) FILTER (WHERE greatest(r.last_seq, r.corrected_seq, r.cancelled_seq) > sealed.seq),
       t.frozen <> ''
  FROM tables_tablesession s
  JOIN tables_table t ON t.id = s.table_id
  JOIN tables_pit p ON p.id = t.pit_id
  JOIN tables_round r ON r.session_id = s.id
  JOIN sealed ON sealed.id = t.id
 WHERE {conditions}
 GROUP BY s.id, s.gaming_day, t.id, t.code, s.number
 ORDER BY s.gaming_day, t.code COLLATE "C", s.number"""


class SessionRounds(NamedTuple):
    """The rounds of one session.

    Attributes:
        id: the session's.
        gaming_day: its own.
        stream: its table's.
        rounds: how many.
        last: number of the last entry about any of them.
        unsealed: how many have an entry that is not under the checkpoint yet.
        frozen: whether its table is.
    """

    id: uuid.UUID
    gaming_day: date
    stream: str
    rounds: int
    last: int
    unsealed: int
    frozen: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One gaming day of an export, in its order.

    Attributes:
        name: says the day, the request and how far the journal went: a part of this name is this part.
    """

    day: date
    sessions: Sequence[SessionRounds]
    name: str

    @property
    def rounds(self) -> int:
        """How many rounds are looked through for it."""
        return sum(session.rounds for session in self.sessions)


def parts_of(wanted: RoundFilter, checkpoint: Checkpoint | None, *, kind: str) -> list[Part]:
    """The gaming days of a filter that have rounds, in order.

    Args:
        checkpoint: the one that tells what is sealed.
        kind: what the parts' files hold.
    """
    request = {
        "version": SCHEMA_VERSION,
        "filter": wanted.as_dict,
        "kind": kind,
        "findings": _findings(wanted),
    }
    by_day = groupby(sessions_of(wanted, checkpoint), key=lambda session: session.gaming_day)
    return [Part(day, (of_day := list(group)), _name(day, of_day, request)) for day, group in by_day]


def sessions_of(wanted: RoundFilter, checkpoint: Checkpoint | None) -> Iterator[SessionRounds]:
    """The sessions a filter chooses that have rounds, by gaming day, table and number."""
    chosen = [sql for name, sql in OF_SESSIONS.items() if getattr(wanted, name) is not None]
    sql = _SESSIONS.format(conditions=" AND ".join(chosen))
    size = 0 if checkpoint is None else checkpoint.size
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters(wanted) | {"size": size})
        yield from (SessionRounds(*row) for row in cursor.fetchall())


def _findings(wanted: RoundFilter) -> int | None:
    """How many findings a filter by alert may be about: they are never taken back, so a number tells."""
    if wanted.alert is None:
        return None
    found = Finding.objects.filter(casino_id=wanted.casino, round_id__isnull=False)
    return (found if wanted.alert == ANY_ALERT else found.filter(code=wanted.alert)).count()


def _name(day: date, sessions: Sequence[SessionRounds], request: dict[str, Any]) -> str:
    state = [(str(one.id), one.rounds, one.last, one.frozen) for one in sessions]
    text = json.dumps(request | {"sessions": state}, sort_keys=True)
    return f"{day.isoformat()}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
