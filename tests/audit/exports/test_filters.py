"""The filter of round histories: one form as JSON, and a refusal for what no row can be."""

import json
import uuid
from datetime import date
from typing import Any

import pytest

from audit.exports.filters import NAMES, FilterInvalid, RoundFilter

CASINO = uuid.UUID(int=1)
WHOLE = RoundFilter(
    casino=CASINO,
    gaming_day_from=date(2026, 11, 1),
    gaming_day_to=date(2026, 11, 30),
    pit="main",
    table="rd-1",
    session=uuid.UUID(int=2),
    shift=3,
    dealer="D001",
    player=uuid.UUID(int=3),
    seat=7,
    outcome="trips",
    stake_min=0,
    stake_max=2**53 + 1,
    alert="void_after_decision",
)


def test_a_filter_as_json_is_the_filter_again() -> None:
    said = json.loads(json.dumps(WHOLE.as_dict))
    assert RoundFilter.from_dict(said) == WHOLE
    assert said.keys() == NAMES
    assert list(WHOLE.as_dict) == sorted(NAMES)


def test_what_is_not_asked_for_is_not_said() -> None:
    said = RoundFilter.from_dict({"casino": str(CASINO), "pit": None, "alert": "any"}).as_dict
    assert said == {"alert": "any", "casino": str(CASINO)}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("casino", None),
        ("casino", "here"),
        ("casino", 7),
        ("gaming_day_from", "yesterday"),
        ("gaming_day_from", "2026-12-01T00:00:00"),
        ("gaming_day_to", 20261130),
        ("gaming_day_to", "2026-10-31"),  # before it begins
        ("pit", ""),
        ("table", "a\x00b"),
        ("table", "\ud800"),
        ("session", "1"),
        ("shift", 0),
        ("shift", 4),
        ("shift", True),
        ("shift", "1"),
        ("dealer", "D" * 41),
        ("player", {}),
        ("seat", 0),
        ("seat", 1.0),
        ("outcome", "won"),
        ("outcome", ["win"]),
        ("stake_min", -1),
        ("stake_min", 2**53 + 2),  # above the most
        ("stake_max", 2**63),
        ("stake_max", "100"),
        ("alert", "nothing_known"),
        ("alert", 1),
        ("pits", "main"),
    ],
)
def test_what_no_row_can_be_is_refused(field: str, value: Any) -> None:
    with pytest.raises(FilterInvalid) as refused:
        RoundFilter.from_dict(WHOLE.as_dict | {field: value})
    assert refused.value.code == "filter_invalid"
    assert refused.value.status == 400
    named = {"stake_min": "stake_max"}.get(field, field) if value == 2**53 + 2 else field
    assert refused.value.extra["field"] == named
