"""What auditors take away over the API: round histories, exports and their files, filters, schedules."""

import json
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from audit.models import ExportJob, ExportSchedule, ExportStatus, SavedFilter
from audit.services.export_files import file_of, kept_folder
from config import env
from ledger.models import Entry
from tables.models import CardSource, OutboxItem, Role
from tests import floor
from tests.api.client import API, Desk
from tests.api.conftest import Place
from tests.api.routes import SCHEDULE
from tests.api.statements import counted
from tests.api.test_reads import pages, reader

pytestmark = pytest.mark.django_db
ROUNDS = {"kind": "rounds", "form": "csv"}
BUNDLE = {"kind": "bundle", "form": "zip"}
CONTENT = b"0123456789"


@pytest.fixture(autouse=True)
def _exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own."""
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))


def post(desk: Desk, path: str, body: Any = None, **headers: str) -> Any:
    """Send a command that is based on no state."""
    return desk.post(path, body, if_match="", **headers)


def written(house: floor.House, **other: Any) -> ExportJob:
    """An export that is done, with a file of ten bytes and what lies beside it."""
    now = timezone.now()
    usual: dict[str, Any] = {"kind": "rounds", "form": "csv", "about": {}, "file_name": "rounds.csv"}
    done = {"status": "done", "started_at": now, "finished_at": now, "expires_at": now + timedelta(days=1)}
    known = {"size": len(CONTENT), "sha256": "a" * 64, "asked_at": now}
    job = ExportJob.objects.create(
        casino=house.casino, asked_by=house.staff[Role.AUDITOR], **usual | done | known | other
    )
    env.private_folder(kept_folder(job.id))
    for ending, content in (("", CONTENT), (".manifest.json", b"{}"), (".manifest.note", b"note")):
        file_of(job).with_name(job.file_name + ending).write_bytes(content)
    return job


def test_an_export_is_asked_for_once_however_often_it_is_sent(
    still: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, key = reader(still.house), str(uuid.uuid4())
    body = ROUNDS | {"filter": {"gaming_day_from": "2026-11-30", "seat": 1, "stake_min": 500}}
    with counted() as statements:
        reply = post(desk, "exports", body, idempotency_key=key)
    # session, person; the office's lock, read; what waits; the entry; the job, office, answer, outbox
    assert (reply.status, len(statements)) == (201, 10)
    job = ExportJob.objects.get(casino=still.house.casino)
    said = reply.body["export"]
    assert said == desk.get(f"exports/{job.id}").body
    assert (said["status"], said["file"], said["progress"]) == ("queued", None, {"done": 0, "total": None})
    assert said["about"] == {
        "casino": str(still.house.casino.id),
        "gaming_day_from": "2026-11-30",
        "seat": 1,
        "stake_min": 500,
    }
    again = post(desk, "exports", body, idempotency_key=key)
    assert (again.status, again.body, again.headers["Idempotent-Replayed"]) == (201, reply.body, "true")
    other = post(desk, "exports", ROUNDS, idempotency_key=key)
    assert (other.status, other.code) == (422, "command_id_reused")
    assert OutboxItem.objects.filter(subject=job.id).count() == 1
    entry = Entry.objects.get(stream__name=still.house.casino.stream, kind="export.ask")
    assert json.loads(entry.payload)["about"] == said["about"]
    monkeypatch.setattr("audit.services.export_queue.MOST_OF_PERSON", 1)
    full = post(desk, "exports", ROUNDS)
    assert (full.status, full.code, full.body["limit"], full.body["of"]) == (409, "export_limit", 1, "person")
    reply = post(desk, f"exports/{job.id}/cancellation")
    assert (reply.status, reply.body["export"]["status"]) == (200, "cancelled")
    reply = post(desk, f"exports/{job.id}/cancellation")
    assert (reply.status, reply.code) == (409, "export_over")


@pytest.mark.parametrize(
    ("status", "code", "body"),
    [
        (400, "invalid_content", {}),
        (400, "invalid_content", {"kind": "rounds"}),
        (400, "invalid_content", ROUNDS | {"path": "/etc/passwd"}),
        (400, "invalid_content", ROUNDS | {"filter": {"seat": "1"}}),
        (400, "invalid_content", ROUNDS | {"filter": {"casino": str(uuid.UUID(int=7))}}),
        (400, "invalid_content", {"kind": "rounds", "form": "exe"}),
        (400, "invalid_content", ROUNDS | {"bundle": {}}),
        (400, "invalid_content", {"kind": "bundle", "form": "zip", "filter": {}}),
        (400, "filter_invalid", ROUNDS | {"filter": {"outcome": "wine"}}),
        (400, "filter_invalid", ROUNDS | {"filter": {"stake_min": 2, "stake_max": 1}}),
        (400, "filter_invalid", ROUNDS | {"filter": {"table": "nowhere"}}),
        (400, "invalid_content", BUNDLE | {"bundle": {"gaming_day": "2026-11-30", "since": 0}}),
        (404, "checkpoint_unknown", BUNDLE | {"bundle": {"gaming_day": "2026-11-30", "since": 10**9}}),
        (422, "export_form", {"kind": "bundle", "form": "csv"}),
        (422, "bundle_scope", {"kind": "bundle", "form": "zip"}),
        (422, "bundle_scope", {"kind": "bundle", "form": "zip", "bundle": {"gaming_day": "9999-12-31"}}),
        (
            404,
            "round_not_found",
            {"kind": "bundle", "form": "zip", "bundle": {"round": str(uuid.UUID(int=7))}},
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused_and_nothing_is_made(
    still: Place, status: int, code: str, body: dict[str, Any]
) -> None:
    before = floor.snapshot(still.house), OutboxItem.objects.count()
    reply = post(reader(still.house), "exports", body)
    assert (reply.status, reply.code) == (status, code)
    assert (floor.snapshot(still.house), OutboxItem.objects.count()) == before
    assert not ExportJob.objects.filter(casino=still.house.casino).exists()


def test_a_session_s_commands_need_its_token(still: Place) -> None:
    """A page of somebody else's cannot have a file made, nor a filter or a schedule."""
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.force_login(still.house.staff[Role.AUDITOR], backend="django.contrib.auth.backends.ModelBackend")
    desk, before = Desk(None, http=browser), floor.snapshot(still.house)
    for method, path, body in (
        ("POST", "exports", ROUNDS),
        ("POST", "export-schedules", SCHEDULE),
        ("PUT", "saved-filters/mine", {"filter": {}}),
    ):
        reply = desk.send(method, path, body, {"Idempotency-Key": str(uuid.uuid4())})
        assert (reply.status, reply.code) == (403, "forbidden")
    assert floor.snapshot(still.house) == before
    assert not SavedFilter.objects.filter(staff__casino=still.house.casino).exists()


