"""Content of the wrong shape: named in the refusal, and nothing changed."""

from typing import Any

import pytest

from tables.models import Refusal, Role
from tests import floor
from tests.api.conftest import Place

pytestmark = pytest.mark.django_db

NOT_AMOUNTS = ["1000", True, None, -1, [1000], {"1": 1}, ""]
NOT_PARSED = ["1000.0", "1e3", "NaN", "Infinity", "9007199254740992"]

# Command, body with a %s where the amount stands, pointer to it, and whether zero will do.
AMOUNTS: list[tuple[str, str, str, bool]] = [
    ("{table}/rounds", '{"bets": {"1": %s}}', "/bets/1", False),
    ("{table}/seats/3/occupation", '{"cash": %s, "chips": 0}', "/cash", True),
    ("{table}/seats/3/occupation", '{"cash": 0, "chips": %s}', "/chips", True),
    ("{table}/seats/1/buy-ins", '{"cash": %s}', "/cash", False),
    ("{round}/bets", '{"bets": {"1": %s}}', "/bets/1", False),
    ("{round}/raises", '{"raises": {"1": %s}}', "/raises/1", False),
    ("{round}/announcement", '{"spread": %s}', "/spread", True),
    ("{round}/cards", '{"draw": %s}', "/draw", False),
    ("cage/cash", '{"amount": %s}', "/amount", False),
    ("cage/redemptions", '{"chips": {"100": %s}}', "/chips/100", True),
    (
        "cage/credits/{id}/receipt",
        '{"chips": {"100": %s}}',
        "/chips/100",
        True,
    ),
]


def path_of(still: Place, template: str) -> str:
    """The path, with a round that never was where one is named: the shape is judged first."""
    return template.format(table=still.path, round=f"rounds/{still.session}", id=still.table.id)


def send(still: Place, template: str, body: Any) -> Any:
    desk = still.cage if template.startswith("cage") else still.desk
    return desk.post(path_of(still, template), body)


@pytest.mark.parametrize(("template", "body", "pointer", "zero"), AMOUNTS)
def test_what_is_no_amount_is_refused_by_name(
    still: Place, template: str, body: str, pointer: str, zero: bool
) -> None:
    body = body.replace("{id}", str(still.table.id))
    wrong = ['"1000"', "true", "null", "-1", "[1000]", '{"1": 1}', '""', *([] if zero else ["0"])]
    before = floor.snapshot(still.house)
    refusals = Refusal.objects.count()
    for value in wrong:
        reply = send(still, template, body.replace("%s", value))
        assert (reply.status, reply.code) == (400, "invalid_content"), value
        assert [error["pointer"] for error in reply.body["errors"]] == [pointer], value
    for value in NOT_PARSED:
        reply = send(still, template, body.replace("%s", value))
        assert reply.status == 400, value
        assert reply.code in {"json_not_integer", "json_not_finite", "json_number_too_large"}
    assert floor.snapshot(still.house) == before
    assert Refusal.objects.count() == refusals, "the edge leaves a line in the log, no row"


