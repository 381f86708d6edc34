"""The manifest: what a bundle says it is. Half of it is read, the other half must follow from the entries."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from audit.verify.notes import Checkpoint, is_name
from audit.verify.records import canonical

SCHEMA, VERSION = "pitledger-bundle", 2
NOTE_HEAD = "pitledger bundle manifest, version 1"
"""First line of the signed note; it has spaces, so the note can never be taken for a checkpoint's."""

MANIFEST, NOTE, CHECKPOINT = "manifest.json", "manifest.note", "checkpoint"
CONSISTENCY, KEYS = "consistency.jsonl", "keys"
ENTRIES, CITED, LEAVES, NODES = "entries", "cited", "leaves", "nodes"
MEMBERS = (MANIFEST, NOTE, CHECKPOINT, CONSISTENCY, KEYS, ENTRIES, CITED, LEAVES, NODES)
"""Every bundle has these members in this order."""
STAMP = re.compile(r"stamps/([0-9]{20})\.(?:checkpoint|tsr)")
"""Behind them, by size: each checkpoint that has a timestamp, and then the timestamp."""

SCOPES = {"day": "gaming_day", "table": "table", "session": "session", "round": "round"}
"""What a bundle may be about, and the key that names it."""

STATED = ("schema", "version", "scope", "checkpoint", "streams", "members")
DERIVED = ("casino", "tables", "gaming_days", "rule_sets", "engines", "counts", "sums")

_STREAM = re.compile(r"[a-z][a-z0-9_.:-]{0,99}")
_MOST = 2**53 - 1


class Span(NamedTuple):
    """Entries ``first`` to ``last`` of a stream, and what its accounts held before, in minor units."""

    stream: str
    first: int
    last: int
    balances: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """The span as the manifest has it."""
        said: dict[str, Any] = {"stream": self.stream, "first": self.first, "last": self.last}
        return said | {"balances": dict(self.balances)}


class ManifestBad(ValueError):
    """The manifest is not of its form; the message says where."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The part of a manifest that is read.

    Attributes:
        scope: what the bundle is about: `kind`, the key of that kind, and `whole` (streams from entry 1 on).
        checkpoint: the one it was cut at.
        spans: which entries of which streams it holds, in order.
        members: size and SHA-256 of each member but the first two.
        derived: the rest, which must follow from the entries.
    """

    scope: Mapping[str, Any]
    checkpoint: Checkpoint
    spans: Sequence[Span]
    members: Mapping[str, tuple[int, str]]
    derived: Mapping[str, Any]

    def as_bytes(self) -> bytes:
        """The manifest as it is signed."""
        said: dict[str, Any] = {"schema": SCHEMA, "version": VERSION, "scope": dict(self.scope)}
        said["checkpoint"] = {
            "origin": self.checkpoint.origin,
            "size": self.checkpoint.size,
            "root": self.checkpoint.root.hex(),
        }
        said["streams"] = [span.as_dict() for span in self.spans]
        said["members"] = [
            {"name": name, "size": size, "sha256": digest} for name, (size, digest) in self.members.items()
        ]
        return canonical(said | dict(self.derived))


def stamp_names(size: int) -> tuple[str, str]:
    """The members of a stamped checkpoint of so many entries: its note, and the timestamp."""
    return f"stamps/{size:020d}.checkpoint", f"stamps/{size:020d}.tsr"


def stamp_size(name: str) -> int | None:
    """How many entries the stamped checkpoint has that a member is of; None of other members."""
    found = STAMP.fullmatch(name)
    return None if found is None else int(found[1])


def note_text(manifest: bytes) -> str:
    """The text of the note that signs a manifest."""
    return f"{NOTE_HEAD}\nsha256 {hashlib.sha256(manifest).hexdigest()}\n"


def parse_manifest(said: Mapping[str, Any]) -> Manifest:
    """Read a manifest; raises ManifestBad."""
    if said.keys() != {*STATED, *DERIVED}:
        raise ManifestBad("it does not have the keys of a manifest")
    if said["schema"] != SCHEMA or said["version"] != VERSION:
        raise ManifestBad(f"it is not of schema {SCHEMA}, version {VERSION}")
    try:
        return Manifest(
            scope=_scope(said["scope"]),
            checkpoint=_checkpoint(said["checkpoint"]),
            spans=_spans(said["streams"]),
            members=_members(said["members"]),
            derived={name: said[name] for name in DERIVED},
        )
    except (KeyError, TypeError, AttributeError, ValueError) as exc:
        raise ManifestBad(f"it is not of its form: {exc!r}"[:200]) from exc


def _scope(said: Mapping[str, Any]) -> Mapping[str, Any]:
    key = SCOPES[said["kind"]]
    if said.keys() != {"kind", "whole", key} or not isinstance(said["whole"], bool):
        raise ManifestBad("its scope is not one")
    if not isinstance(said[key], str):
        raise ManifestBad("its scope names nothing")
    return said


def _checkpoint(said: Mapping[str, Any]) -> Checkpoint:
    size, root = said["size"], bytes.fromhex(said["root"])
    if said.keys() != {"origin", "size", "root"} or not is_name(said["origin"]) or root.hex() != said["root"]:
        raise ManifestBad("its checkpoint is not one")
    return Checkpoint(said["origin"], _number(size), root)


def _spans(said: Sequence[Mapping[str, Any]]) -> list[Span]:
    spans = []
    for one in said:
        span = Span(one["stream"], _number(one["first"]), _number(one["last"]), dict(one["balances"]))
        if len(one) != 4 or not _STREAM.fullmatch(span.stream) or not 1 <= span.first <= span.last:
            raise ManifestBad("a stream's entries are not 1 or more")
        if not all(type(balance) is int and balance for balance in span.balances.values()):
            raise ManifestBad("a stated balance is a number, and not zero")
        spans.append(span)
    names = [span.stream for span in spans]
    if names != sorted(set(names)):
        raise ManifestBad("the streams are not in order, or one is named twice")
    return spans


def _members(said: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, str]]:
    members = {one["name"]: (_number(one["size"]), one["sha256"]) for one in said}
    sizes = sorted({size for name in members if (size := stamp_size(name)) is not None})
    due = [*MEMBERS[2:], *(name for size in sizes for name in stamp_names(size))]
    if any(len(one) != 3 for one in said) or [one["name"] for one in said] != due:
        raise ManifestBad("its members are not those of a bundle")
    return members


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ManifestBad("a number is not one")
    return value