def test_files_are_handed_out_by_their_digest(still: Place) -> None:
    desk, job = reader(still.house), written(still.house)
    path, etag = f"exports/{job.id}/file", f'"{"a" * 64}"'
    with counted() as statements:
        reply = stream(desk, path, Accept="text/csv")
    assert len(statements) == 3, "the session, the person, the job"
    assert (reply[0], reply[2], reply[1]["ETag"]) == (200, CONTENT, etag)
    assert reply[1]["Content-Disposition"] == 'attachment; filename="rounds.csv"'
    assert reply[1]["Cache-Control"] == "no-store"
    assert stream(desk, path, Range="bytes=4-")[::2] == (206, b"456789")
    assert stream(desk, path, **{"Range": "bytes=4-", "If-Range": '"b"'})[::2] == (200, CONTENT)
    status, headers, body = stream(desk, path, Range="bytes=10-")
    assert (status, json.loads(body)["code"]) == (416, "range_not_satisfiable")
    assert headers["Content-Range"] == "bytes */10"
    status, headers, body = stream(desk, path, **{"If-None-Match": etag})
    assert (status, headers["ETag"], body) == (304, etag, b"")
    for name, size in (("file", 10), ("manifest", 2), ("note", 4)):
        head = desk.http.head(f"{API}exports/{job.id}/{name}")
        assert (head.status_code, head.headers["Content-Length"], head.content) == (200, str(size), b"")
        assert head.headers["ETag"] == stream(desk, f"exports/{job.id}/{name}")[1]["ETag"]
    assert stream(desk, f"exports/{job.id}/manifest")[2] == b"{}"
    assert stream(desk, f"exports/{job.id}/note")[2] == b"note"
    assert stream(desk, f"exports/{job.id}/note")[1]["ETag"] != etag


