"""Findings: one per cause, then acknowledged and resolved by the right people, in the journal too."""

import threading
import uuid
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from audit.codes import CODES, Found, meaning_of
from audit.models import Evidence, Finding
from audit.services.findings import finding_acknowledge, finding_record, finding_resolve
from config.errors import DomainError
from ledger.models import Entry
from tables.models import Role
from tests import floor
from tests.audit.support import at_desk
from tests.floor import House


def found(**evidence: Any) -> Found:
    return Found("wrong_payout", evidence or {"house_won": 1}, stream="table:x", seq=7)


@pytest.fixture
def finding(house: House) -> Finding:
    """An open finding of the house."""
    return finding_record(casino_id=house.casino.id, found=found())


def rows() -> list[dict[str, Any]]:
    return [dict(row) for row in Finding.objects.order_by("id").values()]


def acknowledge(house: House, finding: Finding, role: Role = Role.AUDITOR) -> None:
    finding_acknowledge(finding_id=finding.id, note="looking", command=at_desk(house, role))


def resolve(house: House, finding: Finding, role: Role = Role.AUDITOR, reason: str = "explained") -> None:
    finding_resolve(finding_id=finding.id, reason=reason, false_positive=True, command=at_desk(house, role))


def test_one_finding_per_cause_however_often_it_is_found(house: House, finding: Finding) -> None:
    for _ in range(3):
        finding_record(casino_id=house.casino.id, found=found())
    again = finding_record(casino_id=house.casino.id, found=found(house_won=2))
    assert (again.id, again.counter, again.severity) == (finding.id, 5, "critical")
    assert [row.body for row in again.evidence.order_by("id")] == [{"house_won": 1}, {"house_won": 2}]
    other = finding_record(casino_id=house.casino.id, found=Found("wrong_payout", {}, "table:x", 8))
    assert other.id != finding.id


def test_from_open_to_resolved_with_who_when_and_why(house: House, finding: Finding) -> None:
    acknowledge(house, finding, Role.PIT_BOSS)
    resolve(house, finding)
    finding.refresh_from_db()
    assert finding.status == "resolved"
    assert finding.acknowledged_by == house.staff[Role.PIT_BOSS]
    assert finding.resolved_by == house.staff[Role.AUDITOR]
    assert (finding.note, finding.reason, finding.false_positive) == ("looking", "explained", True)
    entries = Entry.objects.filter(stream__name=house.casino.stream, kind__startswith="finding.")
    said = [(entry.kind, entry.recorded_at, entry.actor) for entry in entries.order_by("seq")]
    assert said == [
        ("finding.acknowledge", finding.acknowledged_at, house.staff[Role.PIT_BOSS].id),
        ("finding.resolve", finding.resolved_at, house.staff[Role.AUDITOR].id),
    ]


def test_a_form_sent_twice_acts_once(house: House, finding: Finding) -> None:
    command = at_desk(house, Role.AUDITOR)
    first = finding_acknowledge(finding_id=finding.id, note="looking", command=command)
    second = finding_acknowledge(finding_id=finding.id, note="looking", command=command)
    assert (first.replayed, second.replayed, second.body) == (False, True, first.body)


def test_what_is_not_due_is_refused(house: House, finding: Finding) -> None:
    before = rows()
    with floor.refused(house, "finding_not_acknowledged"):
        resolve(house, finding)
    with floor.refused(house, "reason_missing"):
        finding_acknowledge(finding_id=finding.id, note="  ", command=at_desk(house, Role.AUDITOR))
    assert rows() == before
    acknowledge(house, finding)
    before = rows()
    with floor.refused(house, "finding_not_open"):
        acknowledge(house, finding)
    with floor.refused(house, "reason_missing"):
        resolve(house, finding, reason=" ")
    resolve_before = rows()
    assert resolve_before == before
    resolve(house, finding)
    before = rows()
    with floor.refused(house, "finding_resolved"):
        resolve(house, finding)
    assert rows() == before


@pytest.mark.parametrize("role", [Role.DEALER, Role.SUPERVISOR, Role.CAGE, Role.ADMINISTRATOR])
def test_who_may_not_acknowledge(house: House, finding: Finding, role: Role) -> None:
    before = rows()
    with floor.refused(house, "operation_not_allowed"):
        acknowledge(house, finding, role)
    assert rows() == before


def test_the_pit_does_not_resolve_findings_about_itself(house: House, finding: Finding) -> None:
    acknowledge(house, finding, Role.PIT_BOSS)
    before = rows()
    with floor.refused(house, "operation_not_allowed"):
        resolve(house, finding, Role.PIT_BOSS)
    assert rows() == before


def test_another_houses_finding_is_not_there(house: House, finding: Finding) -> None:
    elsewhere = floor.make_house()
    before = rows()
    with floor.refused(elsewhere, "finding_not_found"):
        acknowledge(elsewhere, finding)
    with pytest.raises(DomainError, match="finding_not_found"):
        finding_acknowledge(finding_id=uuid.uuid4(), note="x", command=at_desk(house, Role.AUDITOR))
    assert rows() == before


IMPOSSIBLE: list[dict[str, Any]] = [
    {"status": "resolved"},
    {"status": "acknowledged"},
    {"status": "acknowledged", "note": "who?"},
    {"reason": "never resolved"},
    {"false_positive": False},
    {"counter": 0},
    {"severity": "dreadful"},
    {"status": "gone"},
]


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_the_database_keeps_every_state_whole(finding: Finding, change: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Finding.objects.filter(id=finding.id).update(**change)
    finding.refresh_from_db()
    assert finding.status == "open"


def test_the_database_keeps_one_open_finding_per_cause(finding: Finding) -> None:
    finding.pk = uuid.uuid4()
    with pytest.raises(IntegrityError), transaction.atomic():
        finding.save(force_insert=True)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_finding",
        "DELETE FROM audit_evidence",
        "UPDATE audit_evidence SET body = '{}'",
        "TRUNCATE audit_evidence",
        "DELETE FROM audit_sessionreconciliation",
        "DELETE FROM audit_gamingdaycheck",
    ],
)
def test_the_application_cannot_make_evidence_go_away(finding: Finding, statement: str) -> None:
    with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert getattr(refused.value.__cause__, "sqlstate", None) == "42501"
    assert Evidence.objects.filter(finding=finding).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_that_find_the_same_at_once_make_one_finding() -> None:
    house = floor.make_house()
    start = threading.Barrier(4)

    def find() -> None:
        start.wait()
        try:
            finding_record(casino_id=house.casino.id, found=found())
        finally:
            connection.close()

    threads = [threading.Thread(target=find) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (only,) = Finding.objects.filter(casino=house.casino)
    assert (only.counter, only.evidence.count()) == (4, 1)


def test_every_code_has_a_meaning_and_causes_differ_by_subject() -> None:
    assert all(meaning.text.endswith(".") for meaning in CODES.values())
    assert meaning_of("journal_hash_differs").severity == "critical"
    with pytest.raises(KeyError):
        meaning_of("nothing_of_the_kind")
    causes = {
        Found("tray_difference", {}, "table:a").cause,
        Found("tray_difference", {}, "table:b").cause,
        Found("tray_difference", {}, "table:a", 1).cause,
        Found("tray_difference", {}, "table:a", about="1").cause,
    }
    assert len(causes) == 4
