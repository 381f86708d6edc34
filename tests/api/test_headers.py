"""The headers of a command, and what its answers carry."""

import uuid

import pytest

from tests import floor
from tests.api.conftest import Place

pytestmark = pytest.mark.django_db

KEY = "2f1c7b0e-7d1f-4a64-9d67-0d1f0a1b2c3d"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"idempotency_key": ""}, 400, "idempotency_key_missing"),
        ({"idempotency_key": "one"}, 400, "idempotency_key_bad"),
        ({"idempotency_key": f'"{KEY}'}, 400, "idempotency_key_bad"),
        ({"idempotency_key": f"{{{KEY}}}"}, 400, "idempotency_key_bad"),
        ({"idempotency_key": KEY.replace("-", "")}, 400, "idempotency_key_bad"),
        ({"idempotency_key": f"{KEY}, {KEY}"}, 400, "idempotency_key_bad"),
        ({"if_match": ""}, 428, "if_match_missing"),
        ({"if_match": "5"}, 400, "if_match_bad"),
        ({"if_match": 'W/"5"'}, 400, "if_match_bad"),
        ({"if_match": '"5", "6"'}, 400, "if_match_bad"),
        ({"if_match": '"05"'}, 400, "if_match_bad"),
        ({"if_match": '"-1"'}, 400, "if_match_bad"),
        ({"if_match": '"\u0665"'}, 400, "if_match_bad"),
        ({"if_match": "*"}, 400, "if_match_bad"),
        ({"if_match": '"99999999999999999999"'}, 400, "if_match_bad"),
        ({"if_match": '"0"'}, 412, "stale_version"),
        ({"if_match": '"9999999999999999999"'}, 412, "stale_version"),
        ({"accept": "text/html"}, 406, "not_acceptable"),
        ({"content_type": "text/plain"}, 415, "unsupported_media_type"),
        ({"content_type": "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"),
    ],
)
def test_a_command_without_its_headers_changes_nothing(
    still: Place, headers: dict[str, str], status: int, code: str
) -> None:
    before = floor.snapshot(still.house)
    reply = still.desk.post(f"{still.path}/rounds", {"bets": {"1": 1000}}, **headers)
    assert (reply.status, reply.code) == (status, code)
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert floor.snapshot(still.house) == before


def test_a_body_of_no_stated_length_is_not_taken_for_none(still: Place) -> None:
    """WSGI gives a chunked body as an empty one: a stub counted with the shoe would be lost in silence."""
    before = floor.snapshot(still.house)
    reply = still.desk.post(
        f"{still.path}/shoes/current/retirement", {"stub": ["5C"]}, transfer_encoding="chunked"
    )
    assert (reply.status, reply.code) == (411, "length_required")
    assert floor.snapshot(still.house) == before


def test_a_stale_command_is_told_what_it_should_be_based_on(still: Place) -> None:
    version = still.desk.version
    reply = still.desk.post(f"{still.path}/rounds", {"bets": {"1": 1000}}, if_match=f'"{version - 1}"')
    assert (reply.status, reply.code) == (412, "stale_version")
    assert reply.body["current_version"] == version
    shown = still.desk.get(still.path).body
    asked_for = ("seats", "slips", "pool")
    assert reply.body["current"] == {name: shown[name] for name in shown if name not in asked_for}
    again = still.desk.post(f"{still.path}/rounds", {"bets": {"1": 1000}}, if_match=f'"{version}"')
    assert again.status == 201


def test_every_accepted_command_adds_one_to_the_version(still: Place) -> None:
    """So a terminal that was offline can predict the ETags of what it has queued."""
    version = still.desk.version
    for step, (path, body) in enumerate(
        [
            ("seats/3/occupation", {"cash": 5000, "chips": 0}),
            ("seats/3/buy-ins", {"cash": 5000}),
            ("shoes/current/burns", {"reason": "other"}),
        ],
        start=1,
    ):
        reply = still.desk.post(f"{still.path}/{path}", body, if_match=f'"{version + step - 1}"')
        assert reply.headers["ETag"] == f'"{version + step}"'
        assert reply.headers["Cache-Control"] == "no-store"
        assert "Idempotent-Replayed" not in reply.headers


def test_a_key_may_come_in_quotes(still: Place) -> None:
    key, version = str(uuid.uuid4()), still.desk.version
    bare = still.desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 100}, idempotency_key=key)
    quoted = still.desk.post(
        f"{still.path}/seats/1/buy-ins",
        {"cash": 100},
        idempotency_key=f'"{key.upper()}"',
        if_match=f'"{version}"',
    )
    assert quoted.headers["Idempotent-Replayed"] == "true"
    assert quoted.body == bare.body