# Command, body, and the codes it is refused with, by pointer.
SHAPES: list[tuple[str, Any, dict[str, str]]] = [
    ("{table}/rounds", {}, {"/bets": "required"}),
    ("{table}/rounds", {"bets": {}}, {"/bets": "empty"}),
    ("{table}/rounds", {"bets": {}, "money": {"1": 0}}, {"/money/1": "min_value"}),
    ("{table}/rounds", {"bets": [1000]}, {"/bets": "not_a_dict"}),
    ("{table}/rounds", {"bets": {"0": 1000}}, {"/bets/0": "invalid_key"}),
    ("{table}/rounds", {"bets": {"01": 1000}}, {"/bets/01": "invalid_key"}),
    ("{table}/rounds", {"bets": {"1/~": 1000}}, {"/bets/1~1~0": "invalid_key"}),
    ("{table}/rounds", {"bets": {"1": 1000}, "Bets": {}}, {"/Bets": "unknown_field"}),
    ("{round}/bets", {"take_back": ["1"]}, {"/take_back/0": "invalid"}),
    ("{round}/bets", {"take_back": [1, True]}, {"/take_back/1": "invalid"}),
    ("{round}/cards", {}, {"": "one_of"}),
    ("{round}/cards", {"cards": ["8S"], "draw": 1}, {"": "one_of"}),
    ("{round}/cards", {"cards": []}, {"/cards": "min_length"}),
    ("{round}/cards", {"cards": ["8S", "9S", "TS"]}, {"/cards": "max_length"}),
    ("{round}/cards", {"cards": "8S"}, {"/cards": "not_a_list"}),
    ("{round}/cards", {"cards": [8]}, {"/cards/0": "invalid"}),
    ("{round}/cards", {"cards": ["10S"]}, {"/cards/0": "max_length"}),
    ("{round}/cards", {"draw": 3}, {"/draw": "max_value"}),
    ("{round}/void", {"reason": "misdeal"}, {"/second": "required"}),
    (
        "{round}/void",
        {"reason": "misdeal", "second": {"badge": "D001", "pin": 135790}},
        {"/second/pin": "invalid"},
    ),
    (
        "{round}/void",
        {"reason": "misdeal", "second": {"badge": "D001", "pin": "1", "role": "pit_boss"}},
        {"/second/role": "unknown_field"},
    ),
    ("{table}/shoes", {"packs": 6}, {"/packs": "unknown_field"}),
    ("{table}/shoes/current/burns", {"reason": "other", "face_up": 1}, {"/face_up": "invalid"}),
    ("{table}/shoes/current/burns", {"reason": "other", "face_up": "true"}, {"/face_up": "invalid"}),
    (
        "{table}/seats/3/occupation",
        {"cash": 0, "chips": 0, "player": 7},
        {"/player": "invalid"},
    ),
    (
        "{table}/seats/3/occupation",
        {"cash": 0, "chips": 0, "player": "7" * 32},
        {"/player": "invalid"},
    ),
    ("cage/redemptions", {"chips": {"-100": 1}}, {"/chips/-100": "invalid_key"}),
    ("cage/redemptions", {"chips": {"1.5": 1}}, {"/chips/1.5": "invalid_key"}),
    ("cage/redemptions", {"chips": {"100": 10_000_001}}, {"/chips/100": "max_value"}),
]


@pytest.mark.parametrize(("template", "body", "wrong"), SHAPES)
def test_the_shape_of_a_command_is_checked_field_by_field(
    still: Place, template: str, body: Any, wrong: dict[str, str]
) -> None:
    before = floor.snapshot(still.house)
    reply = send(still, template, body)
    assert (reply.status, reply.code) == (400, "invalid_content")
    assert {error["pointer"]: error["code"] for error in reply.body["errors"]} == wrong
    assert floor.snapshot(still.house) == before


def test_numbers_in_a_path_are_judged_too(still: Place) -> None:
    before = floor.snapshot(still.house)
    for seat in ("0", "8", "99999999999999999999999999"):
        reply = still.desk.post(f"{still.path}/seats/{seat}/buy-ins", {"cash": 100})
        assert (reply.status, reply.code) == (404, "seat_unknown")
    for seat in ("-1", "one", "1.0"):
        reply = still.desk.post(f"{still.path}/seats/{seat}/buy-ins", {"cash": 100})
        assert (reply.status, reply.code) == (404, "not_found")
    assert floor.snapshot(still.house) == before


def test_a_signature_is_not_repeated_in_any_answer(still: Place) -> None:
    """The PIN goes nowhere: not into the answer, not into a refusal."""
    badge = still.badge(Role.SUPERVISOR) | {"pin": "864209"}
    reply = still.desk.post(f"sessions/{still.session}/closure", {"closer": floor.CHIPS, "second": badge})
    assert reply.status == 409
    assert "864209" not in str(reply.body)
    kept = Refusal.objects.latest("id")
    assert "864209" not in f"{kept.detail} {kept.code} {kept.badge}"
