"""Errors are RFC 9457 problems, whoever raises them, and tell nothing about our insides."""

import logging
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404
from rest_framework.exceptions import ErrorDetail, ValidationError

from config.api.problems import flattened
from config.errors import DomainError
from ledger.errors import Guarded, WrongIsolation
from tests import floor
from tests.api.client import Desk, Reply
from tests.api.conftest import Place

pytestmark = pytest.mark.django_db
SECRET = "what nobody outside may read"


def check_shape(reply: Reply, status: int, code: str) -> None:
    """A problem with all its members."""
    assert (reply.status, reply.code) == (status, code)
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.body["type"] == f"urn:pitledger:problem:{code}"
    assert reply.body["status"] == status
    assert reply.body["title"]
    assert SECRET not in str(reply.body)


def test_what_no_view_answers_is_a_problem_too(still: Place) -> None:
    for path in ("/api/", "/api/v1/", "/api/v1/nothing", "/api/v2/tables", f"/api/v1/{still.path}/"):
        check_shape(still.desk.get(path), 404, "not_found")
    for method in ("PUT", "PATCH", "OPTIONS", "TRACE", "POST"):
        reply = still.desk.send(method, still.path, {}, {})
        check_shape(reply, 405, "method_not_allowed")
        assert "GET" in reply.headers["Allow"]
    reply = still.desk.get(still.path, host="elsewhere.example")
    check_shape(reply, 400, "bad_request")


def test_errors_outside_the_api_keep_their_own_shape(still: Place) -> None:
    assert "json" not in still.desk.get("/nothing").headers["Content-Type"]


def test_a_head_is_a_get_without_its_body(still: Place) -> None:
    reply = still.desk.send("HEAD", still.path, None, {})
    assert (reply.status, reply.body) == (200, "")
    assert reply.headers["ETag"] == f'"{still.desk.version}"'


class SqlError(Exception):
    """A driver's error with its SQLSTATE."""

    def __init__(self, sqlstate: str | None) -> None:
        super().__init__(SECRET)
        self.sqlstate = sqlstate


def database_error(sqlstate: str | None) -> OperationalError:
    error = OperationalError(SECRET)
    error.__cause__ = SqlError(sqlstate)
    return error


FAULTS: list[tuple[Exception, int, str, dict[str, str]]] = [
    (RuntimeError(SECRET), 500, "internal_error", {}),
    (ValueError(SECRET), 500, "internal_error", {}),
    (WrongIsolation(SECRET), 500, "internal_error", {}),
    (Guarded(SECRET, table=SECRET), 500, "internal_error", {}),
    (DomainError("broken", SECRET, status=503), 503, "internal_error", {}),
    (database_error("55P03"), 409, "busy", {"Retry-After": "1"}),
    (database_error("40P01"), 409, "busy", {"Retry-After": "1"}),
    (database_error("57P01"), 503, "unavailable", {"Retry-After": "1"}),
    (database_error("08006"), 503, "unavailable", {"Retry-After": "1"}),
    (database_error(None), 503, "unavailable", {"Retry-After": "1"}),
    (database_error("53100"), 500, "internal_error", {}),
    (Http404(SECRET), 404, "not_found", {}),
    (PermissionDenied(SECRET), 403, "forbidden", {}),
    (DomainError("badge_locked", status=429, retry_after=900), 429, "badge_locked", {"Retry-After": "900"}),
]


@pytest.mark.parametrize(("fault", "status", "code", "headers"), FAULTS, ids=lambda value: repr(value)[:40])
def test_a_fault_is_answered_without_its_words(
    still: Place,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Exception,
    status: int,
    code: str,
    headers: dict[str, str],
) -> None:
    def fails(*args: Any, **kwargs: Any) -> Any:
        raise fault

    monkeypatch.setattr("tables.services.seats.occupied", fails)
    before = floor.snapshot(still.house)
    with caplog.at_level(logging.ERROR):
        reply = still.desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 1000})
    check_shape(reply, status, code)
    assert headers.items() <= reply.headers.items()
    assert (status >= 500) == bool(caplog.records), "faults of ours are logged, with their traceback"
    monkeypatch.undo()
    assert floor.snapshot(still.house) == before


def test_a_refusal_says_which_rule_and_what_is_missing(still: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    before = floor.snapshot(still.house)
    reply = still.desk.post(f"{still.path}/rounds", {"bets": {"1": 700, "2": 50}})
    check_shape(reply, 409, "bet_below_minimum")
    assert reply.body["rule"] == "RD-BET"
    assert reply.body["detail"] == "the least is 500"
    reply = still.desk.post(f"{still.path}/seats/3/occupation", {"cash": 100_000_000, "chips": 0})
    check_shape(reply, 409, "floor_broken")
    assert reply.body["account"] == "tray"
    assert "would_be" not in reply.body, "whoever counts a tray must not be told what the books hold"
    assert floor.snapshot(still.house) == before


def test_pointers_name_what_is_wrong_however_deep() -> None:
    wrong: dict[str, Any] = {
        "a/b": [ErrorDetail("x", "c1")],
        "list": {0: {"~": [ErrorDetail("y", "c2")]}},
        "many": [{}, {"name": [ErrorDetail("z", "c3")]}],
        "non_field_errors": [ErrorDetail("w", "c4")],
    }
    detail = ValidationError(wrong).detail
    assert {(error["pointer"], error["code"]) for error in flattened(detail)} == {
        ("/a~1b", "c1"),
        ("/list/0/~0", "c2"),
        ("/many/1/name", "c3"),
        ("", "c4"),
    }


def test_health_is_the_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(None)
    healthy = desk.get("/healthz")
    assert (healthy.status, healthy.body) == (200, {"status": "ok"})
    assert desk.send("POST", "/healthz", {}, {}).status == 405

    def away() -> Any:
        raise database_error("08006")

    monkeypatch.setattr("tables.api.health.connection.cursor", away)
    sick = desk.get("/healthz")
    assert (sick.status, sick.body) == (503, {"status": "unavailable"})
