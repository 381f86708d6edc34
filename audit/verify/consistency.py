"""That the checkpoint continues every earlier one: those the bundle brings, and the one the auditor has."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from audit.verify.manifest import CONSISTENCY
from audit.verify.notes import Checkpoint, Key, NoteBad, open_checkpoint
from audit.verify.records import NotCanonical, canonical, parse
from audit.verify.report import Findings
from audit.verify.tree import HASH_BYTES, is_consistent


class Earlier(NamedTuple):
    """An earlier checkpoint's note, and the hashes that lead from it to the bundle's."""

    note: bytes
    hashes: Sequence[bytes]


@dataclass(slots=True)
class Proofs:
    """What was proved.

    Attributes:
        earlier: sizes of the checkpoints that are continued.
        roots: their roots by size, and that of the bundle's own checkpoint.
        since: size of the auditor's own note, if it was given and is continued.
    """

    earlier: list[int] = field(default_factory=list)
    roots: dict[int, bytes] = field(default_factory=dict)
    since: int | None = None


def line_of(one: Earlier) -> bytes:
    """The line a bundle has for an earlier checkpoint."""
    hashes = [base64.b64encode(value).decode() for value in one.hashes]
    return canonical({"hashes": hashes, "note": one.note.decode()}) + b"\n"


def check_consistency(
    members: Mapping[str, memoryview],
    checkpoint: Checkpoint | None,
    *,
    keys: Sequence[Key],
    since: bytes | None,
    findings: Findings,
) -> Proofs:
    """Check every consistency proof, and that the auditor's own note is among what is continued.

    Args:
        checkpoint: the bundle's, None where it is not signed: then nothing is proved.
        since: the auditor's note, which was opened with ``keys`` before.
    """
    proofs = Proofs()
    if checkpoint is None:
        return proofs
    proved = proofs.roots
    proved[checkpoint.size] = checkpoint.root
    for number, line in enumerate(bytes(members[CONSISTENCY]).split(b"\n")[:-1], start=1):
        old = _proved(line, checkpoint, keys)
        if isinstance(old, str):
            findings.add("consistency_unproved", f"line {number}: {old}")
        elif proofs.earlier and old.size <= proofs.earlier[-1]:
            findings.add("consistency_unproved", f"line {number}: it is out of order")
        else:
            proofs.earlier.append(old.size)
            proved[old.size] = old.root
    if bytes(members[CONSISTENCY])[-1:] not in (b"", b"\n"):
        findings.add("consistency_unproved", "the last line has no end")
    if since is not None:
        proofs.since = _since(open_checkpoint(since, keys), checkpoint, proved, findings)
    return proofs


def _proved(line: bytes, new: Checkpoint, keys: Sequence[Key]) -> Checkpoint | str:
    """The earlier checkpoint that a line proves to be continued, or why it does not."""
    try:
        said = parse(line)
        note, hashes = said["note"].encode(), [_hash(text) for text in said["hashes"]]
        old = open_checkpoint(note, keys)
    except (NotCanonical, NoteBad, KeyError, TypeError, AttributeError, ValueError) as exc:
        return str(exc)
    if line_of(Earlier(note, hashes)) != line + b"\n":
        return "it holds more than a note and hashes"
    if old.origin != new.origin or old.size >= new.size:
        return "it is of another log, or not of an earlier checkpoint"
    if not is_consistent(old.size, old.root, new.size, new.root, hashes):
        return f"the checkpoint of {new.size} entries does not continue that of {old.size}"
    return old


def _since(old: Checkpoint, new: Checkpoint, proved: Mapping[int, bytes], findings: Findings) -> int | None:
    """The size of the auditor's note, if the bundle continues it."""
    if old.origin != new.origin:
        findings.add("since_unproved", f"the note is of the log {old.origin}, the bundle of {new.origin}")
    elif old.size > new.size:
        findings.add("since_newer", f"the note has {old.size} entries, the bundle's checkpoint {new.size}")
    elif old.size not in proved:
        detail = f"it holds no proof from {old.size} entries on; ask for one made with --since"
        findings.add("since_unproved", detail)
    elif proved[old.size] != old.root:
        findings.add("log_forked", f"two signed checkpoints of {old.size} entries have different roots")
    else:
        return old.size
    return None


def _hash(text: str) -> bytes:
    try:
        value = base64.b64decode(text, validate=True)
    except binascii.Error as exc:
        raise ValueError("a hash is not base64") from exc
    if len(value) != HASH_BYTES:
        raise ValueError("a hash has not 32 bytes")
    return value
