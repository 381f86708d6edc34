"""A house set up from nothing by three acts; refused whole with the reason, done once when sent twice."""

import re
import uuid
from typing import Any, cast

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from ledger.models import Account, Entry, Stream
from ledger.selectors import balances
from tables.models import CardSource, Casino, Pit, Refusal, Role, RuleSet, Seat, Staff, Table
from tables.models.staff import ADMIN_ROLES
from tables.services import office
from tables.services.command import Command
from tables.services.staff import staff_create
from tests import floor
from tests.admin import house as at

ADD_PIT, RELEASE, PUT_UP = (
    reverse(f"admin:tables_{name}") for name in ("pit_create", "ruleset_release", "table_put_up")
)
INPUT = re.compile(r'<input type="(?:text|number)" name="([a-z0-9_]+)"(?: value="([^"]*)")?')

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(house: floor.House) -> Client:
    """The administrator's browser."""
    return at.logged_in(house, Role.ADMINISTRATOR)


def send(client: Client, address: str, **fields: str) -> HttpResponse:
    """Send a form with a command id of its own unless one is given."""
    return cast(HttpResponse, client.post(address, {"command_id": str(uuid.uuid4())} | fields))


def offered(client: Client) -> dict[str, str]:
    """The rule set's form as it comes, with a name."""
    page = client.get(RELEASE).text
    return dict(INPUT.findall(page)) | {"raise_kind": "up_to", "name": "house"}


def all_there_is() -> tuple[int, ...]:
    """How much there is of whatever these acts make."""
    return tuple(
        model._default_manager.count() for model in (Pit, RuleSet, Table, Seat, Entry, Stream, Account)
    )


def empty_house(currency: str = "USD") -> tuple[Casino, Client]:
    """A casino with an administrator and nothing else, as `make up` leaves it with DEMO=0."""
    tag = uuid.uuid4().hex[:8]
    casino = office.casino_create(
        code=f"empty-{tag}",
        name="Empty casino",
        currency=currency,
        time_zone="UTC",
        rollover_hour=6,
        denominations=[500, 100],
        command=Command(uuid.uuid4(), office.system_actor()),
    )
    staff_create(
        casino_id=casino.id,
        badge=f"A-{tag}",
        display_name="Administrator 1",
        role=Role.ADMINISTRATOR,
        password="a long enough sentence",
        command=Command(uuid.uuid4(), office.system_actor()),
    )
    client = Client()
    client.force_login(Staff.objects.get(badge=f"A-{tag}"), backend=at.BACKEND)
    return casino, client


def test_a_house_is_built_from_nothing() -> None:
    casino, client = empty_house()
    index = client.get(reverse("admin:index")).text
    assert all(address in index for address in (ADD_PIT, RELEASE, PUT_UP))
    assert send(client, ADD_PIT, code="pit-1").status_code == 302
    assert send(client, RELEASE, **offered(client)).status_code == 302
    pit, rules = Pit.objects.get(casino=casino), RuleSet.objects.get(casino=casino)
    answer = send(client, PUT_UP, pit=str(pit.id), code="rd-1", rules=str(rules.id), card_source="drawn")
    assert (answer.status_code, answer.headers["Location"]) == (302, at.list_address(Table))
    assert "Table rd-1 stands in pit pit-1 now." in client.get(at.list_address(Table)).text
    table = Table.objects.get(casino=casino)
    assert (table.code, table.pit, table.rules, table.card_source) == ("rd-1", pit, rules, CardSource.DRAWN)
    assert [seat.number for seat in table.seats.order_by("number")] == list(range(1, 8))
    assert balances(table.stream)["tray"] == 0
    kinds = Entry.objects.filter(stream__name=casino.stream).order_by("seq").values_list("kind", flat=True)
    assert list(kinds)[-3:] == ["pit.create", "rule_set.create", "table.create"]
    assert "0 of 7" in client.get(reverse("admin:index")).text


def test_the_rules_are_what_the_form_said() -> None:
    casino, client = empty_house()
    assert send(client, RELEASE, **offered(client)).status_code == 302
    usual = floor.RULES | {"max_bet": 50_000}
    assert RuleSet.objects.get(casino=casino).body == usual
    changes = {"packs": "8", "seats": "5", "cut_card": "80", "bet_step": "5", "min_bet": "10.00"}
    changes |= {"max_bet": "1,000.00", "raise_kind": "exact_multiples", "max_multiple": "3"}
    changes |= {"round_cap": "20000", "pays_1": "6", "pays_trips": "12"}
    assert send(client, RELEASE, **offered(client) | changes).status_code == 302
    assert "Rule set house v2 was released." in client.get(at.list_address(RuleSet)).text
    body = RuleSet.objects.get(casino=casino, version=2).body
    assert {name: body[name] for name in ("packs", "seats", "cut_card")} == {
        "packs": 8,
        "seats": 5,
        "cut_card": 80,
    }
    amounts = [body[name] for name in ("bet_step", "min_bet", "max_bet", "round_cap")]
    assert amounts == [500, 1_000, 100_000, 2_000_000]
    assert body["raise_rule"] == {"kind": "exact_multiples", "max_multiple": 3}
    assert body["pay_table"] == usual["pay_table"] | {"1": 6, "trips": 12}


