"""Statements: what lay in an account after any entry or at any time, its history, and trial balances.

Pure reading, exact integers (minor units). The cost does not grow with the journal: a balance is a
snapshot (``ledger/sql/0003_snapshots.sql``) and the movements of one block of entries at most, a page of
history the blocks the account moved in, a time is found by halving.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from ledger.errors import StreamUnknown, UnknownAccount

BLOCK = 1024  # entries from one snapshot to the next
PAGE = 100
BLOCKS_AT_ONCE = 64

_HEAD = "SELECT s.id, h.seq FROM ledger_stream s JOIN ledger_head h ON h.stream_id = s.id WHERE s.name = %s"
_ACCOUNT = "SELECT id, asset FROM ledger_account WHERE stream_id = %s AND name = %s"
# Times grow with the numbers (the posting function sees to that), so halving finds the last entry by then.
_BY_TIME = """
WITH RECURSIVE bounds (lo, hi) AS (
    SELECT 0::bigint, %(last)s::bigint
    UNION ALL
    SELECT CASE WHEN e.recorded_at <= %(at)s THEN e.seq ELSE b.lo END,
           CASE WHEN e.recorded_at <= %(at)s THEN b.hi ELSE e.seq - 1 END
      FROM bounds b
      JOIN ledger_entry e ON e.stream_id = %(stream)s AND e.seq = (b.lo + b.hi + 1) / 2
     WHERE b.lo < b.hi)
SELECT max(lo) FROM bounds"""
_BALANCES = """
SELECT a.name, a.asset, a.floor, coalesce(s.balance, 0) + coalesce(d.change, 0)
  FROM ledger_account a
  LEFT JOIN LATERAL (
       SELECT balance FROM ledger_snapshot
        WHERE account_id = a.id AND seq <= %(mark)s ORDER BY seq DESC LIMIT 1) s ON true
  LEFT JOIN (
       SELECT c.account_id, sum(c.change)::bigint AS change
         FROM ledger_movement m
        CROSS JOIN LATERAL (
              VALUES (m.source_id, -m.amount), (m.target_id, m.amount)) AS c (account_id, change)
        WHERE m.stream_id = %(stream)s AND m.seq > %(mark)s AND m.seq <= %(seq)s
        GROUP BY c.account_id) d ON d.account_id = a.id
 WHERE a.stream_id = %(stream)s AND a.opened_seq <= %(seq)s
   AND (%(name)s::text IS NULL OR a.name = %(name)s)
 ORDER BY a.name"""
_TOUCHED = """
SELECT seq FROM ledger_snapshot
 WHERE account_id = %(account)s AND seq > %(after)s ORDER BY seq LIMIT %(limit)s"""
_LINES = """
SELECT m.seq, m.line, e.id, e.kind, e.recorded_at, o.name,
       CASE WHEN m.target_id = %(account)s THEN m.amount ELSE -m.amount END
  FROM (SELECT * FROM ledger_movement
         WHERE stream_id = %(stream)s AND seq > %(lo)s AND seq <= %(hi)s
           AND (source_id = %(account)s OR target_id = %(account)s)
           AND (seq, line) > (%(after_seq)s, %(after_line)s)
         ORDER BY seq, line LIMIT %(limit)s) AS m
  JOIN ledger_entry e ON e.stream_id = m.stream_id AND e.seq = m.seq
  JOIN ledger_account o
    ON o.id = CASE WHEN m.target_id = %(account)s THEN m.source_id ELSE m.target_id END
 ORDER BY m.seq, m.line"""
_NOW = """
SELECT s.name, h.seq, a.name, a.asset, a.floor, a.balance
  FROM ledger_stream s
  JOIN ledger_head h ON h.stream_id = s.id
  JOIN ledger_account a ON a.stream_id = s.id
 WHERE s.name = ANY(%s) ORDER BY s.name, a.name"""


@dataclass(frozen=True, slots=True)
class AccountBalance:
    """What an account held after entry `seq` of its stream, minor units."""

    stream: str
    seq: int
    name: str
    asset: str
    floor: int | None
    balance: int


class Position(NamedTuple):
    """A movement's place in its stream; the next page of a history begins after one."""

    seq: int
    line: int


