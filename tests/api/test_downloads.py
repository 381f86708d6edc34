"""An export's file over a real connection."""

import http.client
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pytest_django.live_server_helper import LiveServer

from audit.models import ExportJob
from audit.services import outbox
from audit.services.export_files import file_of
from tables.models import OutboxItem
from tests import floor
from tests.api.client import API
from tests.api.conftest import make_place
from tests.api.test_exports import ROUNDS, post
from tests.api.test_reads import reader

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.django_db(transaction=True)]


def test_a_download_that_broke_off_goes_on_over_a_real_connection(
    live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for, written by the outbox's work, and fetched in two parts by a client that knows HTTP only."""
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))
    place = make_place()
    floor.play_round(place.house, place.table, {1: 500}, ("4S", "5H"))
    desk = reader(place.house)
    job = ExportJob.objects.get(id=post(desk, "exports", ROUNDS).body["export"]["id"])
    assert outbox.outbox_perform(item_id=OutboxItem.objects.get(subject=job.id).id)
    content = file_of(job).read_bytes()
    connection = http.client.HTTPConnection(str(urlsplit(live_server.url).netloc), timeout=60)
    cookie = {"Cookie": desk.http.cookies.output(header="", sep=";").split(";")[0].strip()}

    def fetch(method: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        connection.request(method, f"{API}exports/{job.id}/file", headers=cookie | headers)
        response = connection.getresponse()
        return response, response.read()

    response, body = fetch("HEAD")
    etag = response.headers["ETag"]
    assert (response.status, response.headers["Content-Length"], body) == (200, str(len(content)), b"")
    _, first = fetch("GET", Range="bytes=0-99")
    response, rest = fetch("GET", **{"Range": "bytes=100-", "If-Range": etag})
    assert (response.status, first + rest) == (206, content)
    response, _ = fetch("GET", Range=f"bytes={len(content)}-")
    assert (response.status, response.headers["Content-Range"]) == (416, f"bytes */{len(content)}")
    response, whole = fetch("GET")
    assert (response.status, whole) == (200, content)
    connection.close()
