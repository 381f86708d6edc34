"""The card room over HTTP: a round as a terminal plays it, what it never learns, and who comes first."""

import json
import logging
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.urls import reverse
from psycopg.sql import SQL, Identifier

from ledger.models import Entry
from tables.admin.text import card_text
from tables.api.serializers.records import CardRoomRoundRecord
from tables.api.serializers.rounds import CardRoomRoundShown
from tables.api.serializers.tables import TableAtHand
from tables.engine.cards import PACK
from tables.models import CardSource, CommandAnswer, Role
from tables.services.shoes import open_at
from tests import floor
from tests.api.client import Desk, Reply
from tests.api.conftest import put_on_duty
from tests.api.statements import counted
from tests.api.test_idempotency import together
from tests.room import Room, make_room


def terminal_at(room: Room, role: Role = Role.DEALER) -> Desk:
    """A terminal at the table with somebody signed in."""
    terminal, credential = floor.enrol(room.house, room.table)
    put_on_duty(room.house, terminal, role)
    desk = Desk(credential)
    desk.get(f"tables/{room.table.id}")
    return desk


class Heard:
    """A terminal that keeps everything it was told, and how many statements each command took."""

    def __init__(self, room: Room) -> None:
        self.room, self.desk = room, terminal_at(room)
        self.told: list[Reply] = []
        self.taken: dict[str, int] = {}
        self.at = f"tables/{room.table.id}"

    def send(self, path: str, body: Any = None, *, status: int = 200, count: str = "") -> Any:
        """A command about the newest round ({round}) or the table ({table})."""
        where = path.format(table=self.at, round=f"rounds/{self.room.round_id}" if "{round}" in path else "")
        with counted() as statements:
            reply = self.desk.post(where, body)
        assert reply.status == status, reply.body
        if count:
            self.taken[count] = len(statements) - 2  # who is calling
        self.told += [reply, self.desk.get(self.at)]
        return reply.body


SERVICE_STATEMENTS = {
    "deal.draw": 6,  # who sits where; no round
    "deal.start": 8,  # who sits where, what lies where
    "round.bet": 7,  # who sits where
    "round.turn": 6,
    "round.show": 6,
    "round.expose_top": 6,
    "round.pass": 7,  # what the player has: it may be less than the forfeit
    "round.mispay": 6,
    "round.put_right": 6,
    "round.settle": 6,
    "pool.divide": 11,  # who sits where, who has played, the pool, a second signature
    "collection.take": 7,  # who sits where, what they have
    "table.freeze": 5,
    "table.release": 8,  # a second signature
}


def play_through(heard: Heard) -> None:
    """A round at a table of three: a bet after an exposed card, a payment put right, two forfeits."""
    second = {"badge": heard.room.house.badge(Role.SUPERVISOR).number, "pin": floor.PIN}
    heard.send("{table}/dealer-draw", {}, status=201, count="deal.draw")
    heard.send("{table}/shoes/current/retirement", {})
    heard.send("{table}/shoes", {}, status=201)
    heard.send("{table}/collections", {}, status=201, count="collection.take")
    begun = heard.send("{table}/deals", {}, status=201, count="deal.start")
    seat = begun["round"]["turn"]["seat"]
    heard.send("{round}/bets", {"bets": {str(seat): 10}}, count="round.bet")
    heard.send("{round}/exposed-cards", {}, count="round.expose_top")
    turned = heard.send("{round}/turned-cards", {}, count="round.turn")
    assert (turned["round"]["turn"]["due"], len(turned["round"]["cards"])) == ("show", 2)
    heard.send("{round}/shows", {"seat": seat + 1}, status=409)
    shown = heard.send("{round}/shows", {"seat": seat, "cards": ["2S"]}, count="round.show")
    heard.send("{round}/mispayments", {"seat": seat, "kind": "taken", "amount": 1}, count="round.mispay")
    heard.send("{round}/mispayments/correction", {"seat": seat}, count="round.put_right")
    heard.send("{round}/cards", {"draw": 1}, status=409)
    for other in shown["round"]["order"][1:]:
        heard.send("{round}/passes", {"seat": other, "kind": "forfeit"}, count="round.pass")
    heard.send("{table}/freeze", {"reason": "a look at the cards"}, status=201, count="table.freeze")
    heard.send("{round}/settlement", {}, status=409)
    heard.send("{table}/release", {"reason": "nothing", "second": second}, count="table.release")
    heard.send("{round}/settlement", {}, count="round.settle")
    heard.send("{table}/pool-division", {"second": second}, count="pool.divide")


def rows_written(since: int) -> Iterator[str]:
    """Every row of every table that this transaction wrote, as text (what is encrypted is bytes there)."""
    written = SQL("SELECT t::text FROM {} t WHERE t.xmin::text::bigint >= %s")
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(written.format(Identifier(name)), [since])
            yield from (row for (row,) in cursor.fetchall())


def pages_seen(house: floor.House) -> Iterator[str]:
    """Every list and every page of a row that surveillance and the auditor are shown, and their API."""
    for role in (Role.SURVEILLANCE, Role.AUDITOR):
        client = Client()
        client.force_login(house.staff[role], backend="django.contrib.auth.backends.ModelBackend")
        yield client.get(reverse("admin:index")).text
        for model in admin.site._registry:
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            listed = client.get(reverse(f"{name}_changelist"))
            yield listed.text
            for row in listed.context["cl"].result_list[:60]:
                yield client.get(reverse(f"{name}_change", args=[row.pk])).text
        for path in ("rounds", *(f"entries?stream={table.stream}" for table in house.tables.values())):
            answer = client.get(f"/api/v1/{path}")
            assert answer.status_code == 200
            yield answer.content.decode()


