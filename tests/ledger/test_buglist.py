"""What has gone wrong in other ledgers, each as a test; those that are elsewhere are named here.

Isolation levels, autocommit, a command after a refusal, a reversal of a reversal, a clock set back:
``test_posting``. The same commands from many processes: ``test_concurrency``. A wrong balance, head or
account is found: ``test_tampering``; a wrong round, shoe or session: ``tests/audit``. Numbers that are none:
``tests/api/test_shapes``.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from config.env import BASE_DIR
from ledger import errors, selectors
from ledger.models import Entry
from ledger.services import AccountSpec, Posted
from ledger.verify_journal import verify_journal
from tests.ledger.support import DEALER, FLOAT, filled_stream, new_stream, post, refused

pytestmark = pytest.mark.django_db(transaction=True)

MAX = 2**53 - 1
CLIENTS = 20
TRANSFERS = 40  # per client
POST = (
    "SELECT ledger_post(%s, 'test.moved', '{}', ARRAY[%s], ARRAY[%s], ARRAY[%s]::bigint[], %s, NULL, %s,"
    " NULL, NULL, NULL)"
)
Transfer = tuple[str, str, int]


def _all_at_once(stream: str, clients: list[list[Transfer]]) -> Counter[str]:
    """Let each client, on a connection of its own, make its transfers one by one; count how they ended."""
    together = Barrier(len(clients))

    def play(transfers: list[Transfer]) -> list[str]:
        ended = []
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
            together.wait(timeout=60)
            for transfer in transfers:
                try:
                    connection.execute(POST, [stream, *transfer, DEALER, uuid4()])
                    ended.append("posted")
                except psycopg.Error as exc:
                    ended.append(exc.sqlstate or type(exc).__name__)
        return ended

    with ThreadPoolExecutor(max_workers=len(clients)) as pool:
        return Counter(end for ended in pool.map(play, clients) for end in ended)


def test_last_chip_is_withdrawn_by_one_of_twenty() -> None:
    stream = new_stream()
    post(stream, ("cage", "seat:1", 1))
    ended = _all_at_once(stream, [[("seat:1", "cage", 1)]] * CLIENTS)
    assert ended == {"posted": 1, "PL008": CLIENTS - 1}
    assert selectors.balance(stream, "seat:1") == 0
    report = verify_journal(stream=stream)
    assert (report.findings, report.entries) == ([], 3)


def test_transfers_in_opposite_directions_never_deadlock() -> None:
    """Neither a deadlock nor a serialization failure reaches a caller: every transfer is made, once."""
    stream = filled_stream()
    post(stream, ("tray", "seat:1", 1000), ("tray", "seat:2", 1000))
    there, back = ("seat:1", "seat:2", 3), ("seat:2", "seat:1", 2)
    ended = _all_at_once(stream, [[there] * TRANSFERS, [back] * TRANSFERS] * 4)
    assert ended == {"posted": 8 * TRANSFERS}
    moved = 4 * TRANSFERS
    assert selectors.balance(stream, "seat:1") == 1000 - moved
    assert selectors.balance(stream, "seat:2") == 1000 + moved
    report = verify_journal(stream=stream)
    assert (report.findings, report.entries) == ([], 3 + 8 * TRANSFERS)


@contextmanager
def _crash(stream: str, command: UUID, *, commit: bool) -> Iterator[None]:
    """Within, a client has posted ``command``; at the end it has been killed with no time for anything."""
    order = {"url": os.environ["DATABASE_URL"], "stream": stream, "amount": 5, "actor": str(DEALER)}
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.crasher"],
        cwd=BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(json.dumps(order | {"command": str(command), "commit": commit}) + "\n")
        client.stdin.flush()
        assert client.stdout.readline() == "posted\n"
        yield
    finally:
        client.kill()
        client.communicate()


def test_command_of_a_client_killed_before_its_commit_is_posted_by_the_retry() -> None:
    stream, command = filled_stream(), uuid4()
    with _crash(stream, command, commit=False):
        assert not Entry.objects.filter(command_id=command).exists()
    posted = post(stream, ("tray", "seat:1", 5), command_id=command)
    assert posted.seq == 3
    assert selectors.balance(stream, "seat:1") == 5
    assert verify_journal(stream=stream).ok


def test_command_of_a_client_killed_after_its_commit_is_not_posted_again() -> None:
    stream, command = filled_stream(), uuid4()
    with _crash(stream, command, commit=True):
        pass
    with refused(errors.DuplicateCommand, seq=3):
        post(stream, ("tray", "seat:1", 5), command_id=command)
    assert selectors.balance(stream, "seat:1") == 5
    assert verify_journal(stream=stream).ok


@pytest.mark.parametrize("amount", [2**53, 2**53 + 1, 2**63 - 1, 0, -1, -(2**63)])
def test_function_itself_refuses_amounts_past_every_limit(amount: int) -> None:
    """As bigints; nothing of ours has looked at them before."""
    stream = new_stream([AccountSpec("a", "chips:USD", None), AccountSpec("b", "chips:USD", None)])
    post(stream, ("a", "b", MAX - 1))
    with refused(errors.BadAmount), psycopg.connect(os.environ["DATABASE_URL"]) as client:
        try:
            client.execute(POST, [stream, "b", "a", amount, DEALER, uuid4()])
        except psycopg.Error as exc:
            raise errors.BY_SQLSTATE[exc.sqlstate or "none"] from exc


def test_balances_end_exactly_at_their_limits() -> None:
    stream = new_stream([AccountSpec("a", "chips:USD", -MAX), AccountSpec("b", "chips:USD", None)])
    post(stream, ("a", "b", MAX - 1))
    post(stream, ("a", "b", 1))
    assert selectors.balances(stream) == {"a": -MAX, "b": MAX}
    with refused(errors.FloorBroken, account="a", would_be=-MAX - 1):
        post(stream, ("a", "b", 1))
    post(stream, *[("b", "a", MAX)] * 2, *[("a", "b", MAX)] * 2)
    assert selectors.balances(stream) == {"a": -MAX, "b": MAX}
    assert verify_journal(stream=stream).ok


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        datetime(2026, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2026, 10, 25, 2, 30, 0, 100_000, tzinfo=timezone(timedelta(hours=2))),
        datetime(2038, 1, 19, 3, 14, 8, 123_457, tzinfo=timezone(-timedelta(hours=9, minutes=30))),
        datetime(9999, 12, 29, 23, 59, 59, 999_999, tzinfo=UTC),
    ],
)
def test_times_are_read_back_to_the_microsecond(moment: datetime) -> None:
    stream = filled_stream()
    posted = post(stream, ("tray", "seat:1", 5), occurred_at=moment)
    entry = Entry.objects.get(pk=posted.entry_id)
    assert (entry.occurred_at, entry.recorded_at) == (moment, posted.recorded_at)
    assert verify_journal(stream=stream).ok


def _twice(payload: dict[str, Any], other: dict[str, Any]) -> tuple[Entry, Entry]:
    stream = filled_stream()
    posted: list[Posted] = [post(stream, payload=value) for value in (payload, other)]
    assert verify_journal(stream=stream).ok
    first, second = (Entry.objects.get(pk=entry.entry_id) for entry in posted)
    return first, second


def test_payload_is_the_same_in_whatever_order_its_keys_come() -> None:
    payload = {"b": {"y": [1, {"q": None, "p": True}], "x": "é"}, "a": [], "B": {}}
    first, second = _twice(payload, {"B": {}, "a": [], "b": {"x": "é", "y": [1, {"p": True, "q": None}]}})
    assert first.payload == second.payload
    assert bytes(first.payload_digest) == bytes(second.payload_digest)
    assert json.loads(first.payload) == payload


@pytest.mark.parametrize(
    "text",
    [
        "😀",
        "👩‍👩‍👧",
        "🏴\U000e0067\U000e0062",
        "שלום",
        "\u202e",
        "\u2028",
        "\ufeff",
        "\uffff",
        "\x01",
        '"\\/',
        "' OR 1=1; --",
    ],
)
def test_texts_come_back_as_they_were(text: str) -> None:
    first, second = _twice({"note": text, "deep": [[{"note": text}]]}, {"note": text + text})
    assert json.loads(first.payload) == {"note": text, "deep": [[{"note": text}]]}
    assert json.loads(second.payload) == {"note": text + text}


def test_spellings_that_look_the_same_stay_different() -> None:
    """Nothing is normalised: a hash is about bytes."""
    first, second = _twice({"name": "Zo\u00eb"}, {"name": "Zoe\u0308"})
    assert first.payload != second.payload
    assert bytes(first.payload_digest) != bytes(second.payload_digest)


def test_reversals_of_reversals_go_back_and_forth() -> None:
    stream = filled_stream()
    moves = [("tray", "seat:1", 5), ("seat:1", "tray", 5)]
    posted = post(stream, moves[0])
    for turn in range(1, 5):
        posted = post(stream, moves[turn % 2], reverses=posted.entry_id)
        assert selectors.balance(stream, "seat:1") == (0 if turn % 2 else 5)
    assert selectors.balance(stream, "tray") == FLOAT - 5
    assert verify_journal(stream=stream).ok
