"""Whatever is sent, the API answers as its document says, never with a fault of ours, and changes nothing
when it refuses.

Schemathesis makes requests up from the OpenAPI document, right ones and wrong ones, and sends them to the
real WSGI application in this process: as a terminal with somebody signed in, about its own table and round
and based on their current state, so that the content gets as far as it can; or as an auditor, where those
read.
"""

import uuid
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
import yaml
from django.conf import settings as django_settings
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from pytest_django import DjangoDbBlocker
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from ledger.models import Entry
from tables.models import Cage, DropBox, Role, SignIn, Table
from tables.services.rounds import round_announce, round_deal, round_start
from tests import floor
from tests.api.conftest import Place, make_place
from tests.api.test_openapi import DOCUMENT

TOKEN = "t" * 32  # against forged requests; a page of the site would have it
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
# The document as it lies there, which is the one that is served (test_openapi) and sooner read than made.
schema = schemathesis.openapi.from_dict(yaml.load(DOCUMENT.read_bytes(), Loader=yaml.CSafeLoader))
schema.app, schema.location = application, "/api/v1/schema"
schema.config.phases.coverage.enabled = False


@dataclass
class Scene:
    """A table in the middle of a round, and what calls about it need.

    Attributes:
        known: how everything stands, where nothing was accepted since it was looked at.
    """

    place: Place
    ids: dict[str, str]
    session_key: str
    known: dict[str, Any] | None = None

    def prepare(self, case: Case[Any]) -> None:
        """Point a made-up request at what is there, by somebody who may do it."""
        known = {name: self.ids[name] for name in case.path_parameters if name in self.ids}
        case.path_parameters.update(known)
        if "session" in str(case.operation.definition.raw["security"]):
            case.cookies[django_settings.SESSION_COOKIE_NAME] = self.session_key
            case.cookies[django_settings.CSRF_COOKIE_NAME] = case.headers["X-CSRFToken"] = TOKEN
            return
        at_cage = "cage" in case.path or "box" in case.path
        desk = self.place.cage if at_cage else self.place.desk
        case.headers["Authorization"] = f"Terminal {desk.credential}"
        if "If-Match" in case.headers:
            case.headers["If-Match"] = f'"{self.version(case)}"'
            case.headers["Idempotency-Key"] = str(uuid.uuid4())

    def standing(self) -> dict[str, Any]:
        """How everything stands."""
        if self.known is None:
            self.known = floor.snapshot(self.place.house)
        return self.known

    def version(self, case: Case[Any]) -> int:
        """The current version of what a command is about."""
        if case.path.startswith("/api/v1/cage"):
            return Cage.objects.get(pk=self.place.house.casino.id).version
        return Table.objects.get(id=self.place.table.id).version


@pytest.fixture
def _one_transaction() -> Iterator[None]:
    """Requests of the bare WSGI application leave the test's connection and transaction alone."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def made_scene(place: Place) -> Scene:
    """Seat 1 has bet, two cards lie, the spread is announced."""
    house, table = place.house, place.table
    begun = round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])
    round_deal(round_id=round_id, cards=["4S", "TH"], number=2, command=house.command(Role.DEALER))
    round_announce(round_id=round_id, spread=5, command=house.command(Role.DEALER))
    slip = floor.send_fill(house, table, {"100": 1})
    http = Client()
    http.force_login(house.staff[Role.AUDITOR], backend="django.contrib.auth.backends.ModelBackend")
    ids = {
        "table_id": str(table.id),
        "round_id": str(round_id),
        "session_id": place.session,
        "slip_id": str(slip),
        "box_id": str(DropBox.objects.get(table=table).id),
        "stream": table.stream,
        "account": "tray",
        "entry_id": str(Entry.objects.filter(stream__name=table.stream).latest("seq").id),
    }
    return Scene(place, ids, http.cookies[django_settings.SESSION_COOKIE_NAME].value)


@pytest.fixture(scope="module")
def _standing_scene(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Scene:
    with django_db_blocker.unblock():
        return made_scene(make_place())


@pytest.fixture
def scene(_standing_scene: Scene, db: None, _one_transaction: None) -> Scene:
    """The scene as it stands for all operations; what one of them does to it is rolled back."""
    SignIn.objects.filter(ended_at=None).update(last_input_at=timezone.now())
    return deepcopy(_standing_scene)


@schema.parametrize()
@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_api_answers_as_its_document_says(case: Case[Any], scene: Scene) -> None:
    cache.clear()
    scene.prepare(case)
    before = scene.standing()
    response = case.call()
    case.validate_response(response, checks=CHECKS)
    scene.known = None
    if response.status_code >= 400:
        assert scene.standing() == before, "what is refused changes nothing"
