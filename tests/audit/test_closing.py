"""A closed gaming day is sealed, published and stamped; what goes wrong there is found and tried again."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone

from audit import tasks
from audit.models import Finding, GamingDayCheck
from audit.services import checkpoints, closing, days, outbox
from audit.services.checkpoints import journal_seal
from audit.services.closing import STAMP, closings_astray
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.note import open_checkpoint
from ledger.checkpoints.proof import check_inclusion
from ledger.checkpoints.prove import prove_entry
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.timestamp import read_certificates, verify_timestamp
from ledger.errors import SealerBusy
from ledger.models import Checkpoint, Entry
from tables.figures import gaming_day
from tables.models import Casino, ClosedDay, OutboxItem, Role
from tables.services.days import SEAL, gaming_day_close
from tests import floor
from tests.audit import support
from tests.floor import House
from tests.ledger.checkpoints.authority import Authority, serving
from tests.ledger.support import post

Closed = tuple[House, ClosedDay]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Folder:
    """A folder of the test's own to publish to, and no authority."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    monkeypatch.delenv("PITLEDGER_TSA_URL", raising=False)
    return Folder(tmp_path / "published")


@pytest.fixture
def closed(house: House) -> Closed:
    """A house whose day was closed after one session."""
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    gaming_day_close(
        casino_id=house.casino.id,
        gaming_day=gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour),
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    return house, ClosedDay.objects.get(casino=house.casino)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """A time-stamping authority on loopback."""
    authority = Authority(tmp_path_factory.mktemp("tsa"))
    authority.make()
    with serving(authority, ""):
        yield authority


