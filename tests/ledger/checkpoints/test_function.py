"""What the database itself refuses, whoever calls the sealing function with whatever; and what the sealer
does when the database is not the one it signed for."""

# ruff: noqa: S608 (statements of literals)

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.db.backends.utils import CursorWrapper

from ledger.checkpoints.seal import seal
from ledger.checkpoints.store import Range, entry_hashes, unsealed
from ledger.checkpoints.tree import EMPTY_ROOT, Growth, leaf_hash
from ledger.errors import SealInconsistent
from ledger.models import Checkpoint
from tests.ledger.checkpoints.support import SUPERUSER, Sealer, assert_whole, picture
from tests.ledger.checkpoints.tampering import lift_guards
from tests.ledger.support import as_owner, filled_stream, post, sqlstate_of

CALL = "SELECT ledger_seal(%s, %s, %s, %s, %s, %s, %s, %s::integer[], %s::bigint[], %s::bigint[])"
NAMES = ("old", "old_root", "size", "root", "origin", "note", "nodes", "streams", "firsts", "lasts")


def arguments() -> dict[str, Any]:
    """What a sealer would pass for the first checkpoint after the last."""
    last = Checkpoint.objects.order_by("-size").first()
    waiting = unsealed()
    growth = Growth()
    leaves = [leaf_hash(value) for hashes in entry_hashes(_sealed()) for value in hashes]
    for leaf in leaves:
        growth.append(leaf)
    new = [leaf_hash(value) for hashes in entry_hashes(waiting) for value in hashes]
    nodes = b"".join(node for leaf in new for node in growth.append(leaf))
    with connection.cursor() as cursor:
        cursor.execute("SELECT encode(%s, 'base64')", [growth.root()])
        (root,) = cursor.fetchone()
    values = (
        last.size if last else 0,
        bytes(last.root) if last else EMPTY_ROOT,
        growth.size,
        growth.root(),
        "log",
        f"log\n{growth.size}\n{root}\n\n\u2014 log x\n",
        nodes,
        *map(list, zip(*waiting, strict=True)),
    )
    return dict(zip(NAMES, values, strict=True))


def _sealed() -> list[Range]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT stream_id, seq_from, seq_to FROM ledger_checkpoint_range ORDER BY position")
        return [Range(*row) for row in cursor.fetchall()]


@contextmanager
def superuser() -> Iterator[CursorWrapper]:
    """A superuser's cursor, guards lifted, in a transaction that lets a sealer run inside; rolled back."""
    with transaction.atomic(using=SUPERUSER):
        connections[SUPERUSER].atomic_blocks[-1]._from_testcase = True  # type: ignore[attr-defined]
        with connections[SUPERUSER].cursor() as cursor:
            lift_guards(cursor)
            yield cursor
        transaction.set_rollback(True, using=SUPERUSER)


