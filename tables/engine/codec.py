"""Strict reading of foreign JSON, and the digest of what was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard

MAX_INT = 2**53 - 1
"""The largest integer every JSON reader keeps exact (RFC 8785)."""

MAX_TEXT = 64


def is_int(value: object) -> TypeGuard[int]:
    """Whether ``value`` is an integer JSON keeps exact; a bool is not an integer."""
    return type(value) is int and -MAX_INT <= value <= MAX_INT


def is_text(value: object) -> TypeGuard[str]:
    """Whether ``value`` is a short non-empty ASCII string."""
    return isinstance(value, str) and value.isascii() and 1 <= len(value) <= MAX_TEXT


def is_object(value: object, keys: Iterable[str]) -> TypeGuard[Mapping[str, Any]]:
    """Whether ``value`` is a dict with exactly ``keys``."""
    return isinstance(value, dict) and value.keys() == set(keys)


def digest(data: Mapping[str, Any]) -> str:
    """SHA-256, in hex, of the compact JSON of ``data`` with sorted keys.

    For the ASCII keys, strings and exact integers the engine writes, these are the bytes of
    RFC 8785 too.
    """
    return digest_of_text(canonical_text(data))


# An encoder is dear to make and keeps nothing, so it is made once.
canonical_text: Callable[[Mapping[str, Any]], str] = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
).encode


def digest_of_text(text: str) -> str:
    """SHA-256, in hex, of an ASCII text."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def same_json(left: object, right: object) -> bool:
    """Whether two JSON values are equal in value and in type: True is not 1 and 1.0 is not 1."""
    if left != right or type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return all(same_json(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return all(map(same_json, left, right))
    return True
