"""What a difference asks for by the profile of its gaming day, and what people say how it came about."""

import uuid

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from audit.models import Explanation, Finding
from audit.services.findings import finding_explain
from audit.services.reconciliation import session_reconcile
from ledger.models import Entry
from tables.models import Role
from tests import floor
from tests.audit import support
from tests.floor import House


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("profile", "short", "tier", "regulator"),
    [
        ("new_jersey_like", 2_500, "any", False),
        ("new_jersey_like", 2_600, "signed_report", False),
        ("new_jersey_like", 10_000, "regulator_copy", True),
        ("generic", 10_000, "signed_report", False),
    ],
)
def test_a_difference_carries_its_tier_and_who_must_be_told(
    profile: str, short: int, tier: str, regulator: bool
) -> None:
    """N.J.A.C. 13:69D-1.21(e) as data: above $25.00 a signed report, from $100.00 on a regulator's copy."""
    house = floor.make_house(profile=profile)
    floor.stock_cage(house, second=Role.PIT_BOSS if profile == "generic" else Role.AUDITOR)
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id, off=-short)
    # What is chosen later is for later days: this session keeps the profile of its own.
    house.casino.profiles.append({"from": "9999-01-01", "name": "ohio_like", "version": 1})
    house.casino.save(update_fields=["profiles"])
    session_reconcile(session_id=session_id)
    body = Finding.objects.get(casino=house.casino, code="tray_difference").evidence.get().body
    assert (body["T"], body["tier"], body["profile"]) == (-short, tier, f"{profile} v1")
    assert ("regulator" in body["told"]) == regulator
    assert "pit_boss" in body["told"]


@pytest.fixture
def finding(house: House) -> Finding:
    """T of a session that was closed 100 short."""
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id, off=-100)
    session_reconcile(session_id=session_id)
    return Finding.objects.get(casino=house.casino, code="tray_difference")


def explain(house: House, finding: Finding, text: str, role: Role = Role.SUPERVISOR) -> None:
    finding_explain(finding_id=finding.id, text=text, command=support.at_desk(house, role))


def test_explanations_are_added_and_stay(house: House, finding: Finding) -> None:
    explain(house, finding, "a chip lay under the tray")
    command = support.at_desk(house, Role.PIT_BOSS)
    for _ in range(2):  # a form sent twice says it once
        finding_explain(finding_id=finding.id, text="it was found", command=command)
    rows = Explanation.objects.filter(finding=finding).order_by("id")
    assert [(row.by, row.text) for row in rows] == [
        (house.staff[Role.SUPERVISOR], "a chip lay under the tray"),
        (house.staff[Role.PIT_BOSS], "it was found"),
    ]
    entries = Entry.objects.filter(stream__name=house.casino.stream, kind="finding.explain").order_by("seq")
    assert [entry.recorded_at for entry in entries] == [row.at for row in rows]
    finding.refresh_from_db()
    assert (finding.status, finding.acknowledged_by) == ("open", None), "it decides nothing"
    for statement in ("DELETE FROM audit_explanation", "UPDATE audit_explanation SET text = 'no'"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert Explanation.objects.filter(finding=finding).count() == 2


def test_what_is_no_explanation_is_refused(house: House, finding: Finding) -> None:
    elsewhere = floor.make_house()
    with floor.refused(house, "reason_missing"):
        explain(house, finding, "  ")
    with floor.refused(house, "operation_not_allowed"):
        explain(house, finding, "all is well", Role.ADMINISTRATOR)
    with floor.refused(elsewhere, "finding_not_found"):
        explain(elsewhere, finding, "not ours")
    assert not Explanation.objects.filter(finding=finding).exists()


def test_explanations_have_a_page_and_are_read_over_the_api(house: House, finding: Finding) -> None:
    browser = Client()
    browser.force_login(house.staff[Role.SUPERVISOR], backend="django.contrib.auth.backends.ModelBackend")
    page = f"/admin/audit/finding/{finding.id}"
    assert f"{page}/explain/" in browser.get(f"{page}/change/").text
    sent = {"command_id": str(uuid.uuid4()), "text": "a <b>chip</b> lay on the floor"}
    assert browser.post(f"{page}/explain/", sent).status_code == 302
    assert "a &lt;b&gt;chip&lt;/b&gt; lay on the floor" in browser.get(f"{page}/change/").text
    browser.force_login(house.staff[Role.AUDITOR], backend="django.contrib.auth.backends.ModelBackend")
    (record,) = browser.get("/api/v1/findings").json()["results"]
    said = record["explanations"][0]
    assert (said["by"], said["text"]) == (str(house.staff[Role.SUPERVISOR].id), sent["text"])
    assert record["evidence"][0]["body"]["tier"] == "any"
