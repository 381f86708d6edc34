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
Run = tuple[int, bytes | bytearray]
"""Nodes of one level without a gap: the number of the first, and the hashes of all one behind the other."""


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


def root_of(leaves: Sequence[Run], size: int, proof: Sequence[bytes]) -> bytes | None:
    """The root that these leaves and the proof give; None where the proof is too short or too long.

    Args:
        leaves: in order, none twice, all numbers below ``size``.
    """
    if not leaves:
        return EMPTY_ROOT if size == 0 and not proof else None
    rest, width, known = iter(proof), size, list(_met(leaves))
    while width > 1:
        try:
            known = list(_met([_above(run, width, rest) for run in known]))
        except _TooShort:
            return None
        width = (width + 1) >> 1
    return bytes(known[0][1]) if next(rest, None) is None else None


class _TooShort(Exception):
    """The proof ends where a neighbour is due, or in the middle of one."""


def _above(run: Run, width: int, rest: Iterator[bytes]) -> Run:
    """The nodes above a run, with what the proof gives beside its first and its last."""
    first, values = run[0], bytes(run[1])
    last = first + len(values) // HASH_BYTES - 1
    alone = b""
    if first & 1:
        values = _next(rest) + values
    if not last & 1 and last + 1 == width:
        values, alone = values[:-HASH_BYTES], values[-HASH_BYTES:]
    elif not last & 1:
        values = values + _next(rest)
    sha256, pair = hashlib.sha256, 2 * HASH_BYTES
    joined = [sha256(b"\x01" + values[at : at + pair]).digest() for at in range(0, len(values), pair)]
    return first >> 1, b"".join([*joined, alone])


def _next(rest: Iterator[bytes]) -> bytes:
    value = next(rest, b"")
    if len(value) != HASH_BYTES:
        raise _TooShort
    return value


def _met(runs: Iterable[Run]) -> Iterator[Run]:
    """The same runs, those made one that have met."""
    parts, begin, end = list[bytes | bytearray](), 0, 0
    for first, values in runs:
        if parts and first != end:
            yield begin, b"".join(parts)
            parts = []
        if not parts:
            begin = end = first
        parts.append(values)
        end += len(values) // HASH_BYTES
    yield begin, b"".join(parts)


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
