"""The pure parts: verification from values and the engine, against bare loops over the same data."""

import hashlib
import json
import struct
import uuid
from datetime import UTC, datetime
from typing import Any

from ledger.verify import EntryRow, HashedMovement, entry_bytes, entry_hash
from tables.engine.registry import game

BATCH = 2000
_LAYOUT = struct.Struct(">hq16s16s16sqq32s32sq")
MOVED = [HashedMovement("tray", "seat:1", "chips:USD", 2500)]
ENTRY = EntryRow(
    seq=1,
    id=uuid.UUID(int=1),
    command_id=uuid.UUID(int=2),
    kind="round.deal",
    actor=uuid.UUID(int=3),
    terminal=uuid.UUID(int=4),
    recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
    occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
    payload='{"actions":[{"card":"8S","type":"deal"}],"round":"00000000-0000-0000-0000-000000000000"}',
    payload_digest=bytes(32),
    reverses=None,
    previous_hash=bytes(32),
    hash=bytes(32),
    hash_version=1,
)
ROUND: list[dict[str, Any]] = [
    *({"type": "bet", "seat": seat, "amount": 2500} for seat in range(1, 6)),
    {"type": "deal", "card": "4S"},
    {"type": "deal", "card": "KH"},
    {"type": "announce", "spread": 8},
    *({"type": "raise", "seat": seat, "amount": 2500} for seat in (1, 3)),
    {"type": "deal", "card": "9C"},
    {"type": "settle"},
]
LOG = json.dumps(ROUND)


def hash_entries() -> int:
    """Entries whose bytes are rebuilt from values and hashed by the verifier."""
    for _ in range(BATCH):
        entry_hash("table:1", ENTRY, MOVED)
    return BATCH


def hash_bare() -> int:
    """The same number of bytes through struct.pack and SHA-256 alone, payload digest included."""
    rest = bytes(len(entry_bytes("table:1", ENTRY, MOVED)) - _LAYOUT.size)
    nothing = bytes(32)
    for number in range(BATCH):
        digest = hashlib.sha256(ENTRY.payload.encode()).digest()
        packed = _LAYOUT.pack(1, number, nothing[:16], nothing[:16], nothing[:16], 1, 2, digest, nothing, 3)
        hashlib.sha256(packed + rest).digest()
    return BATCH


def resettle_rounds() -> int:
    """Rounds of five seats replayed by the engine from their journalled actions."""
    red_dog = game("red_dog")
    rules = red_dog.decode_rules(RULES)
    for _ in range(BATCH // 10):
        actions = [red_dog.decode_action(action) for action in json.loads(LOG)]
        red_dog.run(red_dog.new_round(rules), actions)
    return BATCH // 10


def parse_rounds() -> int:
    """The same logs parsed as JSON and nothing else."""
    for _ in range(BATCH // 10):
        json.loads(LOG)
    return BATCH // 10


RULES: dict[str, Any] = {
    "game": "red_dog",
    "packs": 6,
    "seats": 7,
    "min_bet": 500,
    "max_bet": 100_000,
    "bet_step": 100,
    "raise_rule": {"kind": "up_to", "max_multiple": 1},
    "pay_table": {"1": 5, "2": 4, "3": 2, **{str(spread): 1 for spread in range(4, 12)}, "trips": 11},
    "round_cap": None,
    "cut_card": 60,
}
