"""What auditors read: their own house's records, in pages that neither skip nor repeat."""

import json
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from django.db import connection
from django.test import Client

from ledger.models import Entry
from tables.models import Role, Round, Staff, TableSession
from tables.services import office, seats
from tests import floor
from tests.api.client import Desk, Reply
from tests.api.conftest import Place

pytestmark = pytest.mark.django_db
LISTS = ["rounds", "sessions", "entries?stream={stream}"]


def reader(house: floor.House, role: Role = Role.AUDITOR) -> Desk:
    """Somebody of the admin site, logged in."""
    http = Client(raise_request_exception=False)
    http.force_login(house.staff[role], backend="django.contrib.auth.backends.ModelBackend")
    return Desk(None, http=http)


def played(place: Place, rounds: int) -> list[str]:
    """The ids of rounds played one after the other."""
    ids = []
    for _ in range(rounds):
        answer = floor.play_round(place.house, place.table, {1: 500}, ("4S", "5H"))
        ids.append(str(answer.body["round"]["id"]))
    return ids


def pages(desk: Desk, path: str) -> Iterator[Reply]:
    """Page after page of a list, as its cursors lead."""
    reply = desk.get(path)
    while True:
        assert reply.status == 200, reply.body
        yield reply
        if reply.body["next"] is None:
            return
        reply = desk.get(f"{path}{'&' if '?' in path else '?'}cursor={reply.body['next']}")


