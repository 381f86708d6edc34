"""What a database superuser can do to a journal that is sealed, hashes recomputed where that helps.

Every act leaves a journal that is sound in itself: ``verify_journal`` alone finds nothing. Only a checkpoint
kept elsewhere tells.
"""

# ruff: noqa: S608 (statements of literals)

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from django.db import connections
from django.db.backends.utils import CursorWrapper

from ledger.checkpoints.note import SignerKey
from ledger.checkpoints.tree import Growth, leaf_hash
from ledger.verify import NO_HASH, AccountRow, EntryRow, HashedMovement, entry_hash
from ledger.verify_journal import ENTRY_COLUMNS
from tests.ledger.checkpoints.support import SUPERUSER

TABLES = (
    *("ledger_stream", "ledger_head", "ledger_account", "ledger_entry", "ledger_movement"),
    *("ledger_checkpoint", "ledger_checkpoint_range"),
)
PUT_BY = 1_000_000  # out of the way of unique keys while rows are renumbered


@dataclass(frozen=True)
class Act:
    """A tampering with stream ``s`` (its id), and the findings by type with the entries they must name."""

    name: str
    change: Callable[[CursorWrapper, int], None]
    found: dict[str, set[int | None]]


def lift_guards(cursor: CursorWrapper) -> None:
    """What a superuser does first."""
    for table in TABLES:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")


def rechain(cursor: CursorWrapper, stream_id: int) -> None:
    """Hash the whole stream again, and bring head and balances in line with its entries."""
    cursor.execute("SELECT name FROM ledger_stream WHERE id = %s", [stream_id])
    (name,) = cursor.fetchone()
    cursor.execute(
        "SELECT id, name, asset, floor, balance, opened_seq FROM ledger_account WHERE stream_id = %s",
        [stream_id],
    )
    accounts = {row[0]: AccountRow(*row) for row in cursor.fetchall()}
    cursor.execute(
        "SELECT seq, source_id, target_id, amount FROM ledger_movement"
        " WHERE stream_id = %s ORDER BY seq, line",
        [stream_id],
    )
    moves = cursor.fetchall()
    cursor.execute(
        f"SELECT {ENTRY_COLUMNS} FROM ledger_entry e WHERE stream_id = %s ORDER BY seq", [stream_id]
    )
    last = NO_HASH
    for entry in map(EntryRow._make, cursor.fetchall()):
        hashed = [
            HashedMovement(accounts[source].name, accounts[target].name, accounts[source].asset, amount)
            for seq, source, target, amount in moves
            if seq == entry.seq
        ]
        digest = entry_hash(name, entry._replace(previous_hash=last), hashed)
        cursor.execute(
            "UPDATE ledger_entry SET previous_hash = %s, hash = %s WHERE stream_id = %s AND seq = %s",
            [last, digest, stream_id, entry.seq],
        )
        last = digest
    cursor.execute(
        "UPDATE ledger_head h SET (seq, hash, recorded_at) ="
        " (SELECT seq, hash, recorded_at FROM ledger_entry e"
        " WHERE e.stream_id = h.stream_id ORDER BY seq DESC LIMIT 1) WHERE stream_id = %s",
        [stream_id],
    )
    cursor.execute(
        "UPDATE ledger_account a SET balance ="
        " (SELECT coalesce(sum(amount), 0) FROM ledger_movement m WHERE m.target_id = a.id)"
        " - (SELECT coalesce(sum(amount), 0) FROM ledger_movement m WHERE m.source_id = a.id)"
        " WHERE stream_id = %s",
        [stream_id],
    )


def _renumber(cursor: CursorWrapper, stream_id: int, renumbered: str, where: str) -> None:
    """Give entries, their movements and what they opened other numbers; ``renumbered`` is said of ``n``."""
    for table, column in (
        ("ledger_entry", "seq"),
        ("ledger_movement", "seq"),
        ("ledger_account", "opened_seq"),
    ):
        new = renumbered.replace("n", column)
        chosen = f"stream_id = {stream_id} AND {where.replace('n', column)}"
        cursor.execute(f"UPDATE {table} SET {column} = {new} + {PUT_BY} WHERE {chosen}")
        cursor.execute(f"UPDATE {table} SET {column} = {column} - {PUT_BY} WHERE {column} > {PUT_BY}")


def _swap(cursor: CursorWrapper, s: int) -> None:
    """Entries 3 and 4 change places, with their times."""
    _renumber(cursor, s, "(7 - n)", "n IN (3, 4)")
    cursor.execute(
        "UPDATE ledger_entry e SET recorded_at = o.recorded_at, occurred_at = o.occurred_at"
        " FROM ledger_entry o"
        " WHERE e.stream_id = %s AND o.stream_id = e.stream_id AND e.seq IN (3, 4) AND o.seq = 7 - e.seq",
        [s],
    )


