"""A file as an answer: all of it, the range of bytes that was asked for, or that the caller has it.

RFC 9110, 13.1.2 (If-None-Match), 13.1.5 (If-Range) and 14.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header, parse_etags

from config.api.problems import MEDIA_TYPE, problem

CHUNK = 64 * 1024
ANY_FILE = "application/octet-stream"
# One range; several, and what is no range at all, are passed over, as 14.2 allows.
_RANGE = re.compile(r"bytes=[ \t]*(?:([0-9]{1,400})-([0-9]{0,400})|-([0-9]{1,400}))[ \t]*", re.IGNORECASE)


class Span(NamedTuple):
    """Bytes `first` to `last` of a file, both inclusive."""

    first: int
    last: int


class NoSuchBytes(Exception):
    """The file ends before the range begins, or the range is of no bytes."""


def span_wanted(header: str, size: int) -> Span | None:
    """The bytes a Range header asks for of a file of `size` bytes; None when the header says nothing.

    Raises:
        NoSuchBytes: there are none of them (416).
    """
    found = _RANGE.fullmatch(header.strip())
    if found is None or size == 0:
        return None
    if found[3] is not None:
        length = int(found[3])
        if length == 0:
            raise NoSuchBytes
        return Span(max(size - length, 0), size - 1)
    first, last = int(found[1]), int(found[2]) if found[2] else size - 1
    if found[2] and last < first:
        return None
    if first >= size:
        raise NoSuchBytes
    return Span(first, min(last, size - 1))


def unchanged(request: HttpRequest, etag: str) -> HttpResponse | None:
    """The answer to a GET or HEAD whose caller has these very bytes already; None where it has not.

    Args:
        etag: strong, quotes and all; what `If-None-Match` names is compared weakly, as 13.1.2 has it.
    """
    known = parse_etags(request.headers.get("If-None-Match", ""))
    if known != ["*"] and etag not in (one.removeprefix("W/") for one in known):
        return None
    answer = HttpResponse(status=304, headers={"ETag": etag})
    del answer.headers["Content-Type"]
    return answer


def file_response(request: HttpRequest, path: Path, *, name: str, etag: str) -> HttpResponseBase:
    """A file to keep, or a part of it; it is read in chunks while it is sent.

    Args:
        request: a GET, whose range is honoured unless `If-Range` names another file; or a HEAD. Whoever has
            these bytes already is told so.
        path: the file; ours to say, never the caller's.
        name: what the caller's copy is to be called.
        etag: strong, quotes and all; another for other bytes.

    Raises:
        FileNotFoundError: it is gone.
    """
    headers = {
        "Accept-Ranges": "bytes",
        "ETag": etag,
        "Content-Disposition": str(content_disposition_header(True, name)),
        "X-Content-Type-Options": "nosniff",
    }
    length = path.stat().st_size
    if (known := unchanged(request, etag)) is not None:
        return known
    if request.method == "HEAD":
        headers["Content-Length"] = str(length)
        return HttpResponse(b"", content_type=ANY_FILE, headers=headers)
    file = path.open("rb")
    size = os.fstat(file.fileno()).st_size
    try:
        span = _span(request, size, etag)
    except NoSuchBytes:
        file.close()
        return _not_satisfiable(size)
    first, last = span or Span(0, size - 1)
    headers["Content-Length"] = str(last - first + 1)
    if span is not None:
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    status = 200 if span is None else 206
    part = _Part(file, first, last)
    return StreamingHttpResponse(part, status=status, content_type=ANY_FILE, headers=headers)


def _span(request: HttpRequest, size: int, etag: str) -> Span | None:
    """The range of the request, if it is of this very file; a date says nothing, for we send none."""
    header, condition = request.headers.get("Range"), request.headers.get("If-Range")
    if header is None or condition not in (None, etag):
        return None
    return span_wanted(header, size)


def _not_satisfiable(size: int) -> HttpResponse:
    body = json.dumps(problem(416, "range_not_satisfiable"))
    headers = {"Content-Range": f"bytes */{size}"}
    return HttpResponse(body, status=416, content_type=MEDIA_TYPE, headers=headers)


class _Part:
    """Bytes of an open file in chunks; closed with the answer, sent or not."""

    def __init__(self, file: BinaryIO, first: int, last: int) -> None:
        self._file, self._left = file, last - first + 1
        file.seek(first)

    def __iter__(self) -> Iterator[bytes]:
        while self._left > 0 and (chunk := self._file.read(min(CHUNK, self._left))):
            self._left -= len(chunk)
            yield chunk

    def close(self) -> None:
        """Close the file."""
        self._file.close()
