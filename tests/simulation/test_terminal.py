"""The terminal's client: what it sends, when it sends it again, and that again is not twice."""

import json
import uuid
from collections.abc import Callable

import httpx
import pytest

from tables.simulation.terminal import PAUSES_SECONDS, Refused, Terminal, Unreachable, enrol

Handler = Callable[[httpx.Request], httpx.Response]


def terminal(handler: Handler, pauses: list[float] | None = None) -> Terminal:
    waits = [] if pauses is None else pauses
    return Terminal("http://floor", "id.secret", transport=httpx.MockTransport(handler), sleep=waits.append)


def test_a_command_carries_credential_key_and_version() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"id": "t"}, headers={"ETag": f'"{6 + len(seen)}"'})

    client = terminal(handler)
    client.look("tables/t")
    reply = client.command("POST", "tables/t/shoes")
    client.command("DELETE", "tables/t/seats/1/occupation")
    first, second, third = seen
    assert first.headers["Authorization"] == "Terminal id.secret"
    assert second.headers["If-Match"] == '"7"'
    assert third.headers["If-Match"] == '"8"'
    assert uuid.UUID(second.headers["Idempotency-Key"].strip('"')).version == 4
    assert second.headers["Idempotency-Key"] != third.headers["Idempotency-Key"]
    assert json.loads(second.content) == {}
    assert third.content == b""
    assert (reply.version, reply.replayed) == (8, False)
    assert client.version == 9


def test_a_dropped_connection_is_tried_again_with_the_same_key_and_body() -> None:
    sent: list[tuple[str, bytes]] = []
    pauses: list[float] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append((request.headers["Idempotency-Key"], request.content))
        if len(sent) == 1:
            raise httpx.ConnectError("refused", request=request)
        if len(sent) == 2:
            return httpx.Response(502)
        if len(sent) == 3:
            return httpx.Response(409, json={"code": "busy"}, headers={"Retry-After": "1"})
        return httpx.Response(201, json={"done": True}, headers={"Idempotent-Replayed": "true"})

    reply = terminal(handler, pauses).command("POST", "tables/t/rounds", {"bets": {"1": 500}})
    assert len(set(sent)) == 1
    assert len(sent) == 4
    assert reply.replayed
    assert pauses == list(PAUSES_SECONDS[:3])


def test_who_never_answers_is_unreachable() -> None:
    pauses: list[float] = []

    def handler(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("silence", request=request)

    with pytest.raises(Unreachable, match="tables/t/shoes"):
        terminal(handler, pauses).command("POST", "tables/t/shoes")
    assert pauses == list(PAUSES_SECONDS)


def test_a_refusal_is_told_and_not_tried_again() -> None:
    calls = []

    def handler(request: httpx.Request) -> httpx.Response:
        calls.append(request)
        problem = {"code": "stale_version", "detail": "Something happened.", "current_version": 9}
        return httpx.Response(412, json=problem, headers={"Content-Type": "application/problem+json"})

    client = terminal(handler)
    with pytest.raises(Refused) as caught:
        client.command("POST", "tables/t/shoes")
    assert (caught.value.status, caught.value.code) == (412, "stale_version")
    assert caught.value.problem["current_version"] == 9
    assert len(calls) == 1
    assert client.version == 0


def test_an_answer_about_something_else_leaves_the_version_alone() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={}, headers={"ETag": '"40"'})

    client = terminal(handler)
    client.version = 3
    client.command("POST", "boxes/b/first-count", {}, if_match="*")
    assert client.version == 3


def test_a_lost_answer_is_asked_for_again() -> None:
    done: set[str] = set()

    def handler(request: httpx.Request) -> httpx.Response:
        key = request.headers["Idempotency-Key"]
        replayed = {"Idempotent-Replayed": "true"} if key in done else {}
        done.add(key)
        return httpx.Response(200, json={"effects": len(done)}, headers=replayed)

    client = terminal(handler)
    client.network.lose_next_answer = True
    reply = client.command("POST", "tables/t/seats/1/buy-ins", {"cash": 500})
    assert client.network.lost == 1
    assert reply.replayed
    assert reply.body == {"effects": 1}


def test_a_used_code_enrols_nothing() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(403, json={"code": "enrolment_code_refused"})

    with pytest.raises(Refused, match="enrolment_code_refused"):
        enrol("http://floor", "used", transport=httpx.MockTransport(handler))
