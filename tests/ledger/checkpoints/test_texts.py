"""Keys, notes, checkpoints and proofs as texts: what is read is what was written, nothing else is read."""

import base64

import pytest

from ledger.checkpoints.note import (
    Checkpoint,
    NoteError,
    SignerKey,
    UnknownSigner,
    VerifierKey,
    open_checkpoint,
    open_note,
    parse_checkpoint,
    parse_signer,
    parse_verifier,
)
from ledger.checkpoints.proof import (
    ConsistencyProof,
    InclusionProof,
    ProofError,
    check_consistency,
    check_inclusion,
    parse_consistency,
    parse_inclusion,
)
from ledger.checkpoints.tree import leaf_hash, node_hash, root_over

SIGNER = SignerKey("casino.example/journal", bytes(range(32)))
OTHER = SignerKey("casino.example/journal", bytes(32))
KEYS = [SIGNER.verifier]
SAID = Checkpoint(SIGNER.name, 2, root_over([leaf_hash(b"a"), leaf_hash(b"b")]))
NOTE = SIGNER.sign(SAID.text)

# The example of c2sp.org/signed-note, as its implementations test it.
PUBLISHED_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
PUBLISHED_NOTE = (
    "This is an example message.\n\n\u2014 example.com/foo"
    " Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)


def test_a_note_others_published_is_opened() -> None:
    key = parse_verifier(PUBLISHED_KEY)
    assert open_note(PUBLISHED_NOTE, [key]) == ("This is an example message.\n", [key])


def test_keys_are_read_as_they_are_written() -> None:
    assert parse_signer(SIGNER.text) == SIGNER
    assert parse_verifier(SIGNER.verifier.text) == SIGNER.verifier
    assert "AAEC" not in repr(SIGNER), "the private key is in no traceback"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+00000000",
        PUBLISHED_KEY.replace("530d903a", "530d903b"),
        PUBLISHED_KEY.replace("foo", "bar"),
        PUBLISHED_KEY[:-1],
        PUBLISHED_KEY[:-4],
        PUBLISHED_KEY.replace("+A", "+B"),
        PUBLISHED_KEY.replace("example.com/foo", ""),
        PUBLISHED_KEY.replace("example.com/foo", "a b"),
        SIGNER.text,
    ],
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        parse_verifier(text)


@pytest.mark.parametrize("text", ["", SIGNER.verifier.text, SIGNER.text[:-1], SIGNER.text + "A"])
def test_what_is_no_private_key_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        parse_signer(text)


def test_a_checkpoint_is_opened_by_the_key_of_its_log_alone() -> None:
    assert open_checkpoint(NOTE, KEYS) == SAID
    assert open_checkpoint(NOTE, [OTHER.verifier, *KEYS]) == SAID
    for keys in ([], [OTHER.verifier], [VerifierKey("other", SIGNER.verifier.public)]):
        with pytest.raises(UnknownSigner):
            open_checkpoint(NOTE, keys)
    witness = SignerKey("witness.example", bytes(32))
    seen = witness.sign(SAID.text)
    with pytest.raises(NoteError, match="not signed by a key of the log"):
        open_checkpoint(seen, [witness.verifier])
    both = NOTE + seen.rpartition("\n\n")[2]
    assert open_checkpoint(both, KEYS) == SAID
    assert len(open_note(both, [*KEYS, witness.verifier])[1]) == 2
    assert len(open_note(NOTE + NOTE.rpartition("\n\n")[2], KEYS)[1]) == 1


@pytest.mark.parametrize("at", range(len(NOTE)))
def test_no_character_of_a_checkpoint_can_be_changed(at: int) -> None:
    letter = "A" if NOTE[at] != "A" else "B"
    with pytest.raises(NoteError):
        open_checkpoint(NOTE[:at] + letter + NOTE[at + 1 :], KEYS)


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n",
        "\n\n",
        SAID.text,
        NOTE[:-1],
        NOTE + "\n",
        NOTE.replace("\n\n", "\n"),
        NOTE.replace("\u2014 ", "- "),
        NOTE + "\u2014 x\n",
        NOTE + "\u2014 x !!!!\n",
        NOTE + "\u2014 x AAAA\n",
        NOTE.replace("\n", "\r\n"),
        NOTE + "\u2014 x AAAAAAAA\n" * 100,
        "x" * 70_000 + NOTE,
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(NoteError):
        open_note(note, KEYS)


