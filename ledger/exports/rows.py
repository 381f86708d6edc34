"""The journal's rows as an export needs them, streamed from the server in one snapshot."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import connections

from ledger.errors import StreamUnknown

CHUNK_ROWS = 2000

_STREAMS = "SELECT id, name FROM ledger_stream WHERE %s::text IS NULL OR name = %s ORDER BY name"
_ACCOUNTS = """
    SELECT id, name, asset, balance, opened_seq FROM ledger_account WHERE stream_id = %s ORDER BY id"""
_LINES = """
    SELECT e.seq, e.id, e.kind, e.actor, encode(e.hash, 'hex'),
           to_char(e.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           m.source_id, m.target_id, m.amount
      FROM ledger_entry e LEFT JOIN ledger_movement m ON m.stream_id = e.stream_id AND m.seq = e.seq
     WHERE e.stream_id = %s ORDER BY e.seq, m.line"""
_ENTRY = itemgetter(0, 1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class AccountLine:
    """An account, with the balance in minor units that the database keeps for it."""

    id: int
    name: str
    asset: str
    balance: int
    opened_seq: int


@dataclass(frozen=True, slots=True)
class EntryLines:
    """An entry and its movements: source's and target's id and the amount in minor units, in order.

    ``recorded_at`` is its ISO 8601 text in UTC, to the microsecond.
    """

    seq: int
    id: UUID
    kind: str
    actor: UUID
    hash: str
    recorded_at: str
    moves: list[tuple[int, int, int]]

    @property
    def day(self) -> str:
        """The UTC day it was recorded on, as an ISO date."""
        return self.recorded_at.partition("T")[0]


@dataclass(frozen=True, slots=True)
class StreamLines:
    """One stream: its accounts by id, and its entries in order, to be read once."""

    name: str
    accounts: dict[int, AccountLine]
    entries: Iterator[EntryLines]


def read_streams(using: str, stream: str | None) -> list[tuple[int, str]]:
    """Ids and names of all streams, or of the one asked for.

    Raises:
        StreamUnknown: there is no stream of this name.
    """
    with connections[using].cursor() as cursor:
        cursor.execute(_STREAMS, [stream, stream])
        found: list[tuple[int, str]] = cursor.fetchall()
    if stream is not None and not found:
        raise StreamUnknown("no stream of this name", stream=stream)
    return found


def count_entries(using: str, stream_ids: list[int]) -> int:
    """How many entries the heads of these streams say there are."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(seq), 0)::bigint FROM ledger_head WHERE stream_id = ANY(%s)", [stream_ids]
        )
        return int(cursor.fetchone()[0])


def read_stream(using: str, stream_id: int, name: str) -> StreamLines:
    """One stream's rows; its entries are fetched as they are asked for.

    Raises:
        ValueError: while they are: a movement names an account that the stream does not have.
    """
    with connections[using].cursor() as cursor:
        cursor.execute(_ACCOUNTS, [stream_id])
        accounts = {row[0]: AccountLine(*row) for row in cursor.fetchall()}
    return StreamLines(name, accounts, _entries(_rows(using, stream_id), name, accounts))


def _entries(
    rows: Iterator[tuple[Any, ...]], stream: str, accounts: dict[int, AccountLine]
) -> Iterator[EntryLines]:
    for entry, lines in groupby(rows, key=_ENTRY):
        seq, entry_id, kind, actor, digest, recorded_at = entry
        moves = [line[6:] for line in lines if line[6] is not None]
        if not accounts.keys() >= {key for move in moves for key in move[:2]}:
            raise ValueError(f"{stream} {seq} moves what no account of its stream holds: verify the journal")
        yield EntryLines(seq, entry_id, kind, actor, digest, recorded_at, moves)


def _rows(using: str, stream_id: int) -> Iterator[tuple[Any, ...]]:
    with connections[using].chunked_cursor() as cursor:
        cursor.execute(_LINES, [stream_id])
        while chunk := cursor.fetchmany(CHUNK_ROWS):
            yield from chunk
