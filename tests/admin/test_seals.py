"""Checkpoints and proofs in the admin: read, taken away, and of one's own house."""

from pathlib import Path

import pytest
from django.urls import reverse

from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.note import open_checkpoint
from ledger.checkpoints.proof import check_consistency, check_inclusion
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint, Entry
from tables.models import Role
from tests import floor
from tests.admin import house as at

pytestmark = pytest.mark.django_db


def test_a_checkpoint_and_a_proof_are_taken_away(shown: at.Shown) -> None:
    client, keys = at.logged_in(shown.house, Role.AUDITOR), KeyStore(env.home()).verifiers()
    checkpoint = Checkpoint.objects.latest("size")
    page = client.get(at.page_address(checkpoint)).text
    for name in ("note", "consistency") if checkpoint.previous_size else ("note",):
        assert reverse(f"admin:ledger_checkpoint_{name}", args=[checkpoint.size]) in page
    taken = client.get(reverse("admin:ledger_checkpoint_note", args=[checkpoint.size]))
    assert taken.headers["Content-Disposition"] == f'attachment; filename="{checkpoint.size}.checkpoint"'
    assert open_checkpoint(taken.content.decode(), keys).size == checkpoint.size
    entry = Entry.objects.get(stream__name=shown.table.stream, seq=1)
    address = reverse("admin:ledger_entry_proof", args=[entry.pk])
    assert address in client.get(at.page_address(entry)).text
    proof = client.get(address).content.decode()
    assert (
        check_inclusion(proof, entry_hash=bytes(entry.hash), keys=keys).size
        == Checkpoint.objects.latest("size").size
    )


def test_any_two_checkpoints_are_proved_consistent(shown: at.Shown, tmp_path: Path) -> None:
    client, keys = at.logged_in(shown.house, Role.AUDITOR), KeyStore(env.home()).verifiers()
    for seat in (4, 5):
        floor.seat_player(shown.house, shown.table, seat, 10_000)
        seal(folder=Folder(tmp_path))
    *_, first, second, last = Checkpoint.objects.order_by("size")
    address = reverse("admin:ledger_checkpoint_consistency", args=[last.size])
    assert f"{address}?old={second.size}" in client.get(at.page_address(last)).text
    for old in (first, second, last):
        taken = client.get(address, {"old": old.size})
        assert taken.headers["Content-Disposition"].endswith(f'"{old.size}-{last.size}.consistency"')
        proof = taken.content.decode()
        assert check_consistency(proof, old_note=old.note, keys=keys).size == last.size
    assert "Take the proof away" in client.get(address).text
    for wrong in ("0", "x", str(last.size + 1), str(2**63)):
        page = client.get(address, {"old": wrong})
        assert (page.status_code, "Content-Disposition" in page.headers) == (200, False)
        assert "errorlist" in page.text


def test_an_unsealed_entry_says_so(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.AUDITOR)
    floor.seat_player(shown.house, shown.table, 3, 10_000)
    entry = Entry.objects.filter(stream__name=shown.table.stream).latest("seq")
    assert "not sealed yet" in client.get(at.page_address(entry)).text
    assert client.get(reverse("admin:ledger_entry_proof", args=[entry.pk])).status_code == 404


def test_another_house_takes_nothing_away(shown: at.Shown) -> None:
    client = at.logged_in(floor.make_house(), Role.ADMINISTRATOR)
    checkpoint = Checkpoint.objects.latest("size")
    entry = Entry.objects.get(stream__name=shown.table.stream, seq=1)
    for name, key in (
        ("ledger_checkpoint_note", checkpoint.size),
        ("ledger_checkpoint_consistency", checkpoint.size),
        ("ledger_entry_proof", entry.pk),
    ):
        address = reverse(f"admin:{name}", args=[key])
        assert client.get(address).status_code == 404
        assert at.logged_in(shown.house, Role.DEALER).get(address).status_code == 302
