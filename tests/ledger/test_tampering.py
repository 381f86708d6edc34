"""Whoever can alter the tables can alter rows: each field of each table in turn, and verify_journal names it.

All of it happens as the owner, who switches the guards off as a superuser would, in a transaction that is
rolled back. What only a checkpoint kept elsewhere can show is not here: a chain rewritten as a whole, or one
cut at its end together with its head and balances.
"""

from dataclasses import dataclass
from uuid import uuid4

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from ledger import services
from ledger.services import AccountSpec
from ledger.verify import Finding
from ledger.verify_journal import verify_journal
from tests.ledger import snapshots
from tests.ledger.support import DEALER, FLOAT, TABLES, as_owner, new_stream, post

pytestmark = [
    pytest.mark.usefixtures("own_database"),
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

LIFT = {
    "ledger_stream": "ALTER TABLE ledger_stream ALTER id DROP IDENTITY;"
    "ALTER TABLE ledger_head DROP CONSTRAINT ledger_head_stream_fkey;"
    "ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_stream_fkey;",
    "ledger_head": "ALTER TABLE ledger_head DROP CONSTRAINT ledger_head_stream_fkey;"
    "ALTER TABLE ledger_head DROP CONSTRAINT ledger_head_pkey;",
    "ledger_account": "ALTER TABLE ledger_account ALTER id DROP IDENTITY;"
    "ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_stream_fkey,"
    " DROP CONSTRAINT ledger_account_floor_kept,"
    " DROP CONSTRAINT ledger_account_floor_range;",
    "ledger_entry": "ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_pkey,"
    " DROP CONSTRAINT ledger_entry_id_key, DROP CONSTRAINT ledger_entry_command_key;"
    "DROP INDEX ledger_entry_reverses_key;",
    "ledger_movement": "ALTER TABLE ledger_movement DROP CONSTRAINT ledger_movement_pkey,"
    " DROP CONSTRAINT ledger_movement_two_places, DROP CONSTRAINT ledger_movement_amount_range;",
}
"""What has to go before a table's rows can be changed at will, beside its triggers."""


@dataclass(frozen=True)
class Tampering:
    """A change to ``table``; {s} stands for the stream's id, {t} for that of another stream.

    ``found`` are the kinds of finding that must be among those reported. ``column`` says which field is
    altered, None for a change to whole rows.
    """

    table: str
    column: str | None
    change: str
    found: set[str]


def _set(table: str, column: str, value: str, where: str, *found: str) -> Tampering:
    key = "id" if table == "ledger_stream" else "stream_id"
    change = f"UPDATE {table} SET {column} = {value} WHERE {key} = {{s}} AND {where}"  # noqa: S608 (literals of this file)
    return Tampering(table, column, change, set(found))


def _rows(table: str, change: str, *found: str) -> Tampering:
    return Tampering(table, None, change, set(found))


# The stream: 1 opens it, 2 fills the tray, 3 raises (with terminal, two lines), 4 says something, 5 reverses
# 3, 6 opens "late", 7 moves into it.
CASES = [
    _set("ledger_stream", "id", "id + 1000000", "true", "head_missing", "stream_missing"),
    _set("ledger_stream", "name", "'table:renamed'", "true", "hash_differs", "opening_invalid"),
    _set("ledger_head", "stream_id", "stream_id + 1000000", "true", "head_missing", "stream_missing"),
    _set("ledger_head", "stream_id", "{t}", "true", "head_missing"),
    _set("ledger_head", "seq", "seq - 1", "true", "head_differs"),
    _set("ledger_head", "hash", "sha256(hash)", "true", "head_differs"),
    _set("ledger_head", "recorded_at", "recorded_at + interval '1 us'", "true", "head_differs"),
    _set(
        "ledger_account", "id", "id + 1000000", "name = 'tray'", "movement_account_unknown", "balance_differs"
    ),
    _set(
        "ledger_account", "stream_id", "{t}", "name = 'late'", "movement_account_unknown", "account_missing"
    ),
    _set("ledger_account", "stream_id", "-1", "name = 'seat:2'", "account_missing", "stream_missing"),
    _set("ledger_account", "name", "'purse'", "name = 'seat:1'", "hash_differs", "account_not_opened"),
    _set(
        "ledger_account", "name", "'purse'", "name = 'cash:drop_box'", "account_missing", "account_not_opened"
    ),
    _set(
        "ledger_account",
        "asset",
        "'chips:EUR'",
        "name = 'seat:1'",
        "account_differs",
        "movement_asset_differs",
    ),
    _set("ledger_account", "asset", "'cash:EUR'", "name = 'cash:drop_box'", "account_differs"),
    _set("ledger_account", "asset", "'cash:EUR'", "asset = 'chips:USD'", "account_differs", "hash_differs"),
    _set("ledger_account", "floor", "NULL", "name = 'tray'", "account_differs"),
    _set("ledger_account", "floor", "-1", "name = 'tray'", "account_differs"),
    _set("ledger_account", "floor", "-1000000", "name = 'cage'", "account_differs"),
    _set("ledger_account", "balance", "balance + 1", "name = 'tray'", "balance_differs"),
    _set("ledger_account", "balance", "balance - 1", "name = 'seat:2'", "balance_differs"),
    _set("ledger_account", "opened_seq", "1", "name = 'late'", "account_differs"),
    _set("ledger_entry", "seq", "8", "seq = 7", "sequence_gap", "movement_without_entry", "head_differs"),
    _set("ledger_entry", "seq", "seq + 1", "seq > 3", "sequence_gap", "hash_differs"),
    _set("ledger_entry", "seq", "3", "seq = 4", "sequence_gap", "hash_differs", "link_broken"),
    _set("ledger_entry", "recorded_at", "recorded_at - interval '1 us'", "seq = 4", "hash_differs"),
    _set("ledger_entry", "recorded_at", "recorded_at - interval '1 y'", "seq = 4", "time_not_increasing"),
    _set("ledger_entry", "recorded_at", "'infinity'", "seq = 4", "time_out_of_range", "hash_differs"),
    _set("ledger_entry", "occurred_at", "occurred_at - interval '1 us'", "seq = 4", "hash_differs"),
    _set("ledger_entry", "occurred_at", "'-infinity'", "seq = 4", "time_out_of_range", "hash_differs"),
    _set("ledger_entry", "stream_id", "{t}", "seq = 4", "sequence_gap", "link_broken", "hash_differs"),
    _set("ledger_entry", "stream_id", "-1", "seq = 4", "sequence_gap", "stream_missing"),
    _set("ledger_entry", "hash_version", "2", "seq = 4", "hash_version_unknown", "hash_differs"),
    _set("ledger_entry", "id", "uuidv4()", "seq = 4", "hash_differs"),
    _set("ledger_entry", "id", "uuidv4()", "seq = 3", "hash_differs", "reversal_invalid"),
    _set(
        "ledger_entry",
        "id",
        "(SELECT id FROM ledger_entry e WHERE e.stream_id = {s} AND e.seq = 2)",
        "seq = 4",
        "hash_differs",
        "entry_id_repeated",
    ),
    _set("ledger_entry", "command_id", "uuidv4()", "seq = 4", "hash_differs"),
    _set(
        "ledger_entry",
        "command_id",
        "(SELECT command_id FROM ledger_entry e WHERE e.stream_id = {s} AND e.seq = 2)",
        "seq = 4",
        "hash_differs",
        "command_repeated",
    ),
    _set("ledger_entry", "actor", "uuidv4()", "seq = 4", "hash_differs"),
    _set("ledger_entry", "terminal", "NULL", "seq = 3", "hash_differs"),
    _set("ledger_entry", "terminal", "'00000000-0000-0000-0000-000000000000'", "seq = 4", "hash_differs"),
    _set("ledger_entry", "reverses", "NULL", "seq = 5", "hash_differs"),
    _set("ledger_entry", "reverses", "uuidv4()", "seq = 5", "hash_differs", "reversal_invalid"),
    _set("ledger_entry", "reverses", "id", "seq = 5", "hash_differs", "reversal_invalid"),
    _set(
        "ledger_entry",
        "reverses",
        "(SELECT id FROM ledger_entry e WHERE e.stream_id = {s} AND e.seq = 3)",
        "seq = 7",
        "hash_differs",
        "reversal_repeated",
    ),
    _set("ledger_entry", "kind", "'table.credit'", "seq = 2", "hash_differs"),
    _set("ledger_entry", "kind", "'table.opened'", "seq = 1", "hash_differs", "opening_invalid"),
    _set("ledger_entry", "payload", "'{{\"amount\":2}}'", "seq = 4", "payload_digest_differs"),
    _set("ledger_entry", "payload", "'{{ }}'", "seq = 4", "payload_digest_differs", "payload_not_canonical"),
    _set("ledger_entry", "payload", "'what?'", "seq = 4", "payload_digest_differs", "payload_not_canonical"),
    _set("ledger_entry", "payload", "replace(payload, 'r\":0', 'r\":-9')", "seq = 1", "account_differs"),
    _set("ledger_entry", "payload", "replace(payload, 'r\":0', 'r\":\"0\"')", "seq = 1", "opening_invalid"),
    _set("ledger_entry", "payload", '\'{{"accounts":7,"stream":7}}\'', "seq = 1", "opening_invalid"),
    _set("ledger_entry", "payload_digest", "sha256(payload_digest)", "seq = 4", "payload_digest_differs"),
    _set("ledger_entry", "previous_hash", "sha256(previous_hash)", "seq = 4", "link_broken", "hash_differs"),
    _set("ledger_entry", "previous_hash", "sha256(previous_hash)", "seq = 1", "link_broken"),
    _set("ledger_entry", "hash", "sha256(hash)", "seq = 4", "hash_differs", "link_broken"),
    _set("ledger_entry", "hash", "sha256(hash)", "seq = 7", "hash_differs", "head_differs"),
    _set("ledger_movement", "seq", "4", "seq = 7", "hash_differs"),
    _set(
        "ledger_movement", "seq", "99", "seq = 7", "hash_differs", "movement_without_entry", "balance_differs"
    ),
    _set("ledger_movement", "seq", "0", "seq = 7", "hash_differs", "movement_without_entry"),
    _set("ledger_movement", "amount", "amount + 1", "seq = 2", "hash_differs", "balance_differs"),
    _set(
        "ledger_movement",
        "amount",
        "-amount",
        "seq = 2",
        "movement_amount",
        "floor_broken",
        "balance_differs",
    ),
    _set(
        "ledger_movement", "amount", "amount + 200000", "seq = 3 AND line = 1", "floor_broken", "hash_differs"
    ),
    _set("ledger_movement", "stream_id", "{t}", "seq = 7", "movement_without_entry", "hash_differs"),
    _set("ledger_movement", "stream_id", "-1", "seq = 7", "stream_missing", "hash_differs"),
    _set("ledger_movement", "source_id", "target_id", "seq = 2", "movement_same_account", "hash_differs"),
    _set("ledger_movement", "source_id", "-1", "seq = 2", "movement_account_unknown", "hash_differs"),
    _set("ledger_movement", "target_id", "source_id", "seq = 2", "movement_same_account", "hash_differs"),
    _set(
        "ledger_movement",
        "target_id",
        "(SELECT id FROM ledger_account a WHERE a.stream_id = {s} AND a.name = 'late')",
        "seq = 3 AND line = 1",
        "account_not_open",
        "hash_differs",
        "balance_differs",
    ),
    _set("ledger_movement", "line", "3", "seq = 3 AND line = 2", "movement_line_gap"),
    _set("ledger_movement", "line", "3 - line", "seq = 3", "hash_differs"),
    _rows("ledger_stream", "DELETE FROM ledger_stream WHERE id = {s}", "stream_missing"),
    _rows("ledger_head", "DELETE FROM ledger_head WHERE stream_id = {s}", "head_missing"),
    _rows(
        "ledger_account",
        "DELETE FROM ledger_account WHERE stream_id = {s} AND name = 'seat:2'",
        "account_missing",
    ),
    _rows(
        "ledger_account",
        "DELETE FROM ledger_account WHERE stream_id = {s}",
        "account_missing",
        "hash_differs",
    ),
    _rows(
        "ledger_account",
        "INSERT INTO ledger_account (id, stream_id, name, asset, opened_seq)"
        " VALUES (1000000, {s}, 'purse', 'chips:USD', 1)",
        "account_not_opened",
    ),
    _rows(
        "ledger_entry",
        "DELETE FROM ledger_entry WHERE stream_id = {s} AND seq = 4",
        "sequence_gap",
        "link_broken",
    ),
    _rows("ledger_entry", "DELETE FROM ledger_entry WHERE stream_id = {s} AND seq = 7", "head_differs"),
    _rows("ledger_entry", "DELETE FROM ledger_entry WHERE stream_id = {s} AND seq = 1", "sequence_gap"),
    _rows("ledger_entry", "DELETE FROM ledger_entry WHERE stream_id = {s}", "entries_missing"),
    _rows(
        "ledger_entry",
        "INSERT INTO ledger_entry SELECT seq + 1, recorded_at + interval '1 us', occurred_at, stream_id,"
        " hash_version, uuidv4(), uuidv4(), actor, terminal, reverses, kind, payload, payload_digest, hash,"
        " sha256(hash) FROM ledger_entry WHERE stream_id = {s} AND seq = 7",
        "hash_differs",
        "head_differs",
    ),
    _rows("ledger_movement", "DELETE FROM ledger_movement WHERE stream_id = {s} AND seq = 7", "hash_differs"),
    _rows(
        "ledger_movement",
        "DELETE FROM ledger_movement WHERE stream_id = {s} AND seq = 3 AND line = 1",
        "movement_line_gap",
        "hash_differs",
    ),
    _rows(
        "ledger_movement",
        "INSERT INTO ledger_movement SELECT 4, amount, stream_id, source_id, target_id, line"
        " FROM ledger_movement WHERE stream_id = {s} AND seq = 2",
        "hash_differs",
        "balance_differs",
    ),
]


def tampered_stream() -> str:
    """A stream that has everything worth tampering with."""
    stream = new_stream()
    post(stream, ("cage", "tray", FLOAT), kind="table.filled")
    raised = post(stream, ("tray", "seat:1", 50), ("tray", "seat:2", 60), terminal=uuid4())
    post(stream, payload={"amount": 1})
    post(stream, ("seat:1", "tray", 50), reverses=raised.entry_id, kind="entry.reversed")
    late = AccountSpec("late", "chips:USD", 0)
    services.open_accounts(stream=stream, accounts=[late], actor=DEALER, command_id=uuid4())
    post(stream, ("tray", "late", 5))
    return stream


@pytest.fixture(scope="module")
def streams(own_database: None, django_db_blocker: DjangoDbBlocker) -> tuple[str, str]:
    """The stream to tamper with, and another; made once, since every tampering is rolled back.

    They are all the journal there is, for some tamperings are looked for in the whole of it.
    """
    with django_db_blocker.unblock():
        return tampered_stream(), new_stream()


def _findings(case: Tampering, stream: str, other: str) -> list[Finding]:
    """What is found in the two streams, or, where rows have left both, in the whole journal."""
    if case.table == "ledger_stream" or "stream_missing" in case.found:
        return verify_journal(using="owner").findings
    return [
        finding for name in (stream, other) for finding in verify_journal(stream=name, using="owner").findings
    ]


def _id(stream: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM ledger_stream WHERE name = %s", [stream])
        found: int = cursor.fetchone()[0]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.table}-{case.column or 'rows'}")
def test_tampering_is_found(streams: tuple[str, str], case: Tampering) -> None:
    stream, other = streams
    change = case.change.format(s=_id(stream), t=_id(other))
    with as_owner() as cursor:
        cursor.execute(f"ALTER TABLE {case.table} DISABLE TRIGGER USER; {LIFT[case.table]}")
        cursor.execute(change)
        assert cursor.rowcount > 0
        findings = _findings(case, stream, other)
    assert case.found <= {finding.type for finding in findings}
    assert {finding.stream for finding in findings} <= {stream, other, "", "table:renamed"}
    assert verify_journal(stream=stream).findings == []


def test_every_field_of_every_table_is_tampered_with() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_name = ANY(%s)",
            [[*TABLES, snapshots.TABLE]],
        )
        columns = set(cursor.fetchall())
    cases = [(case.table, case.column) for case in CASES]
    cases += [(snapshots.TABLE, case.column) for case in snapshots.CASES]
    assert columns == {(table, column) for table, column in cases if column}


def test_payload_changed_with_its_digest_is_found() -> None:
    """The digest fits again, so the hash of the entry does not."""
    stream = tampered_stream()
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE ledger_entry DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE ledger_entry SET payload = '{\"amount\":2}', payload_digest = sha256('{\"amount\":2}')"
            " FROM ledger_stream s WHERE s.id = stream_id AND s.name = %s AND seq = 4",
            [stream],
        )
        findings = verify_journal(stream=stream, using="owner").findings
    assert [(finding.type, finding.seq) for finding in findings] == [("hash_differs", 4)]


def test_entry_rehashed_in_place_breaks_the_next_link() -> None:
    stream, impostor = tampered_stream(), uuid4()
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE ledger_entry DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE ledger_entry SET actor = %s, hash = ledger_entry_hash(hash_version, s.name, seq,"
            " ledger_entry.id, command_id, kind, %s, terminal, recorded_at, occurred_at, payload_digest,"
            " reverses, previous_hash, 0, '') FROM ledger_stream s"
            " WHERE s.id = stream_id AND s.name = %s AND seq = 4",
            [impostor, impostor, stream],
        )
        findings = verify_journal(stream=stream, using="owner").findings
    assert [(finding.type, finding.seq) for finding in findings] == [("link_broken", 5)]
