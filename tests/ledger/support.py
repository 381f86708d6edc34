"""What the journal's tests share: streams to post to, and a picture of everything to compare."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.db.backends.utils import CursorWrapper

from ledger import services
from ledger.errors import LedgerError
from ledger.services import AccountSpec, Movement, Posted

DEALER = UUID("0d1e0000-0000-4000-8000-000000000001")
TABLES = ("ledger_stream", "ledger_head", "ledger_account", "ledger_entry", "ledger_movement")
FLOAT = 100_000  # minor units a new table's tray is filled with

TABLE_ACCOUNTS = (
    AccountSpec("tray", "chips:USD", 0),
    AccountSpec("seat:1", "chips:USD", 0),
    AccountSpec("seat:2", "chips:USD", 0),
    AccountSpec("cage", "chips:USD", None),
    AccountSpec("cash:patrons", "cash:USD", None),
    AccountSpec("cash:drop_box", "cash:USD", 0),
)


def new_stream(accounts: Sequence[AccountSpec] = TABLE_ACCOUNTS) -> str:
    """Open a stream of its own for a test, and answer its name."""
    name = f"table:{uuid4()}"
    services.open_stream(name=name, accounts=accounts, actor=DEALER, command_id=uuid4())
    return name


def post(stream: str, *moves: tuple[str, str, int], **options: Any) -> Posted:
    """Post an entry with these movements and otherwise ordinary arguments."""
    arguments: dict[str, Any] = {
        "kind": "test.moved",
        "payload": {"note": "test"},
        "actor": DEALER,
        "command_id": uuid4(),
    }
    movements = [Movement(*move) for move in moves]
    return services.post(stream=stream, movements=movements, **(arguments | options))


def filled_stream() -> str:
    """A stream whose tray has been filled."""
    stream = new_stream()
    post(stream, ("cage", "tray", FLOAT), kind="table.filled")
    return stream


def everything() -> dict[str, Any]:
    """Every row of the journal that can change, and how many of the others there are."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT stream_id, seq, hash, recorded_at FROM ledger_head ORDER BY 1")
        heads = [(a, b, bytes(c), d) for a, b, c, d in cursor.fetchall()]
        cursor.execute("SELECT * FROM ledger_account ORDER BY id")
        accounts = cursor.fetchall()
        cursor.execute(
            "SELECT (SELECT count(*) FROM ledger_entry), (SELECT count(*) FROM ledger_movement),"
            " (SELECT count(*) FROM ledger_stream)"
        )
        return {"heads": heads, "accounts": accounts, "counts": cursor.fetchone()}


@contextmanager
def refused(error: type[LedgerError], **extra: Any) -> Iterator[None]:
    """The block is refused with exactly this error and these particulars, and nothing is changed."""
    before = everything()
    with pytest.raises(LedgerError) as caught:
        yield
    assert type(caught.value) is error
    assert {key: caught.value.extra.get(key) for key in extra} == extra
    assert everything() == before


@contextmanager
def as_owner() -> Iterator[CursorWrapper]:
    """A cursor of the owner's, in a transaction that is rolled back at the end."""
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        yield cursor
        transaction.set_rollback(True, using="owner")


def sqlstate_of(cursor: CursorWrapper, sql: str, params: Sequence[Any] = ()) -> str | None:
    """Run ``sql`` in a savepoint and answer the SQLSTATE it is refused with, or None."""
    try:
        with transaction.atomic(using=cursor.db.alias):
            cursor.execute(sql, params or None)
    except DatabaseError as exc:
        state: str | None = getattr(exc.__cause__, "sqlstate", None)
        return state
    return None