START = Position(0, 0)


@dataclass(frozen=True, slots=True)
class Line:
    """One movement as an account sees it: `change` minor units in (or out, negative), `balance` after it."""

    seq: int
    line: int
    entry_id: UUID
    kind: str
    recorded_at: datetime
    other: str
    change: int
    balance: int


@dataclass(frozen=True, slots=True)
class History:
    """A page of an account's history: what it held before, the lines, and where the next page begins."""

    stream: str
    account: str
    asset: str
    until: int
    opening: int
    lines: list[Line]
    next: Position | None


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """All accounts of some streams; `totals` is what each asset's accounts sum to: zero, each of them."""

    accounts: list[AccountBalance]
    totals: dict[str, int]

    @property
    def balanced(self) -> bool:
        """Whether every asset sums to zero."""
        return not any(self.totals.values())


def head_seq(stream: str) -> int:
    """The number of the last entry.

    Raises:
        StreamUnknown: when there is no such stream.
    """
    return _head(stream)[1]


def sums(accounts: Iterable[AccountBalance]) -> dict[str, int]:
    """What the accounts of each asset hold together, minor units."""
    totals: dict[str, int] = {}
    for account in accounts:
        totals[account.asset] = totals.get(account.asset, 0) + account.balance
    return totals


def seq_at(stream: str, at: datetime) -> int:
    """The number of the last entry recorded at or before a time (aware), 0 before the first.

    Raises:
        StreamUnknown: when there is no such stream.
    """
    stream_id, last = _head(stream)
    return _by_time(stream_id, last, at)


def balance_at(stream: str, account: str, *, seq: int | None = None, at: datetime | None = None) -> int:
    """What an account held after entry `seq`, or at a time, or now; 0 before it was opened.

    Raises:
        StreamUnknown, UnknownAccount.
    """
    stream_id, last = _head(stream)
    _account(stream, stream_id, account)
    rows = _rows(_BALANCES, _where(stream_id, last, seq, at) | {"name": account})
    return int(rows[0][3]) if rows else 0


def balances_at(stream: str, *, seq: int | None = None, at: datetime | None = None) -> list[AccountBalance]:
    """Every account that was open after entry `seq`, or at a time, or now, by name.

    Raises:
        StreamUnknown: when there is no such stream.
    """
    stream_id, last = _head(stream)
    where = _where(stream_id, last, seq, at)
    rows = _rows(_BALANCES, where | {"name": None})
    return [AccountBalance(stream, where["seq"], *row) for row in rows]


def trial_balance(streams: Sequence[str], *, at: datetime | None = None) -> TrialBalance:
    """All accounts of these streams at a time (now: by one statement, so at one moment), summed by asset.

    Raises:
        StreamUnknown: when one of the streams does not exist.
    """
    known = {
        name for (name,) in _rows("SELECT name FROM ledger_stream WHERE name = ANY(%s)", [list(streams)])
    }
    for stream in streams:
        if stream not in known:
            raise StreamUnknown("no stream of this name", stream=stream)
    if at is None:
        accounts = [AccountBalance(*row) for row in _rows(_NOW, [list(streams)])]
    else:
        accounts = [account for stream in streams for account in balances_at(stream, at=at)]
    return TrialBalance(accounts, sums(accounts))