def test_amounts_are_those_of_the_houses_currency() -> None:
    casino, client = empty_house("JPY")
    assert "Lowest bet (JPY)" in client.get(RELEASE).text
    assert send(client, RELEASE, **offered(client) | {"max_bet": "20,000"}).status_code == 302
    body = RuleSet.objects.get(casino=casino).body
    assert [body[name] for name in ("bet_step", "min_bet", "max_bet")] == [100, 500, 20_000]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"min_bet": "5.50"}, "must be multiples of bet_step"),
        ({"packs": "1"}, "cut_card must be an integer from 0 to 49"),
        ({"raise_kind": "exact_double", "max_multiple": "2"}, "max_multiple must be an integer from 1 to 1"),
        ({"max_bet": "9999999999999"}, "a round could pay"),
    ],
)
def test_what_the_engine_refuses_is_told_with_its_reason(
    house: floor.House, client: Client, changes: dict[str, str], complaint: str
) -> None:
    form, before = offered(client), all_there_is()
    answer = send(client, RELEASE, **form | changes)
    assert answer.status_code == 200
    assert complaint in answer.text
    assert all_there_is() == before
    refusal = Refusal.objects.filter(staff_id=house.staff[Role.ADMINISTRATOR].id).get()
    assert (refusal.operation, refusal.code) == ("office.rule_set", "bad_rules")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": "<b>"}, "Enter a valid"),
        ({"min_bet": "5,00"}, "Enter an amount above zero, for example 1,234.56."),
        ({"min_bet": "0"}, "Enter an amount above zero"),
        ({"min_bet": ""}, "This field is required."),
        ({"round_cap": "-1"}, "Enter an amount above zero"),
        ({"max_bet": "4.00"}, "The highest bet is below the lowest."),
        ({"packs": "9"}, "less than or equal to 8"),
        ({"seats": "7.5"}, "Enter a whole number."),
        ({"pays_11": ""}, "This field is required."),
        ({"pays_trips": "0"}, "greater than or equal to 1"),
        ({"raise_kind": "twice"}, "Select a valid choice."),
    ],
)
def test_a_bad_form_releases_nothing(client: Client, changes: dict[str, str], complaint: str) -> None:
    form, before = offered(client), all_there_is()
    answer = send(client, RELEASE, **form | changes)
    assert answer.status_code == 200
    assert complaint in answer.text
    assert all_there_is() == before


def table_form(house: floor.House, client: Client) -> dict[str, str]:
    """The form of a table in the house's pit, by a rule set released for it."""
    send(client, RELEASE, **offered(client))
    rules = RuleSet.objects.get(casino=house.casino)
    return {"pit": str(house.pit_id), "code": "rd-1", "rules": str(rules.id), "card_source": "scanned"}


def test_codes_are_taken_once(house: floor.House, client: Client) -> None:
    form = table_form(house, client)
    send(client, PUT_UP, **form)
    before = all_there_is()
    assert "There is a table rd-1 already." in send(client, PUT_UP, **form).text
    assert "There is a pit pit-1 already." in send(client, ADD_PIT, code="pit-1").text
    assert all_there_is() == before


def test_a_bad_table_is_not_put_up(house: floor.House, client: Client) -> None:
    form, before = table_form(house, client), all_there_is()
    for changes in ({"code": ""}, {"code": "a b"}, {"card_source": "stacked"}, {"pit": "x"}, {"rules": ""}):
        answer = send(client, PUT_UP, **form | changes)
        assert answer.status_code == 200
        assert "Nothing was done." in answer.text
    assert all_there_is() == before


def test_a_table_takes_nothing_of_another_house(house: floor.House, client: Client) -> None:
    form = table_form(house, client)
    elsewhere = floor.make_house()
    foreign = floor.make_table(elsewhere)
    before = all_there_is()
    for changes in ({"pit": str(foreign.pit_id)}, {"rules": str(foreign.rules_id)}):
        assert "Select a valid choice." in send(client, PUT_UP, **form | changes).text
    assert all_there_is() == before
    page = client.get(PUT_UP).text
    assert str(house.pit_id) in page
    assert str(foreign.pit_id) not in page
    assert str(foreign.rules_id) not in page


def test_forms_sent_twice_act_once(house: floor.House, client: Client) -> None:
    forms: list[tuple[str, dict[str, Any]]] = [
        (PUT_UP, table_form(house, client)),
        (ADD_PIT, {"code": "pit-2"}),
        (RELEASE, offered(client) | {"name": "other"}),
    ]
    for address, form in forms:
        form["command_id"] = str(uuid.uuid4())
        assert send(client, address, **form).status_code == 302
        before = all_there_is()
        assert send(client, address, **form).status_code == 302
        assert all_there_is() == before


@pytest.mark.parametrize("role", sorted(ADMIN_ROLES - {Role.ADMINISTRATOR}))
def test_only_administrators_set_the_house_up(house: floor.House, client: Client, role: Role) -> None:
    forms = {PUT_UP: table_form(house, client), ADD_PIT: {"code": "pit-2"}, RELEASE: offered(client)}
    before = all_there_is()
    other = at.logged_in(house, role)
    for address, form in forms.items():
        assert send(other, address, **form).status_code == 403
    assert all_there_is() == before
    assert ADD_PIT not in other.get(reverse("admin:index")).text
