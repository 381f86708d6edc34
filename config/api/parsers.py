"""JSON as a journal needs it: one meaning, whole numbers, nothing a database cannot keep."""

import json
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from config.errors import DomainError

MAX_INTEGER = 2**53 - 1
"""The largest integer every JSON reader keeps exact (RFC 8785)."""

MAX_DEPTH = 16


class StrictJSONParser(BaseParser):
    """Reads a JSON object and refuses what readers disagree on.

    That is: a key given twice, NaN and infinities, numbers with a fraction or an exponent, integers
    beyond 2^53 - 1, nesting deeper than 16, text that is not UTF-8, NUL and half surrogates.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The object in the body.

        Raises:
            DomainError: `body_too_large` (413) or a code `json_...` (400).
        """
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise DomainError("body_too_large", f"At most {limit} bytes.", status=413)
        return strict_object(raw)


def strict_object(raw: bytes) -> dict[str, Any]:
    """The JSON object that `raw` is.

    Raises:
        DomainError: a code `json_...` (400).
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        _refuse("json_not_utf8")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_not_finite,
        )
    except RecursionError:
        _refuse("json_too_deep")
    except json.JSONDecodeError as error:
        _refuse("json_malformed", f"{error.msg} at character {error.pos}.")
    if not isinstance(value, dict):
        _refuse("json_not_object")
    _check(value, 1)
    return value


def _refuse(code: str, detail: str = "") -> NoReturn:
    raise DomainError(code, detail, status=400)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        _refuse("json_duplicate_key")
    return content


def _integer(digits: str) -> int:
    # The length first: converting a number of a million digits takes minutes.
    if len(digits) > len(str(-MAX_INTEGER)) or abs(int(digits)) > MAX_INTEGER:
        _refuse("json_number_too_large")
    return int(digits)


def _fraction(text: str) -> NoReturn:
    _refuse("json_not_integer", "Amounts are whole minor units.")


def _not_finite(text: str) -> NoReturn:
    _refuse("json_not_finite")


def _check(value: Any, depth: int) -> None:
    """Refuse what is too deep, and text that PostgreSQL or UTF-8 cannot carry."""
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
            _refuse("json_bad_text")
        return
    if not isinstance(value, dict | list):
        return
    if depth > MAX_DEPTH:
        _refuse("json_too_deep")
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        _check(key, depth)
        _check(item, depth + 1)
