"""Verifying the journal against signed checkpoints that somebody kept elsewhere.

Three walks, each of bounded memory. The RANGES say which entries the leaves are: they must follow one upon
the other. The stored TREE must have the roots that were signed; up to the largest signed size where it has,
each stored leaf is vouched for by that signature. Then every sealed ENTRY is hashed again from its values,
in sealed order: where its leaf is not the one vouched for, that very entry was changed. Where the stored
tree was rewritten as well, the signed checkpoints before and after say between which entries it happened.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections

from ledger.checkpoints.note import (
    Checkpoint,
    NoteError,
    UnknownSigner,
    VerifierKey,
    open_checkpoint,
    parse_checkpoint,
)
from ledger.checkpoints.tree import HASH_BYTES, Growth, leaf_hash
from ledger.verify import EntryRow, Finding, HashedMovement, MovementRow, entry_hash
from ledger.verify_journal import CHUNK_ROWS, ENTRY_COLUMNS, PROGRESS_ENTRIES, Progress, Report, snapshot

NO_LEAF = bytes(HASH_BYTES)
# OFFSET 0: range by range along the indexes, in sealed order, without sorting the journal.
_RANGES = """
    SELECT r.position, r.seq_from, r.seq_to, r.stream_id
      FROM ledger_checkpoint_range r ORDER BY r.position"""
_TREE = """
    SELECT size, previous_size, root, origin, note, nodes,
           sealed_at <= lag(sealed_at) OVER (ORDER BY size) OR NOT isfinite(sealed_at)
      FROM ledger_checkpoint ORDER BY size"""
_ENTRIES = f"""
    SELECT r.position + e.seq - r.seq_from, r.stream_id, {ENTRY_COLUMNS}
      FROM ledger_checkpoint_range r
     CROSS JOIN LATERAL (
           SELECT * FROM ledger_entry e
            WHERE e.stream_id = r.stream_id AND e.seq BETWEEN r.seq_from AND r.seq_to OFFSET 0) e
     WHERE r.position < %s ORDER BY r.position, e.seq"""  # noqa: S608 (columns of our own)
_MOVEMENTS = """
    SELECT r.position + m.seq - r.seq_from, m.seq, m.line, m.source_id, m.target_id, m.amount
      FROM ledger_checkpoint_range r
     CROSS JOIN LATERAL (
           SELECT * FROM ledger_movement m
            WHERE m.stream_id = r.stream_id AND m.seq BETWEEN r.seq_from AND r.seq_to OFFSET 0) m
     WHERE r.position < %s ORDER BY r.position, m.seq, m.line"""
_ACCOUNTS = "SELECT stream_id, id, name, asset FROM ledger_account"
_STREAMS = "SELECT id, name FROM ledger_stream"
_TAIL = """
    SELECT count(e.seq), min(CASE WHEN e.recorded_at BETWEEN '0001-01-02Z' AND '9999-12-30Z'
                                  THEN e.recorded_at END), clock_timestamp()
      FROM (SELECT s.id, coalesce(max(least(r.seq_to, r.seq_from + %s - r.position - 1)), 0) AS sealed
              FROM ledger_stream s
              LEFT JOIN ledger_checkpoint_range r ON r.stream_id = s.id AND r.position < %s
             GROUP BY s.id) AS s
      JOIN ledger_entry e ON e.stream_id = s.id AND e.seq > s.sealed"""


class Tail(NamedTuple):
    """What no signature vouches for yet: the window in which tampering could go unseen.

    Attributes:
        entries: how many entries there are beyond the checkpoint.
        since: when the oldest of them was recorded.
        age: how long ago that is.
    """

    entries: int
    since: datetime | None
    age: timedelta


@dataclass(frozen=True, slots=True)
class Judged:
    """What the journal was judged by.

    Attributes:
        checkpoint: the largest signed one that was brought; None when none was signed.
        entries: sealed entries that were hashed again from their values.
        tail: what it does not cover.
    """

    checkpoint: Checkpoint | None
    entries: int
    tail: Tail

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON values."""
        said = self.checkpoint
        return {
            "origin": said.origin if said else None,
            "size": said.size if said else 0,
            "root": said.root.hex() if said else None,
            "entries": self.entries,
            "tail": {
                "entries": self.tail.entries,
                "since": self.tail.since.isoformat() if self.tail.since else None,
                "age_seconds": int(self.tail.age.total_seconds()),
            },
        }


