"""What the database holds of the tree, and what waits to be sealed: reading only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections

from ledger.checkpoints.tree import HASH_BYTES, Fetch, Node, completed_by, place_of
from ledger.errors import SealInconsistent
from ledger.models import Checkpoint

_UNSEALED = """
    SELECT h.stream_id, coalesce(r.seq_to, 0) + 1, h.seq
      FROM ledger_head h
      LEFT JOIN LATERAL (
           SELECT r.seq_to FROM ledger_checkpoint_range r
            WHERE r.stream_id = h.stream_id ORDER BY r.seq_from DESC LIMIT 1) r ON true
     WHERE h.seq > coalesce(r.seq_to, 0)
     ORDER BY h.stream_id"""
# Here and below LATERAL with a limit keeps the planner to the index, whatever it guesses of the ranges.
_HASHES = """
    SELECT r.line, e.seq, e.hash
      FROM unnest(%s::integer[], %s::bigint[], %s::bigint[])
           WITH ORDINALITY AS r (stream_id, first, last, line)
     CROSS JOIN LATERAL (
           SELECT e.seq, e.hash FROM ledger_entry e
            WHERE e.stream_id = r.stream_id AND e.seq BETWEEN r.first AND r.last
            ORDER BY e.seq LIMIT r.last - r.first + 1) e
     ORDER BY r.line, e.seq"""
# The row that completed a node, and its 32 bytes there. %s: leaves and places of the nodes, in order.
_NODES = """
    SELECT n.line, substring(c.nodes FROM (32 * (n.place - (
               2 * c.previous_size - bit_count(int8send(c.previous_size)))) + 1)::integer FOR 32)
      FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS n (leaf, place, line)
     CROSS JOIN LATERAL (
           SELECT c.nodes, c.previous_size FROM ledger_checkpoint c
            WHERE c.size > n.leaf ORDER BY c.size LIMIT 1) c"""
_OLDEST_UNSEALED = """
    SELECT min(e.recorded_at), clock_timestamp()
      FROM unnest(%s::integer[], %s::bigint[]) AS r (stream_id, first)
      LEFT JOIN ledger_entry e ON e.stream_id = r.stream_id AND e.seq = r.first"""
_POSITION = """
    SELECT r.position + e.seq - r.seq_from, e.hash
      FROM ledger_entry e
      LEFT JOIN LATERAL (
           SELECT r.position, r.seq_from, r.seq_to FROM ledger_checkpoint_range r
            WHERE r.stream_id = e.stream_id AND r.seq_from <= e.seq ORDER BY r.seq_from DESC LIMIT 1
           ) r ON e.seq <= r.seq_to
     WHERE e.id = %s"""


class Range(NamedTuple):
    """Entries of one stream, first and last number included."""

    stream_id: int
    first: int
    last: int

    @property
    def length(self) -> int:
        """How many entries."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class SealState:
    """How far the journal is sealed.

    Attributes:
        size: entries under the last checkpoint; 0 when there is none.
        sealed_at: when that was.
        unsealed: how many entries wait.
        oldest: when the oldest of them was recorded.
        now: the database's clock.
    """

    size: int
    sealed_at: datetime | None
    unsealed: int
    oldest: datetime | None
    now: datetime

    @property
    def age(self) -> timedelta:
        """How long the oldest unsealed entry has been waiting."""
        return max(self.now - self.oldest, timedelta()) if self.oldest else timedelta()


def last_checkpoint(using: str = DEFAULT_DB_ALIAS) -> Checkpoint | None:
    """The last checkpoint."""
    return Checkpoint.objects.using(using).order_by("-size").first()


def unsealed(using: str = DEFAULT_DB_ALIAS) -> list[Range]:
    """What waits to be sealed, by stream: committed and complete, since heads move with their entries."""
    with connections[using].cursor() as cursor:
        cursor.execute(_UNSEALED)
        return [Range(*row) for row in cursor.fetchall()]


def entry_hashes(ranges: Sequence[Range], using: str = DEFAULT_DB_ALIAS) -> list[list[bytes]]:
    """The hashes of each range's entries, up to the first that is not there."""
    hashes: list[list[bytes]] = [[] for _ in ranges]
    columns = [list(column) for column in zip(*ranges, strict=True)] or [[], [], []]
    with connections[using].cursor() as cursor:
        cursor.execute(_HASHES, columns)
        for line, seq, value in cursor:
            if seq == ranges[line - 1].first + len(hashes[line - 1]):
                hashes[line - 1].append(bytes(value))
    return hashes


def fetch_from(using: str = DEFAULT_DB_ALIAS) -> Fetch:
    """Reads stored nodes of the tree, all in one statement."""

    def fetch(nodes: Sequence[Node]) -> dict[Node, bytes]:
        leaves, places = [completed_by(node) for node in nodes], [place_of(node) for node in nodes]
        with connections[using].cursor() as cursor:
            cursor.execute(_NODES, [leaves, places])
            found = {nodes[line - 1]: bytes(value) for line, value in cursor}
        if any(len(found.get(node, b"")) != HASH_BYTES for node in nodes):
            raise SealInconsistent("the stored tree has a gap")
        return found

    return fetch


def position_of(entry_id: UUID) -> tuple[int | None, bytes] | None:
    """The leaf of an entry (None: not sealed yet) and its hash; None when there is no such entry."""
    with connection.cursor() as cursor:
        cursor.execute(_POSITION, [entry_id])
        row = cursor.fetchone()
    return (row[0], bytes(row[1])) if row else None


def seal_state() -> SealState:
    """How far the journal is sealed, and how long what is not has been waiting."""
    last, waiting = last_checkpoint(), unsealed()
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST_UNSEALED, [[r.stream_id for r in waiting], [r.first for r in waiting]])
        oldest, now = cursor.fetchone()
    return SealState(
        size=last.size if last else 0,
        sealed_at=last.sealed_at if last else None,
        unsealed=sum(r.length for r in waiting),
        oldest=oldest,
        now=now,
    )
