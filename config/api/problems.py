"""Errors as RFC 9457 problem documents: one shape, stable codes, no exception's words in a 5xx."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404
from django.utils.encoding import escape_uri_path
from rest_framework import exceptions
from rest_framework.exceptions import ErrorDetail
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import set_rollback

from config.api.titles import title_of
from config.errors import DomainError

logger = logging.getLogger("pitledger.api")

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:pitledger:problem:"
RETRY_SECONDS = 1
# PostgreSQL's lock_not_available, deadlock_detected and serialization_failure: nothing was changed,
# and the same command may well go through a moment later.
BUSY_SQLSTATES = frozenset({"55P03", "40P01", "40001"})
# What the books hold is not told to those who count it: a count that knows its result is none.
UNTOLD = frozenset({"would_be"})

_CREDENTIAL_DUE = "A terminal's credential is due here, or a session of the admin site, and was not sent."
_CODES: tuple[tuple[type[Exception], str, str], ...] = (
    (exceptions.ParseError, "json_malformed", "The body could not be read."),
    (exceptions.AuthenticationFailed, "credential_refused", "The credential is not good."),
    (exceptions.NotAuthenticated, "not_authenticated", _CREDENTIAL_DUE),
    (exceptions.PermissionDenied, "forbidden", ""),
    (exceptions.NotFound, "not_found", ""),
    (exceptions.MethodNotAllowed, "method_not_allowed", ""),
    (exceptions.NotAcceptable, "not_acceptable", "Answers are application/json."),
    (exceptions.UnsupportedMediaType, "unsupported_media_type", ""),
    (exceptions.Throttled, "throttled", ""),
)


def problem(status: int, code: str, detail: str = "", **members: Any) -> dict[str, Any]:
    """A problem document.

    Args:
        status: the HTTP status it is sent with.
        code: stable name of the refusal.
        detail: one sentence about this case; left out when empty.
        members: further members of the document.
    """
    own = {"type": TYPE_PREFIX + code, "title": title_of(code), "status": status}
    return {**members, **own, **({"detail": detail} if detail else {}), "code": code}


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """Django REST framework's hook: the problem an exception of a view stands for.

    Answers None for what nobody foresaw: it is logged with its traceback by Django, and
    `ProblemMiddleware` gives the bare 500 its shape.
    """
    found = _described(exc)
    if found is None:
        return None
    body, headers = found
    set_rollback()
    if body["status"] == 401:
        view, request = context["view"], context["request"]
        headers["WWW-Authenticate"] = view.get_authenticate_header(request)
    _log(body, context)
    return Response(body, status=body["status"], headers=headers, content_type=MEDIA_TYPE)


def _described(exc: Exception) -> tuple[dict[str, Any], dict[str, str]] | None:
    """The problem document and the headers of an exception, if it is one of those we know."""
    if isinstance(exc, DomainError):
        return _of_refusal(exc)
    if isinstance(exc, DatabaseError | InterfaceError):
        return _of_database(exc)
    if isinstance(exc, Http404):
        exc = exceptions.NotFound()
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    if isinstance(exc, exceptions.ValidationError):
        errors = list(flattened(exc.detail))
        return problem(exc.status_code, "invalid_content", _summary(errors), errors=errors), {}
    if isinstance(exc, exceptions.APIException):
        return _of_framework(exc)
    return None


def _of_refusal(refusal: DomainError) -> tuple[dict[str, Any], dict[str, str]]:
    if refusal.status >= 500:
        logger.error("refusal that is our own fault", exc_info=refusal)
        return problem(refusal.status, "internal_error"), {}
    members = {name: value for name, value in refusal.extra.items() if name not in UNTOLD}
    if refusal.rule:
        members["rule"] = refusal.rule
    wait = members.get("retry_after")
    headers = {"Retry-After": str(wait)} if wait else {}
    return problem(refusal.status, refusal.code, refusal.detail, **members), headers


def _of_database(exc: Exception) -> tuple[dict[str, Any], dict[str, str]] | None:
    """A lock that was not to be had in time, or a database that is not there; else a fault of ours."""
    headers = {"Retry-After": str(RETRY_SECONDS)}
    sqlstate = getattr(exc.__cause__, "sqlstate", None)
    if sqlstate in BUSY_SQLSTATES:
        return problem(409, "busy", "Nothing was changed; try the same command again."), headers
    # Connection failures carry no SQLSTATE, or one of the classes 08 and 57P (shutting down).
    lost = sqlstate is None or sqlstate[:2] == "08" or sqlstate[:3] == "57P"
    if isinstance(exc, OperationalError | InterfaceError) and lost:
        logger.error("database not reachable", exc_info=exc)
        return problem(503, "unavailable"), headers
    return None


def _of_framework(exc: exceptions.APIException) -> tuple[dict[str, Any], dict[str, str]]:
    wait = getattr(exc, "wait", None)
    headers = {"Retry-After": str(int(wait))} if wait else {}
    for kind, code, detail in _CODES:
        if isinstance(exc, kind):
            return problem(exc.status_code, code, detail), headers
    code = "bad_request" if exc.status_code < 500 else "internal_error"
    return problem(exc.status_code, code), headers


def flattened(detail: Any, pointer: str = "") -> Iterator[dict[str, str]]:
    """Validation errors as a flat list, each with the JSON pointer (RFC 6901) of what is wrong.

    Args:
        detail: what a serializer says: dicts by field name or list index, lists, and texts.
        pointer: where the detail belongs.
    """
    if isinstance(detail, Mapping):
        for key, value in detail.items():
            own = key == api_settings.NON_FIELD_ERRORS_KEY
            yield from flattened(value, pointer if own else f"{pointer}/{_escaped(str(key))}")
    elif isinstance(detail, list | tuple):
        for index, value in enumerate(detail):
            nested = not isinstance(value, str)
            yield from flattened(value, f"{pointer}/{index}" if nested else pointer)
    else:
        code = detail.code if isinstance(detail, ErrorDetail) else "invalid"
        yield {"pointer": pointer, "code": str(code), "detail": str(detail)}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _summary(errors: list[dict[str, str]]) -> str:
    first = errors[0]
    return f"{first['pointer'] or 'The content'}: {first['detail']}"


def _log(body: Mapping[str, Any], context: Mapping[str, Any]) -> None:
    """One line per refusal, without any of its content.

    Refusals of commands are evidence and kept by the services. Those made at the edge (shape, headers,
    permission, throttling) leave this line only: a row each would let anybody fill the database.
    """
    request = context["request"]
    path = escape_uri_path(request.path)  # a line break in it must not begin a line of the log
    logger.info("%s %s: %s %s", request.method, path, body["status"], body["code"])
