"""ledger/FORMAT.md is true: its vectors are ours, and a verifier written from it alone accepts them."""

import base64

import pytest

from audit.verify import notes, tree
from audit.verify.notes import parse_key
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


# From here on: the auditor's verifier, written from the document and sharing no code with what it verifies.


def test_another_verifier_accepts_them() -> None:
    said = document_blocks()
    key = parse_key(said["keys"].split()[-1])
    leaves = [tree.leaf_hash(bytes.fromhex(line)) for line in said["entry hashes"].split()]
    assert [leaf.hex() for leaf in leaves] == said["leaves"].split()
    for line in said["roots"].splitlines():
        size, root = line.split()
        some = list(enumerate(leaves[: int(size)]))
        assert tree.root_of(some, int(size), []) == bytes.fromhex(root)
    three, five = (notes.open_checkpoint(said[f"checkpoint of {size}"].encode(), [key]) for size in (3, 5))
    assert (three.size, five.size) == (3, 5)

    head, _, note = said["inclusion of leaf 2 in 5"].partition("\n\n")
    magic, index, *hashes = head.split("\n")
    assert (magic, index, note) == ("c2sp.org/tlog-proof@v1", "index 2", said["checkpoint of 5"])
    assert tree.root_of([(2, leaves[2])], 5, [base64.b64decode(line) for line in hashes]) == five.root

    head, _, note = said["consistency of 3 and 5"].partition("\n\n")
    old, *hashes = head.split("\n")
    assert (old, note) == ("old 3", said["checkpoint of 5"])
    assert tree.is_consistent(3, three.root, 5, five.root, [base64.b64decode(line) for line in hashes])


def test_another_verifier_refuses_a_changed_one() -> None:
    said = document_blocks()
    changed = said["checkpoint of 5"].replace("\n5\n", "\n6\n")
    with pytest.raises(notes.NoteBad):
        notes.open_checkpoint(changed.encode(), [parse_key(said["keys"].split()[-1])])
