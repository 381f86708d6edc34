"""A shuffled order committed to before the first card, opened card by card afterwards.

Each card is a leaf ``SHA-256(0x00 || tag || salt || position || card)`` with a fresh 128-bit salt, so
a leaf tells nothing about its card until the salt is shown. The leaves form the Merkle tree of
RFC 6962 (section 2.1), whose root is published; a card shown later is checked against it alone.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from tables.engine.cards import parse_card
from tables.engine.codec import is_int

LEAF_PREFIX, NODE_PREFIX = b"\x00", b"\x01"
CARD_TAG = b"pitledger:card:v1"
SALT_BYTES = 16
HASH_BYTES = 32
MAX_POSITION = 2**16 - 1


@dataclass(frozen=True)
class Commitment:
    """The published root, and the leaves in the order of the cards."""

    root: bytes
    leaves: tuple[bytes, ...]


@dataclass(frozen=True)
class Opening:
    """What shows one card of a commitment: where it lay (from 0), what it is, and its salt."""

    position: int
    card: str
    salt: bytes


def leaf_of(opening: Opening) -> bytes:
    """The leaf of one card. Raises ValueError (position, salt) or IllegalAction (card)."""
    if not is_int(opening.position) or not 0 <= opening.position <= MAX_POSITION:
        raise ValueError(f"a position is 0 to {MAX_POSITION}")
    if not isinstance(opening.salt, bytes) or len(opening.salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes")
    body = CARD_TAG + opening.salt + opening.position.to_bytes(2, "big") + parse_card(opening.card).encode()
    return hashlib.sha256(LEAF_PREFIX + body).digest()


def commit(cards: Sequence[str], salts: Sequence[bytes]) -> Commitment:
    """Commit to ``cards`` in their order.

    Args:
        cards: the whole shoe, at least one card.
        salts: as many fresh random 16-byte salts, none used twice.
    """
    if not cards or len(cards) != len(salts):
        raise ValueError("a commitment needs cards, and one salt for each")
    if len(set(salts)) != len(salts):
        raise ValueError("a salt is used for one card only")
    leaves = tuple(
        leaf_of(Opening(position, card, salt))
        for position, (card, salt) in enumerate(zip(cards, salts, strict=True))
    )
    return Commitment(root_of(leaves), leaves)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The RFC 6962 tree hash over ``leaves``, which are leaf hashes already."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = _split(len(leaves))
    return _node(root_of(leaves[:split]), root_of(leaves[split:]))


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(NODE_PREFIX + left + right).digest()


def _split(size: int) -> int:
    """The largest power of two below ``size`` (at least 2)."""
    return 1 << ((size - 1).bit_length() - 1)


def verify_opening(opening: Opening, leaf: bytes) -> bool:
    """Whether ``opening`` is the card behind ``leaf``."""
    return hmac.compare_digest(leaf_of(opening), leaf)


def inclusion_proof(leaves: Sequence[bytes], position: int) -> tuple[bytes, ...]:
    """The sibling hashes from the leaf at ``position`` up to the root (RFC 6962, 2.1.1)."""
    if not 0 <= position < len(leaves):
        raise ValueError("no leaf at this position")
    if len(leaves) == 1:
        return ()
    split = _split(len(leaves))
    if position < split:
        return (*inclusion_proof(leaves[:split], position), root_of(leaves[split:]))
    return (*inclusion_proof(leaves[split:], position - split), root_of(leaves[:split]))


def verify_inclusion(leaf: bytes, position: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether ``proof`` shows that ``leaf`` is at ``position`` of the ``size`` leaves under ``root``.

    Written bottom-up as in RFC 9162, 2.1.3.2, so that it shares nothing with the prover.
    """
    if not 0 <= position < size or any(len(node) != HASH_BYTES for node in proof):
        return False
    node, index, last = leaf, position, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = _node(sibling, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = _node(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and hmac.compare_digest(node, root)
