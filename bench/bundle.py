"""The offline verifier over a bundle made in memory, against a bare loop over the very same entries.

A day of four tables: the verifier walks streams apart, by as many processes as there are processors; the bare
loop is one process.
"""

import hashlib
import struct
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from audit.verify import container
from audit.verify.bundle import verify_bundle, walk
from audit.verify.manifest import MEMBERS, Manifest, Span, note_text
from audit.verify.notes import Checkpoint as Signed
from audit.verify.notes import Key, parse_key
from audit.verify.records import canonical, joined
from audit.verify.report import Findings
from bench.python import RULES
from ledger.checkpoints.note import Checkpoint, SignerKey
from ledger.checkpoints.tree import leaf_hash, root_over
from ledger.verify import EntryRow, HashedMovement, entry_bytes

TABLES = 4
ENTRIES = 20_000  # buy-ins, all tables together
SIGNER = SignerKey("bench.example/journal", bytes(range(32)))
RULE_SET = uuid.UUID(int=7)
ACTOR, SECOND = uuid.UUID(int=5), uuid.UUID(int=6)
STREAMS = [f"table:{uuid.UUID(int=number)}" for number in range(1, TABLES + 1)]
DAY = "2026-01-01"
OFFICE = f"office:{uuid.UUID(int=8)}"
BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
CHIPS, CASH = "chips:USD", "cash:USD"
BUY_IN = [
    HashedMovement("cash:patrons", "cash:drop_box", CASH, 10_000),
    HashedMovement("tray", "seat:1", CHIPS, 10_000),
]


class Made(NamedTuple):
    """A bundle, the key it is verified with, and the fields of its entries as a bare loop packs them."""

    data: bytes
    key: Key
    packed: list[tuple[tuple[Any, ...], tuple[Any, ...], bytes]]


def verify(jobs: int = 1) -> int:
    """A bundle verified: container, signatures, every hash, link, balance and leaf, and the root.

    Args:
        jobs: processes that may walk it.
    """
    made = _made()
    judged = verify_bundle(made.data, keys=[made.key], jobs=jobs)
    assert judged.holds, judged.findings.listed[:3]
    return ENTRIES


_MOVE = "i{}si{}si9sq"
_LAYOUT = struct.Struct(
    f">16shi{len(STREAMS[0])}sq16s16si11s16sB16sqq32sB16s32si"
    + "".join(_MOVE.format(len(source), len(target)) for source, target, _, _ in BUY_IN)
)


def bare() -> int:
    """The fields of the same entries packed, payloads and entries through SHA-256, and nothing else."""
    pack, sha256 = _LAYOUT.pack, hashlib.sha256
    nothing = bytes(16)
    for fields, moves, payload in _made().packed:
        digest = sha256(payload).digest()
        sha256(pack(*fields, digest, 0, nothing, digest, 2, *moves)).digest()
    return ENTRIES


_MOVED = tuple(
    part
    for source, target, asset, amount in BUY_IN
    for text in (source, target, asset)
    for part in (len(text), text.encode(), *((amount,) if text is asset else ()))
)


@cache
def _made() -> Made:
    hashes, records, packed = list[bytes](), list[bytes](), list[Any]()
    spans = []
    for table, stream in enumerate(STREAMS):
        previous, seq = bytes(32), 0
        for seq, (kind, said, moves) in enumerate(_entries(stream, table), start=1):
            row = _row(table, seq, kind, canonical(said), previous)
            body = entry_bytes(stream, row, moves)
            previous = hashlib.sha256(body).digest()
            hashes.append(previous)
            records.append(joined(body, row.payload.encode()))
            if kind == "seat.buy_in":
                packed.append((_fields(stream, row), _MOVED, row.payload.encode()))
        spans.append(Span(stream, 1, seq, {}))
    rules = {"rules": str(RULE_SET), "name": "bench", "version": 1, "body": RULES}
    row = _row(TABLES, 0, "rule_set.create", canonical(rules), bytes(32))
    body = entry_bytes(OFFICE, row, [])
    hashes.append(hashlib.sha256(body).digest())
    checkpoint = Checkpoint(SIGNER.name, len(hashes), root_over(map(leaf_hash, hashes)))
    members = dict.fromkeys(MEMBERS, b"")
    members["entries"] = b"".join(records)
    members["cited"] = joined(body, row.payload.encode())
    members["leaves"] = b"".join(struct.pack(">q", at) + value for at, value in enumerate(hashes))
    members["checkpoint"] = SIGNER.sign(checkpoint.text).encode()
    members["keys"] = f"{SIGNER.verifier.text}\n".encode()
    return Made(_signed(members, checkpoint, spans), parse_key(SIGNER.verifier.text), packed)


