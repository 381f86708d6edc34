"""Findings where people meet them: the admin's pages and acts, and the API's list."""

import re
import uuid

import pytest
from django.test import Client

from audit.codes import Found
from audit.models import Finding
from audit.services.findings import finding_record
from audit.services.reconciliation import session_reconcile
from tables.models import Role, Table
from tests import floor
from tests.api.statements import counted
from tests.audit import support
from tests.floor import House

BACKEND = "django.contrib.auth.backends.ModelBackend"
LIST = "/admin/audit/finding/"
API = "/api/v1/findings"


def client(house: House, role: Role) -> Client:
    """A browser in which the person of that role is logged in."""
    made = Client()
    made.force_login(house.staff[role], backend=BACKEND)
    return made


@pytest.fixture
def finding(house: House) -> Finding:
    """T and U of a session that was closed 100 short and counted right: two findings; T's is returned."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.close(house, table, session_id, off=-100)
    support.count_drop(house, session_id)
    session_reconcile(session_id=session_id)
    return Finding.objects.get(casino=house.casino, code="tray_difference")


def test_the_list_and_the_page_show_finding_and_evidence(house: House, finding: Finding) -> None:
    auditor = client(house, Role.AUDITOR)
    listed = auditor.get(LIST).content.decode()
    assert "tray_difference" in listed
    assert "unexplained_difference" in listed
    code = Table.objects.get(sessions=finding.session_id).code
    assert re.search(rf"{finding.stream} \d+ \(table {code}\)", listed)
    page = auditor.get(f"{LIST}{finding.id}/change/").content.decode()
    assert "&quot;T&quot;: -100" in page
    assert f"{LIST}{finding.id}/acknowledge/" in page
    assert "T: the counted tray is not what went through it." in page
    assert f"{finding.stream} {finding.seq} (table {code})" in page


def test_more_findings_take_no_more_statements(house: House, finding: Finding) -> None:
    auditor = client(house, Role.AUDITOR)
    auditor.get(LIST)
    with counted() as few:
        auditor.get(LIST)
    for seq in range(5):
        finding_record(casino_id=house.casino.id, found=Found("wrong_payout", {}, finding.stream, seq))
    with counted() as many:
        assert auditor.get(LIST).content.decode().count("(table ") == 7
    assert len(many) == len(few) == 7


def test_acknowledge_and_resolve_are_pages_with_a_reason(house: House, finding: Finding) -> None:
    auditor = client(house, Role.AUDITOR)
    address = f"{LIST}{finding.id}/acknowledge/"
    form = auditor.get(address)
    assert form.status_code == 200
    sent = {"command_id": str(uuid.uuid4()), "note": ""}
    assert auditor.post(address, sent).status_code == 200  # the form again: a note is missing
    finding.refresh_from_db()
    assert finding.status == "open"
    assert auditor.post(address, sent | {"note": "asking the pit"}).status_code == 302
    finding.refresh_from_db()
    assert (finding.status, finding.note) == ("acknowledged", "asking the pit")
    address = f"{LIST}{finding.id}/resolve/"
    answer = auditor.post(
        address, {"command_id": str(uuid.uuid4()), "reason": "miscounted", "false_positive": "on"}
    )
    assert answer.status_code == 302
    finding.refresh_from_db()
    assert (finding.status, finding.reason, finding.false_positive) == ("resolved", "miscounted", True)
    page = auditor.get(f"{LIST}{finding.id}/change/").content.decode()
    assert "/resolve/" not in page


def test_a_refusal_of_the_service_is_shown_on_the_form(house: House, finding: Finding) -> None:
    auditor = client(house, Role.AUDITOR)
    answer = auditor.post(
        f"{LIST}{finding.id}/resolve/", {"command_id": str(uuid.uuid4()), "reason": "at once"}
    )
    assert "Acknowledge the finding before resolving it." in answer.content.decode()
    finding.refresh_from_db()
    assert finding.status == "open"


@pytest.mark.parametrize("act", ["acknowledge", "resolve"])
def test_who_may_not_act_gets_403_and_no_button(house: House, finding: Finding, act: str) -> None:
    supervisor = client(house, Role.SUPERVISOR)
    assert supervisor.get(f"{LIST}{finding.id}/{act}/").status_code == 403
    answer = supervisor.post(f"{LIST}{finding.id}/{act}/", {"command_id": str(uuid.uuid4()), "note": "x"})
    assert answer.status_code == 403
    assert f"/{act}/" not in supervisor.get(f"{LIST}{finding.id}/change/").content.decode()
    finding.refresh_from_db()
    assert finding.status == "open"


def test_findings_of_another_house_are_not_there(house: House, finding: Finding) -> None:
    stranger = client(floor.make_house(), Role.AUDITOR)
    assert "tray_difference" not in stranger.get(LIST).content.decode()
    assert stranger.get(f"{LIST}{finding.id}/change/").status_code == 302  # to the index, with a message
    assert stranger.get(f"{LIST}{finding.id}/acknowledge/").status_code == 404
    assert stranger.get(API).json()["results"] == []


def test_reconciliations_and_checks_are_there_to_read(house: House, finding: Finding) -> None:
    auditor = client(house, Role.AUDITOR)
    listed = auditor.get("/admin/audit/sessionreconciliation/").content.decode()
    assert "\N{MINUS SIGN}1.00" in listed
    page = auditor.get(f"/admin/audit/sessionreconciliation/{finding.session_id}/change/")
    assert page.status_code == 200
    told = page.content.decode()
    assert "Save" not in told
    assert re.search(r"not every movement carries it \(the first that does not: entry \d+, seat.take\)", told)
    assert auditor.get("/admin/audit/gamingdaycheck/").status_code == 200


def test_evidence_is_shown_as_text_whatever_it_holds(house: House) -> None:
    hostile = "<script>alert(1)</script>"
    made = finding_record(
        casino_id=house.casino.id, found=Found("work_failed", {"error": hostile}, about=hostile)
    )
    page = client(house, Role.AUDITOR).get(f"{LIST}{made.id}/change/").content.decode()
    assert hostile not in page
    assert "&lt;script&gt;" in page


def test_the_api_lists_findings_with_their_evidence(house: House, finding: Finding) -> None:
    auditor = client(house, Role.AUDITOR)
    everything = auditor.get(API).json()
    assert [row["code"] for row in everything["results"]] == ["tray_difference", "unexplained_difference"]
    assert everything["next"] is None
    first = everything["results"][0]
    assert (first["id"], first["session"], first["status"]) == (
        str(finding.id),
        str(finding.session_id),
        "open",
    )
    assert first["evidence"][0]["body"]["T"] == -100
    chosen = {"code": "tray_difference", "status": "open", "gaming_day": str(finding.gaming_day)}
    assert len(auditor.get(API, chosen).json()["results"]) == 1
    assert auditor.get(API, {"status": "resolved"}).json()["results"] == []
    assert len(auditor.get(API, {"session": str(finding.session_id)}).json()["results"]) == 2


def test_the_api_leafs_through_all_findings_once(house: House, db: None) -> None:
    for number in range(250):
        finding_record(casino_id=house.casino.id, found=Found("work_failed", {}, about=str(number)))
    auditor, seen, cursor = client(house, Role.AUDITOR), [], None
    while True:
        answer = auditor.get(API, {"cursor": cursor} if cursor else {}).json()
        seen += [row["id"] for row in answer["results"]]
        cursor = answer["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 250


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"status": "strange"}, 400, "invalid_query"),
        ({"shape": "round"}, 400, "invalid_query"),
        ({"cursor": "made-up"}, 400, "cursor_bad"),
    ],
)
def test_a_bad_query_is_refused(house: House, query: dict[str, str], status: int, code: str) -> None:
    answer = client(house, Role.AUDITOR).get(API, query)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize("role", [Role.SUPERVISOR, Role.ADMINISTRATOR])
def test_who_may_not_read_findings_over_the_api(house: House, role: Role) -> None:
    assert client(house, role).get(API).status_code == 403
