"""Checkpoints and proofs over the API: what an auditor takes away holds without us."""

from pathlib import Path

import pytest

from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.proof import check_consistency, check_inclusion
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint, Entry
from tables.models import Role
from tests import floor
from tests.api.conftest import Place
from tests.api.statements import counted
from tests.api.test_reads import reader

pytestmark = pytest.mark.django_db


@pytest.fixture
def sealed(place: Place, tmp_path: Path) -> Place:
    """A place whose entries are sealed by two checkpoints, and one entry more."""
    seal(folder=Folder(tmp_path))
    floor.play_round(place.house, place.table, {1: 500}, ("4S", "5H"))
    seal(folder=Folder(tmp_path))
    place.desk.get(place.path)
    floor.play_round(place.house, place.table, {1: 500}, ("4S", "5H"))
    return place


def entry(place: Place, seq: int) -> Entry:
    """An entry of the table's stream."""
    return Entry.objects.get(stream__name=place.table.stream, seq=seq)


def test_an_entry_is_proved_under_any_checkpoint_that_seals_it(sealed: Place) -> None:
    desk, keys = reader(sealed.house), KeyStore(env.home()).verifiers()
    first, last = Checkpoint.objects.order_by("-size")[:2][::-1]
    one = entry(sealed, 2)
    for query, size in (("", last.size), (f"?size={first.size}", first.size)):
        with counted() as statements:
            reply = desk.get(f"entries/{one.id}/proof{query}")
        assert reply.status == 200
        assert len(statements) <= 8
        assert (reply.body["entry"], reply.body["hash"]) == (str(one.id), bytes(one.hash).hex())
        found = check_inclusion(reply.body["proof"], entry_hash=bytes(one.hash), keys=keys)
        assert found.size == size
        assert f"\nindex {reply.body['index']}\n" in reply.body["proof"]


def test_what_is_not_sealed_has_no_proof(sealed: Place) -> None:
    desk = reader(sealed.house)
    first, last = Checkpoint.objects.order_by("-size")[:2][::-1]
    newest = Entry.objects.filter(stream__name=sealed.table.stream).latest("seq")
    reply = desk.get(f"entries/{newest.id}/proof")
    assert (reply.status, reply.code, reply.body["size"]) == (404, "not_sealed", last.size)
    late = Entry.objects.filter(stream__name=sealed.table.stream, seq__lt=newest.seq).latest("seq")
    reply = desk.get(f"entries/{late.id}/proof?size={first.size}")
    assert reply.code == "not_sealed"
    reply = desk.get(f"entries/{late.id}/proof?size={last.size + 1}")
    assert (reply.status, reply.code) == (404, "checkpoint_unknown")
    reply = reader(floor.make_house()).get(f"entries/{late.id}/proof")
    assert (reply.status, reply.code) == (404, "entry_not_found")
    for query in ("size=0", "size=x", f"size={2**63}", "size=1&size=2", "old=1"):
        assert desk.get(f"entries/{late.id}/proof?{query}").code == "invalid_query", query


def test_checkpoints_are_listed_and_read(sealed: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.api.pagination.PAGE", 1)
    desk = reader(sealed.house, Role.SURVEILLANCE)
    rows, reply = [], desk.get("checkpoints")
    while True:
        rows += reply.body["results"]
        if reply.body["next"] is None:
            break
        reply = desk.get(f"checkpoints?cursor={reply.body['next']}")
    assert [row["size"] for row in rows] == list(Checkpoint.objects.values_list("size", flat=True))
    assert desk.get(f"checkpoints/{rows[-1]['size']}").body == rows[-1]
    assert rows[-1]["note"].startswith(f"{rows[-1]['origin']}\n{rows[-1]['size']}\n")
    for size in (rows[-1]["size"] + 1, 10**30):
        reply = desk.get(f"checkpoints/{size}")
        assert (reply.status, reply.code) == (404, "checkpoint_unknown")
    assert desk.get("checkpoints?cursor=x").code == "cursor_bad"


def test_two_checkpoints_are_proved_consistent(sealed: Place) -> None:
    desk, keys = reader(sealed.house), KeyStore(env.home()).verifiers()
    old, new = Checkpoint.objects.order_by("-size")[:2][::-1]
    reply = desk.get(f"checkpoints/{new.size}/consistency?old={old.size}")
    assert reply.status == 200
    assert check_consistency(reply.body["proof"], old_note=old.note, keys=keys).size == new.size
    for path, code in (
        (f"checkpoints/{old.size}/consistency?old={new.size}", "checkpoint_unknown"),
        (f"checkpoints/{new.size}/consistency?old={new.size + 1}", "checkpoint_unknown"),
        (f"checkpoints/{10**30}/consistency?old={old.size}", "checkpoint_unknown"),
        (f"checkpoints/{new.size}/consistency", "invalid_query"),
        (f"checkpoints/{new.size}/consistency?old=0", "invalid_query"),
    ):
        assert desk.get(path).code == code, path
