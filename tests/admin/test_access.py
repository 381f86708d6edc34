"""Who gets in, and that nobody changes anything by the stock pages."""

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from ledger.models import Entry
from tables.models import Role, Shoe, SignIn, Staff, Terminal
from tables.models.staff import ADMIN_ROLES
from tests import floor
from tests.admin import house as at

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
    "admin:tables_player_enter": {Role.ADMINISTRATOR, Role.SUPERVISOR, Role.PIT_BOSS},
    "admin:tables_approval_give": ADMIN_ROLES - {Role.ADMINISTRATOR},
    "admin:audit_exportjob_ask": {Role.AUDITOR, Role.SURVEILLANCE},
    "admin:audit_exportschedule_make": {Role.AUDITOR},
    "admin:audit_savedfilter_keep": {Role.AUDITOR, Role.SURVEILLANCE, Role.PIT_BOSS},
}

pytestmark = pytest.mark.django_db
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)


@pytest.mark.parametrize("role", sorted(ADMIN_ROLES))
@each_model
def test_those_who_watch_the_floor_see_every_list_and_page(
    shown: at.Shown, role: Role, model: type[Model]
) -> None:
    client = at.logged_in(shown.house, role)
    rows = at.rows_of(client, model)
    assert rows or model._meta.app_label == "audit", "the furnished casino has a row of everything of its own"
    for row in rows[:2]:
        assert client.get(at.page_address(row)).status_code == 200


@pytest.mark.parametrize("role", OUTSIDERS)
@each_model
def test_dealers_and_cashiers_are_sent_away(shown: at.Shown, role: Role, model: type[Model]) -> None:
    client = at.logged_in(shown.house, role)
    seen_by_boss = at.rows_of(at.logged_in(shown.house, Role.PIT_BOSS), model)
    for address in (at.list_address(model), *(at.page_address(row) for row in seen_by_boss[:1])):
        assert _sent_to_login(client, address)


@each_model
def test_nobody_without_a_login_sees_anything(shown: at.Shown, model: type[Model]) -> None:
    assert _sent_to_login(Client(), at.list_address(model))


@pytest.mark.parametrize("role", [None, *OUTSIDERS])
def test_the_floor_and_the_acts_are_closed_to_outsiders(shown: at.Shown, role: Role | None) -> None:
    client = at.logged_in(shown.house, role) if role else Client()
    for name in ("admin:index", *ACTS):
        assert _sent_to_login(client, reverse(name))


def _sent_to_login(client: Client, address: str) -> bool:
    answer = client.get(address)
    return answer.status_code == 302 and answer.headers["Location"].startswith(LOGIN)


@each_model
def test_the_stock_pages_change_nothing(shown: at.Shown, model: type[Model]) -> None:
    client = at.logged_in(shown.house, Role.ADMINISTRATOR)
    before = _all_of(model)
    add = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
    assert client.get(add).status_code == 403
    assert client.post(add, {"name": "x"}).status_code == 403
    for row in at.rows_of(client, model)[:1]:
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
def test_no_list_answers_questions_about_secrets(shown: at.Shown, model: type[Model], column: str) -> None:
    """Filtering by how a hash begins would spell it out, letter by letter, for guessing at leisure."""
    client = at.logged_in(shown.house, Role.AUDITOR)
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
    shown: at.Shown, model: type[Model], lookup: str, value: str
) -> None:
    client = at.logged_in(shown.house, Role.AUDITOR)
    answer = client.get(at.list_address(model), {lookup: value})
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith("?e=1")
    assert client.get(answer.headers["Location"]).status_code == 200


@each_model
def test_there_is_no_history_but_the_journal(shown: at.Shown, model: type[Model]) -> None:
    client = at.logged_in(shown.house, Role.AUDITOR)
    for row in at.rows_of(client, model)[:1]:
        assert client.get(at.page_address(row, "history")).status_code == 404


@each_model
def test_another_house_sees_nothing_of_this_one(shown: at.Shown, model: type[Model]) -> None:
    here = at.rows_of(at.logged_in(shown.house, Role.PIT_BOSS), model)
    elsewhere = floor.make_house()
    client = at.logged_in(elsewhere, Role.ADMINISTRATOR)
    there = at.rows_of(client, model)
    assert not {row.pk for row in here} & {row.pk for row in there}
    for row in here[:1]:
        answer = client.get(at.page_address(row))
        assert answer.status_code == 302
        assert next(str(m) for m in get_messages(answer.wsgi_request)).endswith("Perhaps it was deleted?")


@each_model
def test_a_person_of_no_house_sees_nothing(shown: at.Shown, model: type[Model]) -> None:
    house = floor.make_house()
    person = house.staff[Role.AUDITOR]
    person.casino = None
    person.save()
    client = at.logged_in(house, Role.AUDITOR)
    assert at.rows_of(client, model) == []
    assert client.get(reverse("admin:index")).status_code == 200


@pytest.mark.parametrize("role", sorted(ADMIN_ROLES))
@pytest.mark.parametrize("name", ACTS)
def test_acts_are_open_to_the_roles_of_their_operation(shown: at.Shown, role: Role, name: str) -> None:
    client = at.logged_in(shown.house, role)
    wanted = 200 if role in ACTS[name] else 403
    assert client.get(reverse(name)).status_code == wanted
    assert client.post(reverse(name), {}).status_code == wanted
    listed = client.get(
        reverse("admin:" + "_".join(name.removeprefix("admin:").split("_")[:2]) + "_changelist")
    )
    assert (reverse(name) in listed.text) == (role in ACTS[name])


def test_passwords_and_groups_have_no_pages(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.ADMINISTRATOR)
    for address in ("/admin/password_change/", "/admin/auth/group/", "/admin/auth/"):
        assert client.get(address).status_code == 404