def test_pages_neither_skip_nor_repeat(still: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.api.pagination.PAGE", 2)
    ids = played(still, 3)
    moment = Round.objects.get(id=ids[0]).started_at
    Round.objects.filter(id__in=ids).update(started_at=moment)  # one moment shared by more than a page
    ids.append(played(still, 1)[0])
    read = [row["id"] for reply in pages(reader(still.house), "rounds") for row in reply.body["results"]]
    assert sorted(read) == sorted(ids)
    assert read[-1] == ids[-1]
    stream = f"entries?stream={still.table.stream}"
    numbers = [row["seq"] for reply in pages(reader(still.house), stream) for row in reply.body["results"]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) == Entry.objects.filter(stream__name=still.table.stream).count()


def test_rounds_are_paged_by_index_however_many_there_are(
    still: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What costs as much as there are rounds is made dear: a page can do without."""
    monkeypatch.setattr("config.api.pagination.PAGE", 1)
    played(still, 3)
    desk, sent = reader(still.house), list[tuple[str, Any]]()

    def keep(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        sent.append((sql, params))
        return execute(sql, params, many, context)

    cursor = desk.get("rounds").body["next"]
    with connection.execute_wrapper(keep):
        assert len(desk.get(f"rounds?cursor={cursor}").body["results"]) == 1
    (page,) = [each for each in sent if 'FROM "tables_round"' in each[0]]
    with connection.cursor() as database:
        for way in ("seqscan", "sort", "incremental_sort", "hashjoin", "mergejoin", "bitmapscan"):
            database.execute(f"SET LOCAL enable_{way} = off")
        database.execute("EXPLAIN " + page[0], page[1])
        plan = "\n".join(row[0] for row in database.fetchall())
    assert "using round_in_order" in plan, plan
    assert "Index Cond: (started_at >= " in plan, plan
    assert "Sort" not in plan, plan


def test_a_cursor_fits_its_own_list_alone(still: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.api.pagination.PAGE", 1)
    played(still, 2)
    desk = reader(still.house)
    day = TableSession.objects.get(id=still.session).gaming_day
    cursor = desk.get("rounds").body["next"]
    other = floor.make_house()
    forged = signing.dumps([["rounds"], [1]], salt="another")
    for who, path in (
        (desk, f"rounds?cursor={cursor[:-1]}"),
        (desk, f"rounds?cursor={cursor}x"),
        (desk, "rounds?cursor=1"),
        (desk, f"rounds?cursor={forged}"),
        (desk, f"rounds?gaming_day={day}&cursor={cursor}"),
        (desk, f"sessions?cursor={cursor}"),
        (desk, f"entries?stream={still.table.stream}&cursor={cursor}"),
        (reader(other), f"rounds?cursor={cursor}"),
    ):
        reply = who.get(path)
        assert (reply.status, reply.code) == (400, "cursor_bad"), path


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("rounds?day=2026-01-01", "/day"),
        ("rounds?gaming_day=yesterday", "/gaming_day"),
        ("rounds?gaming_day=2026-02-30", "/gaming_day"),
        ("rounds?table=1", "/table"),
        ("sessions?format=json", "/format"),
        ("entries", "/stream"),
    ],
)
def test_a_query_of_the_wrong_shape_is_refused(still: Place, path: str, pointer: str) -> None:
    reply = reader(still.house).get(path)
    assert (reply.status, reply.code) == (400, "invalid_query")
    assert [error["pointer"] for error in reply.body["errors"]] == [pointer]


@pytest.mark.parametrize("path", [*LISTS, "findings"])
def test_a_head_of_a_list_is_its_get_without_the_body(still: Place, path: str) -> None:
    desk, where = reader(still.house), path.format(stream=still.table.stream)
    assert desk.get(where).status == 200
    reply = desk.send("HEAD", where, None, {})
    assert (reply.status, reply.body) == (200, "")


def test_a_parameter_is_given_once(still: Place) -> None:
    reply = reader(still.house).get("rounds?gaming_day=2026-01-01&gaming_day=2026-01-02")
    assert (reply.status, reply.code) == (400, "invalid_query")


def test_filters_name_a_day_and_a_table(still: Place) -> None:
    ids, desk = played(still, 2), reader(still.house)
    day = TableSession.objects.get(id=still.session).gaming_day
    tomorrow = day + timedelta(days=1)
    for query, expected in (
        (f"gaming_day={day}", ids),
        (f"gaming_day={tomorrow}", []),
        (f"table={still.table.id}", ids),
        (f"table={uuid.uuid4()}", []),
        (f"table={still.table.id}&gaming_day={day}", ids),
    ):
        assert [row["id"] for row in desk.get(f"rounds?{query}").body["results"]] == expected, query
    sessions = desk.get(f"sessions?gaming_day={day}&table={still.table.id}").body["results"]
    assert [row["id"] for row in sessions] == [still.session]
    assert sessions[0]["closer_total"] is None, "what is missing is missing, not zero"


def test_a_round_is_read_with_its_cards_and_results(still: Place) -> None:
    (round_id,) = played(still, 1)
    record = reader(still.house).get(f"rounds/{round_id}").body
    assert record["cards"] == ["4S", "5H"]
    assert record["outcome"] == "consecutive"
    assert record["results"] == {"1": {"bet": 500, "raise": 0, "paid": 0, "net": 0}}
    assert record["table"] == str(still.table.id)
    assert record["players"] == {"1": None}
    listed = reader(still.house).get("rounds").body["results"]
    assert listed == [record]


def test_an_entry_is_read_as_it_was_hashed(still: Place) -> None:
    desk = reader(still.house)
    listed = desk.get(f"entries?stream={still.table.stream}").body["results"]
    entry = next(row for row in listed if row["kind"] == "seat.take")
    kept = Entry.objects.get(id=entry["id"])
    assert entry["payload_text"] == kept.payload
    assert entry["hash"] == bytes(kept.hash).hex()
    assert entry["previous_hash"] == listed[entry["seq"] - 2]["hash"]
    assert json.loads(entry["payload_text"])["cash"] == 200_000
    assert entry["movements"] == [
        {"source": "cash:patrons", "target": "cash:drop_box", "asset": "cash:USD", "amount": 200_000},
        {"source": "tray", "target": "seat:1", "asset": "chips:USD", "amount": 200_000},
    ]
    assert desk.get(f"entries/{entry['id']}").body == entry


def test_pages_cost_the_same_however_long_they_are(still: Place, django_assert_max_num_queries: Any) -> None:
    played(still, 3)
    desk = reader(still.house)
    for path in LISTS:
        with django_assert_max_num_queries(5):  # the session, the person, and at most three for the list
            assert desk.get(path.format(stream=still.table.stream)).status == 200


def test_auditors_read_their_own_house_alone(still: Place) -> None:
    (round_id,) = played(still, 1)
    entry = Entry.objects.filter(stream__name=still.table.stream).latest("seq")
    stranger = reader(floor.make_house())
    assert stranger.get("rounds").body["results"] == []
    assert stranger.get("sessions").body["results"] == []
    for path, code in (
        (f"rounds/{round_id}", "round_not_found"),
        (f"entries/{entry.id}", "entry_not_found"),
        (f"entries?stream={still.table.stream}", "stream_not_found"),
        (f"entries?stream=cage:{still.house.casino.id}", "stream_not_found"),
        (f"entries?stream=office:{still.house.casino.id}", "stream_not_found"),
        ("entries?stream=table:x", "stream_not_found"),
    ):
        assert (stranger.get(path).status, stranger.get(path).code) == (404, code)
    Staff.objects.filter(id=still.house.staff[Role.AUDITOR].id).update(casino=None)
    assert reader(still.house).get("rounds").body["results"] == [], "who belongs to no house reads none"


def test_a_session_of_the_admin_site_commands_nothing(still: Place) -> None:
    before = floor.snapshot(still.house)
    desk = reader(still.house, Role.PIT_BOSS)
    desk.version = still.desk.version
    reply = desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 1000})
    assert (reply.status, reply.code) == (401, "not_authenticated")
    assert floor.snapshot(still.house) == before


def test_whoever_left_reads_nothing_more(still: Place) -> None:
    desk = reader(still.house)
    assert desk.get("rounds").status == 200
    Staff.objects.filter(id=still.house.staff[Role.AUDITOR].id).update(is_active=False)
    assert desk.get("rounds").status == 401


def test_chips_a_player_walks_with_are_read_by_who_watches(still: Place) -> None:
    """Brought to a seat and carried off from it; another house's player is not found."""
    made = office.player_create(
        casino_id=still.house.casino.id, reference="P-9", description="", command=still.house.office()
    )
    player, dealer = uuid.UUID(made.body["player"]), still.house.command
    seats.seat_take(
        table_id=still.table.id,
        seat=3,
        player_id=player,
        cash=1_000,
        chips=500,
        command=dealer(Role.DEALER),
    )
    seats.seat_leave(table_id=still.table.id, seat=3, command=dealer(Role.DEALER))
    reply = reader(still.house).get(f"people/{player}/chips")
    assert (reply.status, reply.body["player"]) == (200, str(player))
    assert [(step["kind"], step["seat"], step["chips"]) for step in reply.body["steps"]] == [
        ("seat.take", 3, 500),
        ("seat.leave", 3, 1_500),
    ]
    shown = {
        role: reader(still.house, role).http.get(f"/admin/tables/player/{player}/change/").content.decode()
        for role in (Role.SURVEILLANCE, Role.SUPERVISOR)
    }
    assert "sat down with" in shown[Role.SURVEILLANCE]
    assert "sat down with" not in shown[Role.SUPERVISOR]
    nobody = reader(still.house).get(f"people/{uuid.uuid4()}/chips")
    assert (nobody.status, nobody.code) == (404, "player_not_found")
