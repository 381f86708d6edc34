"""A sealer of the tests' own: its home, its keys, and what it has published."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection

from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.note import VerifierKey
from ledger.checkpoints.publish import ENDING, Folder
from ledger.checkpoints.seal import Sealed, seal
from ledger.checkpoints.tree import leaf_hash, root_over
from ledger.models import Checkpoint, CheckpointRange, Entry

SUPERUSER = "superuser"
"""Alias of whoever may do anything to the tests' database."""


@dataclass(frozen=True)
class Sealer:
    """The sealer of the tests' database, whose home is this folder."""

    home: Path

    @property
    def keys(self) -> KeyStore:
        """Its keys."""
        return KeyStore(self.home)

    @property
    def folder(self) -> Folder:
        """What it publishes to."""
        return Folder(self.home / "checkpoints")

    @property
    def known(self) -> list[VerifierKey]:
        """Its public keys."""
        return self.keys.verifiers()

    def seal(self, **options: Any) -> Sealed:
        """Seal and publish."""
        return seal(keys=self.keys, folder=self.folder, **options)


def sealed_hashes() -> list[bytes]:
    """The hashes of all sealed entries in the order of the leaves."""
    return [
        bytes(entry.hash)
        for row in CheckpointRange.objects.order_by("position")
        for entry in Entry.objects.filter(
            stream=row.stream_id, seq__gte=row.seq_from, seq__lte=row.seq_to
        ).order_by("seq")
    ]


def assert_whole(sealer: Sealer) -> None:
    """Everything is sealed once, every checkpoint has the root of its leaves and is published as it is."""
    hashes = sealed_hashes()
    assert len(hashes) == len(set(hashes)) == Entry.objects.count()
    leaves = [leaf_hash(value) for value in hashes]
    previous = 0
    for row in Checkpoint.objects.order_by("size"):
        assert row.previous_size == previous
        assert bytes(row.root) == root_over(leaves[: row.size])
        assert sealer.folder.place(row).read_text() == row.note
        previous = row.size
    assert previous == len(leaves)
    last = Checkpoint.objects.latest("size")
    assert sealer.folder.latest() == last.note
    files = [path for path in sealer.folder.path.rglob("*") if path.is_file()]
    assert len(files) == 1 + Checkpoint.objects.count()
    assert {path.suffix for path in files if path.name != "latest"} == {ENDING}


def picture() -> dict[str, Any]:
    """Everything that is sealed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT size, note, encode(nodes, 'hex'), sealed_at FROM ledger_checkpoint ORDER BY size"
        )
        checkpoints = cursor.fetchall()
        cursor.execute("SELECT * FROM ledger_checkpoint_range ORDER BY position")
        return {"checkpoints": checkpoints, "ranges": cursor.fetchall()}
