"""The hash: the SQL writer and the Python verifier, which share nothing, meet the same fixed vectors."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from ledger.models import Entry
from ledger.verify import EntryRow, HashedMovement, entry_bytes, entry_hash
from tests.ledger.support import as_owner, filled_stream, post

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "data" / "ledger_vectors.json").read_text()
)["vectors"]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOVEMENT = (
    "SELECT ledger_text_bytes(%s) || ledger_text_bytes(%s) || ledger_text_bytes(%s) || int8send(%s::bigint)"
)
"""What is hashed of a movement, as the posting function puts it together."""


def _time(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def _row(vector: dict[str, Any]) -> EntryRow:
    return EntryRow(
        seq=vector["seq"],
        id=UUID(vector["entry_id"]),
        command_id=UUID(vector["command_id"]),
        kind=vector["kind"],
        actor=UUID(vector["actor"]),
        terminal=UUID(vector["terminal"]) if vector["terminal"] else None,
        recorded_at=_time(vector["recorded_at_microseconds"]),
        occurred_at=_time(vector["occurred_at_microseconds"]),
        payload=vector["payload"],
        payload_digest=bytes.fromhex(vector["payload_digest"]),
        reverses=UUID(vector["reverses"]) if vector["reverses"] else None,
        previous_hash=bytes.fromhex(vector["previous_hash"]),
        hash=bytes.fromhex(vector["hash"]),
        hash_version=vector["hash_version"],
    )


def _movements(vector: dict[str, Any]) -> list[HashedMovement]:
    return [HashedMovement(m["source"], m["target"], m["asset"], m["amount"]) for m in vector["movements"]]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["name"])
def test_verifier_meets_the_vector(vector: dict[str, Any]) -> None:
    row = _row(vector)
    assert hashlib.sha256(row.payload.encode()).hexdigest() == vector["payload_digest"]
    assert entry_bytes(vector["stream"], row, _movements(vector)).hex() == vector["bytes"]
    assert entry_hash(vector["stream"], row, _movements(vector)).hex() == vector["hash"]
    assert hashlib.sha256(bytes.fromhex(vector["bytes"])).hexdigest() == vector["hash"]


@pytest.mark.django_db(databases=["default", "owner"])
@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["name"])
def test_writer_meets_the_vector(vector: dict[str, Any]) -> None:
    row = _row(vector)
    with as_owner() as cursor:
        cursor.execute("SELECT sha256(convert_to(%s, 'UTF8'))", [row.payload])
        assert cursor.fetchone()[0].hex() == vector["payload_digest"]
        moved = b""
        for movement in _movements(vector):
            cursor.execute(MOVEMENT, list(movement))
            moved += cursor.fetchone()[0]
        cursor.execute(
            "SELECT ledger_entry_hash(%s::smallint, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                row.hash_version,
                vector["stream"],
                row.seq,
                row.id,
                row.command_id,
                row.kind,
                row.actor,
                row.terminal,
                row.recorded_at,
                row.occurred_at,
                row.payload_digest,
                row.reverses,
                row.previous_hash,
                len(vector["movements"]),
                moved,
            ],
        )
        assert cursor.fetchone()[0].hex() == vector["hash"]


@pytest.mark.django_db(databases=["default", "owner"])
def test_writer_does_not_hash_the_clients_encoding() -> None:
    """The same text hashes alike whatever encoding the session speaks."""
    with as_owner() as cursor:
        cursor.execute("SET LOCAL client_encoding = 'LATIN1'")
        cursor.execute("SELECT ledger_text_bytes(chr(235))")
        assert cursor.fetchone()[0] == b"\x00\x00\x00\x02" + "ë".encode()


@pytest.mark.django_db
def test_posted_entry_has_the_hash_its_values_give() -> None:
    stream = filled_stream()
    terminal = uuid4()
    posted = post(stream, ("tray", "seat:1", 500), terminal=terminal, payload={"note": "Zoë 😀"})
    entry = Entry.objects.get(pk=posted.entry_id)
    row = EntryRow(
        entry.seq,
        entry.pk,
        entry.command_id,
        entry.kind,
        entry.actor,
        entry.terminal,
        entry.recorded_at,
        entry.occurred_at,
        entry.payload,
        bytes(entry.payload_digest),
        entry.reverses,
        bytes(entry.previous_hash),
        bytes(entry.hash),
        entry.hash_version,
    )
    assert entry_hash(stream, row, [HashedMovement("tray", "seat:1", "chips:USD", 500)]) == posted.hash
