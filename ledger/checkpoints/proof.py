"""Proofs as texts: c2sp.org/tlog-proof for one entry, c2sp.org/tlog-witness's form for two checkpoints.

Each carries the signed checkpoint it speaks of, so it can be checked offline with the log's public key. The
consistency form is the body a witness is sent: ``old <size>``, the hashes, an empty line, the newer
checkpoint; the older one is what its reader holds already.
"""

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ledger.checkpoints.note import Checkpoint, NoteError, VerifierKey, open_checkpoint
from ledger.checkpoints.tree import HASH_BYTES, leaf_hash, verify_consistency, verify_inclusion

HEAD = "c2sp.org/tlog-proof@v1"
HASH_LIMIT = 130  # two per level of the tallest tree there can be


class ProofError(ValueError):
    """The proof does not prove what it should; the message says why."""


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """That one leaf is in the tree of a checkpoint.

    Attributes:
        index: of the leaf, from 0.
        hashes: from the leaf's sibling up.
        note: the signed checkpoint.
        extra: whatever travels along; nothing vouches for it.
    """

    index: int
    hashes: tuple[bytes, ...]
    note: str
    extra: bytes = b""

    @property
    def text(self) -> str:
        """The proof as a file: ``.tlog-proof``."""
        head = [HEAD]
        if self.extra:
            head.append(f"extra {base64.b64encode(self.extra).decode()}")
        return _text([*head, f"index {self.index}"], self.hashes, self.note)


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """That a checkpoint's tree continues one of ``old`` leaves.

    Attributes:
        old: size of the earlier tree.
        hashes: the proof of RFC 6962, 2.1.2.
        note: the later signed checkpoint.
    """

    old: int
    hashes: tuple[bytes, ...]
    note: str

    @property
    def text(self) -> str:
        """The proof as a file."""
        return _text([f"old {self.old}"], self.hashes, self.note)


def parse_inclusion(text: str) -> InclusionProof:
    """Read an inclusion proof; raises ProofError."""
    lines, note = _split(text)
    if not lines or lines[0] != HEAD:
        raise ProofError(f"a proof begins with {HEAD}")
    rest, extra = lines[1:], b""
    if rest and rest[0].startswith("extra "):
        extra = _bytes(rest[0].removeprefix("extra "))
        rest = rest[1:]
    return InclusionProof(_number(rest, "index"), _hashes(rest[1:]), note, extra)


def parse_consistency(text: str) -> ConsistencyProof:
    """Read a consistency proof; raises ProofError."""
    lines, note = _split(text)
    return ConsistencyProof(_number(lines, "old"), _hashes(lines[1:]), note)


def check_inclusion(text: str, *, entry_hash: bytes, keys: Iterable[VerifierKey]) -> Checkpoint:
    """The checkpoint under which ``text`` proves the entry of that hash to be.

    Raises:
        ProofError: it proves nothing of the kind.
    """
    proof = parse_inclusion(text)
    checkpoint = _opened(proof.note, keys)
    if not verify_inclusion(
        leaf=leaf_hash(entry_hash),
        index=proof.index,
        size=checkpoint.size,
        proof=proof.hashes,
        root=checkpoint.root,
    ):
        raise ProofError("the hashes do not lead from this entry to the root that was signed")
    return checkpoint


def check_consistency(text: str, *, old_note: str, keys: Iterable[VerifierKey]) -> Checkpoint:
    """The checkpoint that ``text`` proves to continue the one in ``old_note``.

    Raises:
        ProofError: it proves nothing of the kind.
    """
    known = list(keys)
    proof = parse_consistency(text)
    old, new = _opened(old_note, known), _opened(proof.note, known)
    if old.size != proof.old or old.origin != new.origin:
        raise ProofError("it speaks of another checkpoint")
    if not verify_consistency(
        old=old.size, old_root=old.root, new=new.size, new_root=new.root, proof=proof.hashes
    ):
        raise ProofError("the newer checkpoint does not continue the older one")
    return new


def _opened(note: str, keys: Iterable[VerifierKey]) -> Checkpoint:
    try:
        return open_checkpoint(note, keys)
    except NoteError as exc:
        raise ProofError(str(exc)) from exc


def _text(head: Sequence[str], hashes: Sequence[bytes], note: str) -> str:
    lines = [*head, *(base64.b64encode(value).decode() for value in hashes)]
    return "\n".join(lines) + "\n\n" + note


def _split(text: str) -> tuple[list[str], str]:
    head, empty, note = text.partition("\n\n")
    if not empty:
        raise ProofError("a proof ends with a checkpoint")
    return head.split("\n"), note


def _number(lines: Sequence[str], word: str) -> int:
    name, _, digits = lines[0].partition(" ") if lines else ("", "", "")
    if name != word or not (digits.isascii() and digits.isdigit()) or len(digits) > 19:
        raise ProofError(f"a line '{word} <number>' is missing")
    if digits != str(int(digits)):
        raise ProofError("a number has no leading zeroes")
    return int(digits)


def _hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    hashes = tuple(_bytes(line) for line in lines)
    if len(hashes) > HASH_LIMIT or any(len(value) != HASH_BYTES for value in hashes):
        raise ProofError("a hash of the proof has not 32 bytes, or there are too many")
    return hashes


def _bytes(text: str) -> bytes:
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise ProofError("a hash of the proof is not base64") from exc
    if base64.b64encode(value).decode() != text:
        raise ProofError("this base64 is not spelled as it must be")
    return value
