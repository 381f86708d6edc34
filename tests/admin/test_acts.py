"""The acts: a form, a POST, one service, one entry in the office's journal; refused whole or done once."""

import json
import re
import uuid
from typing import Any, cast

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from ledger.models import Entry
from tables.models import Player, Refusal, Role, Staff, Terminal
from tables.services import terminals
from tests import floor
from tests.admin import house as at
from tests.admin.test_setup import empty_house

EMPLOY, ENTER, REGISTER = (
    reverse(f"admin:tables_{name}") for name in ("staff_employ", "player_enter", "terminal_register")
)
ADD_PIT, RELEASE, PUT_UP = (
    reverse(f"admin:tables_{name}") for name in ("pit_create", "ruleset_release", "table_put_up")
)
CODE = re.compile(r'<output class="once-code"[^>]*>([0-9a-f]{16})</output>')

pytestmark = pytest.mark.django_db


@pytest.fixture
def office(house: floor.House) -> Client:
    """The administrator's browser."""
    return at.logged_in(house, Role.ADMINISTRATOR)


def entries(house: floor.House, kind: str) -> list[dict[str, Any]]:
    """What the office's journal says under a kind."""
    found = Entry.objects.filter(stream__name=house.casino.stream, kind=kind).order_by("seq")
    return [json.loads(entry.payload) for entry in found]


def send(client: Client, address: str, **fields: str) -> HttpResponse:
    """Send a form with a command id of its own unless one is given."""
    return cast(HttpResponse, client.post(address, {"command_id": str(uuid.uuid4())} | fields))


def person(**changes: str) -> dict[str, str]:
    """The form of a new administrator, whom one alone employs."""
    password = "a long enough sentence"
    kept = {"new_badge": f"N-{uuid.uuid4().hex[:6]}", "display_name": "Somebody 2", "role": "administrator"}
    return kept | {"new_pin": "2468", "password": password, "password_again": password} | changes


def test_somebody_is_employed(house: floor.House, office: Client) -> None:
    form = person()
    answer = send(office, EMPLOY, **form)
    assert (answer.status_code, answer.headers["Location"]) == (302, at.list_address(Staff))
    hired = Staff.objects.get(badge=form["new_badge"])
    assert (hired.casino, hired.role) == (house.casino, Role.ADMINISTRATOR)
    assert hired.check_password(form["password"])
    said = entries(house, "staff.create")[-1]
    assert said == {"staff": str(hired.id), "badge": form["new_badge"], "role": "administrator"}
    assert Entry.objects.get(stream__name=house.casino.stream, seq=_last(house)).actor == (
        house.staff[Role.ADMINISTRATOR].id
    )


def test_somebody_who_may_sign_is_employed_by_two(house: floor.House, office: Client) -> None:
    """STAFF-TWO: and a house that has nobody yet who may sign is not asked for one."""
    assert "Second signature" in office.get(EMPLOY).text
    second = house.badge(Role.SURVEILLANCE)
    form = person(role="pit_boss", badge=second.number, pin=second.pin)
    assert send(office, EMPLOY, **form).status_code == 302
    said = entries(house, "staff.create")[-1]
    assert said["second"] == str(house.staff[Role.SURVEILLANCE].id)
    assert said["badge"] == form["new_badge"]
    _, client = empty_house()
    assert "Second signature" not in client.get(EMPLOY).text
    assert send(client, EMPLOY, **person(role="supervisor")).status_code == 302
    assert "Second signature" in client.get(EMPLOY).text


def _last(house: floor.House) -> int:
    return Entry.objects.filter(stream__name=house.casino.stream).order_by("-seq")[0].seq


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"new_badge": ""}, "This field is required."),
        ({"new_badge": "<b>"}, "Enter a valid"),
        ({"role": "owner"}, "Select a valid choice."),
        ({"new_pin": "12"}, "A PIN has 4 to 12 digits."),
        ({"new_pin": "12a4"}, "A PIN has 4 to 12 digits."),
        ({"password": "short", "password_again": "short"}, "at least 12 characters"),
        ({"password_again": "another long sentence"}, "The two passwords differ."),
        ({"password": "1q2w3e4r5t6y", "password_again": "1q2w3e4r5t6y"}, "too common"),
        ({"command_id": "x"}, "Nothing was done."),
        ({"role": "cage"}, "Two employ a cage cashier, who may sign as the second"),
        ({"role": "cage", "badge": "P001"}, "gives badge and PIN, or an approval"),
    ],
)
def test_a_bad_form_employs_nobody(
    house: floor.House, office: Client, changes: dict[str, str], complaint: str
) -> None:
    before = (Staff.objects.count(), _last(house))
    answer = send(office, EMPLOY, **person(**changes))
    assert answer.status_code == 200
    assert complaint in answer.text
    assert "a long enough sentence" not in answer.text
    assert (Staff.objects.count(), _last(house)) == before


def test_a_badge_is_one_persons(house: floor.House, office: Client) -> None:
    before = (Staff.objects.count(), _last(house))
    taken = house.staff[Role.DEALER].badge
    answer = send(office, EMPLOY, **person(new_badge=taken))
    assert f"Badge {taken} is somebody&#x27;s already." in answer.text
    assert (Staff.objects.count(), _last(house)) == before
    assert Refusal.objects.filter(code="badge_taken", operation="office.staff").exists()


