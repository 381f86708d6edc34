"""The tamper matrix: a superuser does everything to a sealed journal; all of it is named, by type and place.

Each tampering is made as PostgreSQL's superuser, guards switched off, and rolled back. The journal is judged
as ``verify_journal --checkpoint`` does, by the checkpoint exported last. The table is printed, and kept in
``build/tamper_matrix.txt``.
"""

# ruff: noqa: S608 (statements of literals)

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.backends.utils import CursorWrapper

from config.env import BASE_DIR
from ledger.models import Account, Checkpoint, Stream
from ledger.verify import Finding
from ledger.verify_checkpoint import verify_checkpoint
from ledger.verify_journal import Report, verify_journal
from tests.ledger import snapshots
from tests.ledger.checkpoints.support import SUPERUSER, Sealer
from tests.ledger.checkpoints.tampering import ACTS, lift_guards, rechain
from tests.ledger.snapshots import LOST
from tests.ledger.support import new_stream, post
from tests.ledger.test_statements import long_stream
from tests.ledger.test_tampering import CASES, LIFT, tampered_stream

UNHASHED = {("ledger_entry", "hash"), ("ledger_entry", "payload_digest"), ("ledger_movement", "line")}
"""Fields that can change without a leaf changing: the entry's own checks name them."""
LIFT_SEALS = """
    ALTER TABLE ledger_checkpoint DROP CONSTRAINT ledger_checkpoint_no_fork;
    ALTER TABLE ledger_checkpoint_range DROP CONSTRAINT ledger_checkpoint_range_forwards"""

SEALS = [
    ("ledger_checkpoint", "size", "size + 1000", "last", "stored_tree_differs"),
    ("ledger_checkpoint", "previous_size", "previous_size - 1", "last", "stored_tree_differs"),
    ("ledger_checkpoint", "root", "sha256(root)", "last", "stored_checkpoint_differs"),
    ("ledger_checkpoint", "root", "sha256(root)", "first", "stored_checkpoint_differs"),
    ("ledger_checkpoint", "origin", "'other'", "last", "stored_checkpoint_differs"),
    ("ledger_checkpoint", "note", "note || ' '", "last", "stored_checkpoint_differs"),
    ("ledger_checkpoint", "note", "replace(note, origin, 'other')", "last", "stored_checkpoint_differs"),
    (
        "ledger_checkpoint",
        "nodes",
        "set_byte(nodes, 0, 255 - get_byte(nodes, 0))",
        "last",
        "leaf_differs",
    ),
    (
        "ledger_checkpoint",
        "nodes",
        "set_byte(nodes, 64, 255 - get_byte(nodes, 64))",
        "first",
        "stored_tree_differs",
    ),
    ("ledger_checkpoint", "nodes", "substring(nodes FROM 33)", "last", "stored_tree_differs"),
    ("ledger_checkpoint", "nodes", "nodes || nodes", "last", "stored_tree_differs"),
    (
        "ledger_checkpoint",
        "sealed_at",
        "sealed_at - interval '1 day'",
        "last",
        "stored_checkpoint_differs",
    ),
    ("ledger_checkpoint", "sealed_at", "'infinity'", "last", "stored_checkpoint_differs"),
    (
        "ledger_checkpoint",
        "sealed_at",
        "sealed_at + interval '1 day'",
        "first",
        "stored_checkpoint_differs",
    ),
    ("ledger_checkpoint_range", "position", "position + 1", "last", "sealed_range_differs"),
    ("ledger_checkpoint_range", "seq_from", "seq_from + 1", "last", "sealed_range_differs"),
    ("ledger_checkpoint_range", "seq_to", "seq_to - 1", "last", "sealed_range_differs"),
    ("ledger_checkpoint_range", "stream_id", "stream_id + 1000", "last", "sealed_range_differs"),
]
"""(table, field, value, which row, finding). Nothing signs sealed_at, which is the sealer's own word: that it
grows from checkpoint to checkpoint is all that can be held against it."""


@dataclass(frozen=True)
class Place:
    """The streams to tamper with, and the checkpoint that was exported."""

    sealer: Sealer
    stream: str
    other: str
    exported: Path

    @property
    def ids(self) -> dict[str, int]:
        """Ids for the statements of the cases."""
        ids = dict(Stream.objects.filter(name__in=[self.stream, self.other]).values_list("name", "id"))
        return {"s": ids[self.stream], "t": ids[self.other]}

    def judge(self) -> list[Finding]:
        """All that ``verify_journal --checkpoint`` finds."""
        report = verify_journal(using=SUPERUSER)
        notes = [self.exported.read_text()]
        verify_checkpoint(notes=notes, keys=self.sealer.known, report=report, using=SUPERUSER)
        assert report.finding_count == len(report.findings)
        return report.findings


@pytest.fixture
def place(sealer: Sealer, tmp_path: Path) -> Place:
    """Two sealed streams."""
    stream, other = tampered_stream(), new_stream()
    sealer.seal()
    post(other)
    sealer.seal()
    exported = tmp_path / "exported.checkpoint"
    exported.write_text(sealer.folder.latest() or "")
    return Place(sealer, stream, other, exported)


