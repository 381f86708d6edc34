"""The tree of RFC 6962 as a verifier needs it: one root over many leaves at once, and consistency.

A tree of n leaves is built level by level: neighbours are joined, and a last one without neighbour goes up as
it is, which is the same tree as the RFC's recursive one. So, given some leaves, what is missing on each level
is the neighbours of what is known: those hashes, level by level from below and from left to right, are the
proof that all of these leaves are under the root. It has exactly one form.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(entry_hash: bytes) -> bytes:
    """The leaf of an entry."""
    return hashlib.sha256(b"\x00" + entry_hash).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The node above two others."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def neighbours(numbers: Iterable[int], size: int) -> Iterator[tuple[int, int]]:
    """Level and number of each node whose hash the proof of these leaves holds, in its order.

    Args:
        numbers: of the leaves, from 0, increasing.
        size: leaves of the whole tree.
    """
    known, width, level = list(numbers), size, 0
    while width > 1 and known:
        present = set(known)
        for number in known:
            if number ^ 1 not in present and number ^ 1 < width:
                yield level, number ^ 1
        known = sorted({number >> 1 for number in known})
        width, level = (width + 1) >> 1, level + 1


def root_of(leaves: Sequence[tuple[int, bytes]], size: int, proof: Sequence[bytes]) -> bytes | None:
    """The root that these leaves and the proof give; None where the proof is too short or too long.

    Args:
        leaves: number and leaf hash of each, the numbers increasing and below ``size``.
    """
    if not leaves:
        return EMPTY_ROOT if size == 0 and not proof else None
    rest, width, known = iter(proof), size, list(leaves)
    while width > 1:
        above = _joined(known, width, rest)
        if above is None:
            return None
        known, width = above, (width + 1) >> 1
    return known[0][1] if next(rest, None) is None else None


def _joined(
    known: list[tuple[int, bytes]], width: int, rest: Iterator[bytes]
) -> list[tuple[int, bytes]] | None:
    """The known nodes of the next level, with what the proof gives beside them."""
    if known[-1][0] - known[0][0] + 1 == len(known) > 2:
        return _joined_run(known, width, rest)
    above: list[tuple[int, bytes]] = []
    sha256, position, end = hashlib.sha256, 0, len(known)
    while position < end:
        number, value = known[position]
        position += 1
        if number & 1:
            left = next(rest, None)
            if left is None:
                return None
            value = sha256(b"\x01" + left + value).digest()
        elif number + 1 < width:
            if position < end and known[position][0] == number + 1:
                right: bytes | None = known[position][1]
                position += 1
            else:
                right = next(rest, None)
            if right is None:
                return None
            value = sha256(b"\x01" + value + right).digest()
        above.append((number >> 1, value))
    return above


def _joined_run(
    known: list[tuple[int, bytes]], width: int, rest: Iterator[bytes]
) -> list[tuple[int, bytes]] | None:
    """The same where no node between the first and the last is missing: they are joined two by two."""
    first, last, values = known[0][0], known[-1][0], [value for _, value in known]
    if first & 1:
        before = next(rest, None)
        if before is None:
            return None
        values.insert(0, before)
    alone: bytes | None = None
    if not last & 1 and last + 1 == width:
        alone = values.pop()
    elif not last & 1:
        behind = next(rest, None)
        if behind is None:
            return None
        values.append(behind)
    sha256, pairs = hashlib.sha256, zip(values[::2], values[1::2], strict=True)
    above = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
    return list(enumerate(above if alone is None else [*above, alone], first >> 1))


def is_consistent(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether ``proof`` shows that the tree of ``new`` leaves continues that of ``old`` (RFC 9162)."""
    if not 0 <= old <= new or any(len(value) != HASH_BYTES for value in proof):
        return False
    if old == 0:
        return not proof and old_root == EMPTY_ROOT
    if old == new:
        return not proof and old_root == new_root
    hashes = chain([old_root] if old & (old - 1) == 0 else [], proof)
    start = next(hashes, None)
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    first = second = start
    for sibling in hashes:
        if first is None or second is None or last == 0:
            return False
        if at & 1 or at == last:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            second = node_hash(second, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and first == old_root and second == new_root
