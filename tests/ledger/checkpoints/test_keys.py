"""The sealer's key: made once, private, rotated without losing what was signed; the commands around it."""

# ruff: noqa: S608 (statements of literals)

import stat
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config.commands import FAILED
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.note import NoteError, open_checkpoint
from ledger.checkpoints.proof import check_consistency
from ledger.checkpoints.prove import prove_consistency
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.errors import SealerKeyBad, SealerKeyMissing, SealInconsistent
from ledger.models import Checkpoint, Entry
from tests.ledger.checkpoints.support import Sealer, assert_whole, picture
from tests.ledger.support import filled_stream


def call(*arguments: str) -> str:
    """A command's standard output."""
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path)
    signer = keys.signer()
    assert KeyStore(tmp_path).signer() == signer
    assert keys.create("another.example") == signer, "there is one already"
    assert stat.S_IMODE(keys.private_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.private_file.parent.stat().st_mode) == 0o700
    assert keys.verifiers() == [signer.verifier]
    assert [path.name for path in keys.public_folder.iterdir()] == [f"{signer.verifier.id.hex()}.pub"]


def test_a_lost_public_key_comes_back(tmp_path: Path) -> None:
    keys = KeyStore(tmp_path)
    signer = keys.signer()
    for path in keys.public_folder.iterdir():
        path.unlink()
    keys.signer()
    assert keys.verifiers() == [signer.verifier]


def test_production_invents_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_ENV", "production")
    keys = KeyStore(tmp_path)
    with pytest.raises(SealerKeyMissing):
        keys.signer()
    with pytest.raises(SealerKeyMissing):
        keys.rotate()
    assert [*tmp_path.rglob("*")] == []
    monkeypatch.setenv("PITLEDGER_HOME", str(tmp_path))
    assert call("sealer_key", "create", "--name", "casino.example/log").startswith("casino.example/log+")
    assert keys.signer().name == "casino.example/log"


def test_a_bad_key_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KeyStore(tmp_path)
    with pytest.raises(SealerKeyBad):
        keys.create("with space")
    keys.signer()
    keys.private_file.chmod(0o640)
    with pytest.raises(SealerKeyBad, match="open to others"):
        keys.signer()
    keys.private_file.chmod(0o600)
    keys.private_file.write_text("nothing")
    with pytest.raises(SealerKeyBad):
        keys.signer()
    monkeypatch.setenv("PITLEDGER_HOME", str(tmp_path))
    with pytest.raises(CommandError) as refused:
        call("sealer_key", "rotate")
    assert refused.value.returncode == FAILED


def test_rotation_keeps_what_was_signed(sealer: Sealer) -> None:
    filled_stream()
    sealer.seal()
    old = Checkpoint.objects.latest("size")
    old_key = sealer.keys.signer()
    shown = call("sealer_key", "rotate").split()
    new_key = sealer.keys.signer()
    assert (new_key.name, new_key == old_key) == (old_key.name, False)
    assert sorted(shown) == sorted([old_key.verifier.text, new_key.verifier.text])
    filled_stream()
    sealer.seal()
    assert_whole(sealer)
    new = Checkpoint.objects.latest("size")
    with pytest.raises(NoteError):
        open_checkpoint(new.note, [old_key.verifier])
    text = prove_consistency(old=old.size, new=new.size).text
    assert check_consistency(text, old_note=old.note, keys=sealer.known).size == new.size


def test_a_stranger_to_the_log_does_not_go_on_with_it(sealer: Sealer, tmp_path: Path) -> None:
    """A home without the keys that signed: nothing is signed, nothing published."""
    filled_stream()
    sealer.seal()
    filled_stream()
    before = picture()
    with pytest.raises(SealInconsistent, match="no known key"):
        Sealer(tmp_path).seal()
    assert picture() == before
    assert not (tmp_path / "checkpoints").exists()


def test_a_new_log_goes_on_after_an_old_backup(sealer: Sealer, tmp_path: Path) -> None:
    """What the operator does when the database is older than what was signed, and is to be used anyway."""
    filled_stream()
    sealer.seal()
    old = Checkpoint.objects.latest("size")
    kept = sealer.keys.private_file.rename(tmp_path / "key")
    try:
        call("sealer_key", "create", "--name", "casino.example/second")
        filled_stream()
        sealed = seal(keys=sealer.keys, folder=Folder(tmp_path / "new"))
    finally:
        kept.rename(sealer.keys.private_file)
    new = Checkpoint.objects.latest("size")
    assert (sealed.size, new.previous_size, new.origin) == (new.size, old.size, "casino.example/second")
    assert Folder(tmp_path / "new").latest() == new.note
    assert open_checkpoint(new.note, sealer.known).size == new.size
    assert sealer.seal().published == 1
    assert (sealer.seal().appended, sealer.seal().published) == (0, 0)


def test_the_private_key_is_nowhere_in_the_database(sealer: Sealer) -> None:
    filled_stream()
    sealer.seal()
    seed = sealer.keys.signer().seed
    text = sealer.keys.signer().text.split("+", 4)[4]  # base64 may hold a plus itself
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        for (table,) in cursor.fetchall():
            holds = "position(%s IN t::text) + position(%s IN t::text) > 0"
            cursor.execute(f'SELECT count(*) FROM "{table}" t WHERE {holds}', [seed.hex(), text])
            assert cursor.fetchone() == (0,), table


def test_commands(sealer: Sealer, tmp_path: Path) -> None:
    filled_stream()
    assert "2 of them now; 1 checkpoints written" in call("seal")
    first = Checkpoint.objects.latest("size")
    filled_stream()
    assert "waiting: 2 entries" in call("checkpoint_status")
    with pytest.raises(SystemExit):
        call("checkpoint_status", "--max-age", "0")
    call("seal")
    assert "waiting: 0 entries, the oldest for 0:00:00" in call("checkpoint_status", "--max-age", "0")
    last = Checkpoint.objects.latest("size")
    entry = Entry.objects.latest("recorded_at")
    key = [
        "--key",
        str(next(sealer.keys.public_folder.glob(f"{sealer.keys.signer().verifier.id.hex()}.pub"))),
    ]
    proof, joint, old = tmp_path / "proof", tmp_path / "joint", tmp_path / "old"
    proof.write_text(call("prove", "entry", str(entry.id)))
    joint.write_text(call("prove", "consistency", str(first.size), str(last.size)))
    old.write_text(first.note)
    assert "proved" in call("prove", "check", str(proof), *key, "--hash", bytes(entry.hash).hex())
    assert "proved" in call("prove", "check", str(joint), *key, "--old", str(old))
    with pytest.raises(SystemExit):
        call("prove", "check", str(proof), *key, "--hash", "00" * 32)
    with pytest.raises(SystemExit):
        call("prove", "check", str(joint), *key, "--old", str(proof))
    for arguments in (
        ["entry", str(uuid4())],
        ["entry", str(entry.id), "--size", str(first.size)],
        ["entry", str(entry.id), "--size", "999999"],
        ["consistency", str(last.size), str(first.size)],
        ["check", str(tmp_path / "missing"), *key, "--hash", "00"],
        ["check", str(proof), *key, "--hash", "no hash"],
        ["check", str(proof), "--key", str(proof), "--hash", "00"],
    ):
        with pytest.raises(CommandError):
            call("prove", *arguments)
    filled_stream()
    with pytest.raises(CommandError, match="not sealed yet"):
        call("prove", "entry", str(Entry.objects.latest("recorded_at").id))
