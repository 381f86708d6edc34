"""Re-deriving the snapshots of balances, in the pass that reads a stream's movements anyway.

Pure like ``ledger.verify``, and as apart from what writes: ``ledger/sql/0003_snapshots.sql`` says what a
snapshot is. One is due of each account that moved in a block of 1,024 entries, once an entry has come after
the block; no other may be there.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ledger.verify import Finding, MovementRow, Report

BLOCK = 1024  # entries


class SnapshotRow(NamedTuple):
    """A snapshot as stored: what an account held after entry ``seq``, in minor units."""

    seq: int
    account_id: int
    balance: int


@dataclass(slots=True)
class _Run:
    """Snapshots of one account, one after the other, that are wrong by the same amount."""

    first: int
    last: int
    wrong_by: int
    detail: str


@dataclass(slots=True)
class SnapshotCheck:
    """Compares one stream's snapshots with what its entries left behind, block by block.

    Memory is bounded by the number of the stream's accounts.

    Args:
        stream: its name.
        accounts: names of its accounts by id.
        rows: its snapshots in order of their entries.
        report: called with each finding.
    """

    stream: str
    accounts: Mapping[int, str]
    rows: Iterable[SnapshotRow]
    report: Report
    _pending: Iterator[SnapshotRow] = field(init=False)
    _next: SnapshotRow | None = None
    _end: int = BLOCK
    _moved: set[int] = field(default_factory=set)
    _runs: dict[int, _Run] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._pending = iter(self.rows)
        self._next = next(self._pending, None)

    def before(self, seq: int, balances: Mapping[int, int]) -> None:
        """Judge the block that ended before entry ``seq``, if one did; ``balances`` are those it left."""
        if seq > self._end:
            self._judge(balances)
            self._moved.clear()
            self._end = (seq + BLOCK - 1) // BLOCK * BLOCK

    def moved(self, movements: Iterable[MovementRow]) -> None:
        """Note which accounts an entry's movements touch."""
        for movement in movements:
            self._moved.add(movement.source_id)
            self._moved.add(movement.target_id)

    def finish(self) -> None:
        """Report what stands after the last block that is complete, and what is not reported yet."""
        while self._next is not None:
            self._unfounded(self._take())
        for account_id in list(self._runs):
            self._close_run(account_id)

    def _judge(self, balances: Mapping[int, int]) -> None:
        due = self._moved & balances.keys()
        kept: dict[int, list[int]] = {}
        while self._next is not None and self._next.seq <= self._end:
            row = self._take()
            if row.seq < self._end or row.account_id not in due:
                self._unfounded(row)
            else:
                kept.setdefault(row.account_id, []).append(row.balance)
        for account_id in sorted(due):
            self._compare(account_id, kept.get(account_id, []), balances[account_id])

    def _compare(self, account_id: int, kept: list[int], derived: int) -> None:
        name = self.accounts[account_id]
        if not kept:
            self._found("snapshot_missing", self._end, f"account {name} moved and has no snapshot")
            return
        if len(kept) > 1:
            self._found("snapshot_repeated", self._end, f"account {name} has {len(kept)} snapshots")
        wrong = [balance for balance in kept if balance != derived]
        wrong_by = wrong[0] - derived if wrong else 0
        run = self._runs.get(account_id)
        if run is not None and run.wrong_by == wrong_by:
            run.last = self._end
            return
        self._close_run(account_id)
        if wrong:
            detail = f"the snapshot of account {name} says {wrong[0]}, its movements give {derived}"
            self._runs[account_id] = _Run(self._end, self._end, wrong_by, detail)

    def _close_run(self, account_id: int) -> None:
        """Report a run as one finding: an altered movement puts every later snapshot wrong by as much."""
        run = self._runs.pop(account_id, None)
        if run is not None:
            later = "" if run.last == run.first else f"; all are wrong by as much to entry {run.last}"
            self._found("snapshot_differs", run.first, run.detail + later)

    def _take(self) -> SnapshotRow:
        row = self._next
        assert row is not None, "asked for only while there is one"
        self._next = next(self._pending, None)
        return row

    def _unfounded(self, row: SnapshotRow) -> None:
        name = self.accounts[row.account_id]
        self._found("snapshot_unfounded", row.seq, f"no block that moved account {name} ends there")

    def _found(self, kind: str, seq: int, detail: str) -> None:
        self.report(Finding(kind, self.stream, seq, detail))
