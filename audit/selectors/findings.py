"""Findings as auditors read them."""

import uuid
from typing import Any

from django.db.models import QuerySet

from audit.codes import meaning_of
from audit.models import Finding

# The query's names and the columns they filter by.
FILTERS = {
    "status": "status",
    "severity": "severity",
    "code": "code",
    "gaming_day": "gaming_day",
    "session": "session_id",
}


def findings_of(*, casino_id: uuid.UUID | None, **wanted: Any) -> QuerySet[Finding]:
    """The findings of a casino with their evidence, filtered by any of `FILTERS`."""
    chosen = {FILTERS[name]: value for name, value in wanted.items()}
    return Finding.objects.filter(casino=casino_id, **chosen).prefetch_related("evidence", "explanations")


def finding_record_of(finding: Finding) -> dict[str, Any]:
    """A finding as plain JSON values."""
    evidence = sorted(finding.evidence.all(), key=lambda row: row.id)
    explanations = sorted(finding.explanations.all(), key=lambda row: row.id)
    return {
        "id": str(finding.id),
        "code": finding.code,
        "says": meaning_of(finding.code).text,
        "severity": finding.severity,
        "status": finding.status,
        "stream": finding.stream,
        "seq": finding.seq,
        "session": finding.session_id and str(finding.session_id),
        "round": finding.round_id and str(finding.round_id),
        "gaming_day": finding.gaming_day and finding.gaming_day.isoformat(),
        "counter": finding.counter,
        "first_seen": finding.first_seen.isoformat(),
        "last_seen": finding.last_seen.isoformat(),
        "acknowledged_by": finding.acknowledged_by_id and str(finding.acknowledged_by_id),
        "acknowledged_at": finding.acknowledged_at and finding.acknowledged_at.isoformat(),
        "note": finding.note,
        "resolved_by": finding.resolved_by_id and str(finding.resolved_by_id),
        "resolved_at": finding.resolved_at and finding.resolved_at.isoformat(),
        "reason": finding.reason,
        "false_positive": finding.false_positive,
        "evidence": [
            {"digest": row.digest, "seen_at": row.seen_at.isoformat(), "body": row.body} for row in evidence
        ],
        "explanations": [
            {"by": str(row.by_id), "at": row.at.isoformat(), "text": row.text} for row in explanations
        ],
    }
