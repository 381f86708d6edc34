"""Posting: what it writes, and that every refusal leaves everything as it was."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from ledger import errors, selectors, services
from ledger.models import Entry
from ledger.services import AccountSpec
from ledger.verify_journal import verify_journal
from tests.ledger.support import DEALER, FLOAT, as_owner, filled_stream, new_stream, post, refused

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

MAX = 2**53 - 1


def test_entry_carries_what_it_was_given() -> None:
    stream = filled_stream()
    given: dict[str, Any] = {
        "kind": "round.raise",
        "payload": {"seat": 1, "note": "Zoë 😀", "amount": 500},
        "terminal": uuid4(),
        "command_id": uuid4(),
        "entry_id": uuid4(),
        "occurred_at": datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC),
    }
    posted = post(stream, ("tray", "seat:1", 500), ("cage", "tray", 7), **given)
    entry = Entry.objects.get(pk=given["entry_id"])
    assert entry.payload == '{"amount":500,"note":"Zoë 😀","seat":1}'
    assert (entry.kind, entry.terminal, entry.command_id) == (
        given["kind"],
        given["terminal"],
        given["command_id"],
    )
    assert (entry.actor, entry.occurred_at, entry.reverses) == (DEALER, given["occurred_at"], None)
    assert (entry.seq, entry.pk, bytes(entry.hash), entry.recorded_at) == (
        posted.seq,
        posted.entry_id,
        posted.hash,
        posted.recorded_at,
    )
    assert [(m.line, m.source.name, m.target.name, m.amount) for m in selectors.movements(entry)] == [
        (1, "tray", "seat:1", 500),
        (2, "cage", "tray", 7),
    ]
    assert selectors.balances(stream)["tray"] == FLOAT - 493
    assert selectors.balance(stream, "seat:1") == 500


def test_entries_are_chained_and_numbered_without_gap() -> None:
    stream = filled_stream()
    for _ in range(3):
        post(stream)
    entries = list(selectors.entries(stream))
    assert [e.seq for e in entries] == [1, 2, 3, 4, 5]
    hashes = [bytes(32)] + [bytes(e.hash) for e in entries]
    assert [bytes(e.previous_hash) for e in entries] == hashes[:-1]
    assert [e.seq for e in selectors.entries(stream, after=2, limit=2)] == [3, 4]


def test_posting_is_one_statement() -> None:
    stream = filled_stream()
    with CaptureQueriesContext(connection) as queries:
        post(stream, ("tray", "seat:1", 5), ("seat:1", "seat:2", 5))
    assert len(queries) == 1


def test_occurred_at_is_the_recording_when_nothing_else_is_said() -> None:
    entry = Entry.objects.get(pk=post(filled_stream()).entry_id)
    assert entry.occurred_at == entry.recorded_at


def test_floor_is_judged_on_what_the_entry_leaves_behind() -> None:
    stream = filled_stream()
    post(stream, ("tray", "seat:1", FLOAT + 1), ("cage", "tray", 1))
    assert selectors.balances(stream) == {
        "cage": -FLOAT - 1,
        "cash:drop_box": 0,
        "cash:patrons": 0,
        "seat:1": FLOAT + 1,
        "seat:2": 0,
        "tray": 0,
    }


def test_floor_may_lie_below_zero() -> None:
    stream = new_stream([AccountSpec("a", "chips:USD", -10), AccountSpec("b", "chips:USD", None)])
    post(stream, ("a", "b", 10))
    with refused(errors.FloorBroken, account="a", floor=-10, would_be=-11):
        post(stream, ("a", "b", 1))


def test_largest_amount_is_exact() -> None:
    stream = new_stream([AccountSpec("a", "chips:USD", None), AccountSpec("b", "chips:USD", None)])
    post(stream, ("a", "b", MAX))
    assert selectors.balances(stream) == {"a": -MAX, "b": MAX}
    with refused(errors.BadAmount, account="a"):
        post(stream, ("a", "b", 1))


@pytest.mark.parametrize(
    ("moves", "error", "extra"),
    [
        ([("tray", "cage", FLOAT + 1)], errors.FloorBroken, {"account": "tray", "floor": 0, "would_be": -1}),
        ([("tray", "cage", 1), ("seat:1", "cage", 1)], errors.FloorBroken, {"account": "seat:1"}),
        ([("cash:drop_box", "cash:patrons", 1)], errors.FloorBroken, {"account": "cash:drop_box"}),
        ([("tray", "seat:9", 1)], errors.UnknownAccount, {"account": "seat:9"}),
        ([("nowhere", "tray", 1)], errors.UnknownAccount, {"account": "nowhere"}),
        ([("", "tray", 1)], errors.UnknownAccount, {"account": ""}),
        ([("tray", "cash:drop_box", 1)], errors.AssetMismatch, {"source_asset": "chips:USD"}),
        ([("tray", "tray", 1)], errors.SameAccount, {"account": "tray"}),
        ([("tray", "cage", 0)], errors.BadAmount, {"amount": 0}),
        ([("tray", "cage", -5)], errors.BadAmount, {"amount": -5}),
        ([("cage", "tray", MAX + 1)], errors.BadAmount, {"source": "cage"}),
        ([("tray", "cage", 10**30)], errors.BadAmount, {"source": "tray"}),
        ([("tray", "cage", True)], errors.BadAmount, {"source": "tray"}),
        ([("tray", "cage", 1.0)], errors.BadAmount, {"source": "tray"}),
        ([("cage", "tray", MAX), ("cage", "tray", MAX)], errors.BadAmount, {}),
        ([("tray", "cage", 1)] * 1001, errors.BadEntry, {}),
    ],
)
def test_bad_movements_are_refused(
    moves: list[tuple[str, str, int]], error: type[errors.LedgerError], extra: dict[str, Any]
) -> None:
    stream = filled_stream()
    with refused(error, **extra):
        post(stream, *moves)
    with refused(error), transaction.atomic():
        post(stream, *moves)


def test_good_movements_before_a_bad_one_leave_no_trace() -> None:
    stream = filled_stream()
    with refused(errors.UnknownAccount, account="seat:9"):
        post(stream, ("tray", "seat:1", 5), ("tray", "seat:9", 5))


@pytest.mark.parametrize(
    "options",
    [
        {"kind": ""},
        {"kind": "Round.Raise"},
        {"kind": "round raise"},
        {"kind": "x" * 65},
        {"kind": "stream.open"},
        {"kind": "account.open"},
        {"payload": {"text": "x" * 262_144}},
    ],
)
def test_bad_entries_are_refused(options: dict[str, Any]) -> None:
    stream = filled_stream()
    with refused(errors.BadEntry):
        post(stream, ("tray", "cage", 1), **options)


def test_unknown_stream_is_refused() -> None:
    filled_stream()
    with refused(errors.StreamUnknown, stream="table:none"):
        post("table:none", ("tray", "cage", 1))
    with pytest.raises(errors.StreamUnknown):
        selectors.balances("table:none")
    with pytest.raises(errors.UnknownAccount):
        selectors.balance("table:none", "tray")


def test_account_of_another_stream_is_unknown() -> None:
    stream, other = filled_stream(), new_stream([AccountSpec("vault", "chips:USD", 0)])
    with refused(errors.UnknownAccount, account="vault"):
        post(stream, ("tray", "vault", 1))
    assert selectors.balances(other) == {"vault": 0}


def test_command_has_one_effect_for_ever() -> None:
    stream, other, command = filled_stream(), filled_stream(), uuid4()
    first = post(stream, ("tray", "seat:1", 5), command_id=command)
    with refused(errors.DuplicateCommand, seq=first.seq, entry_id=str(first.entry_id), stream=stream):
        post(stream, ("tray", "seat:1", 5), command_id=command)
    with refused(errors.DuplicateCommand, command_id=str(command)):
        services.open_accounts(
            stream=stream, accounts=[AccountSpec("x", "chips:USD", 0)], actor=DEALER, command_id=command
        )
    post(other, ("tray", "seat:1", 5), command_id=command)
    assert Entry.objects.get(stream__name=stream, command_id=command).pk == first.entry_id


def test_refused_command_may_be_tried_again() -> None:
    stream, command = filled_stream(), uuid4()
    with refused(errors.FloorBroken):
        post(stream, ("seat:1", "tray", 5), command_id=command)
    post(stream, ("tray", "seat:1", 5))
    post(stream, ("seat:1", "tray", 5), command_id=command)
    assert selectors.balance(stream, "seat:1") == 0


def test_entry_id_is_unique_across_streams() -> None:
    stream, other = filled_stream(), filled_stream()
    first = post(stream)
    with refused(errors.DuplicateEntry):
        post(other, ("tray", "seat:1", 5), entry_id=first.entry_id)


def test_entry_is_reversed_at_most_once() -> None:
    stream = filled_stream()
    paid = post(stream, ("tray", "seat:1", 5))
    back = post(stream, ("seat:1", "tray", 5), reverses=paid.entry_id, kind="entry.reversed")
    with refused(errors.AlreadyReversed, reverses=str(paid.entry_id)):
        post(stream, ("seat:1", "tray", 5), reverses=paid.entry_id)
    again = post(stream, ("tray", "seat:1", 5), reverses=back.entry_id)
    assert Entry.objects.get(pk=again.entry_id).reverses == back.entry_id
    assert verify_journal(stream=stream).ok


@pytest.mark.parametrize("whose", ["another stream's", "nobody's"])
def test_only_an_entry_of_the_same_stream_is_reversed(whose: str) -> None:
    stream, other = filled_stream(), filled_stream()
    target: UUID = post(other).entry_id if whose == "another stream's" else uuid4()
    with refused(errors.ReversalUnknown, reverses=str(target)):
        post(stream, reverses=target)


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
@pytest.mark.parametrize("act", ["post", "open_stream", "open_accounts"])
def test_other_isolation_levels_are_refused(level: str, act: str) -> None:
    stream = filled_stream()
    account = [AccountSpec("x", "chips:USD", 0)]
    acts: dict[str, Callable[[], object]] = {
        "post": lambda: post(stream, ("tray", "cage", 1)),
        "open_stream": lambda: new_stream(),
        "open_accounts": lambda: services.open_accounts(
            stream=stream, accounts=account, actor=DEALER, command_id=uuid4()
        ),
    }
    with refused(errors.WrongIsolation), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
        acts[act]()


def test_autocommit_and_transaction_both_do() -> None:
    stream = filled_stream()
    assert connection.get_autocommit()
    post(stream, ("tray", "seat:1", 1))
    with transaction.atomic():
        post(stream, ("tray", "seat:1", 1))
    assert selectors.balance(stream, "seat:1") == 2


def test_rolled_back_posting_leaves_no_gap() -> None:
    stream = filled_stream()
    with transaction.atomic():
        post(stream, ("tray", "seat:1", 1))
        transaction.set_rollback(True)
    assert post(stream).seq == 3
    assert selectors.balance(stream, "seat:1") == 0


def test_clock_set_back_keeps_the_order() -> None:
    stream = filled_stream()
    ahead = datetime.now(UTC).replace(microsecond=999_999) + timedelta(days=400)
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE ledger_head DISABLE TRIGGER USER")
        cursor.execute("UPDATE ledger_head SET recorded_at = %s", [ahead])
        cursor.execute("ALTER TABLE ledger_head ENABLE ALWAYS TRIGGER ledger_no_foreign_update")
        times = []
        for _ in range(3):
            cursor.execute(
                "SELECT o_recorded_at FROM ledger_post(%s, 'test.moved', '{}', '{}', '{}', '{}', %s, NULL,"
                " %s, NULL, NULL, NULL)",
                [stream, DEALER, uuid4()],
            )
            times.append(cursor.fetchone()[0])
    assert times == [ahead + timedelta(microseconds=n) for n in (1, 2, 3)]


def test_posting_insists_on_durability() -> None:
    stream = filled_stream()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
        post(stream)
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("on",)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = remote_apply")
        post(stream)
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("remote_apply",)


def test_other_database_errors_are_not_dressed_up() -> None:
    with pytest.raises(DatabaseError) as caught, connections["default"].cursor() as cursor:
        cursor.execute("SELECT 1 / 0")
    assert errors.translated(caught.value) is None