def history(
    stream: str,
    account: str,
    *,
    after: Position = START,
    until: int | None = None,
    limit: int = PAGE,
) -> History:
    """A page of the movements of an account, oldest first, each with the balance it left.

    Args:
        after: where the page before ended.
        until: number of the last entry to be read; the stream's last when None.
        limit: how many lines at most.

    Raises:
        StreamUnknown, UnknownAccount.
    """
    stream_id, last = _head(stream)
    account_id, asset = _account(stream, stream_id, account)
    end = last if until is None else min(until, last)
    found: list[tuple[Any, ...]] = []
    for lo, hi in _blocks(account_id, after.seq, last):
        if lo >= end or len(found) > limit:
            break
        found += _rows(
            _LINES,
            {
                "stream": stream_id,
                "account": account_id,
                "lo": max(lo, after.seq - 1),
                "hi": min(hi, end),
                "after_seq": after.seq,
                "after_line": after.line,
                "limit": limit + 1 - len(found),
            },
        )
    opening = balance = _balance_after(stream_id, account_id, account, after)
    lines = []
    for row in found[:limit]:
        balance += row[-1]
        lines.append(Line(*(*row, balance)))
    beyond = Position(lines[-1].seq, lines[-1].line) if len(found) > limit else None
    return History(stream, account, asset, end, opening, lines, beyond)


def _blocks(account_id: int, after: int, last: int) -> Iterator[tuple[int, int]]:
    """The blocks of entries after a number in which an account moved, and the open one, as (lo, hi]."""
    while True:
        found = _rows(_TOUCHED, {"account": account_id, "after": after - 1, "limit": BLOCKS_AT_ONCE})
        for (seq,) in found:
            yield seq - BLOCK, seq
            after = seq + 1
        if len(found) < BLOCKS_AT_ONCE:
            break
    yield _mark(last), last


def _balance_after(stream_id: int, account_id: int, account: str, after: Position) -> int:
    """What an account held after one movement: after its entry, less the lines of it that came later."""
    if after.seq == 0:
        return 0
    where = {"stream": stream_id, "seq": after.seq, "mark": _mark(after.seq), "name": account}
    rows = _rows(_BALANCES, where)
    later = _rows(
        "SELECT CASE WHEN target_id = %(account)s THEN amount ELSE -amount END FROM ledger_movement"
        " WHERE stream_id = %(stream)s AND seq = %(seq)s AND line > %(line)s"
        " AND (source_id = %(account)s OR target_id = %(account)s)",
        {"stream": stream_id, "account": account_id, "seq": after.seq, "line": after.line},
    )
    return int(rows[0][3]) - sum(int(row[0]) for row in later)


def _head(stream: str) -> tuple[int, int]:
    rows = _rows(_HEAD, [stream])
    if not rows:
        raise StreamUnknown("no stream of this name", stream=stream)
    stream_id, last = rows[0]
    return stream_id, last


def _account(stream: str, stream_id: int, name: str) -> tuple[int, str]:
    rows = _rows(_ACCOUNT, [stream_id, name]) if name.isascii() and name.isprintable() else []
    if not rows:
        raise UnknownAccount("no account of this name in this stream", stream=stream, account=name)
    return rows[0][0], rows[0][1]


def _where(stream_id: int, last: int, seq: int | None, at: datetime | None) -> dict[str, Any]:
    """Up to which entry to look, and the snapshot to begin with."""
    if seq is not None and at is not None:
        raise ValueError("either after an entry or at a time")
    wanted = last if seq is None else max(0, min(seq, last))
    if at is not None:
        wanted = _by_time(stream_id, last, at)
    return {"stream": stream_id, "seq": wanted, "mark": _mark(wanted)}


def _mark(seq: int) -> int:
    """The last snapshot before entry `seq`: it is there, for an entry after it is."""
    return (seq - 1) // BLOCK * BLOCK if seq else 0


def _by_time(stream_id: int, last: int, at: datetime) -> int:
    if at.tzinfo is None:
        raise ValueError("a time needs its zone")
    ((found,),) = _rows(_BY_TIME, {"stream": stream_id, "last": last, "at": at})
    return int(found)


def _rows(sql: str, params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found
