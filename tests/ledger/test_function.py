"""The SQL function called directly: it trusts no caller, not even ours."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection

from ledger import errors
from tests.ledger.support import DEALER, filled_stream, refused

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("payload", ["[]", "1", "not json", '{"a":1,"a":2}', ""])
def test_function_itself_refuses_a_payload_that_is_no_object(payload: str) -> None:
    stream = filled_stream()
    with refused(errors.BadEntry):
        _call_post(stream, payload=payload)


@pytest.mark.parametrize(
    "arguments",
    [
        {"amounts": "{1,2}"},
        {"sources": "{tray,tray}"},
        {"targets": "{}"},
        {"amounts": None},
        {"actor": None},
        {"command": None},
        {"kind": None},
        {"payload": None},
        {"occurred": "infinity"},
        {"occurred": "1969-12-31T23:59:59Z"},
        {"occurred": "10000-01-01T00:00:00Z"},
    ],
)
def test_function_itself_refuses_arguments_that_make_no_entry(arguments: dict[str, Any]) -> None:
    stream = filled_stream()
    with refused(errors.BadEntry):
        _call_post(stream, **arguments)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"amounts": "{NULL}"}, errors.BadAmount),
        ({"sources": "{NULL}"}, errors.UnknownAccount),
        ({"amounts": "[5:5]={1}"}, errors.BadAmount),
        ({"amounts": "{{1}}"}, errors.BadAmount),
    ],
)
def test_function_itself_refuses_odd_arrays(
    arguments: dict[str, Any], error: type[errors.LedgerError]
) -> None:
    stream = filled_stream()
    with refused(error):
        _call_post(stream, **arguments)


def _call_post(stream: str, **changes: Any) -> None:
    """Call the SQL function with sound arguments but for ``changes``, translating its refusal."""
    arguments: dict[str, Any] = {
        "stream": stream,
        "kind": "test.moved",
        "payload": "{}",
        "sources": "{tray}",
        "targets": "{cage}",
        "amounts": "{1}",
        "actor": DEALER,
        "terminal": None,
        "command": uuid4(),
        "occurred": None,
        "entry": None,
        "reverses": None,
    } | changes
    call = (
        "SELECT ledger_post(%s::text, %s::text, %s::text, %s::text[], %s::text[], %s::bigint[], %s::uuid,"
        " %s::uuid, %s::uuid, %s::timestamptz, %s::uuid, %s::uuid)"
    )
    try:
        with connection.cursor() as cursor:
            cursor.execute(call, list(arguments.values()))
    except DatabaseError as exc:
        refusal = errors.translated(exc)
        assert refusal is not None
        raise refusal from exc
