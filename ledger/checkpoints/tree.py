"""The tree of RFC 6962 over entry hashes: numbering of its nodes, roots, proofs and their verification.

Pure functions, standard library only. A node is named by its level (0 for leaves) and its number on that
level, from the left. Only complete subtrees are ever stored, in the order in which appending leaves
completes them: each leaf, followed by every node it completes, bottom-up. So node (level, number) has one
place in that order for ever, whatever the size of the tree::

    leaves  0  1     2  3        place:  0  1 (1,0)  3  4 (1,1) (2,0)
                                                 2          5     6

Proofs are planned as intervals of leaves, so that all stored nodes they need are read at once.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


class Node(NamedTuple):
    """A complete subtree: ``2 ** level`` leaves from ``number * 2 ** level`` on."""

    level: int
    number: int


Interval = tuple[int, int]
Fetch = Callable[[Sequence[Node]], dict[Node, bytes]]
"""Answers the stored hashes of complete subtrees."""


def leaf_hash(entry_hash: bytes) -> bytes:
    """The leaf of an entry whose hash is ``entry_hash``."""
    return hashlib.sha256(b"\x00" + entry_hash).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The node above two others."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def stored_nodes(size: int) -> int:
    """How many nodes, leaves included, a tree of ``size`` leaves has stored."""
    return 2 * size - size.bit_count()


def place_of(node: Node) -> int:
    """The place of a node in the order of storing, from 0."""
    return stored_nodes(completed_by(node)) + node.level


def completed_by(node: Node) -> int:
    """The leaf, from 0, whose appending completes ``node``."""
    return ((node.number + 1) << node.level) - 1


def cover(first: int, end: int) -> list[Node]:
    """The complete subtrees that make up the leaves ``first`` to ``end - 1``, from the left.

    ``first`` must be a multiple of the largest power of two that fits, as in every interval of a plan.
    """
    nodes = []
    while first < end:
        level = (end - first).bit_length() - 1
        nodes.append(Node(level, first >> level))
        first += 1 << level
    return nodes


def fold(hashes: Sequence[bytes]) -> bytes:
    """The hash over neighbouring subtrees that shrink from left to right."""
    if not hashes:
        return EMPTY_ROOT
    result = hashes[-1]
    for left in reversed(hashes[:-1]):
        result = node_hash(left, result)
    return result


@dataclass(slots=True)
class Growth:
    """A tree that is being appended to: its right edge, and nothing else in memory.

    Args:
        size: how many leaves it has.
        peaks: the hashes of ``cover(0, size)``.
    """

    size: int = 0
    peaks: list[bytes] = field(default_factory=list)

    def append(self, leaf: bytes) -> list[bytes]:
        """Append a leaf; answers it and the nodes it completes, in the order of storing."""
        made = [leaf]
        rest = self.size
        while rest & 1:
            made.append(node_hash(self.peaks.pop(), made[-1]))
            rest >>= 1
        self.peaks.append(made[-1])
        self.size += 1
        return made

    def root(self) -> bytes:
        """The root at the present size."""
        return fold(self.peaks)


def inclusion_plan(index: int, size: int) -> list[Interval]:
    """The intervals whose hashes prove leaf ``index`` in a tree of ``size``, from the leaf's sibling up.

    Raises:
        ValueError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError("no leaf of this index in a tree of this size")
    first, end = 0, size
    plan: list[Interval] = []
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            plan.append((middle, end))
            end = middle
        else:
            plan.append((first, middle))
            first = middle
    return plan[::-1]


def consistency_plan(old: int, new: int) -> list[Interval]:
    """The intervals whose hashes prove that a tree of ``new`` leaves continues one of ``old``.

    Raises:
        ValueError: ``old`` is not between 1 and ``new``.
    """
    if not 1 <= old <= new:
        raise ValueError("a consistency proof goes from a tree to one not smaller")
    first, end = 0, new
    plan: list[Interval] = []
    while old < end:
        middle = first + _split(end - first)
        if old <= middle:
            plan.append((middle, end))
            end = middle
        else:
            plan.append((first, middle))
            first = middle
    if first > 0:
        plan.append((first, end))  # otherwise it is the old tree itself, whose root the reader has
    return plan[::-1]


def hashes_of(plan: Sequence[Interval], fetch: Fetch) -> list[bytes]:
    """The hash of each interval of ``plan``, from stored nodes that are fetched all at once."""
    covers = [cover(*interval) for interval in plan]
    known = fetch([node for nodes in covers for node in nodes])
    return [fold([known[node] for node in nodes]) for nodes in covers]


def root_at(size: int, fetch: Fetch) -> bytes:
    """The root of the first ``size`` leaves, from stored nodes."""
    return hashes_of([(0, size)], fetch)[0] if size else EMPTY_ROOT


def root_over(leaves: Iterable[bytes]) -> bytes:
    """The root over ``leaves``, which are leaf hashes already."""
    growth = Growth()
    for leaf in leaves:
        growth.append(leaf)
    return growth.root()


def _split(size: int) -> int:
    """The largest power of two below ``size`` (at least 2)."""
    return 1 << ((size - 1).bit_length() - 1)


# Verification is written bottom-up as in RFC 9162, 2.1.3.2 and 2.1.4.2: it shares no step with the plans.


def verify_inclusion(*, leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether ``proof`` shows that ``leaf`` is leaf ``index`` of the ``size`` leaves under ``root``."""
    if not 0 <= index < size or not _are_hashes(proof):
        return False
    node, at, last = leaf, index, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            node = node_hash(sibling, node)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and hmac.compare_digest(node, root)


def verify_consistency(
    *, old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether ``proof`` shows that the tree of ``new`` leaves continues that of ``old``.

    Every tree continues the empty one; two trees of one size are the same or inconsistent.
    """
    if not 0 <= old <= new or not _are_hashes(proof):
        return False
    if old == 0:
        return not proof and hmac.compare_digest(old_root, EMPTY_ROOT)
    if old == new:
        return not proof and hmac.compare_digest(old_root, new_root)
    hashes = _with_old_root(old, old_root, proof)
    start = next(hashes, None)
    if start is None:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old_node = new_node = start
    for sibling in hashes:
        if last == 0:
            return False
        if at & 1 or at == last:
            old_node, new_node = node_hash(sibling, old_node), node_hash(sibling, new_node)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            new_node = node_hash(new_node, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and hmac.compare_digest(old_node, old_root) and hmac.compare_digest(new_node, new_root)


def _with_old_root(old: int, old_root: bytes, proof: Sequence[bytes]) -> Iterator[bytes]:
    """The proof, after the old root where that is itself a node of the new tree and so left out."""
    if old & (old - 1) == 0:
        yield old_root
    yield from proof


def _are_hashes(values: Sequence[bytes]) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
