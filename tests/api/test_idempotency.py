"""A command has one effect however often it arrives, and a retry is told what happened."""

import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from ledger.models import Entry
from ledger.selectors import balances
from tables.models import CommandAnswer, Refusal, Role, Table
from tests import floor
from tests.api.client import Desk, Reply
from tests.api.conftest import Place, make_place, put_on_duty


def test_a_retry_gets_the_same_answer_and_no_second_effect(still: Place) -> None:
    key, based_on = str(uuid.uuid4()), still.desk.version
    path = f"{still.path}/seats/1/buy-ins"
    first = still.desk.post(path, {"cash": 1000}, idempotency_key=key)
    still.desk.post(path, {"cash": 500})  # the table has moved on
    after = floor.snapshot(still.house)
    for if_match in (f'"{based_on}"', f'"{still.desk.version}"'):
        again = still.desk.post(path, {"cash": 1000}, idempotency_key=key, if_match=if_match)
        assert (again.status, again.body) == (first.status, first.body)
        assert again.headers["ETag"] == first.headers["ETag"]
        assert again.headers["Idempotent-Replayed"] == "true"
    assert floor.snapshot(still.house) == after


def test_a_key_does_not_serve_two_commands(still: Place) -> None:
    key = str(uuid.uuid4())
    path = f"{still.path}/seats/1/buy-ins"
    assert still.desk.post(path, {"cash": 1000}, idempotency_key=key).status == 200
    after = floor.snapshot(still.house)
    others: list[tuple[str, Any]] = [
        (path, {"cash": 1001}),
        (f"{still.path}/seats/2/buy-ins", {"cash": 1000}),
        (f"{still.path}/shoes/current/burns", {"reason": "other"}),
    ]
    for other, body in others:
        reply = still.desk.post(other, body, idempotency_key=key)
        assert (reply.status, reply.code) == (422, "command_id_reused")
    assert floor.snapshot(still.house) == after


def test_another_person_cannot_take_a_command_over(still: Place) -> None:
    key = str(uuid.uuid4())
    path = f"{still.path}/seats/1/buy-ins"
    assert still.desk.post(path, {"cash": 1000}, idempotency_key=key).status == 200
    put_on_duty(still.house, still.terminal, Role.SUPERVISOR)
    reply = still.desk.post(path, {"cash": 1000}, idempotency_key=key)
    assert (reply.status, reply.code) == (422, "command_id_reused")


def test_a_refused_command_is_judged_again(still: Place) -> None:
    """A refusal is kept as evidence, not as an answer: the same key may succeed later."""
    key = str(uuid.uuid4())
    seat = f"{still.path}/seats/3"
    before = floor.snapshot(still.house)
    reply = still.desk.post(f"{seat}/buy-ins", {"cash": 1000}, idempotency_key=key)
    assert (reply.status, reply.code) == (409, "seat_empty")
    assert floor.snapshot(still.house) == before
    assert Refusal.objects.filter(command_id=key, code="seat_empty").count() == 1
    assert still.desk.post(f"{seat}/occupation", {"cash": 0, "chips": 0}).status == 200
    again = still.desk.post(f"{seat}/buy-ins", {"cash": 1000}, idempotency_key=key)
    assert again.status == 200
    assert "Idempotent-Replayed" not in again.headers


def together(calls: list[Callable[[], Reply]]) -> list[Reply]:
    """The replies to calls that start at the same moment, each on its own connection."""
    replies: list[Reply | None] = [None] * len(calls)
    gate = threading.Barrier(len(calls))

    def run(index: int) -> None:
        gate.wait()
        try:
            replies[index] = calls[index]()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [reply for reply in replies if reply is not None]


