"""What is kept and follows from the entries is rebuilt from them when it is wrong: when told to, on record.

All of it happens as the owner, in a transaction that is rolled back.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db.backends.utils import CursorWrapper
from pytest_django import DjangoDbBlocker

from config.commands import FOUND
from ledger.canonical import canonical_json
from ledger.errors import BadEntry, StreamNotSound, StreamUnknown
from ledger.models import Account, Entry, Head
from ledger.rebuild import OWNER, stream_rebuild, wrong_in
from ledger.statements import BLOCK
from ledger.verify_journal import verify_journal
from tests.ledger.support import DEALER, TABLES, as_owner, filled_stream
from tests.ledger.test_statements import long_stream

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

GUARDED = (*TABLES, "ledger_snapshot")
POST = (
    "SELECT o_seq FROM ledger_post(%s, 'test.moved', '{}', '{tray}', '{seat:2}', '{5}', %s, NULL, %s,"
    " NULL, NULL, NULL)"
)
WRONG = {
    "a balance": ("UPDATE ledger_account SET balance = balance + 7 WHERE id = {tray}", {"balance_differs"}),
    "every balance": (
        "UPDATE ledger_account SET balance = floor WHERE stream_id = {s} AND floor = 0",
        {"balance_differs"},
    ),
    "a head that went back": (
        "UPDATE ledger_head SET seq = seq - 1 WHERE stream_id = {s}",
        {"head_differs"},
    ),
    "another head": (
        "UPDATE ledger_head SET hash = sha256(hash), recorded_at = recorded_at + interval '1 day'"
        " WHERE stream_id = {s}",
        {"head_differs"},
    ),
    "a snapshot": (
        "UPDATE ledger_snapshot SET balance = balance + 1 WHERE account_id = {tray}",
        {"snapshot_differs"},
    ),
    "a snapshot less": ("DELETE FROM ledger_snapshot WHERE account_id = {tray}", {"snapshot_missing"}),
    "a snapshot more": (
        "INSERT INTO ledger_snapshot (seq, balance, account_id) VALUES (1024, 5, {still})",
        {"snapshot_unfounded"},
    ),
}
"""What can be wrong: how it is made so, and what the verifier finds."""


@pytest.fixture(scope="module")
def stream(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> str:
    """A stream of more than one block."""
    with django_db_blocker.unblock():
        return long_stream(BLOCK + 20)


@contextmanager
def unguarded(cursor: CursorWrapper) -> Iterator[None]:
    """Guards off within, and as they were after it."""
    cursor.execute(
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger"
        " WHERE NOT tgisinternal AND tgrelid = ANY (%s::regclass[])",
        [list(GUARDED)],
    )
    guards = cursor.fetchall()
    for table in GUARDED:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    yield
    for table, guard in guards:
        cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {guard}")


@contextmanager
def altered(stream: str, *changes: str) -> Iterator[CursorWrapper]:
    """A cursor of the owner's, after somebody has altered rows by hand; rolled back at the end."""
    accounts = Account.objects.filter(stream__name=stream)
    ids = {"s": accounts[0].stream_id, "tray": accounts.get(name="tray").pk}
    ids["still"] = accounts.get(name="cash:patrons").pk
    with as_owner() as cursor:
        with unguarded(cursor):
            for change in changes:
                cursor.execute(change.format(**ids))
                assert cursor.rowcount > 0, change
        yield cursor


