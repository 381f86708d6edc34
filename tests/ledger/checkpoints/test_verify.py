"""verify_journal against a checkpoint: what it says when all is well, and what it refuses to believe."""

import json
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from ledger.checkpoints.note import SignerKey
from ledger.models import Checkpoint, Entry
from tests.ledger.checkpoints.support import Sealer
from tests.ledger.support import filled_stream, post


def verify(sealer: Sealer, checkpoint: Path, *keys: Path) -> dict[str, Any]:
    """The command's JSON."""
    out = StringIO()
    brought = keys or tuple(sealer.keys.public_folder.glob("*.pub"))
    arguments = [word for key in brought for word in ("--key", str(key))]
    try:
        call_command(
            "verify_journal",
            "--json",
            "--checkpoint",
            str(checkpoint),
            *arguments,
            stdout=out,
            stderr=StringIO(),
        )
        code = 0
    except SystemExit as exit:
        code = int(exit.code or 0)
    said: dict[str, Any] = json.loads(out.getvalue())
    assert code == int(not said["ok"])
    return said


def types(said: dict[str, Any]) -> set[str]:
    """The types of the findings."""
    return {finding["type"] for finding in said["findings"]}


def test_a_journal_that_is_whole(sealer: Sealer) -> None:
    stream = filled_stream()
    sealer.seal()
    sealed = Entry.objects.count()
    said = verify(sealer, sealer.folder.path / "latest")
    assert said["ok"]
    assert said["checkpoint"]["size"] == said["checkpoint"]["entries"] == sealed
    assert said["checkpoint"]["tail"] == {"entries": 0, "since": None, "age_seconds": 0}
    post(stream, ("tray", "seat:1", 1))
    post(stream, ("tray", "seat:1", 1))
    said = verify(sealer, sealer.folder.path / "latest")
    tail = said["checkpoint"]["tail"]
    oldest = Entry.objects.get(stream__name=stream, seq=3).recorded_at
    assert said["ok"]
    assert (tail["entries"], tail["since"]) == (2, oldest.isoformat())
    sealer.seal()
    assert verify(sealer, sealer.folder.path)["checkpoint"]["size"] == sealed + 2


def test_an_old_checkpoint_leaves_a_longer_tail(sealer: Sealer, tmp_path: Path) -> None:
    stream = filled_stream()
    sealer.seal()
    shutil.copy(sealer.folder.path / "latest", tmp_path / "old")
    for _ in range(3):
        post(stream, ("tray", "seat:1", 1))
        sealer.seal()
    said = verify(sealer, tmp_path / "old")
    assert said["ok"]
    assert said["checkpoint"]["tail"]["entries"] == 3
    assert said["checkpoint"]["entries"] == Entry.objects.count(), "younger seals are checked as well"


def test_words_for_people(sealer: Sealer) -> None:
    filled_stream()
    sealer.seal()
    filled_stream()
    out = StringIO()
    key = next(sealer.keys.public_folder.glob("*.pub"))
    latest = str(sealer.folder.path / "latest")
    call_command("verify_journal", checkpoint=[Path(latest)], key=[key], stdout=out, stderr=StringIO())
    assert "not under it: 2, since" in out.getvalue()
    assert out.getvalue().strip().endswith("verified")


def test_a_checkpoint_of_somebody_else_proves_nothing(sealer: Sealer, tmp_path: Path) -> None:
    filled_stream()
    sealer.seal()
    last = Checkpoint.objects.latest("size")
    stranger = SignerKey(last.origin, bytes(32))
    forged = tmp_path / "forged"
    forged.write_text(stranger.sign(last.note.partition("\n\n")[0] + "\n"))
    assert types(verify(sealer, forged)) == {"checkpoint_not_signed"}
    other = "B" if last.note[-10] == "A" else "A"
    forged.write_text(last.note[:-10] + other + last.note[-9:])  # within the signature
    assert "checkpoint_not_signed" in types(verify(sealer, forged))
    forged.write_text("nothing of the kind")
    assert types(verify(sealer, forged)) == {"checkpoint_not_signed"}
    key = tmp_path / "stranger.pub"
    key.write_text(stranger.verifier.text)
    assert types(verify(sealer, sealer.folder.path / "latest", key)) == {"checkpoint_not_signed"}


def test_two_signed_checkpoints_of_one_size_are_a_fork(sealer: Sealer, tmp_path: Path) -> None:
    filled_stream()
    sealer.seal()
    last = Checkpoint.objects.latest("size")
    signer = sealer.keys.signer()
    (tmp_path / "other").write_text(signer.sign(f"{last.origin}\n{last.size}\n{'A' * 43}=\n"))
    assert {"checkpoint_fork", "sealed_window_differs"} <= types(verify(sealer, tmp_path / "other"))


def test_what_cannot_be_asked(sealer: Sealer, tmp_path: Path) -> None:
    sealer.seal()
    key = tmp_path / "key.pub"
    key.write_text("no key")
    latest = sealer.folder.path / "latest"
    for arguments in (
        {"checkpoint": [latest]},
        {"key": [key]},
        {"checkpoint": [latest], "key": [key]},
        {"checkpoint": [tmp_path / "missing"], "key": list(sealer.keys.public_folder.glob("*.pub"))},
        {"checkpoint": [latest], "key": list(sealer.keys.public_folder.glob("*.pub")), "stream": "x"},
    ):
        with pytest.raises(CommandError):
            call_command("verify_journal", **arguments, stdout=StringIO(), stderr=StringIO())
