"""Whose signature, which log, continued from where; and what the exit code says."""

import json
import os
from errno import ENOSPC
from io import StringIO
from pathlib import Path

import pytest

from audit.verify.__main__ import FAILED, FOUND, VERIFIED, main
from audit.verify.bundle import verify_bundle
from audit.verify.notes import NoteBad, open_checkpoint, parse_checkpoint, parse_key
from ledger.checkpoints.note import Checkpoint, SignerKey
from tests.audit.verify.made import Made, members_of, resigned

STRANGER = SignerKey("casino.example/journal", bytes(range(32)))


def size_of(made: Made, note: str) -> int:
    """Entries under a checkpoint of ours."""
    return open_checkpoint(note.encode(), [made.key]).size


def test_only_the_pinned_key_counts(made: Made) -> None:
    """The bundle lists its keys; none of them is believed."""
    bundle = made.bundles["round"]
    judged = verify_bundle(bundle, keys=[parse_key(STRANGER.verifier.text)])
    assert {"manifest_not_signed", "checkpoint_not_signed"} <= set(judged.findings.counts)


def test_a_manifest_signed_by_another_key_of_the_same_name(made: Made) -> None:
    other = SignerKey(made.signer.name, bytes(32))
    members = members_of(made.bundles["round"])
    assert made.types(resigned(members, other)) == {"manifest_not_signed"}
    listed = {**members, "keys": f"{other.verifier.text}\n".encode()}
    assert "manifest_not_signed" in made.types(resigned(listed, other))


def test_a_note_of_something_else_signs_no_manifest(made: Made) -> None:
    """A checkpoint's signature is none of a manifest's, though the key is the same."""
    members = members_of(made.bundles["round"])
    assert {"container_not_canonical", "manifest_not_signed"} & made.types(
        made.bundles["round"].replace(
            members["manifest.note"], members["checkpoint"].ljust(len(members["manifest.note"]))
        )
    )


def test_an_older_checkpoint(made: Made) -> None:
    """The same log, honestly signed, and not the one these entries are proved under."""
    old = open_checkpoint(made.early.encode(), [made.key])
    members = members_of(made.bundles["day"]) | {"checkpoint": made.early.encode()}
    assert "checkpoint_differs" in made.types(resigned(members, made.signer))
    said = {"origin": old.origin, "size": old.size, "root": old.root.hex()}
    found = made.types(resigned(members, made.signer, checkpoint=said))
    assert found & {"root_differs", "leaves_differ"}
    assert "consistency_unproved" in found


def test_the_auditors_own_note_is_continued(made: Made) -> None:
    for name, bundle in made.bundles.items():
        judged = made.judged(bundle, since=made.early)
        assert judged.holds, name
        assert judged.proofs.since == size_of(made, made.early)
        assert made.judged(bundle, since=made.late).proofs.since == size_of(made, made.late)


def test_a_forked_log_is_proof_of_the_fork(made: Made) -> None:
    """Two notes of one size, both signed, with different roots."""
    size = size_of(made, made.early)
    fork = made.signer.sign(Checkpoint(made.signer.name, size, bytes(32)).text)
    assert made.types(made.bundles["session"], since=fork) == {"log_forked"}
    latest = made.signer.sign(Checkpoint(made.signer.name, size_of(made, made.late), bytes(32)).text)
    assert made.types(made.bundles["session"], since=latest) == {"log_forked"}


def test_a_note_that_is_not_continued_is_refused(made: Made) -> None:
    later = made.signer.sign(Checkpoint(made.signer.name, size_of(made, made.late) + 1, bytes(32)).text)
    assert made.types(made.bundles["session"], since=later) == {"since_newer"}
    between = made.signer.sign(Checkpoint(made.signer.name, size_of(made, made.early) + 1, bytes(32)).text)
    assert made.types(made.bundles["session"], since=between) == {"since_unproved"}
    elsewhere = STRANGER.sign(Checkpoint(STRANGER.name, 3, bytes(32)).text).encode()
    both = [made.key, parse_key(STRANGER.verifier.text)]
    judged = verify_bundle(made.bundles["session"], keys=both, since=elsewhere)
    assert set(judged.findings.counts) == {"since_unproved"}


def test_a_rotated_log_is_verified_with_all_its_keys(made: Made) -> None:
    """A key of the same name signs later checkpoints; whoever pins both verifies both."""
    new = SignerKey(made.signer.name, bytes(range(1, 33)))
    members = members_of(made.bundles["session"])
    text = made.late.rpartition("\n\n")[0] + "\n"
    members["checkpoint"] = new.sign(text).encode()
    members["keys"] = "".join(sorted(f"{key.verifier.text}\n" for key in (new, made.signer))).encode()
    bundle = resigned(members, new)
    both = [made.key, parse_key(new.verifier.text)]
    assert verify_bundle(bundle, keys=both).holds
    assert set(verify_bundle(bundle, keys=both[1:]).findings.counts) == {"consistency_unproved"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+00000000+AQ==",
        "na me+818a40e3+AQ==",
        "casino.example/journal+818a40e4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
    ],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(NoteBad):
        parse_key(text)