def test_a_form_sent_twice_acts_once(house: floor.House, office: Client) -> None:
    form = person(command_id=str(uuid.uuid4()))
    for _ in range(2):
        assert send(office, EMPLOY, **form).status_code == 302
    assert Staff.objects.filter(badge=form["new_badge"]).count() == 1
    assert [said["badge"] for said in entries(house, "staff.create")].count(form["new_badge"]) == 1


def test_a_player_is_entered_by_the_pit_boss(house: floor.House) -> None:
    client = at.logged_in(house, Role.PIT_BOSS)
    assert send(client, ENTER, reference="P-9", description="tall, red scarf").status_code == 302
    player = Player.objects.get(casino=house.casino, reference="P-9")
    assert entries(house, "player.create") == [{"player": str(player.id)}]
    assert "The player was entered." in client.get(at.list_address(Player)).text


def test_a_player_is_known_by_something_and_once(house: floor.House, office: Client) -> None:
    send(office, ENTER, reference="P-9")
    before = _last(house)
    assert "Give a reference or a description." in send(office, ENTER).text
    assert "There is a player of this reference already." in send(office, ENTER, reference="P-9").text
    assert _last(house) == before
    assert Player.objects.filter(casino=house.casino).count() == 1


def test_a_terminals_code_is_shown_once(house: floor.House, office: Client) -> None:
    table = floor.make_table(house)
    form = {"name": "rd-1 left", "table": str(table.id), "networks": "10.1.0.0/16 192.0.2.7"}
    form["command_id"] = str(uuid.uuid4())
    answer = send(office, REGISTER, **form)
    assert answer.headers["Cache-Control"].count("no-store") == 1
    found = CODE.search(answer.text)
    assert found is not None
    again = send(office, REGISTER, **form)
    assert CODE.search(again.text) is None
    assert found[1] not in again.text
    assert "Its code was shown then and is not kept" in again.text
    terminal = Terminal.objects.get(casino=house.casino)
    assert terminal.networks == ["10.1.0.0/16", "192.0.2.7/32"]
    assert found[1] not in json.dumps(entries(house, "terminal.register"))
    assert terminals.terminal_enrol(code=found[1]).terminal == terminal
    for address in (at.list_address(Terminal), at.page_address(terminal)):
        assert found[1] not in office.get(address).text


def test_a_terminal_for_the_cage_and_one_for_nowhere(house: floor.House, office: Client) -> None:
    assert CODE.search(send(office, REGISTER, name="cage 1").text)
    assert Terminal.objects.get(casino=house.casino).kind == "cage"
    before = _last(house)
    foreign = floor.make_table(floor.make_house())
    assert "Select a valid choice." in send(office, REGISTER, name="x", table=str(foreign.id)).text
    assert "Not a network: 10.1" in send(office, REGISTER, name="x", networks="10.1").text
    assert Terminal.objects.filter(casino=house.casino).count() == 1
    assert _last(house) == before


def test_a_terminal_is_revoked_with_a_reason(house: floor.House, office: Client) -> None:
    terminal, credential = floor.enrol(house, None)
    page = at.page_address(terminal)
    revoke = reverse("admin:tables_terminal_revoke", args=[terminal.id])
    assert revoke in office.get(page).text
    assert "This field is required." in send(office, revoke, reason="").text
    assert terminals.authenticate(credential=credential, address="127.0.0.1") == terminal
    assert send(office, revoke, reason="lost").status_code == 302
    terminal.refresh_from_db()
    assert terminal.revoked_at is not None
    assert entries(house, "terminal.revoke") == [{"terminal": str(terminal.id), "reason": "lost"}]
    assert revoke not in office.get(page).text
    assert "This terminal was revoked before." in send(office, revoke, reason="again").text
    assert len(entries(house, "terminal.revoke")) == 1


@pytest.mark.parametrize("role", [Role.SUPERVISOR, Role.PIT_BOSS, Role.SURVEILLANCE, Role.AUDITOR])
def test_only_administrators_revoke(house: floor.House, role: Role) -> None:
    terminal, _ = floor.enrol(house, None)
    client = at.logged_in(house, role)
    revoke = reverse("admin:tables_terminal_revoke", args=[terminal.id])
    assert client.get(revoke).status_code == 403
    assert send(client, revoke, reason="x").status_code == 403
    assert revoke not in client.get(at.page_address(terminal)).text
    terminal.refresh_from_db()
    assert terminal.revoked_at is None
    assert entries(house, "terminal.revoke") == []


def test_an_administrator_revokes_nothing_of_another_house(house: floor.House, office: Client) -> None:
    elsewhere = floor.make_house()
    terminal, _ = floor.enrol(elsewhere, None)
    revoke = reverse("admin:tables_terminal_revoke", args=[terminal.id])
    assert office.get(revoke).status_code == 404
    assert send(office, revoke, reason="x").status_code == 404
    terminal.refresh_from_db()
    assert terminal.revoked_at is None
    assert entries(elsewhere, "terminal.revoke") == []


def test_acts_need_the_pages_own_token(house: floor.House) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(house.staff[Role.ADMINISTRATOR], backend=at.BACKEND)
    before = _last(house)
    assert send(client, EMPLOY, **person()).status_code == 403
    assert _last(house) == before


@pytest.mark.parametrize("address", [EMPLOY, ENTER, REGISTER, ADD_PIT, RELEASE, PUT_UP])
def test_every_field_has_its_label(office: Client, address: str) -> None:
    page = office.get(address).text
    fields = re.findall(r'<(?:input|select)[^>]* id="(id_[a-z0-9_]+)"', page)
    assert fields
    for field in fields:
        assert f'for="{field}"' in page or field == "id_command_id"
