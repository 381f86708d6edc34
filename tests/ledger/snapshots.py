"""What a superuser can do to the snapshots of balances: each field in turn, rows taken out, rows added."""

from dataclasses import dataclass

from ledger.statements import BLOCK

TABLE = "ledger_snapshot"
LIFT = (
    f"ALTER TABLE {TABLE} DISABLE TRIGGER USER;"
    f"ALTER TABLE {TABLE} DROP CONSTRAINT ledger_snapshot_pkey,"
    " DROP CONSTRAINT ledger_snapshot_at_block_end;"
)
FIRST, SECOND, THIRD = BLOCK, 2 * BLOCK, 3 * BLOCK
LOST = ""
"""Where what belongs to no stream is found."""


@dataclass(frozen=True)
class Tampering:
    """A change of ``column`` (None: of whole rows), and ALL that is found: type and entry, in the stream.

    {tray}, {rare}, {still} and {elsewhere} stand for ids of accounts: the tray moves in both complete
    blocks, ``rare`` in the first, ``still`` in none, and ``elsewhere`` is another stream's. ``others`` are
    the findings that are not the stream's.
    """

    column: str | None
    change: str
    found: set[tuple[str, int]]
    others: frozenset[tuple[str, int]] = frozenset()


def _set(
    column: str, value: str, where: str, *found: tuple[str, int], others: tuple[str, int] | None = None
) -> Tampering:
    change = f"UPDATE {TABLE} SET {column} = {value} WHERE account_id = {where}"  # noqa: S608 (literals of this file)
    return Tampering(column, change, set(found), frozenset({others} if others else ()))


def _rows(change: str, *found: tuple[str, int]) -> Tampering:
    return Tampering(None, change, set(found))


CASES = [
    _set("balance", "balance + 1", "{tray} AND seq = 1024", ("snapshot_differs", FIRST)),
    _set("balance", "balance - 1", "{tray} AND seq = 2048", ("snapshot_differs", SECOND)),
    _set("balance", "balance + 1", "{tray}", ("snapshot_differs", FIRST)),
    _set("balance", "seq", "{tray}", ("snapshot_differs", FIRST), ("snapshot_differs", SECOND)),
    _set("seq", "2048", "{rare} AND seq = 1024", ("snapshot_missing", FIRST), ("snapshot_unfounded", SECOND)),
    _set("seq", "3072", "{tray} AND seq = 2048", ("snapshot_missing", SECOND), ("snapshot_unfounded", THIRD)),
    _set("seq", "1023", "{tray} AND seq = 1024", ("snapshot_missing", FIRST), ("snapshot_unfounded", 1023)),
    _set("seq", "-1024", "{rare} AND seq = 1024", ("snapshot_missing", FIRST), ("snapshot_unfounded", -1024)),
    _set(
        "seq",
        "2048",
        "{tray} AND seq = 1024",
        ("snapshot_missing", FIRST),
        ("snapshot_repeated", SECOND),
        ("snapshot_differs", SECOND),
    ),
    _set(
        "account_id",
        "{still}",
        "{rare} AND seq = 1024",
        ("snapshot_missing", FIRST),
        ("snapshot_unfounded", FIRST),
    ),
    _set(
        "account_id",
        "{elsewhere}",
        "{tray} AND seq = 2048",
        ("snapshot_missing", SECOND),
        others=("snapshot_unfounded", SECOND),
    ),
    _set(
        "account_id",
        "-1",
        "{rare} AND seq = 1024",
        ("snapshot_missing", FIRST),
        others=("snapshot_unfounded", FIRST),
    ),
    _rows(
        "DELETE FROM ledger_snapshot WHERE account_id = {rare} AND seq = 1024", ("snapshot_missing", FIRST)
    ),
    _rows(
        "DELETE FROM ledger_snapshot WHERE account_id = {tray}",
        ("snapshot_missing", FIRST),
        ("snapshot_missing", SECOND),
    ),
    _rows(
        "INSERT INTO ledger_snapshot (account_id, seq, balance)"
        " SELECT account_id, 2048, balance FROM ledger_snapshot WHERE account_id = {rare}",
        ("snapshot_unfounded", SECOND),
    ),
    _rows(
        "INSERT INTO ledger_snapshot (account_id, seq, balance) VALUES ({still}, 3072, 0)",
        ("snapshot_unfounded", THIRD),
    ),
    _rows(
        "INSERT INTO ledger_snapshot SELECT * FROM ledger_snapshot WHERE account_id = {tray} AND seq = 1024",
        ("snapshot_repeated", FIRST),
    ),
]
