"""A file as an answer: which bytes a range is (RFC 9110, 13.1.5 and 14), and what is sent of them."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from config.api.files import NoSuchBytes, Span, file_response, span_wanted

CONTENT = bytes(range(100)) * 1000  # more than a chunk
ETAG = '"a1"'


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("bytes=0-0", Span(0, 0)),
        ("bytes=0-99", Span(0, 9)),
        ("bytes=9-", Span(9, 9)),
        ("bytes=3-5", Span(3, 5)),
        ("bytes=-1", Span(9, 9)),
        ("bytes=-99", Span(0, 9)),
        ("BYTES= 2-3 ", Span(2, 3)),
        # what is no single range of bytes is passed over
        ("bytes=0-1,3-4", None),
        ("bytes=5-3", None),
        ("bytes=-", None),
        ("bytes=a-b", None),
        ("bytes=1", None),
        ("bytes 0-1", None),
        ("lines=0-1", None),
        ("bytes=\u0661-2", None),
        ("", None),
    ],
)
def test_which_bytes_a_range_is(header: str, span: Span | None) -> None:
    assert span_wanted(header, 10) == span


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20", "bytes=-0", f"bytes={'9' * 300}-"])
def test_a_range_beyond_the_end_is_refused(header: str) -> None:
    with pytest.raises(NoSuchBytes):
        span_wanted(header, 10)
    assert span_wanted(header, 0) is None, "of an empty file there is nothing to range over"


def answer(path: Path, method: str = "get", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer."""
    request = getattr(RequestFactory(), method)("/", headers=headers)
    response = file_response(request, path, name='a "b"\r\n\u00e4.csv', etag=ETAG)
    if response.streaming:
        body = b"".join(cast(Iterable[bytes], response))
    else:
        body = cast(HttpResponse, response).content
    response.close()
    return response.status_code, dict(response.headers), body


def test_what_is_sent_is_what_was_asked_for(tmp_path: Path) -> None:
    path, size = tmp_path / "file", len(CONTENT)
    path.write_bytes(CONTENT)
    status, headers, body = answer(path)
    assert (status, body, headers["Content-Length"]) == (200, CONTENT, str(size))
    assert (headers["ETag"], headers["Accept-Ranges"], "Content-Range" in headers) == (ETAG, "bytes", False)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "\n" not in headers["Content-Disposition"]
    assert headers["Content-Disposition"].startswith("attachment; filename")
    for header, first, last in (("bytes=70000-", 70_000, size - 1), ("bytes=-5", size - 5, size - 1)):
        status, headers, body = answer(path, range=header)
        assert (status, body) == (206, CONTENT[first : last + 1])
        assert headers["Content-Range"] == f"bytes {first}-{last}/{size}"
        assert headers["Content-Length"] == str(last - first + 1)
    status, headers, body = answer(path, range=f"bytes={size}-")
    assert (status, headers["Content-Range"]) == (416, f"bytes */{size}")
    assert b"range_not_satisfiable" in body


def test_a_range_of_another_file_is_the_whole_of_this_one(tmp_path: Path) -> None:
    """Only the strong ETag says that it is the same file (13.1.5): a weak one, or a date, says nothing."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    assert answer(path, range="bytes=2-3", if_range=ETAG)[0] == 206
    for other in ('"b2"', f"W/{ETAG}", "Mon, 30 Nov 2026 06:00:00 GMT"):
        status, _, body = answer(path, range="bytes=2-3", if_range=other)
        assert (status, body) == (200, b"0123456789")


def test_whoever_has_the_file_is_told_so(tmp_path: Path) -> None:
    """13.1.2: compared weakly, among others or for whatever there is; and before a range is looked at."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    for known in (ETAG, f"W/{ETAG}", f'"b2", {ETAG}', "*"):
        for method in ("get", "head"):
            status, headers, body = answer(path, method, if_none_match=known, range="bytes=2-3")
            assert (status, headers, body) == (304, {"ETag": ETAG}, b"")
    for other in ('"b2"', "a1", ""):
        assert answer(path, if_none_match=other, range="bytes=2-3")[::2] == (206, b"23")
    path.unlink()
    with pytest.raises(FileNotFoundError):
        answer(path, if_none_match=ETAG)


def test_a_head_says_how_large_the_file_is_and_knows_no_ranges(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    status, headers, body = answer(path, "head", range="bytes=2-3")
    assert (status, headers["Content-Length"], body) == (200, "10", b"")
    with pytest.raises(FileNotFoundError):
        answer(tmp_path / "gone", "head")
    path.write_bytes(b"")
    assert answer(path, range="bytes=0-")[::2] == (200, b"")
