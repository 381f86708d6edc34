"""Who gets in, and that nobody changes anything by the stock pages."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from ledger.models import Entry
from tables.models import Role, Shoe, SignIn, Staff, Terminal
from tables.models.staff import ADMIN_ROLES
from tests import floor
from tests.admin import house as at

Browsers = dict[Role | None, Client]
Listed = Callable[[Role, type[Model]], Any]
LOGIN = reverse("admin:login")
MODELS = at.registered()
OUTSIDERS = sorted(set(Role) - ADMIN_ROLES)
ACTS = {
    "admin:tables_staff_employ": {Role.ADMINISTRATOR},
    "admin:tables_terminal_register": {Role.ADMINISTRATOR},
    "admin:tables_pit_create": {Role.ADMINISTRATOR},
    "admin:tables_ruleset_release": {Role.ADMINISTRATOR},
    "admin:tables_table_put_up": {Role.ADMINISTRATOR},
    "admin:tables_casino_choose_profile": {Role.ADMINISTRATOR},
    "admin:tables_closedday_close": {Role.PIT_BOSS},
    "admin:tables_promopiece_stock": {Role.PIT_BOSS},
    "admin:tables_player_enter": {Role.ADMINISTRATOR, Role.SUPERVISOR, Role.PIT_BOSS},
    "admin:tables_approval_give": ADMIN_ROLES - {Role.ADMINISTRATOR},
    "admin:audit_exportjob_ask": {Role.AUDITOR, Role.SURVEILLANCE},
    "admin:audit_exportschedule_make": {Role.AUDITOR},
    "admin:audit_savedfilter_keep": {Role.AUDITOR, Role.SURVEILLANCE, Role.PIT_BOSS},
}

pytestmark = pytest.mark.django_db
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)


@dataclass
class Strangers:
    """A house that has nothing to do with the one that is shown, and two of its people, logged in."""

    administrator: Client
    of_no_house: Client


@pytest.fixture(scope="module")
def browsers(shown: at.Shown, django_db_blocker: DjangoDbBlocker) -> Browsers:
    """Everybody of the furnished casino, logged in, and somebody who is not."""
    with django_db_blocker.unblock():
        people: Browsers = {role: at.logged_in(shown.house, role) for role in Role}
    return people | {None: Client()}


@pytest.fixture(scope="module")
def listed(browsers: Browsers) -> Listed:
    """The page that lists a model as somebody of a role sees it: asked for once, for it stays as it is."""
    return cache(lambda role, model: browsers[role].get(at.list_address(model)))


def rows_on(page: Any) -> list[Any]:
    """The rows a list shows."""
    rows: list[Any] = page.context["cl"].result_list
    return rows


@pytest.fixture(scope="module")
def strangers(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Strangers:
    """An administrator of another house, and an auditor of none."""
    with django_db_blocker.unblock():
        house = floor.make_house()
        person = house.staff[Role.AUDITOR]
        person.casino = None
        person.save()
        return Strangers(at.logged_in(house, Role.ADMINISTRATOR), at.logged_in(house, Role.AUDITOR))


def acts_above(model: type[Model]) -> set[str]:
    """The acts that have their place above the list of a model."""
    return {name for name in ACTS if name.startswith(f"admin:{model._meta.label_lower.replace('.', '_')}_")}


def test_every_act_has_its_place_above_a_list() -> None:
    assert set().union(*map(acts_above, MODELS)) == set(ACTS)


@each_model
def test_those_who_watch_the_floor_see_every_list_and_page_and_outsiders_none(
    browsers: Browsers, listed: Listed, model: type[Model]
) -> None:
    for role in sorted(ADMIN_ROLES):
        page = listed(role, model)
        assert page.status_code == 200
        rows = rows_on(page)
        assert rows or model._meta.app_label == "audit", "the furnished casino has a row of everything"
        for row in rows[:1]:
            assert browsers[role].get(at.page_address(row)).status_code == 200
        acts = acts_above(model)
        offered = {name for name in acts if reverse(name) in page.text}
        assert offered == {name for name in acts if role in ACTS[name]}
    addresses = [at.list_address(model), *map(at.page_address, rows_on(listed(Role.PIT_BOSS, model))[:1])]
    for outsider in (*OUTSIDERS, None):
        assert all(_sent_to_login(browsers[outsider], address) for address in addresses), outsider


@pytest.mark.parametrize("role", [None, *OUTSIDERS])
def test_the_floor_and_the_acts_are_closed_to_outsiders(browsers: Browsers, role: Role | None) -> None:
    for name in ("admin:index", *ACTS):
        assert _sent_to_login(browsers[role], reverse(name))


def _sent_to_login(client: Client, address: str) -> bool:
    answer = client.get(address)
    return answer.status_code == 302 and answer.headers["Location"].startswith(LOGIN)


@each_model
def test_the_stock_pages_change_nothing(browsers: Browsers, listed: Listed, model: type[Model]) -> None:
    client = browsers[Role.ADMINISTRATOR]
    before = _all_of(model)
    add = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
    assert client.get(add).status_code == 403
    assert client.post(add, {"name": "x"}).status_code == 403
    for row in rows_on(listed(Role.ADMINISTRATOR, model))[:1]:
        sent: dict[str, Any] = {"post": "yes", "badge": "X", "status": "x", "payload": "{}"}
        assert client.post(at.page_address(row), sent).status_code == 403
        assert client.post(at.page_address(row, "delete"), sent).status_code == 403
        assert client.get(at.page_address(row, "delete")).status_code == 403
    client.post(at.list_address(model), {"action": "delete_selected", "_selected_action": "1"})
    assert _all_of(model) == before


def _all_of(model: type[Model]) -> list[Any]:
    return list(model._default_manager.order_by("pk").values_list())


@pytest.mark.parametrize(
    ("model", "column"),
    [
        (Staff, "pin"),
        (Staff, "password"),
        (Terminal, "secret_hash"),
        (Terminal, "code_hash"),
        (Shoe, "sealed"),
    ],
)
def test_no_list_answers_questions_about_secrets(browsers: Browsers, model: type[Model], column: str) -> None:
    """Filtering by how a hash begins would spell it out, letter by letter, for guessing at leisure."""
    client = browsers[Role.AUDITOR]
    for lookup in ("", "__startswith", "__regex", "__gt", "__isnull"):
        answer = client.get(at.list_address(model), {f"{column}{lookup}": "a"})
        assert answer.status_code == 400, lookup


@pytest.mark.parametrize(
    ("model", "lookup", "value"),
    [
        (Staff, "badge__exact", "\0"),
        (Staff, "badge__range", "a"),
        (Staff, "badge__regex", "["),
        (Entry, "payload_digest__exact", "a"),
        (Terminal, "networks", "["),
        (SignIn, "last_input_at__year", "-1"),
        (SignIn, "last_input_at__year", "9" * 20),
    ],
)
def test_a_filter_no_page_offers_is_no_fault_of_ours(
    browsers: Browsers, model: type[Model], lookup: str, value: str
) -> None:
    client = browsers[Role.AUDITOR]
    answer = client.get(at.list_address(model), {lookup: value})
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith("?e=1")
    assert client.get(answer.headers["Location"]).status_code == 200


@each_model
def test_another_house_or_none_sees_nothing_of_this_one_and_there_is_no_history_but_the_journal(
    browsers: Browsers, listed: Listed, strangers: Strangers, model: type[Model]
) -> None:
    here = rows_on(listed(Role.AUDITOR, model))
    there = at.rows_of(strangers.administrator, model)
    assert not {row.pk for row in here} & {row.pk for row in there}
    assert at.rows_of(strangers.of_no_house, model) == []
    for row in here[:1]:
        answer = strangers.administrator.get(at.page_address(row))
        assert answer.status_code == 302
        *_, said = (str(message) for message in get_messages(answer.wsgi_request))
        assert said.endswith("Perhaps it was deleted?")
        assert browsers[Role.AUDITOR].get(at.page_address(row, "history")).status_code == 404


def test_a_person_of_no_house_has_a_first_page(strangers: Strangers) -> None:
    assert strangers.of_no_house.get(reverse("admin:index")).status_code == 200


@pytest.mark.parametrize("role", sorted(ADMIN_ROLES))
@pytest.mark.parametrize("name", ACTS)
def test_acts_are_open_to_the_roles_of_their_operation(browsers: Browsers, role: Role, name: str) -> None:
    client = browsers[role]
    wanted = 200 if role in ACTS[name] else 403
    assert client.get(reverse(name)).status_code == wanted
    assert client.post(reverse(name), {}).status_code == wanted


def test_passwords_and_groups_have_no_pages(browsers: Browsers) -> None:
    client = browsers[Role.ADMINISTRATOR]
    for address in ("/admin/password_change/", "/admin/auth/group/", "/admin/auth/"):
        assert client.get(address).status_code == 404