@pytest.mark.django_db(transaction=True)
def test_of_concurrent_twins_one_acts_and_the_others_are_told() -> None:
    place = make_place()
    key, version = str(uuid.uuid4()), place.desk.version
    path = f"{place.path}/seats/1/buy-ins"
    chips = balances(place.table.stream)["seat:1"]

    def twin() -> Reply:
        desk = Desk(place.desk.credential, version)
        return desk.post(path, {"cash": 1000}, idempotency_key=key)

    replies = together([twin] * 6)
    assert [reply.status for reply in replies] == [200] * 6
    assert all(reply.body == replies[0].body for reply in replies)
    assert sum("Idempotent-Replayed" not in reply.headers for reply in replies) == 1
    assert balances(place.table.stream)["seat:1"] == chips + 1000
    assert Entry.objects.filter(command_id=key).count() == 1
    assert CommandAnswer.objects.filter(command_id=key).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_terminals_on_one_round_one_wins_and_nothing_is_lost() -> None:
    place = make_place()
    _, credential = floor.enrol(place.house, place.table)
    other = Desk(credential)
    badge = place.badge(Role.SUPERVISOR)
    assert other.send("POST", "sign-ins", badge, {}).status == 201
    begun = place.desk.post(f"{place.path}/rounds", {"bets": {"1": 1000, "2": 2500}})
    round_id, version = begun.body["round"]["id"], place.desk.version
    before = floor.snapshot(place.house)
    path = f"rounds/{round_id}/cards"
    based_on = f'"{version}"'

    won, lost = sorted(
        together(
            [
                lambda: place.desk.post(path, {"cards": ["4S", "TH"]}, if_match=based_on),
                lambda: other.post(path, {"cards": ["5S", "JH"]}, if_match=based_on),
            ]
        ),
        key=lambda reply: reply.status,
    )
    assert (won.status, lost.status, lost.code) == (200, 412, "stale_version")
    assert lost.body["current_version"] == version + 1
    assert lost.body["current"] == won.body["table"]

    # Exactly one entry more, no chip moved, and the loser goes on from what it was told.
    after = floor.snapshot(place.house)
    assert after["balances"] == before["balances"]
    table = next(row for row in after["tables"] if row["id"] == str(place.table.id))
    assert table["version"] == version + 1
    spread = lost.body["current"]["round"]["spread"]
    other.version = version + 1
    assert other.post(f"rounds/{round_id}/announcement", {"spread": spread}).status == 200
    assert other.post(path, {"cards": ["7S"]}).body["round"]["over"]


@pytest.mark.django_db(transaction=True)
def test_a_command_that_waited_goes_on_from_what_it_waited_for() -> None:
    """An offline queue predicts its ETags, so the next command may wait for the one before it."""
    place = make_place()
    round_id = place.desk.post(f"{place.path}/rounds", {"bets": {"1": 1000}}).body["round"]["id"]
    queued = Desk(place.desk.credential, place.desk.version + 1)
    replies: list[Reply] = []

    def send_queued() -> None:
        try:
            replies.append(queued.post(f"rounds/{round_id}/cards", {"cards": ["TH"]}))
        finally:
            connection.close()

    waiting = threading.Thread(target=send_queued)
    with transaction.atomic():
        Table.objects.select_for_update().get(id=place.table.id)
        waiting.start()
        wait_until_somebody_waits()
        assert place.desk.post(f"rounds/{round_id}/cards", {"cards": ["4S"]}).status == 200
    waiting.join()
    assert [reply.status for reply in replies] == [200]
    assert replies[0].body["round"]["cards"] == ["4S", "TH"]


def wait_until_somebody_waits() -> None:
    """Return once another connection waits for a lock of ours."""
    waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
    for _ in range(500):
        with connection.cursor() as cursor:
            cursor.execute(waiting)
            if cursor.fetchone() == (True,):
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits")


@pytest.mark.django_db(transaction=True)
def test_whoever_waits_too_long_for_a_table_is_told_to_come_back() -> None:
    place = make_place()
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("5s",)
    before = floor.snapshot(place.house)

    def impatient() -> Reply:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        return place.desk.post(f"{place.path}/seats/1/buy-ins", {"cash": 1000})

    with transaction.atomic():
        Table.objects.select_for_update().get(id=place.table.id)
        (reply,) = together([impatient])
    assert (reply.status, reply.code) == (409, "busy")
    assert reply.headers["Retry-After"] == "1"
    assert floor.snapshot(place.house) == before
    assert place.desk.post(f"{place.path}/seats/1/buy-ins", {"cash": 1000}).status == 200
