"""Canonical JSON (RFC 8785) for payloads: one text for one value, so that its bytes can be hashed."""

from collections.abc import Mapping, Sequence
from typing import Any

import rfc8785

from ledger.errors import BadPayload

MAX_INTEGER = 2**53 - 1
"""The largest integer every JSON reader keeps exact; amounts obey it too."""

MAX_DEPTH = 32


def canonical_json(payload: Mapping[str, Any]) -> str:
    """The canonical text of ``payload``.

    Args:
        payload: an object of strings, booleans, None, integers within +-(2**53 - 1), lists and objects.
            Keys are ASCII, so every sort order agrees on them; floats have no place in a journal. No text
            holds U+0000, which PostgreSQL's JSON does not know.

    Raises:
        BadPayload: for anything else, with a JSON pointer to what is wrong.
    """
    if not isinstance(payload, Mapping):
        raise BadPayload("a payload is a JSON object", pointer="")
    return rfc8785.dumps(_plain(payload, "", MAX_DEPTH)).decode("utf-8")


def _plain(value: Any, pointer: str, depth: int) -> Any:
    """Copy ``value`` into dicts and lists, refusing what canonical JSON does not carry here."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, pointer)
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise BadPayload("an integer passes 2**53 - 1", pointer=pointer)
        return int(value)
    if depth == 0:
        raise BadPayload("the payload is nested too deeply", pointer=pointer)
    if isinstance(value, Mapping):
        return {_key(k, pointer): _plain(v, f"{pointer}/{k}", depth - 1) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_plain(item, f"{pointer}/{index}", depth - 1) for index, item in enumerate(value)]
    raise BadPayload(f"{type(value).__name__} has no canonical JSON here", pointer=pointer)


def _text(value: str, pointer: str) -> str:
    """The plain text, without the enumeration it may be a member of."""
    if "\0" in value:
        raise BadPayload("a text holds U+0000, which the database does not", pointer=pointer)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise BadPayload("a text holds half of a surrogate pair", pointer=pointer) from exc
    return str.__str__(value)


def _key(key: Any, pointer: str) -> str:
    if not isinstance(key, str) or not key.isascii() or "\0" in key:
        raise BadPayload("a key is an ASCII text without U+0000", pointer=pointer)
    return str(key)
