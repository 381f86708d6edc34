"""RFC 3161 timestamps: an authority's word that a checkpoint existed at a time, which nobody can backdate.

What is stamped is SHA-256 over the bytes of the signed note. The answer is kept as it came (DER), so that
``openssl ts -verify`` takes it too. Parsing and verifying are rfc3161-client's: maintained, typed, one wheel
for every Python there is; it checks status, signature, the chain at the time stamped, and the purpose of
the certificate. What only whoever asked can check (the nonce, and that the time is now) is checked here.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from cryptography.x509 import Certificate, load_pem_x509_certificates
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

ANSWER_LIMIT = 64 * 1024  # bytes; an answer with a chain of certificates has below ten thousand
PATIENCE_SECONDS = 10.0
CLOCK_SLACK = timedelta(minutes=5)
_QUERY, _REPLY = "application/timestamp-query", "application/timestamp-reply"


class TimestampError(ValueError):
    """This is no good timestamp, or none was to be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """An authority's answer, verified: its bytes, and the time in it."""

    der: bytes
    at: datetime


def read_certificates(path: Path) -> list[Certificate]:
    """The certificates in a PEM file, which are believed.

    Raises:
        TimestampError: the file is unreadable or holds none.
    """
    try:
        return load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError) as exc:
        raise TimestampError(f"{path}: {exc}") from exc


def verify_timestamp(*, note: str, der: bytes, roots: Sequence[Certificate]) -> datetime:
    """The time a note was stamped at.

    Args:
        note: the signed note as it is kept.
        der: the authority's answer (TimeStampResp).
        roots: the certificates that its own must lead back to.

    Raises:
        TimestampError: it is no answer, of something else, or by nobody who is believed.
    """
    return _verified(note, der, roots, nonce=None)


def request_timestamp(
    *, note: str, url: str, roots: Sequence[Certificate], patience: float = PATIENCE_SECONDS
) -> Timestamp:
    """Ask an authority to stamp a note, and believe nothing it says unverified.

    Args:
        url: where it answers, as RFC 3161, section 3.4, has it.
        roots: as in ``verify_timestamp``.
        patience: seconds for the whole exchange.

    Raises:
        TimestampError: no answer in time, or one that is not good.
    """
    builder = TimestampRequestBuilder().data(note.encode()).hash_algorithm(HashAlgorithm.SHA256)
    request = builder.nonce(nonce=True).cert_request(cert_request=True).build()
    der = _exchange(url, request.as_bytes(), patience)
    at = _verified(note, der, roots, nonce=request.nonce)
    if abs(datetime.now(UTC) - at) > CLOCK_SLACK:
        raise TimestampError("the time in the answer is not that of its making")
    return Timestamp(der, at)


def _exchange(url: str, query: bytes, patience: float) -> bytes:
    """Send a query and read the answer, within a time and a length, however slowly it trickles in."""
    deadline = time.monotonic() + patience
    answer = b""
    try:
        with httpx.stream(
            "POST", url, content=query, headers={"Content-Type": _QUERY}, timeout=patience
        ) as reply:
            if reply.status_code != 200 or reply.headers.get("Content-Type") != _REPLY:
                raise TimestampError(f"the authority answered {reply.status_code}, and no timestamp")
            for part in reply.iter_raw():
                answer += part
                if len(answer) > ANSWER_LIMIT:
                    raise TimestampError("the answer is too long")
                if time.monotonic() > deadline:
                    raise TimestampError("the authority does not answer in time")
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise TimestampError(f"the authority does not answer: {type(exc).__name__}") from exc
    return answer


def _verified(note: str, der: bytes, roots: Sequence[Certificate], *, nonce: int | None) -> datetime:
    verifier = VerifierBuilder(roots=list(roots), nonce=nonce).build()
    try:
        answer: TimeStampResponse = decode_timestamp_response(der)
        verifier.verify_message(answer, note.encode())
        return answer.tst_info.gen_time.astimezone(UTC)
    except (VerificationError, ValueError) as exc:
        raise TimestampError(f"the timestamp is not good: {exc}") from exc