class _Range(NamedTuple):
    position: int
    first: int
    last: int
    stream_id: int

    @property
    def end(self) -> int:
        return self.position + self.last - self.first + 1


def verify_checkpoint(
    *,
    notes: Sequence[str],
    keys: Sequence[VerifierKey],
    report: Report,
    using: str = DEFAULT_DB_ALIAS,
    progress: Progress | None = None,
) -> Judged:
    """Judge everything that was sealed by checkpoints that come from outside.

    Args:
        notes: signed checkpoints; the largest decides what must be there, the others help to say where.
        keys: public keys of the log, from whoever is trusted with them.
        report: findings are added to it.
        using: database alias; reading rights suffice.
        progress: called with "sealed entries", how many were hashed and how many there are.
    """
    with snapshot(using):
        walk = _Walk(keys, report, using, progress)
        brought = walk.brought(notes)
        walk.ranges()
        walk.tree()
        if brought is not None and walk.stored < brought.size:
            walk.found(
                "checkpoint_ahead",
                "",
                None,
                f"{brought.size} entries were sealed and signed, the database has {walk.stored} of them:"
                f" leaves {walk.stored} to {brought.size - 1} are gone, as after an old backup",
            )
        walk.entries()
        size = brought.size if brought else 0
        return Judged(brought, walk.walked, walk.tail(size))


