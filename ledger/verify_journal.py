"""Verifying the journal in the database: reads its rows, streamed, and has ``ledger.verify`` judge them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from ledger.errors import StreamUnknown
from ledger.verify import AccountRow, EntryRow, Finding, HeadRow, MovementRow, StreamCheck
from ledger.verify_snapshots import SnapshotCheck, SnapshotRow

CHUNK_ROWS = 500  # a payload may be 256 KiB; more rows at a time save nothing
FINDING_LIMIT = 1000
PROGRESS_ENTRIES = 10_000

# A time outside Python's calendar cannot be read at all: it comes as None and is reported.
ENTRY_COLUMNS = """
           e.seq, e.id, e.command_id, e.kind, e.actor, e.terminal,
           CASE WHEN e.recorded_at BETWEEN '0001-01-02Z' AND '9999-12-30Z' THEN e.recorded_at END,
           CASE WHEN e.occurred_at BETWEEN '0001-01-02Z' AND '9999-12-30Z' THEN e.occurred_at END,
           e.payload, e.payload_digest, e.reverses, e.previous_hash, e.hash, e.hash_version"""
_ENTRIES = f"""
    SELECT {ENTRY_COLUMNS}
      FROM ledger_entry e WHERE e.stream_id = %s ORDER BY e.seq"""  # noqa: S608 (columns of our own)
_MOVEMENTS = """
    SELECT seq, line, source_id, target_id, amount
      FROM ledger_movement WHERE stream_id = %s ORDER BY seq, line"""
_ACCOUNTS = """
    SELECT id, name, asset, floor, balance, opened_seq FROM ledger_account WHERE stream_id = %s"""
_SNAPSHOTS = """
    SELECT k.seq, k.account_id, k.balance
      FROM ledger_account a JOIN ledger_snapshot k ON k.account_id = a.id
     WHERE a.stream_id = %s ORDER BY k.seq, k.account_id"""
_HEAD = """
    SELECT seq, hash, CASE WHEN recorded_at BETWEEN '0001-01-02Z' AND '9999-12-30Z' THEN recorded_at END
      FROM ledger_head WHERE stream_id = %s"""

# What no walk through one stream can see. Each answers stream name, seq, detail; %s is a stream or NULL.
_ACROSS = {
    "command_repeated": """
        SELECT s.name, max(e.seq), 'command ' || e.command_id || ' has ' || count(*) || ' entries'
          FROM ledger_entry e JOIN ledger_stream s ON s.id = e.stream_id
         WHERE %s::integer IS NULL OR e.stream_id = %s
         GROUP BY s.name, e.command_id HAVING count(*) > 1""",
    "entry_id_repeated": """
        SELECT min(s.name), max(e.seq), 'id ' || e.id || ' is that of ' || count(*) || ' entries'
          FROM ledger_entry e JOIN ledger_stream s ON s.id = e.stream_id
         GROUP BY e.id HAVING count(*) > 1 AND (%s::integer IS NULL OR bool_or(e.stream_id = %s))""",
    "reversal_invalid": """
        SELECT s.name, e.seq, 'it reverses ' || e.reverses || ', which is no earlier entry of its stream'
          FROM ledger_entry e JOIN ledger_stream s ON s.id = e.stream_id
         WHERE e.reverses IS NOT NULL AND (%s::integer IS NULL OR e.stream_id = %s) AND NOT EXISTS (
               SELECT 1 FROM ledger_entry o
                WHERE o.id = e.reverses AND o.stream_id = e.stream_id AND o.seq < e.seq)""",
    "reversal_repeated": """
        SELECT min(s.name), max(e.seq), e.reverses || ' is reversed ' || count(*) || ' times'
          FROM ledger_entry e JOIN ledger_stream s ON s.id = e.stream_id
         WHERE e.reverses IS NOT NULL AND (%s::integer IS NULL OR e.stream_id = %s)
         GROUP BY e.reverses HAVING count(*) > 1""",
}
_STRAYS = """
    SELECT '', min(r.seq), count(*) || ' rows of ' || r.name || ' belong to no stream, but to ' || r.stream_id
      FROM (SELECT stream_id, seq, 'ledger_entry' FROM ledger_entry
            UNION ALL SELECT stream_id, seq, 'ledger_movement' FROM ledger_movement
            UNION ALL SELECT stream_id, seq, 'ledger_head' FROM ledger_head
            UNION ALL SELECT stream_id, opened_seq, 'ledger_account' FROM ledger_account
           ) AS r (stream_id, seq, name)
     WHERE NOT EXISTS (SELECT 1 FROM ledger_stream s WHERE s.id = r.stream_id)
     GROUP BY r.stream_id, r.name ORDER BY r.stream_id, r.name"""
_LOST_SNAPSHOTS = """
    SELECT '', min(seq), count(*) || ' snapshots belong to no account, but to ' || account_id
      FROM ledger_snapshot
     WHERE NOT EXISTS (SELECT 1 FROM ledger_account a WHERE a.id = account_id)
     GROUP BY account_id ORDER BY account_id"""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class StreamResult:
    """One stream, verified: how much was read and how many findings there were."""

    stream: str
    entries: int
    movements: int
    findings: int


@dataclass(slots=True)
class Report:
    """What a verification found.

    Attributes:
        streams: one result per stream.
        findings: the first ``finding_limit`` findings.
        finding_count: how many there were.
        finding_limit: how many are kept.
    """

    finding_limit: int = FINDING_LIMIT
    streams: list[StreamResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    finding_count: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return self.finding_count == 0

    @property
    def entries(self) -> int:
        """How many entries were read."""
        return sum(stream.entries for stream in self.streams)

    @property
    def movements(self) -> int:
        """How many movements were read."""
        return sum(stream.movements for stream in self.streams)

    def add(self, finding: Finding) -> None:
        """Count a finding, and keep it while there is room."""
        self.finding_count += 1
        if len(self.findings) < self.finding_limit:
            self.findings.append(finding)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "ok": self.ok,
            "entries": self.entries,
            "movements": self.movements,
            "finding_count": self.finding_count,
            "findings": [asdict(finding) for finding in self.findings],
            "streams": [asdict(stream) for stream in self.streams],
        }


def verify_journal(
    *,
    stream: str | None = None,
    using: str = DEFAULT_DB_ALIAS,
    progress: Progress | None = None,
    finding_limit: int = FINDING_LIMIT,
) -> Report:
    """Re-derive the journal from the values read back, and report what differs.

    Every stream is read in one snapshot, so it may be posted to meanwhile. Inside a transaction of the
    caller's, that transaction's view is used as it is. Memory does not grow with the journal.

    Args:
        stream: verify this stream only.
        using: database alias; the application's rights suffice.
        progress: called with stream name, entries read so far and how many the head says there are.
        finding_limit: how many findings the report keeps; all are counted.

    Raises:
        StreamUnknown: there is no stream of the name given.
    """
    report = Report(finding_limit=finding_limit)
    chosen = _streams(using, stream)
    for stream_id, name in chosen:
        with snapshot(using):
            _verify_stream(using, stream_id, name, report, progress)
    only = chosen[0][0] if stream is not None else None
    for kind, query in _ACROSS.items():
        _report_rows(using, kind, query, [only, only], report)
    if stream is None:
        _report_rows(using, "stream_missing", _STRAYS, [], report)
        _report_rows(using, "snapshot_unfounded", _LOST_SNAPSHOTS, [], report)
    return report


def _streams(using: str, stream: str | None) -> list[tuple[int, str]]:
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT id, name FROM ledger_stream WHERE %s::text IS NULL OR name = %s ORDER BY name",
            [stream, stream],
        )
        found: list[tuple[int, str]] = cursor.fetchall()
    if stream is not None and not found:
        raise StreamUnknown("no stream of this name", stream=stream)
    return found


@contextmanager
def snapshot(using: str) -> Iterator[None]:
    """One unchanging view of the database, unless the caller has brought a transaction of its own."""
    connection = connections[using]
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(using=using):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _verify_stream(using: str, stream_id: int, name: str, report: Report, progress: Progress | None) -> None:
    before = report.finding_count
    with connections[using].cursor() as cursor:
        cursor.execute(_ACCOUNTS, [stream_id])
        accounts = [AccountRow(*row) for row in cursor.fetchall()]
        cursor.execute(_HEAD, [stream_id])
        row = cursor.fetchone()
    head = HeadRow(row[0], bytes(row[1]), row[2]) if row else None
    total = head.seq if head else 0
    check = StreamCheck(name, accounts, report.add)
    kept = (SnapshotRow(*row) for row in _rows(using, _SNAPSHOTS, stream_id))
    snapshots = SnapshotCheck(name, {account.id: account.name for account in accounts}, kept, report.add)
    movements = _Lookahead(MovementRow(*row) for row in _rows(using, _MOVEMENTS, stream_id))
    for row in _rows(using, _ENTRIES, stream_id):
        entry = EntryRow(*row)
        for orphan in movements.take_while_before(entry.seq):
            check.orphan(orphan)
        moves = movements.take_while_before(entry.seq + 1)
        snapshots.before(entry.seq, check.balances)
        check.entry(entry, moves)
        snapshots.moved(moves)
        if progress and check.entries % PROGRESS_ENTRIES == 0:
            progress(name, check.entries, total)
    for orphan in movements.rest():
        check.orphan(orphan)
    check.finish(head)
    snapshots.finish()
    if progress:
        progress(name, check.entries, total)
    report.streams.append(StreamResult(name, check.entries, check.movements, report.finding_count - before))


class _Lookahead:
    """Movements in order, taken entry by entry."""

    def __init__(self, movements: Iterator[MovementRow]) -> None:
        self._movements = movements
        self._next = next(movements, None)

    def take_while_before(self, seq: int) -> list[MovementRow]:
        """The next movements of entries numbered below ``seq``."""
        taken = []
        while self._next is not None and self._next.seq < seq:
            taken.append(self._next)
            self._next = next(self._movements, None)
        return taken

    def rest(self) -> Iterator[MovementRow]:
        """All that are left."""
        while self._next is not None:
            yield self._next
            self._next = next(self._movements, None)


def _rows(using: str, query: str, stream_id: int) -> Iterator[tuple[Any, ...]]:
    """Stream a query's rows through a server-side cursor."""
    with connections[using].chunked_cursor() as cursor:
        cursor.execute(query, [stream_id])
        while chunk := cursor.fetchmany(CHUNK_ROWS):
            yield from chunk


def _report_rows(using: str, kind: str, query: str, parameters: list[Any], report: Report) -> None:
    with connections[using].cursor() as cursor:
        cursor.execute(query, parameters)
        for name, seq, detail in cursor:
            report.add(Finding(kind, name, seq, detail))
