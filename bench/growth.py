"""The same journal short and long: copies of the database with movements put in by bulk."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from bench.databases import connect, copy

TABLES = ("ledger_entry", "ledger_movement", "ledger_account", "ledger_head", "ledger_stream")

# Numbers, links and balances are those that postings to all streams in turn would have left; a hash is some
# hash. The tables and indexes grow as they would, in a small part of the time.
FILL = """
CREATE TEMPORARY TABLE grown AS
  SELECT h.stream_id, h.seq, h.recorded_at, h.seq + %(entries)s AS last,
         (SELECT a.id FROM ledger_account a WHERE a.stream_id = h.stream_id AND a.name = 'source')
           AS source_id,
         ARRAY(SELECT a.id FROM ledger_account a WHERE a.stream_id = h.stream_id AND a.name <> 'source'
                ORDER BY a.id LIMIT %(lines)s) AS target_ids
    FROM ledger_head h;
INSERT INTO ledger_entry (seq, recorded_at, occurred_at, stream_id, hash_version, id, command_id, actor, kind,
                          payload, payload_digest, previous_hash, hash)
  SELECT g.seq + n, g.recorded_at + n * interval '1 us', g.recorded_at, g.stream_id, 1, uuidv7(),
         gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'bench.post', '{"n":1}',
         sha256('{"n":1}'), sha256(int8send(n - 1)), sha256(int8send(n))
    FROM generate_series(1, %(entries)s) n CROSS JOIN LATERAL (SELECT * FROM grown OFFSET 0 * n) g;
INSERT INTO ledger_movement (seq, amount, stream_id, source_id, target_id, line)
  SELECT g.seq + n, 1, g.stream_id, g.source_id, g.target_ids[line], line
    FROM generate_series(1, %(entries)s) n CROSS JOIN LATERAL (SELECT * FROM grown OFFSET 0 * n) g
   CROSS JOIN LATERAL generate_series(1, %(lines)s + 0 * g.seq) line;
UPDATE ledger_account a
   SET balance = balance + CASE WHEN a.id = g.source_id THEN -%(lines)s ELSE 1 END * %(entries)s
  FROM grown g WHERE a.stream_id = g.stream_id AND (a.id = g.source_id OR a.id = ANY (g.target_ids));
UPDATE ledger_head h
   SET seq = g.last, hash = sha256(int8send(g.last - g.seq)), recorded_at = g.recorded_at + interval '1 s'
  FROM grown g WHERE g.stream_id = h.stream_id;
DROP TABLE grown;
"""


def grow(name: str, *, of: str, movements: int, streams: int, lines: int = 10) -> None:
    """Copy a database and put `movements` into its `streams` streams, `lines` to an entry."""
    copy(name, of=of)
    values = {"entries": movements // lines // streams, "lines": lines}
    with unguarded(name) as owner:
        for statement in FILL.split(";\n")[:-1]:
            owner.execute(statement.encode(), values if "%(" in statement else None)
    with connect(name) as owner:
        for table in TABLES:
            owner.execute(sql.SQL("VACUUM ANALYZE {}").format(sql.Identifier(table)))


@contextmanager
def unguarded(name: str) -> "Iterator[psycopg.Connection[Any]]":
    """A transaction as a database's owner in which the journal takes whatever is put into it."""
    with connect(name) as owner:
        guards = _guards(owner)
        with owner.transaction():
            for table in TABLES:
                owner.execute(_alter(table, "DISABLE TRIGGER USER"))
            yield owner
            for table, guard in guards:
                owner.execute(_alter(table, "ENABLE ALWAYS TRIGGER {}", guard))


def _guards(owner: "psycopg.Connection[Any]") -> list[tuple[str, str]]:
    return owner.execute(
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger"
        " WHERE NOT tgisinternal AND tgrelid = ANY (%s::regclass[])",
        [list(TABLES)],
    ).fetchall()


def _alter(table: str, action: str, *names: str) -> sql.Composed:
    changed = sql.SQL(action).format(*map(sql.Identifier, names))
    return sql.SQL("ALTER TABLE {} {}").format(sql.Identifier(table), changed)


def bytes_per_movement(name: str, *, of: str, movements: int, streams: int, lines: int) -> float:
    """Bytes on disk, indexes included, of each of `movements` in entries of `lines` movements."""
    grow(name, of=of, movements=movements, streams=streams, lines=lines)
    return (_bytes(name) - _bytes(of)) / movements


def _bytes(name: str) -> int:
    query = "SELECT sum(pg_total_relation_size(t)) FROM unnest(%s::regclass[]) AS t"
    with connect(name) as owner:
        rows = owner.execute(query, [["ledger_entry", "ledger_movement"]]).fetchall()
    return int(rows[0][0])
