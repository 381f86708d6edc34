"""Statements: any account after any entry or at any time, exact, and by index however long the journal is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections
from pytest_django import DjangoDbBlocker

from ledger import statements
from ledger.errors import LedgerError, StreamUnknown, UnknownAccount
from ledger.models import Entry
from ledger.services import AccountSpec, open_accounts
from ledger.statements import (
    BLOCK,
    Position,
    balance_at,
    balances_at,
    history,
    seq_at,
    trial_balance,
)
from tests.ledger.support import DEALER, as_owner, filled_stream, new_stream, post, sqlstate_of

ENTRIES = 2 * BLOCK + 150
# One entry each, posted by one statement: from the tray to a seat and now and then back. `rare` moves twice.
_MANY = """
SELECT count(p.o_seq) FROM generate_series(1, %(count)s) AS n CROSS JOIN LATERAL ledger_post(
    %(stream)s, 'test.moved', '{}',
    CASE n %% 3 WHEN 0 THEN ARRAY['seat:1'] WHEN 1 THEN ARRAY['tray', 'tray'] ELSE ARRAY['tray'] END,
    CASE n %% 3 WHEN 0 THEN ARRAY['tray'] WHEN 1 THEN ARRAY['seat:1', 'seat:2'] ELSE ARRAY['seat:1'] END,
    CASE n %% 3 WHEN 0 THEN ARRAY[n] WHEN 1 THEN ARRAY[n + 1, 2] ELSE ARRAY[n] END::bigint[],
    %(actor)s, NULL, gen_random_uuid(), NULL, NULL, NULL) p"""


def long_stream(count: int = ENTRIES) -> str:
    """A stream of entries over several blocks, with an account that moves in the first and last only."""
    stream = filled_stream()
    post(stream, ("cage", "tray", 100_000_000))
    open_accounts(
        stream=stream,
        accounts=[AccountSpec("rare", "chips:USD", None)],
        actor=DEALER,
        command_id=uuid4(),
    )
    post(stream, ("tray", "rare", 7), ("rare", "tray", 2))
    with connection.cursor() as cursor:
        cursor.execute(_MANY, {"count": count, "stream": stream, "actor": DEALER})
    post(stream, ("rare", "tray", 3))
    return stream


@pytest.fixture(scope="session")
def standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> str:
    """One such stream for all tests that only read, made once in each process."""
    with django_db_blocker.unblock():
        return long_stream()


def by_hand(stream: str) -> dict[int, dict[str, int]]:
    """Every balance after every entry, added up one movement after the other."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.seq, s.name, t.name, m.amount FROM ledger_movement m"
            "  JOIN ledger_account s ON s.id = m.source_id JOIN ledger_account t ON t.id = m.target_id"
            "  JOIN ledger_stream st ON st.id = m.stream_id WHERE st.name = %s ORDER BY m.seq, m.line",
            [stream],
        )
        rows = cursor.fetchall()
    held: dict[str, int] = {}
    after: dict[int, dict[str, int]] = {}
    for seq, source, target, amount in rows:
        held[source] = held.get(source, 0) - amount
        held[target] = held.get(target, 0) + amount
        after[seq] = dict(held)
    return after


@pytest.mark.django_db
def test_a_statement_is_what_adding_up_by_hand_gives(standing: str) -> None:
    """Balances after entries on both sides of every block's end, and a history in pages of odd sizes."""
    stream = standing
    after = by_hand(stream)
    last = max(after)
    near = {BLOCK * n + d for n in (1, 2) for d in (-1, 0, 1, 2)} | {2, 4, 5, last - 1, last}
    for seq in sorted(near & after.keys()):
        held = {row.name: row.balance for row in balances_at(stream, seq=seq)}
        assert {name: held[name] for name in after[seq]} == after[seq], seq
        assert balance_at(stream, "seat:1", seq=seq) == after[seq].get("seat:1", 0)
        assert sum(row.balance for row in balances_at(stream, seq=seq)) == 0
    assert balance_at(stream, "tray") == after[last]["tray"]
    assert balance_at(stream, "tray", seq=last + 99) == after[last]["tray"]
    assert balance_at(stream, "tray", seq=0) == balance_at(stream, "tray", seq=1) == 0

    for account, limit in (("tray", 997), ("seat:2", 100), ("rare", 1)):
        position, lines, held_before = Position(0, 0), [], 0
        for _ in range(40):
            page = history(stream, account, after=position, limit=limit)
            assert page.opening == held_before
            lines += page.lines
            assert len(page.lines) == limit or page.next is None
            if page.next is None:
                break
            position, held_before = page.next, page.lines[-1].balance
        assert all(later.balance - line.balance == later.change for line, later in pairwise(lines))
        assert [(n.seq, n.line) for n in lines] == sorted({(n.seq, n.line) for n in lines})
        closing = {line.seq: line.balance for line in lines}
        assert closing == {seq: after[seq][account] for seq in closing}
        assert lines[-1].balance == after[last][account]
    assert [(n.change, n.balance, n.other, n.kind) for n in history(stream, "rare").lines] == [
        (7, 7, "tray", "test.moved"),
        (-2, 5, "tray", "test.moved"),
        (-3, 2, "tray", "test.moved"),
    ]
    until = history(stream, "rare", until=10)
    assert (until.until, len(until.lines), until.next) == (10, 2, None)


