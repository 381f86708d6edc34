"""Stints, and a closing that is cancelled, in the admin: what is shown, who may, what is refused whole."""

import json
import re
import uuid
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

import pytest
from django.http import HttpResponse
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from ledger.models import Entry
from ledger.selectors import balances
from tables.models import CardSource, Countersignature, Role, Stint, Table, TableSession
from tables.models.staff import ADMIN_ROLES
from tables.services.stints import dealer_relieve, dealer_sign_on
from tests import floor
from tests.admin import house as at
from tests.audit import support
from tests.tables.life import hire

pytestmark = pytest.mark.django_db


@dataclass
class Closed:
    """A table that was closed by mistake, 10.00 short, after two dealers' stints and three rounds."""

    house: floor.House
    table: Table
    session: TableSession

    @property
    def reopening(self) -> str:
        """Where its closing is cancelled."""
        return reverse("admin:tables_tablesession_reopen", args=[self.session.id])

    def page(self, role: Role = Role.PIT_BOSS) -> str:
        """The session's page."""
        return at.logged_in(self.house, role).get(at.page_address(self.session)).text

    def send(self, **fields: Any) -> HttpResponse:
        """The form as it comes, filled in by the pit boss and countersigned by the supervisor."""
        version = Table.objects.get(id=self.table.id).version
        form = {"command_id": str(uuid.uuid4()), "version": str(version), "reason": "the wrong <b>table</b>"}
        form |= {"badge": self.house.staff[Role.SUPERVISOR].badge, "pin": floor.PIN}
        boss = at.logged_in(self.house, Role.PIT_BOSS)
        return cast(HttpResponse, boss.post(self.reopening, form | fields))


