"""Rebuilding what is kept for speed and follows from a stream's entries: its head, balances and snapshots.

Nothing here is ever mended by itself: ``verify_journal`` finds it, a person decides, and an entry of the
stream (``ledger.rebuild``) says what was kept, what it is now, and why. What was entered is read and never
written; where the entries themselves are not as they were hashed, nothing is derived from them.
"""

from dataclasses import dataclass
from uuid import uuid4

from django.db import DatabaseError, connections

from ledger.errors import BadEntry, StreamNotSound, translated
from ledger.verify import Finding
from ledger.verify_journal import verify_journal

OWNER = "owner"
"""Database alias: the application may not rebuild."""
REBUILT = frozenset(
    {"head_differs", "balance_differs", "snapshot_differs", "snapshot_missing", "snapshot_unfounded"}
)
"""What ``verify_journal`` may find for a stream to be rebuilt."""
_REBUILD = "SELECT o_seq FROM ledger_rebuild(%s, %s, %s)"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was wrong, and the entry that says so; None where nothing was."""

    findings: list[Finding]
    seq: int | None


def wrong_in(stream: str) -> list[Finding]:
    """What would be rebuilt of a stream, having verified all of it.

    Raises:
        StreamUnknown: there is no such stream.
        StreamNotSound: more than that is wrong; ``extra`` says what.
    """
    report = verify_journal(stream=stream, using=OWNER)
    other = sorted({finding.type for finding in report.findings} - REBUILT)
    if other:
        raise StreamNotSound("its entries are not as they were hashed", stream=stream, findings=other)
    return report.findings


def stream_rebuild(*, stream: str, reason: str) -> Rebuilt:
    """Rebuild what a stream keeps from its entries, which are verified before.

    Args:
        reason: why, in a sentence of 500 bytes at most; it stands in the entry.

    Raises:
        StreamUnknown, StreamNotSound: as ``wrong_in`` does.
        BadEntry: there is no reason.
    """
    if not reason.strip():
        raise BadEntry("say why, in a sentence")
    findings = wrong_in(stream)
    if not findings:
        return Rebuilt([], None)
    try:
        with connections[OWNER].cursor() as cursor:
            cursor.execute(_REBUILD, [stream, reason.strip(), uuid4()])
            (seq,) = cursor.fetchone()
    except DatabaseError as exc:
        refusal = translated(exc)
        if refusal is None:
            raise
        raise refusal from exc
    return Rebuilt(findings, seq)
