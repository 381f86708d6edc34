"""Sealing: everything once, in order, signed, published; and nothing that does not continue the last note."""

import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ledger.checkpoints.note import Checkpoint as Said
from ledger.checkpoints.note import open_checkpoint
from ledger.checkpoints.proof import check_consistency, check_inclusion
from ledger.checkpoints.prove import prove_consistency, prove_entry
from ledger.checkpoints.publish import LATEST
from ledger.checkpoints.seal import publish_lost
from ledger.models import Checkpoint, CheckpointRange, Entry
from tests.ledger.checkpoints.support import Sealer, assert_whole, picture, sealed_hashes
from tests.ledger.support import filled_stream, new_stream, post


def test_everything_is_sealed_once_and_published(sealer: Sealer) -> None:
    first, second = filled_stream(), filled_stream()
    sealed = sealer.seal()
    assert (sealed.size, sealed.appended) == (Entry.objects.count(), sealed.size)
    assert_whole(sealer)
    post(second, ("cage", "seat:1", 5))
    post(first, ("cage", "seat:1", 5))
    post(second, ("cage", "seat:1", 5))
    before = list(CheckpointRange.objects.values_list("position", flat=True))
    again = sealer.seal()
    assert (again.appended, again.published, again.broken) == (3, 1, ())
    new = CheckpointRange.objects.exclude(position__in=before)
    assert [(row.stream.name, row.seq_from, row.seq_to) for row in new] == [(first, 3, 3), (second, 3, 4)]
    assert_whole(sealer)
    last = Checkpoint.objects.latest("size")
    assert open_checkpoint(last.note, sealer.known) == Said(last.origin, last.size, bytes(last.root))


def test_nothing_new_makes_no_checkpoint(sealer: Sealer) -> None:
    new_stream()
    sealer.seal()
    before = picture()
    assert sealer.seal().appended == 0
    assert picture() == before


def test_a_backlog_is_sealed_in_pieces(sealer: Sealer) -> None:
    sealer.seal()
    streams = [filled_stream() for _ in range(3)]
    for stream in streams * 2:
        post(stream, ("cage", "tray", 1))
    sealed = sealer.seal(leaf_limit=5)
    assert (sealed.appended, sealed.published) == (12, 3)
    assert [row.size - row.previous_size for row in Checkpoint.objects.order_by("-size")[:3]] == [2, 5, 5]
    assert_whole(sealer)


def test_every_entry_and_every_pair_is_proved(sealer: Sealer) -> None:
    stream = filled_stream()
    for _ in range(5):
        post(stream, ("cage", "tray", 1))
        sealer.seal()
    for entry in Entry.objects.all():
        proof = prove_entry(entry.id)
        assert proof is not None
        checkpoint = check_inclusion(proof.text, entry_hash=bytes(entry.hash), keys=sealer.known)
        assert sealed_hashes()[proof.index] == bytes(entry.hash)
        assert checkpoint.size == Entry.objects.count()
    rows = list(Checkpoint.objects.order_by("size"))
    for number, old in enumerate(rows):
        for new in rows[number:]:
            text = prove_consistency(old=old.size, new=new.size).text
            assert check_consistency(text, old_note=old.note, keys=sealer.known).size == new.size


def test_the_lost_folder_is_written_again(sealer: Sealer) -> None:
    filled_stream()
    sealer.seal()
    shutil.rmtree(sealer.folder.path)
    assert sealer.seal().published == Checkpoint.objects.count()
    assert_whole(sealer)


def test_single_files_that_are_lost_are_written_again(sealer: Sealer) -> None:
    """And only those: nothing that is there is touched, and nothing that nobody has signed is written."""
    for _ in range(3):
        filled_stream()
        sealer.seal()
    first, *_, last = Checkpoint.objects.order_by("size")
    lost = [sealer.folder.place(row) for row in (first, last)]
    times = {path: path.stat().st_mtime_ns for path in sealer.folder.path.rglob("*.checkpoint")}
    for path in lost:
        path.unlink()
    assert sealer.seal().published == 0, "the sealer looks at the last one"
    assert publish_lost(keys=sealer.keys, folder=sealer.folder) == 2
    assert publish_lost(keys=sealer.keys, folder=sealer.folder) == 0
    assert_whole(sealer)
    assert all(path.stat().st_mtime_ns == time for path, time in times.items() if path not in lost)
    lost[0].unlink()
    stranger = Sealer(sealer.home / "stranger")
    assert publish_lost(keys=stranger.keys, folder=sealer.folder) == 0
    assert not lost[0].exists()
    assert publish_lost(keys=sealer.keys, folder=sealer.folder) == 1


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow: the system refuses this process every byte."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_folder_keeps_nothing_from_being_sealed(sealer: Sealer) -> None:
    """What is in the folder stays whole, the database has the checkpoint, and the next run publishes it."""
    filled_stream()
    sealer.seal()
    latest, files = sealer.folder.latest(), sorted(sealer.folder.path.rglob("*"))
    for _ in range(2):
        filled_stream()
        with full_disk(), pytest.raises(OSError):
            sealer.seal()
        assert Checkpoint.objects.latest("size").size == Entry.objects.count()
        assert sealer.folder.latest() == latest
        assert sorted(sealer.folder.path.rglob("*")) == files, "no draft is left behind"
    assert sealer.seal().published == 2
    (sealer.folder.path / LATEST).write_text(latest or "")  # as an older copy of the folder would have it
    assert sealer.seal().published == 2
    assert_whole(sealer)