@pytest.fixture
def authority(made: Authority, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """The authority, honest and configured."""
    made.lie = ""
    monkeypatch.setenv("PITLEDGER_TSA_URL", made.url)
    monkeypatch.setenv("PITLEDGER_TSA_CERTIFICATE", str(made.root))
    return made


def perform(day: ClosedDay, topic: str) -> bool:
    """Do the outbox's work of a topic about a day, as a worker does."""
    item = OutboxItem.objects.get(topic=topic, subject=day.id)
    return bool(tasks.TASKS[topic](item.id))


def test_the_worker_seals_the_closing_and_notes_by_which_checkpoint(closed: Closed, folder: Folder) -> None:
    house, day = closed
    assert perform(day, SEAL)
    assert not perform(day, SEAL), "once"
    day.refresh_from_db()
    assert day.checkpoint is not None
    checkpoint = Checkpoint.objects.get(size=day.checkpoint)
    keys = KeyStore(env.home()).verifiers()
    published = folder.place(checkpoint).read_text(encoding="utf-8")
    assert open_checkpoint(published, keys).size == day.checkpoint
    entry = Entry.objects.get(stream__name=house.casino.stream, seq=day.seq)
    proof = prove_entry(entry.id, size=day.checkpoint)
    assert proof is not None
    assert check_inclusion(proof.text, entry_hash=bytes(entry.hash), keys=keys).size == day.checkpoint
    assert not OutboxItem.objects.filter(topic=STAMP, subject=day.id).exists(), "no authority is configured"
    assert (day.timestamp, support.codes(house)) == (None, [])


def test_it_is_the_first_checkpoint_that_seals_it_whoever_made_it(closed: Closed) -> None:
    house, day = closed
    sealed = journal_seal()
    assert sealed is not None
    post(house.casino.stream)
    journal_seal()
    perform(day, SEAL)
    day.refresh_from_db()
    assert day.checkpoint == sealed.size, "re-derived from the journal's own ranges"


def test_a_sealer_that_is_busy_or_refuses_leaves_the_work_for_the_next_sweep(
    closed: Closed, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, day = closed

    def busy() -> None:
        raise SealerBusy("another sealer is at work")

    with monkeypatch.context() as patched:
        patched.setattr(checkpoints, "seal", busy)
        assert not perform(day, SEAL)
    item = OutboxItem.objects.get(topic=SEAL, subject=day.id)
    day.refresh_from_db()
    assert (item.done_at, day.checkpoint, support.codes(house)) == (None, None, [])
    assert perform(day, SEAL)


def test_an_authority_stamps_the_days_checkpoint(
    closed: Closed, authority: Authority, folder: Folder
) -> None:
    house, day = closed
    perform(day, SEAL)
    assert perform(day, STAMP)
    day.refresh_from_db()
    checkpoint = Checkpoint.objects.get(size=day.checkpoint or 0)
    path = folder.place(checkpoint).with_suffix(".tsr")
    assert path.read_bytes() == bytes(day.timestamp or b"")
    roots = read_certificates(authority.root)
    assert verify_timestamp(note=checkpoint.note, der=path.read_bytes(), roots=roots) == day.timestamped_at
    assert support.codes(house) == []
    path.unlink()
    (folder.path / "latest").unlink()
    journal_seal()
    assert path.read_bytes() == bytes(day.timestamp or b""), "a folder that was lost is written again"


def test_a_lying_authority_blocks_nothing_is_found_and_asked_again(
    closed: Closed, authority: Authority, folder: Folder
) -> None:
    house, day = closed
    perform(day, SEAL)
    for lie in ("other imprint", "down"):
        authority.lie = lie
        assert not perform(day, STAMP)
    day.refresh_from_db()
    assert (day.timestamp, list(folder.path.rglob("*.tsr"))) == (None, [])
    found = Finding.objects.get(casino=house.casino)
    assert (found.code, found.counter, found.gaming_day) == ("timestamp_missing", 2, day.gaming_day)
    authority.lie = ""
    assert perform(day, STAMP)
    day.refresh_from_db()
    assert day.timestamped_at is not None


def test_a_stamp_that_could_not_be_written_is_kept_and_written_later(
    closed: Closed, authority: Authority, folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    house, day = closed
    perform(day, SEAL)
    (tmp_path / "file").write_text("a file where the folder should be")
    with monkeypatch.context() as patched:
        patched.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "file"))
        assert not perform(day, STAMP)
    day.refresh_from_db()
    assert (day.timestamp is None, support.codes(house)) == (False, ["timestamp_missing"])
    asked = len(authority.queries)
    assert perform(day, STAMP)
    assert len(authority.queries) == asked, "the answer that is there is not asked for again"
    monkeypatch.delenv("PITLEDGER_TSA_URL")
    ClosedDay.objects.filter(id=day.id).update(timestamp=None, timestamped_at=None)
    closing.day_stamp(day_id=day.id)
    closing.day_stamped(day_id=day.id)  # nobody is to be asked any more: nothing is left to do


def test_rows_of_closed_days_that_are_not_what_the_journal_says_are_found(closed: Closed) -> None:
    """The nightly check compares every closing with its row, both ways, and the checkpoint noted."""
    house, day = closed
    perform(day, SEAL)
    casino = Casino.objects.get(id=house.casino.id)
    assert list(closings_astray(casino)) == []
    ClosedDay.objects.filter(id=day.id).update(early=False, checkpoint=1)
    invented = ClosedDay.objects.create(
        casino=casino, gaming_day="2020-01-01", closed_at=day.closed_at, seq=1, early=False, figures={}
    )
    Casino.objects.filter(id=casino.id).update(closed_day=None)
    check = GamingDayCheck.objects.create(
        casino=casino, gaming_day=day.gaming_day, requested_at=timezone.now()
    )
    days.day_check(check_id=check.id)
    found = {row.cause.rsplit("|", 1)[1]: row for row in Finding.objects.filter(casino=casino)}
    assert {row.code for row in found.values()} == {"closed_day_differs"}
    evidence = {about: row.evidence.get().body for about, row in found.items()}
    assert set(evidence[str(day.id)]) == {"early", "checkpoint"}
    assert evidence[str(invented.id)] == {"missing": "journal"}
    assert evidence["last"] == {"journal": str(day.gaming_day), "row": "None"}
    casino.closed_day = day.gaming_day
    ClosedDay.objects.filter(id=day.id).update(id=uuid.uuid4())
    assert {"missing": "row"} in [dict(each.evidence) for each in closings_astray(casino)]


def test_work_about_a_closed_day_that_fails_is_a_finding_of_its_house(
    closed: Closed, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, day = closed

    def fail(subject: uuid.UUID) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(outbox.BEFORE, SEAL, fail)
    with pytest.raises(ZeroDivisionError):
        perform(day, SEAL)
    assert support.codes(house) == ["work_failed"]
    assert floor.snapshot(house)["closed_days"], "the day stays closed"