@contextmanager
def as_superuser() -> Iterator[CursorWrapper]:
    """A cursor that may do anything, in a transaction that is rolled back."""
    with transaction.atomic(using=SUPERUSER), connections[SUPERUSER].cursor() as cursor:
        lift_guards(cursor)
        yield cursor
        transaction.set_rollback(True, using=SUPERUSER)


class Matrix:
    """The table: each tampering with what was found, and what was not."""

    def __init__(self, place: Place) -> None:
        self.place, self.lines, self.missed = place, list[str](), list[str]()
        ids = place.ids
        self.places = {place.stream, place.other, "", "table:renamed", f"stream {ids['s']}"}

    def enter(self, name: str, findings: list[Finding], missing: set[str]) -> None:
        """Enter a tampering. ``missing`` is what should have been found and was not."""
        elsewhere = {finding.stream for finding in findings} - self.places
        if missing or elsewhere or not findings:
            self.missed.append(f"{name}: {missing or elsewhere or 'nothing found'}")
        by_type: dict[str, list[str]] = {}
        for finding in findings:
            by_type.setdefault(finding.type, []).append("-" if finding.seq is None else str(finding.seq))
        found = "; ".join(f"{kind} {','.join(dict.fromkeys(seqs))}" for kind, seqs in by_type.items())
        self.lines.append(f"{'MISSED' if missing else 'found '}  {name:<62}  {found}")

    def close(self, name: str) -> None:
        """Print and keep the table; nothing may be missed."""
        total = len(self.lines)
        text = "\n".join([f"{name}: {total - len(self.missed)} of {total} found", *self.lines, ""])
        print(text)
        folder = BASE_DIR / "build"
        folder.mkdir(exist_ok=True)
        (folder / f"tamper_matrix_{name}.txt").write_text(text)
        assert not self.missed
        assert self.place.judge() == [], "every tampering was rolled back"


def test_every_field_of_every_journal_table(place: Place) -> None:
    matrix, ids = Matrix(place), place.ids
    for case in CASES:
        change = case.change.format(**ids)
        with as_superuser() as cursor:
            cursor.execute(LIFT[case.table])
            cursor.execute(change)
            assert cursor.rowcount > 0, change
            findings = place.judge()
        types = {finding.type for finding in findings}
        missing = case.found - types
        sealed = {finding.type for finding in findings if finding.type.startswith("sealed_")}
        is_hashed = (
            case.table in ("ledger_entry", "ledger_movement") and (case.table, case.column) not in UNHASHED
        )
        appended = case.column is None and "INSERT INTO ledger_entry" in change
        if is_hashed and not appended and not sealed:
            missing = missing | {"sealed_..."}
        matrix.enter(" ".join(change.replace("ledger_", "").split())[:62], findings, missing)
    matrix.close("fields")


def test_every_field_of_what_is_sealed(place: Place) -> None:
    matrix = Matrix(place)
    matrix.places |= {*Stream.objects.values_list("name", flat=True)}
    for table, column, value, which, expected in SEALS:
        key = "size" if table == "ledger_checkpoint" else "position"
        edge = "max" if which == "last" else "min"
        with as_superuser() as cursor:
            cursor.execute(LIFT_SEALS)
            cursor.execute(
                f"UPDATE {table} SET {column} = {value} WHERE {key} = (SELECT {edge}({key}) FROM {table})"
            )
            assert cursor.rowcount == 1
            findings = place.judge()
            if table == "ledger_checkpoint_range" and column == "stream_id":
                cursor.execute(f"SELECT {edge}(stream_id) FROM {table}")
                matrix.places.add(f"stream {cursor.fetchone()[0]}")
        missing = {expected} - {finding.type for finding in findings}
        matrix.enter(f"{table.removeprefix('ledger_')}.{column} = {value} ({which})", findings, missing)
    for table in ("ledger_checkpoint", "ledger_checkpoint_range"):
        for which in ("max", "min"):
            key = "size" if table == "ledger_checkpoint" else "position"
            with as_superuser() as cursor:
                cursor.execute(f"DELETE FROM {table} WHERE {key} = (SELECT {which}({key}) FROM {table})")
                findings = place.judge()
            missing = set() if any(f.type.endswith("_differs") for f in findings) else {"..._differs"}
            matrix.enter(f"delete {which} of {table.removeprefix('ledger_')}", findings, missing)
    matrix.close("seals")


def test_every_column_of_the_seals_is_tampered_with(sealer: Sealer) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_name IN ('ledger_checkpoint', 'ledger_checkpoint_range')"
        )
        assert {*cursor.fetchall()} == {(row[0], row[1]) for row in SEALS}