def stream(desk: Desk, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a download."""
    response = desk.http.get(API + path, headers=headers)
    return response.status_code, dict(response.headers), response.getvalue()


def test_what_there_is_not_is_not_handed_out(still: Place) -> None:
    desk, job = reader(still.house), written(still.house)
    bundle = written(still.house, kind="bundle", form="zip", file_name="b.zip")
    queued = post(desk, "exports", ROUNDS).body["export"]["id"]
    stranger = reader(floor.make_house())
    file_of(job).unlink()
    for caller, path, status, code in (
        (desk, f"exports/{queued}/file", 409, "export_not_done"),
        (desk, f"exports/{job.id}/file", 410, "export_gone"),
        (desk, f"exports/{bundle.id}/manifest", 404, "export_no_manifest"),
        (desk, f"exports/{uuid.UUID(int=7)}/file", 404, "export_not_found"),
        (stranger, f"exports/{bundle.id}", 404, "export_not_found"),
        (stranger, f"exports/{bundle.id}/file", 404, "export_not_found"),
    ):
        reply = caller.get(path)
        assert (reply.status, reply.code) == (status, code), path
    assert stranger.get("exports").body["results"] == []
    reply = post(stranger, f"exports/{queued}/cancellation")
    assert (reply.status, reply.code) == (404, "export_not_found")
    assert ExportJob.objects.get(id=queued).status == ExportStatus.QUEUED


def test_exports_are_listed_in_pages_and_by_status(still: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.api.pagination.PAGE", 2)
    desk = reader(still.house, Role.PIT_BOSS)
    jobs = [str(written(still.house, file_name=f"{number}.csv").id) for number in range(3)]
    queued = post(reader(still.house), "exports", ROUNDS).body["export"]["id"]
    read = [row["id"] for reply in pages(desk, "exports") for row in reply.body["results"]]
    assert read == [*jobs, queued]
    assert [row["id"] for row in desk.get("exports?status=queued").body["results"]] == [queued]
    with counted() as statements:
        desk.get("exports")
    assert len(statements) == 3


def test_round_histories_come_page_by_page_as_they_were_played(
    still: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.api.pagination.PAGE", 2)
    monkeypatch.setattr("audit.history.SESSIONS_AT_FIRST", 1)
    for cards in (("4S", "5H"), ("6S", "6H", "7D"), ("4D", "5D")):
        floor.play_round(still.house, still.table, {1: 500, 2: 1000}, cards)
    other, _ = floor.ready_table(still.house, "rd-2", card_source=CardSource.SCANNED)
    floor.play_round(still.house, other, {2: 700}, ("4S", "5H"))
    desk = reader(still.house)
    read = [row for reply in pages(desk, "round-histories") for row in reply.body["results"]]
    places = [(row["table"], row["round"], row["seat"]) for row in read]
    assert places == [*((still.table.code, n, seat) for n in (1, 2, 3) for seat in (1, 2)), ("rd-2", 1, 2)]
    assert (read[2]["cards"], read[2]["bet"], read[2]["outcome"]) == ("6S 6H 7D", 500, "pair_push")
    assert read[0]["player"] is None
    day = read[0]["gaming_day"]
    for query, expected in (
        ("seat=1", 3),
        ("table=rd-2", 1),
        ("outcome=pair_push", 2),
        (f"gaming_day_from={day}&gaming_day_to={day}&stake_min=600", 4),
        (f"dealer={still.house.staff[Role.DEALER].badge}&stake_max=500", 3),
        ("alert=any", 0),
    ):
        found = [row for reply in pages(desk, f"round-histories?{query}") for row in reply.body["results"]]
        assert len(found) == expected, query
    with counted() as statements:
        first = desk.get("round-histories?table=rd-2").body
    assert len(statements) == 6, "the session, the person; the table; two looks for sessions, one for rows"
    assert first["next"] is None
    cursor = desk.get("round-histories").body["next"]
    for query, code in (
        (f"seat=1&cursor={cursor}", "cursor_bad"),
        ("cursor=x", "cursor_bad"),
        ("seat=0", "invalid_query"),
        ("casino=x", "invalid_query"),
        ("outcome=wine", "filter_invalid"),
        ("table=nowhere", "filter_invalid"),
        (f"player={uuid.UUID(int=7)}", "filter_invalid"),
        ("stake_min=2&stake_max=1", "filter_invalid"),
    ):
        reply = desk.get(f"round-histories?{query}")
        assert (reply.status, reply.code) == (400, code), query
    assert reader(floor.make_house()).get("round-histories").body["results"] == []


def test_a_filter_is_kept_by_whoever_keeps_it(still: Place) -> None:
    desk, other = reader(still.house), reader(still.house, Role.PIT_BOSS)
    for seat in (1, 2):
        reply = desk.send("PUT", "saved-filters/mine", {"filter": {"seat": seat}}, {})
        assert (reply.status, reply.body["filter"]) == (200, {"seat": seat})
    kept = [(row["name"], row["filter"]) for row in desk.get("saved-filters").body["results"]]
    assert kept == [("mine", {"seat": 2})]
    assert other.get("saved-filters").body["results"] == []
    for name, body, status, code in (
        ("mine", {"filter": {"outcome": "wine"}}, 400, "filter_invalid"),
        ("mine", {"filter": {"casino": "x"}}, 400, "invalid_content"),
        ("m" * 41, {"filter": {}}, 422, "saved_filter_name"),
    ):
        reply = desk.send("PUT", f"saved-filters/{name}", body, {})
        assert (reply.status, reply.code) == (status, code)
    assert other.send("DELETE", "saved-filters/mine", None, {}).code == "saved_filter_not_found"
    assert [row["filter"] for row in desk.get("saved-filters").body["results"]] == [{"seat": 2}]
    assert desk.send("DELETE", "saved-filters/mine", None, {}).status == 204
    assert desk.get("saved-filters").body["results"] == []


def test_a_schedule_is_made_changed_and_ended(still: Place) -> None:
    desk, boss = reader(still.house), reader(still.house, Role.PIT_BOSS)
    made = post(desk, "export-schedules", SCHEDULE | {"filter": {"seat": 1}})
    assert made.status == 201
    schedule = made.body["schedule"]
    address = f"export-schedules/{schedule['id']}"
    assert boss.get(address).body == schedule
    assert boss.get("export-schedules").body["results"] == [schedule]
    change = SCHEDULE | {"hour": 7, "folder": "early", "active": False}
    reply = desk.send("PUT", address, change, {"Idempotency-Key": str(uuid.uuid4())})
    assert reply.body["schedule"] == schedule | {"hour": 7, "folder": "early", "active": False, "filter": {}}
    before = floor.snapshot(still.house)
    for body, code in (
        (SCHEDULE | {"folder": "../up"}, "invalid_content"),
        (SCHEDULE | {"hour": 24}, "invalid_content"),
        (SCHEDULE | {"form": "zip"}, "invalid_content"),
        (SCHEDULE | {"filter": {"gaming_day_from": "2026-11-30"}}, "filter_invalid"),
        (SCHEDULE | {"destination": "s3://bucket"}, "invalid_content"),
        (SCHEDULE | {"destination": "store"}, "export_store_missing"),
    ):
        assert post(desk, "export-schedules", body).code == code
    stranger = reader(floor.make_house())
    assert stranger.get(address).code == "export_schedule_not_found"
    assert floor.snapshot(still.house) == before
    ended = desk.delete(address, if_match="")
    assert (ended.status, ended.body["schedule"]["active"]) == (200, False)
    assert desk.get(address).code == "export_schedule_not_found"
    assert desk.get("export-schedules").body["results"] == []
    assert ExportSchedule.objects.get(casino=still.house.casino).ended_at is not None
