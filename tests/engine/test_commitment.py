"""The commitment to a shuffled order: any changed byte of an opening or a proof is refused."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.contract import IllegalAction
from tables.engine.shoe import (
    Commitment,
    Opening,
    commit,
    fresh_cards,
    inclusion_proof,
    leaf_of,
    root_of,
    shuffle,
    verify_inclusion,
    verify_opening,
)
from tests.engine.helpers import PROPERTY


def made(packs: int = 1, seed: int = 1) -> tuple[tuple[str, ...], tuple[bytes, ...], Commitment]:
    """A shuffled shoe, its salts and its commitment."""
    source = random.Random(seed)
    cards = shuffle(fresh_cards(packs), source.randrange)
    salts = tuple(source.randbytes(16) for _ in cards)
    return cards, salts, commit(cards, salts)


def changed_byte(data: st.DataObject, value: bytes) -> bytes:
    """``value`` with one byte changed."""
    place, by = data.draw(st.integers(0, len(value) - 1)), data.draw(st.integers(1, 255))
    return value[:place] + bytes([value[place] ^ by]) + value[place + 1 :]


def test_the_layout_of_a_leaf_is_pinned() -> None:
    """Prefix, tag, salt, position in two bytes, card: spelt out here byte by byte."""
    salt = bytes(range(16))
    spelt = b"\x00" + b"pitledger:card:v1" + salt + b"\x01\x02" + b"8S"
    assert leaf_of(Opening(0x0102, "8S", salt)) == hashlib.sha256(spelt).digest()


def test_the_tree_is_that_of_rfc_6962() -> None:
    """Nodes have prefix 1 and the left subtree takes the largest power of two below the size."""
    leaves = [hashlib.sha256(bytes([n])).digest() for n in range(7)]

    def node(left: bytes, right: bytes) -> bytes:
        return hashlib.sha256(b"\x01" + left + right).digest()

    a, b, c, d, e, f, g = leaves
    left = node(node(a, b), node(c, d))
    assert root_of([]) == hashlib.sha256(b"").digest()
    assert root_of([a]) == a
    assert root_of([a, b, c]) == node(node(a, b), c)
    assert root_of(leaves) == node(left, node(node(e, f), g))
    assert inclusion_proof(leaves, 6) == (node(e, f), left)


@pytest.mark.parametrize("packs", range(1, 9))
def test_every_card_of_a_shoe_opens(packs: int) -> None:
    """Each opening matches its leaf, and each leaf is under the root at its place and no other."""
    cards, salts, commitment = made(packs)
    size = len(cards)
    assert commitment.root == root_of(commitment.leaves)
    for position in range(0, size, 17):
        opening = Opening(position, cards[position], salts[position])
        leaf = commitment.leaves[position]
        assert verify_opening(opening, leaf)
        proof = inclusion_proof(commitment.leaves, position)
        assert verify_inclusion(leaf, position, size, proof, commitment.root)
        assert not verify_inclusion(leaf, (position + 1) % size, size, proof, commitment.root)


@PROPERTY
@given(size=st.integers(1, 70), data=st.data())
def test_proofs_of_every_size(size: int, data: st.DataObject) -> None:
    """A proof holds for its leaf and place alone; a node more, less or changed breaks it."""
    leaves = [hashlib.sha256(bytes([n])).digest() for n in range(size)]
    position = data.draw(st.integers(0, size - 1))
    proof, root, leaf = inclusion_proof(leaves, position), root_of(leaves), leaves[position]
    assert verify_inclusion(leaf, position, size, proof, root)
    for other in range(size):
        assert verify_inclusion(leaf, other, size, proof, root) == (other == position)
    assert not verify_inclusion(leaf, position, size, (*proof, leaf), root)
    assert not verify_inclusion(changed_byte(data, leaf), position, size, proof, root)
    assert not verify_inclusion(leaf, position, size, proof, changed_byte(data, root))
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        broken = (*proof[:place], changed_byte(data, proof[place]), *proof[place + 1 :])
        assert not verify_inclusion(leaf, position, size, broken, root)
        assert not verify_inclusion(leaf, position, size, proof[:-1], root)
        assert not verify_inclusion(leaf, position, size, (*proof[:-1], proof[-1][:-1]), root)


@pytest.mark.parametrize(("position", "size"), [(-1, 4), (4, 4), (0, 0)])
def test_places_that_are_none(position: int, size: int) -> None:
    """Outside the tree nothing is included and nothing can be proved."""
    leaves = [hashlib.sha256(bytes([n])).digest() for n in range(size)]
    assert not verify_inclusion(b"\x00" * 32, position, size, (), root_of(leaves))
    with pytest.raises(ValueError, match="no leaf"):
        inclusion_proof(leaves, position)


@PROPERTY
@given(data=st.data())
def test_any_changed_byte_of_an_opening_is_refused(data: st.DataObject) -> None:
    """Another salt, place or card does not open the leaf, and neither does a changed leaf."""
    cards, salts, commitment = made()
    position = data.draw(st.integers(0, 51))
    opening, leaf = Opening(position, cards[position], salts[position]), commitment.leaves[position]
    assert verify_opening(opening, leaf)
    other = data.draw(st.integers(0, 50))
    assert not verify_opening(replace(opening, salt=changed_byte(data, opening.salt)), leaf)
    assert not verify_opening(replace(opening, position=(position + 1 + other) % 52), leaf)
    assert not verify_opening(replace(opening, card=[c for c in cards if c != opening.card][other]), leaf)
    assert not verify_opening(opening, changed_byte(data, leaf))
    assert not verify_opening(opening, leaf[:-1])


def test_another_order_has_another_root() -> None:
    """Two cards changed places, with the same salts."""
    cards, salts, commitment = made()
    swapped = (cards[1], cards[0], *cards[2:])
    assert commit(swapped, salts).root != commitment.root


def test_salts_hide_the_cards() -> None:
    """The same order under other salts shares no leaf, so leaves cannot be looked up."""
    cards, _, commitment = made()
    again = commit(cards, [random.Random(9 + n).randbytes(16) for n in range(52)])
    assert not set(again.leaves) & set(commitment.leaves)


@pytest.mark.parametrize(
    ("cards", "salts"),
    [
        ([], []),
        (["8S"], []),
        (["8S"], [b"0" * 16, b"1" * 16]),
        (["8S", "9S"], [b"0" * 16, b"0" * 16]),
        (["8S"], [b"0" * 15]),
        (["8S"], ["0" * 16]),
    ],
)
def test_commitments_that_would_not_hide(cards: list[str], salts: list[Any]) -> None:
    """As many salts as cards, 16 bytes each, none twice."""
    with pytest.raises(ValueError, match="salt"):
        commit(cards, salts)


def test_openings_that_cannot_be() -> None:
    """A place outside two bytes and a card that is none are errors, not mere mismatches."""
    for position in (-1, 2**16, True):
        with pytest.raises(ValueError, match="position"):
            leaf_of(Opening(position, "8S", b"0" * 16))
    with pytest.raises(IllegalAction):
        leaf_of(Opening(0, "8s", b"0" * 16))