@pytest.mark.parametrize(
    "text", ["a\n01\nAA==\n", "a\n1\nAA==\n", "a\n1\n", f"a\n{2**63}\n{'A' * 43}=\n", "a b\n1\n\n"]
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteBad):
        parse_checkpoint(text)


def test_the_exit_code_tells(made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 only when all holds, 1 with findings, 2 when it could not be verified."""
    bundle, key, note = tmp_path / "bundle.zip", tmp_path / "log.pub", tmp_path / "note"
    bundle.write_bytes(made.bundles["whole"])
    key.write_text(made.signer.verifier.text + "\n")
    note.write_text(made.early)
    asked = [str(bundle), "--key", str(key)]
    assert main(asked) == VERIFIED
    assert "VERIFIED: every hash" in capsys.readouterr().out
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stderr.isatty", lambda: True)
        assert main([*asked, "--since", str(note)]) == VERIFIED
    told = capsys.readouterr().err.split("\r")
    assert (told[1].split(" ")[:2], told[-1]) == (["0", "%"], ""), "how far it is, for a person; then no more"
    assert told[-3].startswith("100 % of ")
    assert main([*asked, "--since", str(note), "--json"]) == VERIFIED
    said = json.loads(capsys.readouterr().out)
    assert said["verified"] is True
    assert said["since"] == size_of(made, made.early)
    assert {session["U"] for session in said["sessions"]} == {0}
    assert all(stream["opening"].startswith("proved") for stream in said["streams"])

    bundle.write_bytes(made.bundles["whole"][:-1] + b"\x01")
    assert main([*asked, "--json"]) == FOUND
    assert json.loads(capsys.readouterr().out)["finding_counts"] == {"container_not_canonical": 1}
    bundle.write_bytes(b"")
    assert main(asked) == FOUND
    assert "NOT VERIFIED: 1 finding." in capsys.readouterr().out

    assert main([str(tmp_path / "none.zip"), "--key", str(key)]) == FAILED
    for content in (b"nothing signed", b"\xff\x00"):
        note.write_bytes(content)
        key.write_text(made.signer.verifier.text)
        assert main([*asked, "--since", str(note)]) == FAILED
        assert str(note) in capsys.readouterr().err
        assert main([*asked, "--rounds", str(note)]) == FAILED
        assert str(note) in capsys.readouterr().err
        key.write_bytes(content)
        assert main(asked) == FAILED
        assert str(key) in capsys.readouterr().err, "which file it is"
    for what in (tmp_path, Path("/dev/null")):
        key.write_text(made.signer.verifier.text)
        assert main([str(what), "--key", str(key)]) == FAILED, "no verdict on what is no file"
        assert "and this is none" in capsys.readouterr().err
    for wrong in ([], ["--key", str(key), "--jobs", "0"], ["--key", str(key), "--jobs", "257"]):
        with pytest.raises(SystemExit) as left:
            main([str(bundle), *wrong])
        assert left.value.code == FAILED
    assert capsys.readouterr().err.endswith("'257' is not a number from 1 to 256\n")


def test_a_report_that_cannot_be_printed_is_no_verdict(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and never Python's own 1, which would be a finding; nor is one that was stopped."""
    key, bundle = tmp_path / "log.pub", tmp_path / "bundle.zip"
    key.write_text(made.signer.verifier.text)
    bundle.write_bytes(made.bundles["round"])

    class Full(StringIO):
        def flush(self) -> None:
            raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr("sys.stdout", Full())
    assert main([str(bundle), "--key", str(key)]) == FAILED
    assert capsys.readouterr().err == "the report could not be printed: No space left on device\n"

    def stopped(*args: object, **said: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("audit.verify.__main__.verify_bundle", stopped)
    assert main([str(bundle), "--key", str(key)]) == FAILED
    assert capsys.readouterr().err == "stopped\n"


def test_nothing_in_a_bundle_steers_a_terminal(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, bundle = tmp_path / "log.pub", tmp_path / "bundle.zip"
    key.write_text(made.signer.verifier.text)
    members = members_of(made.bundles["round"])
    body = json.loads(members["manifest.json"])["scope"] | {"round": "\x1b[2J"}
    bundle.write_bytes(resigned(members, made.signer, scope=body))
    assert main([str(bundle), "--key", str(key)]) == FOUND
    assert "\x1b" not in capsys.readouterr().out
