"""JSON that readers disagree on is refused before anybody reads it."""

import io

import pytest

from config.api.parsers import MAX_DEPTH, MAX_INTEGER, StrictJSONParser, strict_object
from config.errors import DomainError

REFUSED = {
    b"": "json_malformed",
    b"{": "json_malformed",
    b'{"a": 1,}': "json_malformed",
    b'{"a": 01}': "json_malformed",
    b"\xef\xbb\xbf{}": "json_malformed",
    b'{"a": 1} {}': "json_malformed",
    b"[]": "json_not_object",
    b"1": "json_not_object",
    b"null": "json_not_object",
    b'{"a": 1, "a": 1}': "json_duplicate_key",
    b'{"a": {"b": 1, "b": 2}}': "json_duplicate_key",
    b'{"a": 1, "\\u0061": 1}': "json_duplicate_key",
    b'{"a": NaN}': "json_not_finite",
    b'{"a": -Infinity}': "json_not_finite",
    b'{"a": 1.0}': "json_not_integer",
    b'{"a": 1e3}': "json_not_integer",
    b'{"a": [1E400]}': "json_not_integer",
    b'{"a": 9007199254740992}': "json_number_too_large",
    b'{"a": -9007199254740992}': "json_number_too_large",
    b'{"a": ' + b"9" * 100_000 + b"}": "json_number_too_large",
    b'{"a": "\\u0000"}': "json_bad_text",
    b'{"a": "\\ud800"}': "json_bad_text",
    b'{"\\ud800": 1}': "json_bad_text",
    b'{"a": "\xff"}': "json_not_utf8",
    b'{"a": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}": "json_too_deep",
    b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}": "json_too_deep",
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000: "json_too_deep",
}


@pytest.mark.parametrize(("raw", "code"), REFUSED.items(), ids=lambda value: str(value)[:40])
def test_json_that_readers_disagree_on_is_refused(raw: bytes, code: str) -> None:
    with pytest.raises(DomainError) as caught:
        strict_object(raw)
    assert (caught.value.code, caught.value.status) == (code, 400)


def test_what_is_plain_is_read_as_it_stands() -> None:
    raw = '{"a": [9007199254740991, -1, 0], "b": {"ü": "é😀"}, "c": null, "d": true}'.encode()
    assert strict_object(raw) == {
        "a": [MAX_INTEGER, -1, 0],
        "b": {"ü": "é😀"},
        "c": None,
        "d": True,
    }
    deepest = b'{"a": ' + b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1) + b"}"
    assert strict_object(deepest)


def test_a_body_that_is_too_large_is_not_read_to_its_end() -> None:
    endless = io.BytesIO(b'{"a": "' + b"x" * 10_000_000)
    with pytest.raises(DomainError) as caught:
        StrictJSONParser().parse(endless)
    assert (caught.value.code, caught.value.status) == ("body_too_large", 413)
    assert endless.tell() < 300_000