@pytest.fixture(scope="module")
def _standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Closed:
    with django_db_blocker.unblock():
        house = floor.stocked_house()
        table, session_id = floor.ready_table(house, card_source=CardSource.SCANNED)
        dealer_sign_on(table_id=table.id, command=house.command(Role.DEALER))
        support.play_with_raise(house, table, support.LOSE, {})
        relief = hire(house)
        dealer_relieve(
            table_id=table.id,
            relief=relief,
            count={"100": balances(table.stream)["tray"] // 100},
            command=house.command(Role.DEALER),
        )
        for cards in (("4S", "JH", "7D"), ("3S", "4H")):
            floor.play_round(house, table, {1: 1000, 2: 2500}, cards)
        support.close(house, table, session_id, off=-1000)
        return Closed(house, table, TableSession.objects.get(id=session_id))


@pytest.fixture
def closed(_standing: Closed, db: None) -> Closed:
    """The one table of this module; what a test does to it is rolled back."""
    return deepcopy(_standing)


def test_a_session_leads_to_its_stints_with_what_the_tray_says_of_each(closed: Closed) -> None:
    """T of a stint only between two counts: the first one's beginning was not counted, so there is none."""
    listed = f"{at.list_address(Stint)}?session__id__exact={closed.session.id}"
    assert f'<a href="{listed}">2 stints</a>' in closed.page()
    boss = at.logged_in(closed.house, Role.PIT_BOSS)
    page = boss.get(listed)
    second, first = page.context["cl"].result_list
    assert (first.dealer, second.dealer.display_name) == (closed.house.staff[Role.DEALER], "Dealer 2")
    cells = [re.findall(r'class="field-(\w+)[^>]*>(?:<[^>]+>)*([^<]+)', row) for row in _rows(page.text)]
    shown = [{name: text.strip() for name, text in row} for row in cells]
    assert [(row["rounds"], row["t_money"]) for row in shown] == [
        ("2", "\N{MINUS SIGN}10.00"),
        ("1", "not between counts"),
    ]
    assert shown[1]["began_money"] == "not counted"
    assert shown[1]["ended_money"] == shown[0]["began_money"]
    detail = boss.get(at.page_address(second)).text
    assert f"Dealer 2 at table {closed.table.code}" in detail or second.dealer.badge in detail
    assert at.page_address(closed.session) in detail
    assert (
        boss.get(f"{at.list_address(Stint)}?session__id__exact={uuid.uuid4()}").context["cl"].result_count
        == 0
    )
    stranger = at.logged_in(floor.make_house(), Role.PIT_BOSS)
    assert stranger.get(listed).context["cl"].result_count == 0


def _rows(html: str) -> list[str]:
    """The rows of a list's table."""
    return re.findall(r"<tr>(.*?)</tr>", html[html.index('id="result_list"') :], re.DOTALL)[1:]


def test_a_closing_is_cancelled_from_the_sessions_page(closed: Closed) -> None:
    """The session goes on: the closer stays in the journal, the difference goes back, two have signed."""
    assert closed.reopening in closed.page()
    asked = at.logged_in(closed.house, Role.PIT_BOSS).get(closed.reopening).text
    assert "The session goes on as if it had not been closed" in asked
    key = str(uuid.uuid4())
    for _ in range(2):  # sent twice, it acts once
        assert closed.send(command_id=key).status_code == 302
    opened, entry = TableSession.objects.get(id=closed.session.id), _last(closed.table)
    assert (opened.status, opened.closer, opened.closer_total, opened.closed_seq) == (
        "open",
        None,
        None,
        None,
    )
    assert closed.session.closed_seq is not None
    assert (entry.kind, entry.seq) == ("session.reopen", closed.session.closed_seq + 1)
    assert entry.actor == closed.house.staff[Role.PIT_BOSS].id
    assert json.loads(entry.payload)["reason"] == "the wrong <b>table</b>"
    assert balances(closed.table.stream)["over_short"] == 0
    signed = Countersignature.objects.get(stream=closed.table.stream, seq=entry.seq)
    assert signed.second == closed.house.staff[Role.SUPERVISOR]
    page = closed.page()
    assert "pending" in page
    assert closed.reopening not in page, "an open session has no closing to cancel"
    told = at.logged_in(closed.house, Role.PIT_BOSS).get(at.page_address(signed)).text
    assert "the wrong &lt;b&gt;table&lt;/b&gt;" in told


def test_what_cancels_no_closing_changes_nothing(closed: Closed) -> None:
    """Whose second signature is missing, wrong or their own; without a reason; seen too long ago; counted."""
    boss = closed.house.staff[Role.PIT_BOSS]
    before = floor.snapshot(closed.house)
    for fields, said in (
        ({"badge": "", "pin": ""}, "badge and PIN, or an approval"),
        ({"pin": "000000"}, "Badge and PIN do not belong together"),
        ({"badge": boss.badge}, "A second, different person must sign"),
        ({"reason": ""}, "This field is required"),
        ({"version": "0"}, "Something happened here since"),
    ):
        assert said in _refusal(closed.send(**fields)), fields
        assert floor.snapshot(closed.house) == before, fields
    for role in Role:
        client = at.logged_in(closed.house, role)
        if role != Role.PIT_BOSS:
            assert client.get(closed.reopening).status_code in (302, 403), role
            assert client.post(closed.reopening, {}).status_code in (302, 403), role
        if role in ADMIN_ROLES:
            offered = closed.reopening in client.get(at.page_address(closed.session)).text
            assert offered is (role == Role.PIT_BOSS), role
    stranger = at.logged_in(floor.make_house(), Role.PIT_BOSS)
    assert stranger.get(closed.reopening).status_code == 404
    assert floor.snapshot(closed.house) == before
    support.count_drop(closed.house, closed.session.id)
    before = floor.snapshot(closed.house)
    assert closed.reopening not in closed.page()
    assert "whose drop nobody has touched" in _refusal(closed.send())
    assert floor.snapshot(closed.house) == before


def _refusal(answer: HttpResponse) -> str:
    """What a form that came back says is wrong."""
    assert answer.status_code == 200
    return " ".join(re.findall(r'<ul class="errorlist[^>]*>(.*?)</ul>', answer.content.decode(), re.DOTALL))


def _last(table: Table) -> Entry:
    """The table's last entry."""
    return Entry.objects.filter(stream__name=table.stream).latest("seq")