@pytest.mark.django_db
def test_nothing_tells_a_hidden_card(caplog: pytest.LogCaptureFixture) -> None:
    """No row, answer, log line or page names a card of a played round that the rules did not show."""
    caplog.set_level(logging.DEBUG)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        since = cursor.fetchone()[0]
    house = floor.make_house()
    fee = {"kind": "time", "amount": 1, "minutes": 30}
    room = make_room(house, chips={1: 500, 2: 500, 3: 500}, source=CardSource.DRAWN, drawn=False, fee=fee)
    heard = Heard(room)
    play_through(heard)
    assert heard.taken == SERVICE_STATEMENTS
    assert set(heard.told[-1].body) == set(TableAtHand().fields)
    for reply in heard.told:
        if reply.body.get("round"):
            assert set(reply.body["round"]) == set(CardRoomRoundShown().fields) - {"bank"}
    seen = {
        opening["card"]
        for payload in Entry.objects.filter(stream__name=room.table.stream).values_list("payload", flat=True)
        for opening in json.loads(payload).get("openings", [])
    }
    played = room.newest
    assert room.state.seen
    assert set(room.state.seen) <= seen
    hidden = {opening.card for opening in open_at(played.shoe, range(len(PACK)))} - seen
    assert hidden, "the draw for the deal has shown many, but hardly all"
    named = re.compile(rf"(?<![\w+/=-])(?:{'|'.join(hidden)})(?![\w+/=-])")
    for text in (*rows_written(since), *(str(reply.body) for reply in heard.told)):
        found = named.search(text)
        assert found is None or "$argon2" in text, (found, text[:300])
    for record in caplog.records:
        assert not named.search(record.getMessage()), record.getMessage()
    auditor = Client()
    auditor.force_login(house.staff[Role.AUDITOR], backend="django.contrib.auth.backends.ModelBackend")
    record = auditor.get(f"/api/v1/rounds/{played.id}").json()
    assert set(record) == set(CardRoomRoundRecord().fields) - {"bank"}
    assert (record["dealing_seat"], record["dealer"]) == (room.state.dealer, str(played.dealer_id))
    pictures = [card_text(card) for card in hidden]
    for page in pages_seen(house):
        assert not [card for card in pictures if card in page]
        assert not named.search(page)


@pytest.mark.django_db(transaction=True)
def test_of_two_terminals_that_bet_at_once_one_is_heard() -> None:
    """One bet stands, the other terminal is told what happened; the same key twice is one bet."""
    room = make_room(floor.make_house(), chips={1: 100, 2: 100}, dealer=1)
    room.deal()
    one, other = terminal_at(room), terminal_at(room, Role.SUPERVISOR)
    path, key = f"rounds/{room.round_id}/bets", str(uuid.uuid4())
    won, lost = sorted(
        together(
            [
                lambda: one.post(path, {"bets": {"2": 10}}),
                lambda: other.post(path, {"bets": {"2": 20}}),
            ]
        ),
        key=lambda reply: reply.status,
    )
    assert (won.status, lost.status, lost.code) == (200, 412, "stale_version")
    assert lost.body["current"] == won.body["table"]
    staked = won.body["round"]["stakes"]["2"]
    assert room.lying("wager:2", "seat:2", "pool") == (staked, 90 - staked, 20)
    based_on = f'"{room.row.version}"'
    turned = f"rounds/{room.round_id}/turned-cards"
    twins = together([lambda: one.post(turned, {"card": "QS"}, idempotency_key=key, if_match=based_on)] * 3)
    assert [reply.status for reply in twins] == [200] * 3
    assert sum("Idempotent-Replayed" not in reply.headers for reply in twins) == 1
    assert room.state.seen == ("QS",)
    assert CommandAnswer.objects.filter(command_id=key).count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "body", "wrong"),
    [
        ("deals", {"players": []}, {"/players": "min_length"}),
        ("deals", {"players": [True]}, {"/players/0": "invalid"}),
        ("deals", {"cards_each": 6}, {"/cards_each": "max_value"}),
        ("deals", {"counts": {"0": 5}}, {"/counts/0": "invalid_key"}),
        ("deals", {"counts": {"1": 5.0}}, {}),
        ("deals", {"bank": "10"}, {"/bank": "invalid"}),
        ("dealer-draw", {"cards": ["10S"]}, {"/cards/0": "max_length"}),
        ("freeze", {}, {"/reason": "required"}),
        ("release", {"reason": "x"}, {"/second": "required"}),
        ("pool-division", {}, {"/second": "required"}),
        ("passes", {"seat": 1, "kind": "fold"}, {"/kind": "invalid_choice"}),
        ("shows", {"seat": 1, "cards": ["2S"] * 11}, {"/cards": "max_length"}),
        ("turned-cards", {"cards": ["2S"]}, {"/cards": "unknown_field"}),
        ("mispayments", {"seat": 1, "kind": "taken", "amount": 0}, {"/amount": "min_value"}),
    ],
)
def test_shapes_are_checked_field_by_field(
    still: Any, path: str, body: dict[str, Any], wrong: dict[str, str]
) -> None:
    in_round = path in ("passes", "shows", "turned-cards", "mispayments")
    at = f"rounds/{still.session}" if in_round else still.path
    before = floor.snapshot(still.house)
    reply = still.desk.post(f"{at}/{path}", body)
    assert reply.status == 400
    assert {error["pointer"]: error["code"] for error in reply.body.get("errors", [])} == wrong
    assert floor.snapshot(still.house) == before