class _Walk:
    """One verification of what was sealed.

    ``stored`` is the number of leaves in the stored tree, ``vouched`` how many of them lie under a signed
    root that the stored tree has, ``ranged`` how many the ranges account for without a fault.
    """

    def __init__(
        self, keys: Sequence[VerifierKey], report: Report, using: str, progress: Progress | None
    ) -> None:
        self.stored = self.vouched = self.ranged = self.walked = 0
        self._keys, self._report, self._using, self._progress = keys, report, using, progress
        self._signed: dict[int, bytes] = {}
        self._streams: dict[int, str] = dict(self._rows(_STREAMS))
        self._accounts = {(row[0], row[1]): (row[2], row[3]) for row in self._rows(_ACCOUNTS)}

    def found(self, kind: str, stream: str, seq: int | None, detail: str) -> None:
        """Report something."""
        self._report.add(Finding(kind, stream, seq, detail))

    def brought(self, notes: Iterable[str]) -> Checkpoint | None:
        """The largest checkpoint among the notes; what is not signed is a finding."""
        opened = []
        for number, note in enumerate(notes, start=1):
            try:
                checkpoint = open_checkpoint(note, self._keys)
            except NoteError as exc:
                self.found("checkpoint_not_signed", "", None, f"checkpoint {number}: {exc}")
                continue
            self._sign(checkpoint, "two signed checkpoints of this size differ")
            opened.append(checkpoint)
        return max(opened, key=lambda checkpoint: checkpoint.size, default=None)

    def _sign(self, checkpoint: Checkpoint, objection: str) -> None:
        if self._signed.setdefault(checkpoint.size, checkpoint.root) != checkpoint.root:
            self.found("checkpoint_fork", "", None, f"{objection}: {checkpoint.size} entries")

    def ranges(self) -> None:
        """Walk the ranges up to the first that does not follow."""
        sealed: dict[int, int] = {}
        for row in map(_Range._make, self._rows(_RANGES)):
            name = self._name(row.stream_id)
            if (
                row.position != self.ranged
                or row.first != sealed.get(row.stream_id, 0) + 1
                or row.last < row.first
            ):
                detail = f"the range of leaves from {self.ranged} on is missing, doubled or altered"
                self.found("sealed_range_differs", name, row.first, detail)
                return
            sealed[row.stream_id] = row.last
            self.ranged = row.end

    def tree(self) -> None:
        """Walk the stored tree and see how far signatures vouch for it."""
        growth = Growth()
        for size, previous, root, origin, note, nodes, is_early in self._rows(_TREE, chunk=1):
            if is_early:  # nothing signs when it was; that one came after the other, each says
                detail = f"the checkpoint of {size} entries was sealed no later than the one before"
                self.found("stored_checkpoint_differs", "", None, detail)
            if previous != growth.size:
                self.found("stored_tree_differs", "", None, f"the checkpoint before {size} is not there")
                break
            if not self._grow(growth, size, bytes(nodes)):
                break
            self._compare(Checkpoint(origin, size, bytes(root)), note, growth.root())
        self.stored = growth.size
        if self.stored > self.ranged:
            detail = f"{self.stored} leaves are stored, the ranges account for {self.ranged}"
            self.found("sealed_range_differs", "", None, detail)
        elif self.stored < self.ranged:
            detail = f"the ranges account for {self.ranged} leaves, {self.stored} are stored"
            self.found("stored_tree_differs", "", None, detail)

    def _grow(self, growth: Growth, size: int, nodes: bytes) -> bool:
        """Append a checkpoint's leaves; whether its stored nodes are those they give."""
        before, made = growth.size, b""
        for _ in range(size - growth.size):
            leaf = nodes[len(made) : len(made) + HASH_BYTES]
            if len(leaf) < HASH_BYTES:
                break
            made += b"".join(growth.append(leaf))
            if growth.size in self._signed and self._signed[growth.size] == growth.root():
                self.vouched = growth.size
        if made == nodes and growth.size == size:
            return True
        detail = f"the nodes stored with the checkpoint of {size} entries (from {before + 1} on) do not fit"
        self.found("stored_tree_differs", "", None, detail)
        return growth.size == size

    def _compare(self, row: Checkpoint, note: str, root: bytes) -> None:
        """Compare a checkpoint's row with its note and the tree."""
        said: Checkpoint | None = None
        try:
            said = open_checkpoint(note, self._keys)
            self._sign(said, "the database has another signed checkpoint of this size")
        except UnknownSigner:
            said = _unsigned(note)
        except NoteError as exc:
            self.found("stored_checkpoint_differs", "", None, f"checkpoint of {row.size} entries: {exc}")
            return
        if said != row:
            detail = f"the row of the checkpoint of {row.size} entries is not what its note says"
            self.found("stored_checkpoint_differs", "", None, detail)
        if self._signed.get(row.size, row.root) != root:
            detail = f"the stored tree has not the root that is kept for {row.size} entries"
            self.found("stored_root_differs", "", None, detail)
        elif row.size in self._signed:
            self.vouched = row.size

    def entries(self) -> None:
        """Hash every sealed entry again, and compare it with its leaf and with what was signed."""
        growth, good, is_open = Growth(), 0, True
        total = min(self.stored, self.ranged)
        for position, leaf, (place, derived) in zip(
            range(total), self._leaves(), self._derived(total), strict=False
        ):
            if derived != leaf:
                self._differs(position, place)
            growth.append(derived)
            self.walked += 1
            if growth.size in self._signed and is_open:
                is_open = growth.root() == self._signed[growth.size]
                if is_open:
                    good = growth.size
                elif growth.size > self.vouched:
                    self._window(good, growth.size)
            if self._progress and self.walked % PROGRESS_ENTRIES == 0:
                self._progress("sealed entries", self.walked, total)

    def _differs(self, position: int, place: "_Place") -> None:
        """Report the entry at a leaf it does not have."""
        if position >= self.vouched:
            kind, detail = (
                "leaf_differs",
                "the entry and its stored leaf differ, and nothing vouches for either",
            )
        elif place.times == 0:
            kind, detail = "sealed_entry_missing", "the entry was sealed and is gone"
        elif place.times > 1:
            kind, detail = "sealed_entry_repeated", f"there are {place.times} entries of this number"
        else:
            kind, detail = "sealed_entry_differs", "its values are not those that were sealed"
        self.found(kind, place.stream, place.seq, f"leaf {position}: {detail}")

    def _window(self, good: int, bad: int) -> None:
        """Report the ranges between the last signed root the entries have and the first they have not."""
        for row in map(_Range._make, self._rows(_RANGES)):
            if row.end > good and row.position < bad:
                first = row.first + max(good - row.position, 0)
                last = min(row.last, row.first + bad - row.position - 1)
                detail = (
                    f"not all of entries {first} to {last} are what was signed, leaves {good} to {bad - 1}"
                )
                self.found("sealed_window_differs", self._name(row.stream_id), first, detail)

    def _leaves(self) -> Iterator[bytes]:
        """The stored leaves in order."""
        for size, previous, _, _, _, nodes, _ in self._rows(_TREE, chunk=1):
            blob, at = bytes(nodes), 0
            for position in range(previous, size):
                yield blob[at : at + HASH_BYTES]
                at += HASH_BYTES * (1 + _completed(position))

    def _derived(self, total: int) -> "Iterator[tuple[_Place, bytes]]":
        """What the entry at each leaf gives, hashed from its values; the ranges are sound up to ``total``."""
        entries = groupby(self._rows(_ENTRIES, [total]), key=lambda row: row[0])
        movements = groupby(self._rows(_MOVEMENTS, [total]), key=lambda row: row[0])
        found, moved = next(entries, None), next(movements, None)
        for row in map(_Range._make, self._rows(_RANGES)):
            for position in range(row.position, min(row.end, total)):
                moves: list[MovementRow] = []
                while moved is not None and moved[0] <= position:
                    moves = [MovementRow(*move[1:]) for move in moved[1]]
                    moved = next(movements, None)
                kept: list[EntryRow] = []
                if found is not None and found[0] == position:
                    kept = [EntryRow(*entry[2:]) for entry in found[1]]
                    found = next(entries, None)
                place = _Place(self._name(row.stream_id), row.first + position - row.position, len(kept))
                yield place, self._leaf(row.stream_id, kept, moves)

    def _leaf(self, stream_id: int, kept: Sequence[EntryRow], moves: Iterable[MovementRow]) -> bytes:
        if len(kept) != 1:
            return NO_LEAF
        hashed = [
            HashedMovement(source[0], target[0], source[1], move.amount)
            for move in moves
            if (source := self._accounts.get((stream_id, move.source_id)))
            and (target := self._accounts.get((stream_id, move.target_id)))
        ]
        digest = hashlib.sha256(kept[0].payload.encode()).digest()
        try:
            derived = entry_hash(
                self._streams.get(stream_id, ""), kept[0]._replace(payload_digest=digest), hashed
            )
        except ValueError:
            return NO_LEAF
        return leaf_hash(derived)

    def tail(self, size: int) -> Tail:
        """What lies beyond the first ``size`` leaves."""
        ((entries, since, now),) = self._rows(_TAIL, [size, size])
        return Tail(entries, since, max(now - since, timedelta()) if since else timedelta())

    def _name(self, stream_id: int) -> str:
        return self._streams.get(stream_id, f"stream {stream_id}")

    def _rows(
        self, query: str, parameters: Sequence[Any] = (), chunk: int = CHUNK_ROWS
    ) -> Iterator[tuple[Any, ...]]:
        """Stream a query's rows through a server-side cursor."""
        with connections[self._using].chunked_cursor() as cursor:
            cursor.execute(query, parameters or None)
            while rows := cursor.fetchmany(chunk):
                yield from rows


class _Place(NamedTuple):
    """Where a leaf's entry stands, and how many entries stand there."""

    stream: str
    seq: int
    times: int


def _completed(leaf: int) -> int:
    """How many nodes appending this leaf completes."""
    count = 0
    while leaf & 1:
        leaf >>= 1
        count += 1
    return count


def _unsigned(note: str) -> Checkpoint | None:
    """What a note says whose signer we do not know."""
    try:
        return parse_checkpoint(note.rpartition("\n\n")[0] + "\n")
    except NoteError:
        return None
