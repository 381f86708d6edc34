"""ledger/FORMAT.md is true: its vectors are ours, and a verifier written from it alone accepts them."""

import base64
import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ledger.checkpoints.note import open_checkpoint
from ledger.checkpoints.proof import check_consistency, check_inclusion
from tests.ledger.checkpoints.vectors import SIGNER, blocks, document_blocks, entry_hashes


def test_the_document_has_every_vector() -> None:
    assert document_blocks() == blocks()


def test_our_own_code_accepts_them() -> None:
    said, keys = document_blocks(), [SIGNER.verifier]
    assert open_checkpoint(said["checkpoint of 3"], keys).size == 3
    newer = said["consistency of 3 and 5"]
    assert check_consistency(newer, old_note=said["checkpoint of 3"], keys=keys).size == 5
    assert (
        check_inclusion(said["inclusion of leaf 2 in 5"], entry_hash=entry_hashes()[2], keys=keys).size == 5
    )


# From here on: another verifier, written from the document, for these sizes.


def _sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def _opened(note: str, vkey: str) -> tuple[int, bytes]:
    """The size and root of a checkpoint whose one signature is good."""
    name, key_id, encoded = vkey.split("+", 2)
    public = base64.b64decode(encoded)[1:]
    assert bytes.fromhex(key_id) == _sha(name.encode(), b"\n\x01", public)[:4]
    text, _, signatures = note.rpartition("\n\n")
    dash, signer, blob = signatures.rstrip("\n").split(" ")
    signature = base64.b64decode(blob)
    assert (dash, signer, signature[:4].hex()) == ("\u2014", name, key_id)
    Ed25519PublicKey.from_public_bytes(public).verify(signature[4:], f"{text}\n".encode())
    origin, size, root = text.split("\n")
    assert origin == name
    return int(size), base64.b64decode(root)


def test_another_verifier_accepts_them() -> None:
    said = document_blocks()
    vkey = said["keys"].split()[-1]
    leaves = [_sha(b"\x00", bytes.fromhex(line)) for line in said["entry hashes"].split()]
    assert [leaf.hex() for leaf in leaves] == said["leaves"].split()

    pair = [_sha(b"\x01", leaves[0], leaves[1]), _sha(b"\x01", leaves[2], leaves[3])]
    three = _sha(b"\x01", pair[0], leaves[2])
    four = _sha(b"\x01", *pair)
    five = _sha(b"\x01", four, leaves[4])
    roots = [leaves[0], pair[0], three, four, five]
    assert [line.split()[1] for line in said["roots"].splitlines()] == [root.hex() for root in roots]
    stored = [leaves[0], leaves[1], pair[0], leaves[2], leaves[3], pair[1], four, leaves[4]]
    assert [line.split()[1] for line in said["stored nodes"].splitlines()] == [node.hex() for node in stored]

    assert _opened(said["checkpoint of 3"], vkey) == (3, three)
    assert _opened(said["checkpoint of 5"], vkey) == (5, five)

    head, _, note = said["inclusion of leaf 2 in 5"].partition("\n\n")
    magic, index, *hashes = head.split("\n")
    assert (magic, index, note) == ("c2sp.org/tlog-proof@v1", "index 2", said["checkpoint of 5"])
    assert [base64.b64decode(line) for line in hashes] == [leaves[3], pair[0], leaves[4]]

    head, _, note = said["consistency of 3 and 5"].partition("\n\n")
    old, *hashes = head.split("\n")
    assert (old, note) == ("old 3", said["checkpoint of 5"])
    assert [base64.b64decode(line) for line in hashes] == [leaves[2], leaves[3], pair[0], leaves[4]]


def test_another_verifier_refuses_a_changed_one() -> None:
    said = document_blocks()
    vkey = said["keys"].split()[-1]
    changed = said["checkpoint of 5"].replace("\n5\n", "\n6\n")
    with pytest.raises(InvalidSignature):
        _opened(changed, vkey)
