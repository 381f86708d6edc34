"""Seals as the worker makes and watches them: what goes wrong is a finding, what goes well is none."""

import shutil
from pathlib import Path

import pytest
from django.test import override_settings

from audit import tasks
from audit.models import Finding
from audit.services import checkpoints
from audit.services.house import journal_check
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.note import Checkpoint as Said
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.store import seal_state
from ledger.errors import SealerBusy
from ledger.models import Checkpoint
from tests.audit import support
from tests.floor import House
from tests.ledger.support import post


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Folder:
    """A folder of the test's own to publish to."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    return Folder(tmp_path / "published")


def test_the_worker_seals_watches_and_verifies(house: House, folder: Folder) -> None:
    post(house.casino.stream)
    waiting = seal_state().unsealed
    assert tasks.seal_journal() == waiting > 0
    assert tasks.seal_journal() == 0
    assert folder.latest() == Checkpoint.objects.latest("size").note
    assert tasks.watch_checkpoints()
    assert journal_check().ok
    assert support.codes(house) == []


@override_settings(CHECKPOINT_AGE_SECONDS=-1)
def test_entries_that_wait_too_long_are_found(house: House) -> None:
    if not Checkpoint.objects.exists():
        assert not tasks.watch_checkpoints()
        assert support.codes(house) == ["checkpoint_missing"]
    checkpoints.journal_seal()
    post(house.casino.stream)
    assert not tasks.watch_checkpoints()
    assert not tasks.watch_checkpoints()
    assert support.codes(house)[-1] == "checkpoint_stale"
    assert Finding.objects.get(casino=house.casino, code="checkpoint_stale").counter == 2


def test_a_sealer_that_cannot_write_says_so_and_the_next_one_mends_it(house: House, folder: Folder) -> None:
    folder.path.write_text("a file where the folder should be")
    assert checkpoints.journal_seal() is None
    assert support.codes(house) == ["checkpoint_unpublished"]
    assert seal_state().unsealed == 0, "it is in the database"
    folder.path.unlink()
    sealed = checkpoints.journal_seal()
    assert sealed is not None
    assert sealed.published == Checkpoint.objects.count()


def test_a_file_that_is_lost_is_back_within_the_hour(house: House, folder: Folder) -> None:
    checkpoints.journal_seal()
    lost = folder.place(Checkpoint.objects.latest("size"))
    kept = lost.read_text()
    lost.unlink()
    assert tasks.verify_journal_task()
    assert lost.read_text() == kept
    shutil.rmtree(lost.parent)
    lost.parent.write_text("a file where the folder should be")
    assert checkpoints.checkpoints_publish_lost() == 0
    assert support.codes(house) == ["checkpoint_unpublished"]


def test_a_sealer_that_refuses_says_why(
    house: House, folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    checkpoints.journal_seal()
    before = Checkpoint.objects.count()
    post(house.casino.stream)
    keys = tmp_path / "keys"
    shutil.copytree(env.home() / "secrets", keys / "secrets")
    (keys / "secrets" / "sealer" / "key").write_text("rubbish")
    monkeypatch.setenv("PITLEDGER_HOME", str(keys))
    assert checkpoints.journal_seal() is None
    found = Finding.objects.get(casino=house.casino)
    assert found.code == "seal_refused"
    assert Checkpoint.objects.count() == before


def test_another_sealer_at_work_is_no_finding(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy() -> None:
        raise SealerBusy("another sealer is at work")

    monkeypatch.setattr(checkpoints, "seal", busy)
    assert checkpoints.journal_seal() is None
    assert tasks.seal_journal() == 0
    assert support.codes(house) == []


def test_a_journal_behind_its_published_checkpoint_is_found(house: House, folder: Folder) -> None:
    """The folder remembers more than the database: the hourly check says so too."""
    checkpoints.journal_seal()
    last = Checkpoint.objects.latest("size")
    signer = KeyStore(env.home()).signer()
    ahead = Said(last.origin, last.size + 5, bytes(32))
    (folder.path / "latest").write_text(signer.sign(ahead.text))
    assert not journal_check().ok
    assert support.codes(house) == ["journal_checkpoint_ahead"]
    post(house.casino.stream)
    assert checkpoints.journal_seal() is None
    assert "seal_refused" in support.codes(house)