ROOT = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    "text",
    [
        f"o\n1\n{ROOT}",
        f"o\n1\n{ROOT}\nextension\n",
        f"\n1\n{ROOT}\n",
        f"o o\n1\n{ROOT}\n",
        f"o+o\n1\n{ROOT}\n",
        f"o\n01\n{ROOT}\n",
        f"o\n-1\n{ROOT}\n",
        f"o\n\u0661\n{ROOT}\n",
        f"o\n{2**63}\n{ROOT}\n",
        f"o\n{10**30}\n{ROOT}\n",
        f"o\n1\n{ROOT[:-4]}\n",
        f"o\n1\n{ROOT[:-2]}B=\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        parse_checkpoint(text)


def test_only_a_text_can_be_signed() -> None:
    for text in ("", "\n", "no end", "tab\there\n"):
        with pytest.raises(NoteError):
            SIGNER.sign(text)


def test_proofs_are_read_as_they_are_written() -> None:
    for extra in (b"", b"anything"):
        inclusion = InclusionProof(1, (leaf_hash(b"a"),), NOTE, extra)
        assert parse_inclusion(inclusion.text) == inclusion
    consistency = ConsistencyProof(1, (leaf_hash(b"b"),), NOTE)
    assert parse_consistency(consistency.text) == consistency
    assert parse_inclusion(InclusionProof(0, (), NOTE).text).hashes == ()


def test_a_proof_proves_its_entry_under_a_signed_root_alone() -> None:
    text = InclusionProof(1, (leaf_hash(b"a"),), NOTE).text
    assert check_inclusion(text, entry_hash=b"b", keys=KEYS) == SAID
    for wrong, entry, keys in (
        (text, b"a", KEYS),
        (text, b"b", [OTHER.verifier]),
        (text.replace("index 1", "index 0"), b"b", KEYS),
        (InclusionProof(1, (), NOTE).text, b"b", KEYS),
    ):
        with pytest.raises(ProofError):
            check_inclusion(wrong, entry_hash=entry, keys=keys)


def test_a_proof_joins_two_signed_checkpoints_alone() -> None:
    old = SIGNER.sign(Checkpoint(SIGNER.name, 1, leaf_hash(b"a")).text)
    text = ConsistencyProof(1, (leaf_hash(b"b"),), NOTE).text
    assert check_consistency(text, old_note=old, keys=KEYS) == SAID
    stranger = SignerKey("elsewhere", bytes(32))
    for wrong, older, keys in (
        (text.replace("old 1", "old 2"), old, KEYS),
        (text, SIGNER.sign(Checkpoint(SIGNER.name, 1, leaf_hash(b"x")).text), KEYS),
        (text, stranger.sign(Checkpoint("elsewhere", 1, leaf_hash(b"a")).text), [*KEYS, stranger.verifier]),
        (text, old, [OTHER.verifier]),
        (ConsistencyProof(1, (node_hash(b"", b""),), NOTE).text, old, KEYS),
    ):
        with pytest.raises(ProofError):
            check_consistency(wrong, old_note=older, keys=keys)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "c2sp.org/tlog-proof@v2\nindex 1",
        "c2sp.org/tlog-proof@v1",
        "c2sp.org/tlog-proof@v1\nindex 01",
        "c2sp.org/tlog-proof@v1\nindex -1",
        "c2sp.org/tlog-proof@v1\nindex x",
        f"c2sp.org/tlog-proof@v1\nindex {10**20}",
        "c2sp.org/tlog-proof@v1\nextra !\nindex 1",
        "c2sp.org/tlog-proof@v1\nindex 1\nAAAA",
        "c2sp.org/tlog-proof@v1\nindex 1\n!",
        "c2sp.org/tlog-proof@v1\nindex 1\n" + "\n".join([ROOT] * 200),
    ],
)
def test_what_is_no_proof_is_refused(head: str) -> None:
    with pytest.raises(ProofError):
        parse_inclusion(f"{head}\n\n{NOTE}")
    with pytest.raises(ProofError):
        parse_consistency(f"{head}\n\n{NOTE}")
    with pytest.raises(ProofError):
        parse_inclusion(head)
