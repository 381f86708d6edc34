"""Canonical JSON: one text per value, and only values that have one."""

from enum import StrEnum
from typing import Any

import pytest

from ledger.canonical import MAX_DEPTH, canonical_json
from ledger.errors import BadPayload
from ledger.verify import parse_canonical


class Colour(StrEnum):
    """A text that is also an enumeration, as Django's choices are."""

    RED = "red"


CASES: list[tuple[dict[str, Any], str]] = [
    ({}, "{}"),
    ({"b": 1, "a": 2, "B": 3, "_": 4}, '{"B":3,"_":4,"a":2,"b":1}'),
    ({"a10": 1, "a2": 2, "a": 0}, '{"a":0,"a10":1,"a2":2}'),
    ({"t": True, "f": False, "n": None}, '{"f":false,"n":null,"t":true}'),
    ({"x": [1, (2, 3), []], "y": {"z": {}}}, '{"x":[1,[2,3],[]],"y":{"z":{}}}'),
    ({"name": "Zoë"}, '{"name":"Zoë"}'),
    ({"toke": "😀", "kanji": "札"}, '{"kanji":"札","toke":"😀"}'),
    ({"q": '"\\/\b\f\n\r\t\x01\x1f\x7f'}, '{"q":"\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f"}'),
    ({"line": "\u2028\u2029"}, '{"line":"\u2028\u2029"}'),
    (
        {"max": 2**53 - 1, "min": -(2**53 - 1), "zero": -0},
        '{"max":9007199254740991,"min":-9007199254740991,"zero":0}',
    ),
    ({"colour": Colour.RED}, '{"colour":"red"}'),
    ({"e\u0301".encode("ascii", "ignore").decode(): "e\u0301"}, '{"e":"e\u0301"}'),
]


@pytest.mark.parametrize(("value", "text"), CASES)
def test_one_text_for_one_value(value: dict[str, Any], text: str) -> None:
    assert canonical_json(value) == text


@pytest.mark.parametrize(("value", "text"), CASES)
def test_verifier_reads_the_same_text_back(value: dict[str, Any], text: str) -> None:
    assert canonical_json(parse_canonical(text)) == text


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"a": 1.0}, "/a"),
        ({"a": float("nan")}, "/a"),
        ({"a": 2**53}, "/a"),
        ({"a": 2**53 + 1}, "/a"),
        ({"a": -(2**53)}, "/a"),
        ({"a": [1, {"b": 0.5}]}, "/a/1/b"),
        ({"a": b"bytes"}, "/a"),
        ({"a": {1, 2}}, "/a"),
        ({"é": 1}, ""),
        ({"a": {1: "one"}}, "/a"),
        ({"a": "nul\x00"}, "/a"),
        ({"a": {"\x00": 1}}, "/a"),
        ({"a": ["\ud800"]}, "/a/0"),
        (["not", "an", "object"], ""),
    ],
)
def test_what_has_no_canonical_text_is_refused(value: Any, pointer: str) -> None:
    with pytest.raises(BadPayload) as caught:
        canonical_json(value)
    assert (caught.value.code, caught.value.extra["pointer"]) == ("bad_payload", pointer)


def test_depth_has_a_limit() -> None:
    value: dict[str, Any] = {}
    for _ in range(MAX_DEPTH + 1):
        value = {"a": value}
    with pytest.raises(BadPayload):
        canonical_json(value)


@pytest.mark.parametrize(
    "text",
    [
        '{"b":1,"a":2}',
        '{"a": 1}',
        '{"a":1,"a":1}',
        '{"a":1.0}',
        '{"a":1e3}',
        '{"a":-0}',
        '{"a":9007199254740992}',
        '{"a":NaN}',
        '{"a":"\\u0041"}',
        '{"a":"\\/"}',
        '{"a":"\\u001F"}',
        '{"é":1}',
        "[]",
        "",
        '{"a":1}\n',
        "[" * 100_000,
    ],
)
def test_verifier_refuses_every_other_spelling(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        parse_canonical(text)
