"""Findings: recorded once per cause; people acknowledge, explain and resolve them, in the journal too."""

import uuid
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from audit.codes import Found, meaning_of
from audit.models import Evidence, Explanation, Finding, FindingStatus
from config.errors import DomainError
from ledger.services import Posted
from tables.engine.registry import digest
from tables.models import Casino, Staff
from tables.services.asked import why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found


def finding_record(*, casino_id: uuid.UUID, found: Found, gaming_day: date | None = None) -> Finding:
    """Keep a find: a new finding, or one more sight of the one that stands for its cause already.

    A finding that was resolved with this very evidence stays resolved and is only counted, so that what
    a person has explained is not brought up again every night; other evidence opens a new one.

    Args:
        found: what was found.
        gaming_day: the gaming day it belongs to, where there is one.
    """
    now, body = timezone.now(), dict(found.evidence)
    evidence_digest = digest(body)
    with transaction.atomic():
        explained = Finding.objects.filter(
            casino_id=casino_id,
            cause=found.cause,
            status=FindingStatus.RESOLVED,
            evidence__digest=evidence_digest,
        ).first()
        standing = Finding.objects.exclude(status=FindingStatus.RESOLVED)
        if explained is not None and not standing.filter(casino_id=casino_id, cause=found.cause).exists():
            return _seen_again(explained, now)
        finding, is_new = standing.get_or_create(
            casino_id=casino_id,
            cause=found.cause,
            defaults={
                "code": found.code,
                "severity": meaning_of(found.code).severity.value,
                "stream": found.stream,
                "seq": found.seq,
                "session_id": found.session,
                "round_id": found.round,
                "gaming_day": gaming_day,
                "first_seen": now,
                "last_seen": now,
            },
        )
        Evidence.objects.get_or_create(
            finding=finding, digest=evidence_digest, defaults={"body": body, "seen_at": now}
        )
        return finding if is_new else _seen_again(finding, now)


def _seen_again(finding: Finding, now: datetime) -> Finding:
    # whoever waited for the row may have looked at the clock before it was made
    latest = Greatest(F("last_seen"), Value(now))
    Finding.objects.filter(id=finding.id).update(counter=F("counter") + 1, last_seen=latest)
    finding.refresh_from_db()
    return finding


def finding_acknowledge(*, finding_id: uuid.UUID, note: str, command: Command) -> Answer:
    """Take note of a finding: somebody is looking into it.

    Args:
        note: what is going to be done, for whoever reads on.

    Raises:
        DomainError: `finding_not_found`, `finding_not_open`, `reason_missing` (422),
            `operation_not_allowed`.
    """

    def decide(finding: Finding) -> dict[str, Any]:
        if finding.status != FindingStatus.OPEN:
            raise DomainError("finding_not_open", f"The finding is {finding.status} already.")
        finding.status, finding.note = FindingStatus.ACKNOWLEDGED, why(note)
        finding.acknowledged_by_id = command.actor.staff_id
        return {"note": finding.note}

    request = {"finding": str(finding_id), "note": note}
    return _act("finding.acknowledge", finding_id, command, request, decide)


def finding_resolve(*, finding_id: uuid.UUID, reason: str, false_positive: bool, command: Command) -> Answer:
    """Be done with a finding that somebody has acknowledged.

    Args:
        reason: what it was, and what came of it.
        false_positive: there was nothing wrong after all.

    Raises:
        DomainError: `finding_not_found`, `finding_not_acknowledged`, `finding_resolved`,
            `reason_missing` (422), `operation_not_allowed`.
    """

    def decide(finding: Finding) -> dict[str, Any]:
        if finding.status == FindingStatus.OPEN:
            raise DomainError("finding_not_acknowledged", "Acknowledge the finding before resolving it.")
        if finding.status == FindingStatus.RESOLVED:
            raise DomainError("finding_resolved", "The finding was resolved before.")
        finding.status, finding.reason = FindingStatus.RESOLVED, why(reason)
        finding.resolved_by_id, finding.false_positive = command.actor.staff_id, false_positive
        return {"reason": finding.reason, "false_positive": false_positive}

    request = {"finding": str(finding_id), "reason": reason, "false_positive": false_positive}
    return _act("finding.resolve", finding_id, command, request, decide)


def finding_explain(*, finding_id: uuid.UUID, text: str, command: Command) -> Answer:
    """Attach what one knows of how a finding came about; it decides nothing, and stays for good.

    Raises:
        DomainError: `finding_not_found`, `reason_missing` (422), `operation_not_allowed`.
    """

    def decide(finding: Finding) -> dict[str, Any]:
        return {"explanation": why(text)}

    def keep(finding: Finding, posted: Posted) -> None:
        Explanation.objects.create(
            finding=finding, by_id=command.actor.staff_id, at=posted.recorded_at, text=why(text)
        )

    request = {"finding": str(finding_id), "text": text}
    return _act("finding.explain", finding_id, command, request, decide, keep)


def _stamp(finding: Finding, posted: Posted) -> None:
    """Write what an act made of a finding, and when."""
    setattr(finding, WHEN[FindingStatus(finding.status)], posted.recorded_at)
    finding.save(update_fields=ACT_FIELDS)


def _act(
    operation: str,
    finding_id: uuid.UUID,
    command: Command,
    request: Mapping[str, Any],
    decide: Callable[[Finding], dict[str, Any]],
    keep: Callable[[Finding, Posted], None] = _stamp,
) -> Answer:
    """One person's act on a finding of their own casino: an entry in the office's stream, and the rows."""

    def lock(finding_id: uuid.UUID, command: Command) -> Casino:
        casino_id = Finding.objects.filter(id=finding_id).values_list("casino_id", flat=True).first()
        if casino_id is None or not _works_at(command, casino_id):
            raise not_found("finding")
        return lock_office(casino_id, command)

    def work(casino: Casino) -> Effect:
        finding = Finding.objects.select_for_update().get(id=finding_id)
        said = decide(finding)
        return Effect(
            kind=operation,
            payload={"finding": str(finding.id), "code": finding.code, "cause": finding.cause, **said},
            write=lambda posted: keep(finding, posted),
            body=lambda: {"finding": str(finding.id), "status": str(finding.status)},
        )

    return execute(operation, command, request, lock, finding_id, work)


def _works_at(command: Command, casino_id: uuid.UUID) -> bool:
    return Staff.objects.filter(id=command.actor.staff_id, casino_id=casino_id).exists()


WHEN = {FindingStatus.ACKNOWLEDGED: "acknowledged_at", FindingStatus.RESOLVED: "resolved_at"}
ACT_FIELDS = (
    *("status", "acknowledged_by", "acknowledged_at", "note"),
    *("resolved_by", "resolved_at", "reason", "false_positive"),
)
