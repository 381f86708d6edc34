"""The headers of a command: which one it is, and what state it is based on."""

import re
import uuid

from rest_framework.request import Request

from config.errors import DomainError

_KEY = re.compile(r'"?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"?')
_VERSION = re.compile(r'"(0|[1-9][0-9]{0,18})"')


def idempotency_key(request: Request) -> uuid.UUID:
    """The command's id, bare or quoted.

    Raises:
        DomainError: `idempotency_key_missing`, `idempotency_key_bad` (400).
    """
    value = request.headers.get("Idempotency-Key")
    if value is None:
        raise DomainError("idempotency_key_missing", "Each command carries a fresh UUID.", status=400)
    found = _KEY.fullmatch(value.strip())
    if found is None or value.startswith('"') != value.endswith('"'):
        raise DomainError("idempotency_key_bad", "A UUID is due, bare or in quotes.", status=400)
    return uuid.UUID(found[1])


def if_match(request: Request, *, any_version: bool = False) -> int | None:
    """The version the command is based on; None for `*`, where that is allowed.

    Raises:
        DomainError: `if_match_missing` (428), `if_match_bad` (400).
    """
    value = request.headers.get("If-Match")
    if value is None:
        raise DomainError("if_match_missing", "Send the ETag of the state you saw.", status=428)
    if any_version and value.strip() == "*":
        return None
    found = _VERSION.fullmatch(value.strip())
    if found is None:
        raise DomainError("if_match_bad", 'One strong ETag is due, for example "17".', status=400)
    return int(found[1])


def etag(version: int) -> str:
    """The strong ETag of a version."""
    return f'"{version}"'
