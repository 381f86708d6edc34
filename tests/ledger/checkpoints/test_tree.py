"""The tree against the definitions of RFC 6962 itself, and every proof against every change of a bit."""

import hashlib
from collections.abc import Sequence

import pytest

from ledger.checkpoints.tree import (
    EMPTY_ROOT,
    Growth,
    Node,
    consistency_plan,
    cover,
    hashes_of,
    inclusion_plan,
    leaf_hash,
    place_of,
    root_at,
    root_over,
    stored_nodes,
    verify_consistency,
    verify_inclusion,
)

SIZES = range(1, 34)
LEAVES = [leaf_hash(bytes([n])) for n in range(max(SIZES))]


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, 2.1, word for word, over leaf hashes."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + tree_hash(leaves[:k]) + tree_hash(leaves[k:])).digest()


def stored(size: int) -> list[bytes]:
    """All stored nodes of a tree, in their order."""
    growth = Growth()
    return [node for leaf in LEAVES[:size] for node in growth.append(leaf)]


NODES = stored(max(SIZES))


def fetch(nodes: Sequence[Node]) -> dict[Node, bytes]:
    """Nodes by their places."""
    return {node: NODES[place_of(node)] for node in nodes}


def test_the_published_vectors_of_certificate_transparency() -> None:
    """The roots every implementation of RFC 6962 has in its tests."""
    inputs = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ]
    leaves = [leaf_hash(bytes.fromhex(text)) for text in inputs]
    roots = [root_over(leaves[:size]).hex() for size in range(len(leaves) + 1)]
    assert roots[0] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert roots[1] == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert roots[2] == "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
    assert roots[3] == "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"
    assert roots[7] == "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"
    assert roots[8] == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


@pytest.mark.parametrize("size", SIZES)
def test_roots_and_places(size: int) -> None:
    leaves = LEAVES[:size]
    assert root_over(leaves) == root_at(size, fetch) == tree_hash(leaves)
    assert len(stored(size)) == stored_nodes(size)
    for node in cover(0, size):
        first = node.number << node.level
        assert NODES[place_of(node)] == tree_hash(LEAVES[first : first + (1 << node.level)])
    assert sorted(
        place_of(Node(level, index)) for level in range(6) for index in range(size >> level)
    ) == list(range(stored_nodes(size)))


def test_an_empty_tree() -> None:
    assert root_at(0, fetch) == Growth().root() == EMPTY_ROOT == tree_hash([])
    assert verify_consistency(old=0, old_root=EMPTY_ROOT, new=5, new_root=root_at(5, fetch), proof=[])
    assert not verify_consistency(old=0, old_root=LEAVES[0], new=5, new_root=root_at(5, fetch), proof=[])
    with pytest.raises(ValueError, match="no leaf"):
        inclusion_plan(0, 0)
    for old, new in ((0, 5), (6, 5), (-1, 5)):
        with pytest.raises(ValueError, match="not smaller"):
            consistency_plan(old, new)


def spoilt(proof: list[bytes]) -> list[list[bytes]]:
    """The proof with each hash changed, left out or doubled, and with one more."""
    flips = [
        [*proof[:n], bytes([proof[n][0] ^ 1]) + proof[n][1:], *proof[n + 1 :]] for n in range(len(proof))
    ]
    cuts = [[*proof[:n], *proof[n + 1 :]] for n in range(len(proof))]
    return [*flips, *cuts, [*proof, LEAVES[0]], [*proof, b""], [p[:-1] for p in proof] or [b""]]


@pytest.mark.parametrize("size", SIZES)
def test_every_inclusion_proof_proves_its_leaf_and_nothing_else(size: int) -> None:
    root = root_at(size, fetch)
    for index in range(size):
        proof = hashes_of(inclusion_plan(index, size), fetch)
        assert len(proof) <= (size - 1).bit_length()

        def holds(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes = root) -> bool:
            return verify_inclusion(leaf=leaf, index=index, size=size, proof=proof, root=root)

        assert holds(LEAVES[index], index, size, proof)
        assert not any(holds(LEAVES[index], index, size, wrong) for wrong in spoilt(proof))
        assert not any(
            holds(LEAVES[index], other, size, proof) for other in range(-1, size + 1) if other != index
        )
        assert not holds(LEAVES[(index + 1) % len(LEAVES)], index, size, proof)
        assert not holds(LEAVES[index], index, size, proof, EMPTY_ROOT)


@pytest.mark.parametrize("new", SIZES)
def test_every_consistency_proof_proves_its_pair_and_nothing_else(new: int) -> None:
    new_root = root_at(new, fetch)
    for old in range(1, new + 1):
        old_root = root_at(old, fetch)
        proof = hashes_of(consistency_plan(old, new), fetch)

        def holds(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
            return verify_consistency(old=old, old_root=old_root, new=new, new_root=new_root, proof=proof)

        assert holds(old, old_root, new, new_root, proof)
        assert not any(holds(old, old_root, new, new_root, wrong) for wrong in spoilt(proof))
        assert not holds(old, LEAVES[-1], new, new_root, proof)
        assert not holds(old, old_root, new, LEAVES[-1], proof)
        assert not holds(new + 1, old_root, new, new_root, proof)
        assert not holds(-1, old_root, new, new_root, proof)