def _with(**changed: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda given: given | {key: change(given[key]) for key, change in changed.items()}


WRONG = {
    "another size before": ("PL015", _with(old=lambda size: size + 1)),
    "no size before": ("PL015", _with(old=lambda size: None)),
    "another root before": ("PL015", _with(old_root=lambda root: bytes(32))),
    "a size of its own": ("PL016", _with(size=lambda size: size + 1)),
    "no size": ("PL016", _with(size=lambda size: None)),
    "another root than the note's": ("PL016", _with(root=lambda root: bytes(32))),
    "another origin than the note's": ("PL016", _with(origin=lambda origin: "other")),
    "no note": ("PL016", _with(note=lambda note: None)),
    "too few nodes": ("PL016", _with(nodes=lambda nodes: nodes[32:])),
    "too many nodes": ("PL016", _with(nodes=lambda nodes: nodes + bytes(32))),
    "other leaves": ("PL016", _with(nodes=lambda nodes: bytes([nodes[0] ^ 1]) + nodes[1:])),
    "no ranges": ("PL016", _with(streams=lambda s: [], firsts=lambda s: [], lasts=lambda s: [])),
    "half a range": ("PL016", _with(lasts=lambda lasts: lasts[1:])),
    "a range that begins late": ("PL016", _with(firsts=lambda f: [f[0] + 1, f[1] - 1])),
    "a range that ends late": ("PL016", _with(lasts=lambda last: [last[0] + 1, last[1] - 1])),
    "a stream twice": ("PL016", _with(streams=lambda s: [s[0], s[0]])),
    "a stream that is not there": ("PL016", _with(streams=lambda s: [s[0], 999_999])),
    "streams exchanged": ("PL016", _with(streams=lambda s: s[::-1])),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_next_checkpoint_is_refused(sealer: Sealer, case: str) -> None:
    sealer.seal()
    filled_stream()
    filled_stream()
    before = picture()
    state, change = WRONG[case]
    with connection.cursor() as cursor:
        assert sqlstate_of(cursor, CALL, list(change(arguments()).values())) == state
    assert picture() == before
    sealer.seal()
    assert_whole(sealer)


def test_the_right_one_is_taken_and_only_once(sealer: Sealer) -> None:
    sealer.seal()
    filled_stream()
    before = picture()
    right = list(arguments().values())
    with transaction.atomic(), connection.cursor() as cursor:
        assert sqlstate_of(cursor, CALL, right) is None
        assert sqlstate_of(cursor, CALL, right) == "PL015"
        transaction.set_rollback(True)
    assert picture() == before


def test_sealing_needs_read_committed(sealer: Sealer) -> None:
    sealer.seal()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        assert sqlstate_of(cursor, "SELECT ledger_lock_sealing()") == "PL001"


@pytest.mark.parametrize("table", ["ledger_checkpoint", "ledger_checkpoint_range"])
def test_the_owner_is_refused_by_the_guards(sealer: Sealer, table: str) -> None:
    filled_stream()
    sealer.seal()
    before = picture()
    for statement in (
        f"UPDATE {table} SET {'size' if table == 'ledger_checkpoint' else 'position'} = 0",
        f"DELETE FROM {table}",
        f"TRUNCATE {table}",
        f"INSERT INTO {table} SELECT * FROM {table} LIMIT 0",
    ):
        with as_owner() as cursor:
            assert sqlstate_of(cursor, statement) == "PL013", statement
    assert picture() == before


def test_a_sealer_does_not_run_inside_a_transaction(sealer: Sealer) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        sealer.seal()


def test_a_database_that_went_back_is_not_signed(sealer: Sealer) -> None:
    stream = filled_stream()
    sealer.seal()
    post(stream, ("cage", "tray", 1))
    sealer.seal()
    published = sealer.folder.latest()
    with superuser() as cursor:
        cursor.execute("DELETE FROM ledger_checkpoint WHERE size = (SELECT max(size) FROM ledger_checkpoint)")
        cursor.execute(
            "DELETE FROM ledger_checkpoint_range WHERE position = (SELECT max(size) FROM ledger_checkpoint)"
        )
        with pytest.raises(SealInconsistent, match="restored from an older copy"):
            seal(keys=sealer.keys, folder=sealer.folder, using=SUPERUSER)
    assert sealer.folder.latest() == published


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("note = replace(note, origin, 'x')", "no known key"),
        ("root = sha256(root)", "not what was signed"),
        ("nodes = ''", "gap"),
        ("nodes = decode(repeat('00', octet_length(nodes)), 'hex')", "not the one that was"),
    ],
)
@pytest.mark.parametrize("is_folder_lost", [False, True])
def test_a_tree_that_was_altered_is_not_continued(
    sealer: Sealer, tmp_path: Path, change: str, message: str, is_folder_lost: bool
) -> None:
    stream = filled_stream()
    sealer.seal()
    post(stream, ("cage", "tray", 1))
    folder = type(sealer.folder)(tmp_path) if is_folder_lost else sealer.folder
    published = sealer.folder.latest()
    with superuser() as cursor:
        cursor.execute(f"UPDATE ledger_checkpoint SET {change}")
        with pytest.raises(SealInconsistent, match=message):
            seal(keys=sealer.keys, folder=folder, using=SUPERUSER)
    assert sealer.folder.latest() == published
    assert folder.latest() in (None, published)


def test_a_stream_with_a_gap_is_sealed_up_to_it_and_the_others_as_a_whole(sealer: Sealer) -> None:
    gap, whole = filled_stream(), filled_stream()
    sealer.seal()
    for _ in range(3):
        post(gap)
        post(whole)
    with superuser() as cursor:
        cursor.execute(
            "DELETE FROM ledger_entry e USING ledger_stream s WHERE s.id = e.stream_id AND s.name = %s"
            " AND seq = 4 RETURNING s.id",
            [gap],
        )
        (stream_id,) = cursor.fetchone()
        sealed = seal(keys=sealer.keys, folder=type(sealer.folder)(sealer.home / "aside"), using=SUPERUSER)
        assert (sealed.appended, sealed.broken) == (4, (stream_id,))
    assert sealer.seal().appended == 6


def test_other_database_errors_are_not_dressed_up(sealer: Sealer) -> None:
    filled_stream()
    with superuser() as cursor:
        cursor.execute("ALTER TABLE ledger_checkpoint ADD CONSTRAINT never CHECK (size < 0) NOT VALID")
        with pytest.raises(DatabaseError):
            seal(keys=sealer.keys, folder=sealer.folder, using=SUPERUSER)