def _entries(stream: str, table: int) -> Iterator[tuple[str, dict[str, Any], list[HashedMovement]]]:
    """A table's opening, a fill, a session, and a player who buys in all day."""
    bounded = [("tray", CHIPS), ("seat:1", CHIPS), ("cash:drop_box", CASH)]
    accounts = [*((*one, 0) for one in bounded), ("cage", CHIPS, None), ("cash:patrons", CASH, None)]
    described = [{"name": name, "asset": asset, "floor": floor} for name, asset, floor in accounts]
    yield "stream.open", {"stream": stream, "accounts": described}, []
    number = ENTRIES // TABLES
    total, chips = number * 10_000, {"10000": number}
    signed, fill = {"second": str(SECOND)}, [HashedMovement("cage", "tray", CHIPS, total)]
    slip = {"slip": str(uuid.UUID(int=200 + table)), "label": f"F-{table + 1}"}
    slip["table"] = stream.removeprefix("table:")
    yield "fill.receive", {"total": total, "chips": chips, "session": None, **slip, **signed}, fill
    session = {"session": str(uuid.UUID(int=100 + table)), "gaming_day": DAY, "rules": str(RULE_SET)}
    yield "session.open", {**session, "number": 1, "opener": chips, "opener_total": total, **signed}, []
    sits = {"player": str(uuid.UUID(int=1000 + table)), "seat": 1, "session": session["session"]}
    yield "seat.take", {"cash": 0, **sits}, []
    for _ in range(number):
        yield "seat.buy_in", {"cash": 10_000, **sits}, BUY_IN


def _row(table: int, seq: int, kind: str, payload: bytes, previous: bytes) -> EntryRow:
    at = BEGINS + timedelta(milliseconds=seq)
    ids = (uuid.UUID(int=table << 64 | 2 * seq), uuid.UUID(int=table << 64 | 2 * seq + 1))
    digest = hashlib.sha256(payload).digest()
    return EntryRow(
        seq, *ids, kind, ACTOR, None, at, at, payload.decode(), digest, None, previous, bytes(32), 1
    )


def _fields(stream: str, row: EntryRow) -> tuple[Any, ...]:
    """An entry's fields up to its payload's digest, ready to be packed."""
    name, kind = stream.encode(), row.kind.encode()
    head = (b"pitledger:entry\0", 1, len(name), name, row.seq, row.id.bytes, row.command_id.bytes)
    return (*head, len(kind), kind, row.actor.bytes, 0, bytes(16), 1, 2)


def _signed(members: dict[str, bytes], checkpoint: Checkpoint, spans: list[Span]) -> bytes:
    scope = {"kind": "day", "gaming_day": DAY, "whole": True}
    described = {name: container.described(members[name]) for name in MEMBERS[2:]}
    signed = Signed(*checkpoint)
    stated = Manifest(scope, signed, spans, described, {})
    views = {name: memoryview(content) for name, content in members.items()}
    derived = walk(stated, views, Findings()).derived
    members["manifest.json"] = Manifest(scope, signed, spans, described, derived).as_bytes()
    members["manifest.note"] = SIGNER.sign(note_text(members["manifest.json"])).encode()
    return container.encode([(name, members[name]) for name in MEMBERS])