def _delete_last(cursor: CursorWrapper, s: int) -> None:
    for table in ("ledger_entry", "ledger_movement"):
        cursor.execute(f"DELETE FROM {table} WHERE stream_id = %s AND seq > 4", [s])
    cursor.execute("DELETE FROM ledger_account WHERE stream_id = %s AND opened_seq > 4", [s])


def _delete_one(cursor: CursorWrapper, s: int) -> None:
    cursor.execute("DELETE FROM ledger_entry WHERE stream_id = %s AND seq = 4", [s])
    _renumber(cursor, s, "(n - 1)", "n > 4")


def _insert_one(cursor: CursorWrapper, s: int) -> None:
    _renumber(cursor, s, "(n + 1)", "n > 3")
    cursor.execute(
        "INSERT INTO ledger_entry SELECT 4, recorded_at + interval '1 us', occurred_at, stream_id,"
        " hash_version, uuidv4(), uuidv4(), actor, NULL, NULL, kind, payload, payload_digest, hash, hash"
        " FROM ledger_entry WHERE stream_id = %s AND seq = 3",
        [s],
    )


def _rewrite(cursor: CursorWrapper, s: int) -> None:
    """Other people did it, and the fill was smaller."""
    cursor.execute("UPDATE ledger_entry SET actor = %s WHERE stream_id = %s", [uuid4(), s])
    cursor.execute("UPDATE ledger_movement SET amount = amount - 7 WHERE stream_id = %s AND seq = 2", [s])


def _rewrite_with_leaves(cursor: CursorWrapper, s: int) -> None:
    """Rewrite a stream and the tree with it; the roots cannot be signed."""
    _rewrite(cursor, s)
    rechain(cursor, s)
    reseal(cursor)


def _rewrite_and_sign(cursor: CursorWrapper, s: int) -> None:
    """Rewrite a stream and the tree, and sign all checkpoints with a key of one's own."""
    _rewrite(cursor, s)
    rechain(cursor, s)
    reseal(cursor, SignerKey("pitledger.invalid/journal/other", bytes(32)))


def reseal(cursor: CursorWrapper, signer: SignerKey | None = None) -> None:
    """Make the stored tree that of the entries as they are now."""
    cursor.execute(
        "SELECT e.hash FROM ledger_checkpoint_range r JOIN ledger_entry e ON e.stream_id = r.stream_id"
        " AND e.seq BETWEEN r.seq_from AND r.seq_to ORDER BY r.position, e.seq"
    )
    leaves = [leaf_hash(bytes(row[0])) for row in cursor.fetchall()]
    cursor.execute("SELECT previous_size, size, origin FROM ledger_checkpoint ORDER BY size")
    growth = Growth()
    for previous, size, origin in cursor.fetchall():
        nodes = b"".join(node for leaf in leaves[previous:size] for node in growth.append(leaf))
        name = signer.name if signer else origin
        cursor.execute(
            "UPDATE ledger_checkpoint SET nodes = %s, root = %s, origin = %s WHERE size = %s",
            [nodes, growth.root(), name, size],
        )
        if signer:
            cursor.execute(
                "UPDATE ledger_checkpoint SET note = %s WHERE size = %s",
                [signer.sign(f"{name}\n{size}\n{_base64(growth.root())}\n"), size],
            )


def _base64(value: bytes) -> str:
    with connections[SUPERUSER].cursor() as cursor:
        cursor.execute("SELECT encode(%s, 'base64')", [value])
        text: str = cursor.fetchone()[0]
        return text


ALL = set(range(1, 8))
ACTS = [
    Act("swap two entries", _swap, {"sealed_entry_differs": {3, 4, 5, 6, 7}}),
    Act("delete the last 3", _delete_last, {"sealed_entry_missing": {5, 6, 7}}),
    Act(
        "delete one in the middle",
        _delete_one,
        {"sealed_entry_differs": {4, 5, 6}, "sealed_entry_missing": {7}},
    ),
    Act("insert one in the middle", _insert_one, {"sealed_entry_differs": {4, 5, 6, 7}}),
    Act("rewrite a whole stream, hashes recomputed", _rewrite, {"sealed_entry_differs": {*ALL}}),
    Act(
        "rewrite a stream and the stored tree",
        _rewrite_with_leaves,
        {"sealed_window_differs": {1}, "stored_checkpoint_differs": {None}},
    ),
    Act(
        "rewrite a stream and the tree, sign with another key",
        _rewrite_and_sign,
        {"sealed_window_differs": {1}, "stored_root_differs": {None}},
    ),
]