def kept(stream: str) -> dict[str, Any]:
    """What can be rebuilt, as the owner sees it."""
    head = Head.objects.using(OWNER).get(stream__name=stream)
    accounts = Account.objects.using(OWNER).filter(stream__name=stream).order_by("name")
    return {
        "head": (head.seq, bytes(head.hash), head.recorded_at),
        "balances": dict(accounts.values_list("name", "balance")),
    }


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_rebuilt_on_record_and_the_stream_goes_on(stream: str, case: str) -> None:
    change, found = WRONG[case]
    right = kept(stream)
    with altered(stream, change) as cursor:
        assert {finding.type for finding in wrong_in(stream)} == found
        wrong = kept(stream)
        rebuilt = stream_rebuild(stream=stream, reason='disk "A" was restored, é')
        assert {finding.type for finding in rebuilt.findings} == found
        assert kept(stream)["balances"] == right["balances"]
        assert rebuilt.seq is not None
        assert rebuilt.seq == right["head"][0] + 1
        entry = Entry.objects.using(OWNER).get(stream__name=stream, seq=rebuilt.seq)
        assert (entry.kind, bytes(entry.previous_hash)) == ("ledger.rebuild", right["head"][1])
        was = {"hash": wrong["head"][1].hex(), "seq": wrong["head"][0]}
        said = {
            "accounts": [
                {"is": right["balances"][name], "name": name, "was": balance}
                for name, balance in wrong["balances"].items()
                if balance != right["balances"][name]
            ],
            "head_was": was if wrong["head"] != right["head"] else None,
            "reason": 'disk "A" was restored, é',
            "snapshots": int("snapshot" in case),
        }
        assert entry.payload == canonical_json(said)
        cursor.execute(POST, [stream, DEALER, uuid4()])
        assert cursor.fetchone() == (rebuilt.seq + 1,)
        assert verify_journal(stream=stream, using=OWNER).findings == []
    assert verify_journal(stream=stream).ok


def test_all_at_once_and_the_block_that_the_rebuilding_ends(stream: str) -> None:
    with altered(stream, *(change for change, _ in list(WRONG.values())[1:])):
        assert len({finding.type for finding in wrong_in(stream)}) >= 4
        stream_rebuild(stream=stream, reason="a test")
        assert verify_journal(stream=stream, using=OWNER).findings == []
    block = long_stream(BLOCK - 6)  # the last entry of its block; the next one has its snapshots taken
    assert Head.objects.get(stream__name=block).seq == BLOCK
    with altered(block, WRONG["a balance"][0]):
        assert stream_rebuild(stream=block, reason="a test").seq == BLOCK + 1
        assert verify_journal(stream=block, using=OWNER).findings == []


def test_nothing_is_derived_from_entries_that_are_wrong(stream: str) -> None:
    balance = WRONG["a balance"][0]
    for change, type_ in (
        ("UPDATE ledger_entry SET actor = uuidv4() WHERE stream_id = {s} AND seq = 9", "hash_differs"),
        ("UPDATE ledger_movement SET amount = amount + 1 WHERE stream_id = {s} AND seq = 9", "hash_differs"),
        ("UPDATE ledger_account SET floor = NULL WHERE id = {tray}", "account_differs"),
    ):
        with altered(stream, balance, change):
            before = kept(stream)
            with pytest.raises(StreamNotSound) as refused:
                stream_rebuild(stream=stream, reason="a test")
            assert type_ in refused.value.extra["findings"]
            assert kept(stream) == before
    with altered(stream, balance):
        before = kept(stream)
        for reason in ("", " ", "x" * 501):
            with pytest.raises(BadEntry):
                stream_rebuild(stream=stream, reason=reason)
            if len(reason) < 2:
                assert kept(stream) == before
    with pytest.raises(StreamUnknown):
        stream_rebuild(stream="table:none", reason="a test")


def test_the_command_tells_what_is_wrong_and_rebuilds_where_it_is_told_why() -> None:
    stream, out = filled_stream(), StringIO()

    def run(*arguments: str) -> str:
        out.seek(out.truncate(0))
        call_command("rebuild_stream", *arguments, stdout=out, stderr=StringIO())
        return out.getvalue()

    assert "nothing is wrong" in run(stream)
    assert "nothing is wrong" in run(stream, "--reason", "to be sure")
    assert Head.objects.get(stream__name=stream).seq == 2
    with altered(stream, WRONG["a balance"][0]):
        before = kept(stream)
        with pytest.raises(SystemExit) as found:
            run(stream)
        assert found.value.code == FOUND
        assert "balance_differs  account tray" in out.getvalue()
        assert kept(stream) == before
        assert f"rebuilt; entry 3 of {stream} says what it was" in run(stream, "--reason", "restored")
        assert verify_journal(stream=stream, using=OWNER).ok
    other = "UPDATE ledger_entry SET kind = 'x' WHERE stream_id = {s} AND seq = 2"
    with altered(stream, other), pytest.raises(CommandError, match="hash_differs"):
        run(stream, "--reason", "restored")
