"""Bundles to change in memory: byte by byte, re-signed by whoever has the key, or forged from the start."""

import hashlib
import io
import json
import struct
import uuid
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from audit.verify import container
from audit.verify.bundle import Judged, verify_bundle, walk
from audit.verify.manifest import MEMBERS, Manifest, note_text, parse_manifest
from audit.verify.notes import Key, parse_key
from audit.verify.records import Transfer, canonical, joined, parse, read, split, stream_in
from audit.verify.report import Findings
from ledger.checkpoints.note import Checkpoint, SignerKey
from ledger.checkpoints.tree import leaf_hash, root_over
from ledger.verify import EntryRow, HashedMovement, entry_bytes

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Made:
    """What was played, as bundles.

    Attributes:
        bundles: by name: day, whole, table, session, beside (a session with pieces at stake), round, since.
        signer: the sealer's key.
        early, late: the signed checkpoints, the second one every bundle's.
        exports: the day's rounds, by file name.
    """

    bundles: Mapping[str, bytes]
    signer: SignerKey
    early: str
    late: str
    exports: Mapping[str, bytes]

    @property
    def key(self) -> Key:
        """The public key an auditor pins."""
        return parse_key(self.signer.verifier.text)

    def judged(self, data: bytes, since: str | None = None, *, jobs: int = 1) -> Judged:
        """The verifier's judgement."""
        return verify_bundle(data, keys=[self.key], since=since.encode() if since else None, jobs=jobs)

    def types(self, data: bytes, since: str | None = None) -> set[str]:
        """The types of all findings."""
        return set(self.judged(data, since).findings.counts)


def members_of(bundle: bytes) -> dict[str, bytes]:
    """The members, read by the standard library's zip."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def packed(members: Mapping[str, bytes]) -> bytes:
    """The canonical bundle of these members."""
    return container.encode([(name, members[name]) for name in MEMBERS])


def resigned(members: Mapping[str, bytes], signer: SignerKey, **said: Any) -> bytes:
    """The bundle of these members under a manifest that names them, says this, and is signed by that key."""
    body = json.loads(members["manifest.json"]) | said
    body["members"] = [
        {"name": name, "size": size, "sha256": digest}
        for name in MEMBERS[2:]
        for size, digest in [container.described(members[name])]
    ]
    manifest = canonical(body)
    note = signer.sign(note_text(manifest)).encode()
    return packed({**members, "manifest.json": manifest, "manifest.note": note})


def records_of(member: bytes) -> list[bytes]:
    """The records of the entries or the cited ones, as bytes."""
    return [joined(*piece) for piece in split(memoryview(member))]


@dataclass
class Line:
    """An entry taken apart, to be changed."""

    stream: str
    seq: int
    kind: str
    said: dict[str, Any]
    moves: list[Transfer]
    recorded: int
    actor: bytes
    previous: bytes
    reverses: bytes | None = None
    is_cited: bool = False
    occurred: int | None = None  # as recorded, unless it is set
    id: uuid.UUID = field(default_factory=uuid.uuid4)
    command: uuid.UUID = field(default_factory=uuid.uuid4)


def lines_of(members: Mapping[str, bytes]) -> list[Line]:
    """All entries of a bundle, the cited ones last."""
    lines = []
    for name in ("entries", "cited"):
        for hashed, payload in split(memoryview(members[name])):
            stream = stream_in(hashed)
            one = read(stream, hashed, payload)
            lines.append(
                Line(
                    stream=stream,
                    seq=one.seq,
                    kind=one.kind,
                    said=parse(payload),
                    moves=list(one.moves),
                    recorded=one.recorded,
                    actor=one.actor,
                    previous=one.previous,
                    reverses=one.reverses,
                    is_cited=name == "cited",
                    id=uuid.UUID(bytes=one.id),
                    command=uuid.UUID(bytes=one.command),
                )
            )
    return lines


def forged(made: Made, change: Callable[[list[Line]], object], *, of: str = "whole") -> bytes:
    """A bundle of a house that forged its whole log, checkpoint and all: no hash or proof of it is wrong."""
    members = members_of(made.bundles[of])
    lines = lines_of(members)
    change(lines)
    parts: dict[bool, list[bytes]] = {False: [], True: []}
    leaves, last = list[bytes](), dict[str, bytes]()
    for line in lines:
        row = _row(line, line.previous if line.is_cited else last.get(line.stream, line.previous))
        moved = [HashedMovement(*move) for move in line.moves]
        hashed = entry_bytes(line.stream, row, moved)
        if line.occurred is not None:  # which no datetime may hold
            both = struct.pack(">qq", line.recorded, line.recorded)
            hashed = hashed.replace(both, struct.pack(">qq", line.recorded, line.occurred))
        value = hashlib.sha256(hashed).digest()
        if not line.is_cited:
            last[line.stream] = value
        parts[line.is_cited].append(joined(hashed, row.payload.encode()))
        leaves.append(value)
    root = root_over(map(leaf_hash, leaves))
    checkpoint = Checkpoint(made.signer.name, len(leaves), root)
    members |= {
        "entries": b"".join(parts[False]),
        "cited": b"".join(parts[True]),
        "leaves": b"".join(struct.pack(">q", number) + value for number, value in enumerate(leaves)),
        "nodes": b"",
        "consistency.jsonl": b"",
        "checkpoint": made.signer.sign(checkpoint.text).encode(),
    }
    said = _said(members, checkpoint, lines)
    return resigned(members, made.signer, **said)


def _row(line: Line, previous: bytes) -> EntryRow:
    payload = canonical(line.said)
    at = EPOCH + timedelta(microseconds=line.recorded)
    return EntryRow(
        line.seq,
        line.id,
        line.command,
        line.kind,
        uuid.UUID(bytes=line.actor),
        None,
        at,
        at,
        payload.decode(),
        hashlib.sha256(payload).digest(),
        uuid.UUID(bytes=line.reverses) if line.reverses else None,
        previous,
        b"",
        1,
    )


def _said(members: Mapping[str, bytes], checkpoint: Checkpoint, lines: list[Line]) -> dict[str, Any]:
    """What the forged manifest says: the spans of the lines, and whatever follows from them."""
    body = json.loads(members["manifest.json"])
    body["checkpoint"] = {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
    }
    numbers: dict[str, list[int]] = {}
    for line in lines:
        if not line.is_cited:
            numbers.setdefault(line.stream, []).append(line.seq)
    for span in body["streams"]:
        span["first"], span["last"] = numbers[span["stream"]][0], numbers[span["stream"]][-1]
    manifest: Manifest = parse_manifest(body)
    views = {name: memoryview(content) for name, content in members.items()}
    derived = walk(manifest, views, Findings()).derived
    return {"checkpoint": body["checkpoint"], "streams": body["streams"], **derived}