@pytest.mark.django_db
def test_a_time_finds_the_last_entry_recorded_by_then() -> None:
    stream = filled_stream()
    for amount in range(1, 6):
        post(stream, ("tray", "seat:1", amount))
    times: dict[int, datetime] = dict(
        Entry.objects.filter(stream__name=stream).values_list("seq", "recorded_at")
    )
    tick = timedelta(microseconds=1)
    for seq, at in times.items():
        assert (seq_at(stream, at), seq_at(stream, at - tick)) == (seq, seq - 1)
        assert balance_at(stream, "seat:1", at=at) == balance_at(stream, "seat:1", seq=seq)
    assert seq_at(stream, max(times.values()) + timedelta(days=1)) == max(times)
    assert balances_at(stream, at=min(times.values()) - tick) == []
    wrong: list[Callable[[], int]] = [
        lambda: seq_at(stream, times[1].replace(tzinfo=None)),
        lambda: balance_at(stream, "tray", seq=1, at=times[1]),
    ]
    for ask in wrong:
        with pytest.raises(ValueError):
            ask()


@pytest.mark.django_db
def test_a_trial_balance_sums_to_zero_asset_by_asset() -> None:
    one, two = filled_stream(), filled_stream()
    post(one, ("cash:patrons", "cash:drop_box", 500), ("tray", "seat:1", 500))
    before = Entry.objects.filter(stream__name=one).latest("seq").recorded_at
    post(two, ("tray", "seat:2", 40))
    now = trial_balance([one, two])
    assert (now.totals, now.balanced) == ({"chips:USD": 0, "cash:USD": 0}, True)
    held = {(row.stream, row.name): row.balance for row in now.accounts}
    assert (held[one, "seat:1"], held[two, "seat:2"], held[one, "cash:drop_box"]) == (500, 40, 500)
    then = trial_balance([one, two], at=before)
    held = {(row.stream, row.name): row.balance for row in then.accounts}
    assert (held[one, "seat:1"], held[two, "seat:2"], then.balanced) == (500, 0, True)
    assert not statements.TrialBalance([], {"chips:USD": 1}).balanced


@pytest.mark.django_db
def test_what_is_not_there_has_no_statement() -> None:
    stream = new_stream()
    unknown: list[tuple[type[LedgerError], Callable[[], object]]] = [
        (StreamUnknown, lambda: balances_at("table:none")),
        (StreamUnknown, lambda: balance_at("table:none", "tray")),
        (StreamUnknown, lambda: history("table:none", "tray")),
        (UnknownAccount, lambda: balance_at(stream, "seat:9")),
        (UnknownAccount, lambda: history(stream, "seat:9")),
    ]
    for error, ask in unknown:
        with pytest.raises(error):
            ask()
    assert history(stream, "tray").lines == []


@contextmanager
def asked() -> Iterator[list[tuple[str, Any]]]:
    """The statements sent inside."""
    sent: list[tuple[str, Any]] = []

    def keep(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        sent.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        yield sent


@pytest.mark.django_db(databases=["default", "owner"])
def test_no_statement_reads_the_whole_journal(standing: str) -> None:
    """EXPLAIN of every statement sent: each can be answered through indexes alone.

    Which plan is cheapest depends on how much other tests have posted; so reading all of a table, and the
    joins that need it, are made dear, and what still reads all of one has no other way.
    """
    stream = standing
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE ledger_movement, ledger_entry, ledger_account, ledger_snapshot")
    middle = Entry.objects.get(stream__name=stream, seq=BLOCK + 300).recorded_at
    with asked() as sent:
        balance_at(stream, "tray", seq=BLOCK + 300)
        balances_at(stream, at=middle)
        history(stream, "rare")
        page = history(stream, "tray", limit=50)
        history(stream, "tray", after=page.next or Position(0, 0))
        trial_balance([stream], at=middle)
    plans = []
    for sql, params in sent:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_hashjoin = off")
            cursor.execute("SET LOCAL enable_mergejoin = off")
            cursor.execute("EXPLAIN " + sql, params)
            plans.append("\n".join(row[0] for row in cursor.fetchall()))
    assert len(plans) > 12
    assert any("ledger_movement_pkey" in plan for plan in plans)
    for plan in plans:
        for table in ("ledger_movement", "ledger_entry"):
            assert f"Seq Scan on {table}" not in plan, plan


@pytest.mark.django_db
def test_a_page_of_a_rare_account_skips_the_blocks_it_did_not_move_in(standing: str) -> None:
    stream = standing
    with asked() as sent:
        assert len(history(stream, "rare").lines) == 3
    read = [params for sql, params in sent if "AS m\n" in sql and "after_line" in sql]
    last = Entry.objects.filter(stream__name=stream).latest("seq").seq
    assert [(params["lo"], params["hi"]) for params in read] == [(0, BLOCK), (2 * BLOCK, last)]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_snapshots_are_written_by_posting_alone(standing: str) -> None:
    stream = standing
    assert {seq for _, seq, _ in _snapshots(stream)} == {BLOCK, 2 * BLOCK}
    statements_refused = (
        "INSERT INTO ledger_snapshot (seq, balance, account_id) VALUES (1024, 1, 1)",
        "UPDATE ledger_snapshot SET balance = balance + 1",
        "DELETE FROM ledger_snapshot",
        "TRUNCATE ledger_snapshot",
    )
    before = _snapshots(stream)
    with connection.cursor() as cursor:
        assert {sqlstate_of(cursor, sql) for sql in statements_refused} == {"42501"}
    with as_owner() as cursor:
        assert {sqlstate_of(cursor, sql) for sql in statements_refused} == {"PL013"}
    assert _snapshots(stream) == before


def _snapshots(stream: str) -> list[tuple[str, int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.name, b.seq, b.balance FROM ledger_snapshot b"
            "  JOIN ledger_account a ON a.id = b.account_id JOIN ledger_stream s ON s.id = a.stream_id"
            " WHERE s.name = %s ORDER BY 1, 2",
            [stream],
        )
        found: list[tuple[str, int, int]] = cursor.fetchall()
        return found