def test_histories_that_are_sound_in_themselves(place: Place) -> None:
    """Hashes, links, head and balances all fit, so only the checkpoint tells."""
    matrix, s = Matrix(place), place.ids["s"]
    for act in ACTS:
        with as_superuser() as cursor:
            act.change(cursor, s)
            rechain(cursor, s)
            assert verify_journal(using=SUPERUSER).findings == [], act.name
            findings = place.judge()
        named = {
            kind: {f.seq for f in findings if f.type == kind and f.stream in (place.stream, "")}
            for kind in act.found
        }
        missing = {kind for kind, seqs in act.found.items() if named[kind] != seqs}
        if "window" in str(act.found):
            matrix.places |= {
                finding.stream for finding in findings if finding.type == "sealed_window_differs"
            }
        matrix.enter(act.name, findings, missing)
    matrix.close("histories")


def test_an_old_backup(place: Place) -> None:
    """All tables as they were before the last seal; the exported checkpoint is younger."""
    matrix = Matrix(place)
    for gone in (1, 3):
        sizes = list(Checkpoint.objects.order_by("-size").values_list("size", flat=True)[: gone + 1])
        with as_superuser() as cursor:
            restore(cursor, sizes[-1])
            assert verify_journal(using=SUPERUSER).findings == []
            findings = place.judge()
        named = [finding.detail for finding in findings if finding.type == "checkpoint_ahead"]
        is_named = len(named) == 1 and f"leaves {sizes[-1]} to {sizes[0] - 1} are gone" in named[0]
        matrix.enter(
            f"restore a backup, {gone} checkpoints old", findings, set() if is_named else {"checkpoint_ahead"}
        )
    matrix.close("backups")


def restore(cursor: CursorWrapper, size: int) -> None:
    """Leave what there was when ``size`` entries were sealed, and nothing else had been posted."""
    cursor.execute("DELETE FROM ledger_checkpoint WHERE size > %s", [size])
    cursor.execute("DELETE FROM ledger_checkpoint_range WHERE position >= %s", [size])
    cursor.execute(
        "SELECT s.id, coalesce(max(r.seq_to), 0) FROM ledger_stream s"
        " LEFT JOIN ledger_checkpoint_range r ON r.stream_id = s.id GROUP BY s.id"
    )
    for stream_id, last in cursor.fetchall():
        cursor.execute("DELETE FROM ledger_movement WHERE stream_id = %s AND seq > %s", [stream_id, last])
        cursor.execute(
            "DELETE FROM ledger_entry WHERE stream_id = %s AND seq > %s RETURNING seq", [stream_id, last]
        )
        if not cursor.fetchall():
            continue
        cursor.execute(
            "DELETE FROM ledger_account WHERE stream_id = %s AND opened_seq > %s", [stream_id, last]
        )
        if last:
            rechain(cursor, stream_id)
        else:
            cursor.execute("DELETE FROM ledger_head WHERE stream_id = %s", [stream_id])
            cursor.execute("DELETE FROM ledger_stream WHERE id = %s", [stream_id])


def test_what_is_not_sealed_is_a_window(place: Place) -> None:
    """Beyond the checkpoint a rewritten tail is not seen, and that is what the report says."""
    post(place.other)
    post(place.other)
    out = StringIO()
    key = next(place.sealer.keys.public_folder.glob("*.pub"))
    with as_superuser() as cursor:
        cursor.execute("DELETE FROM ledger_entry WHERE stream_id = %s AND seq = 4", [place.ids["t"]])
        rechain(cursor, place.ids["t"])
        report = Report()
        notes = [place.exported.read_text()]
        judged = verify_checkpoint(notes=notes, keys=place.sealer.known, report=report, using=SUPERUSER)
    assert report.findings == []
    assert judged.tail.entries == 1
    call_command("verify_journal", checkpoint=[place.exported], key=[key], stdout=out, stderr=StringIO())
    assert "not under it: 2, since" in out.getvalue()


def test_every_field_of_every_snapshot(place: Place) -> None:
    """No hash covers a snapshot: each is derived again from the movements, and nothing else is found.

    It comes last, for its stream is a long one, and every test judges all there is.
    """
    matrix, long = Matrix(place), long_stream()
    matrix.places.add(long)
    names = {"tray": (long, "tray"), "rare": (long, "rare"), "still": (long, "cash:patrons")}
    names["elsewhere"] = (place.other, "tray")
    ids = {key: Account.objects.get(stream__name=name[0], name=name[1]).pk for key, name in names.items()}
    for case in snapshots.CASES:
        change = case.change.format(**ids)
        with as_superuser() as cursor:
            cursor.execute(snapshots.LIFT)
            cursor.execute(change)
            assert cursor.rowcount > 0, change
            findings = verify_journal(using=SUPERUSER).findings
        named = {(finding.type, finding.seq) for finding in findings if finding.stream == long}
        others = {(finding.type, finding.seq) for finding in findings if finding.stream != long}
        elsewhere = {finding.stream for finding in findings} - {long}
        assert elsewhere <= {place.other if "elsewhere" in case.change else LOST}
        missing = {str(each) for each in (named ^ case.found) | (others ^ case.others)}
        name = case.change.replace("ledger_", "").replace("{", "").replace("}", "")
        matrix.enter(" ".join(name.split())[:62], findings, missing)
    matrix.close("snapshots")
