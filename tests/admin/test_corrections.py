"""Corrections from the admin site: what a form does to the journal, who may, and what is refused whole."""

import re
import uuid
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from ledger.models import Entry
from ledger.selectors import balances, movements
from tables.models import Approval, CardSource, Countersignature, Role, Round, Table, TableSession
from tables.models.staff import ADMIN_ROLES
from tables.selectors.floor import rules_changed
from tables.services import office, rounds, seats
from tables.services.permissions import PERMISSIONS, RUNNING
from tests import floor
from tests.admin import house as at

VERSION = re.compile(r'name="version" value="(\d+)"')

pytestmark = pytest.mark.django_db


@dataclass
class Place:
    """A table between rounds: a buy-in of 50.00 by seat 1, and a round won by both seats on 5S QH 9D."""

    house: floor.House
    table: Table
    buy_in: Entry
    played: Round

    @property
    def reversal(self) -> str:
        """Where the buy-in is reversed."""
        return reverse("admin:ledger_entry_reverse", args=[self.buy_in.id])

    @property
    def mispay(self) -> str:
        """Where a correction is posted."""
        return reverse("admin:tables_table_correct", args=[self.table.id])

    @property
    def physical(self) -> str:
        """Where the round's cards are set."""
        return reverse("admin:tables_round_set_cards", args=[self.played.id])

    def send(self, address: str, role: Role = Role.PIT_BOSS, /, **fields: Any) -> HttpResponse:
        """Send the form as it comes, filled in and countersigned by the other of the two who may."""
        second = self.house.staff[Role.PIT_BOSS if role == Role.SUPERVISOR else Role.SUPERVISOR]
        form = {"command_id": str(uuid.uuid4()), "version": str(self.version), "reason": "other", "note": ""}
        form |= {"badge": second.badge, "pin": floor.PIN}
        return cast(HttpResponse, at.logged_in(self.house, role).post(address, form | fields))

    @property
    def version(self) -> int:
        """The table's action counter now."""
        return Table.objects.get(id=self.table.id).version

    def last(self) -> Entry:
        """The table's last entry."""
        return Entry.objects.filter(stream__name=self.table.stream).latest("seq")

    def page(self, row: Any, role: Role = Role.PIT_BOSS) -> str:
        """A row's page."""
        return at.logged_in(self.house, role).get(at.page_address(row)).text


@pytest.fixture(scope="module")
def _standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Place:
    with django_db_blocker.unblock():
        house = floor.stocked_house()
        table, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
        seats.seat_buy_in(table_id=table.id, seat=1, cash=5_000, command=house.command(Role.DEALER))
        entered = Entry.objects.filter(stream__name=table.stream).latest("seq")
        floor.play_round(house, table, {1: 1000, 2: 2500}, ("5S", "QH", "9D"))
        return Place(house, table, entered, Round.objects.get(table=table))


@pytest.fixture
def place(_standing: Place, db: None) -> Place:
    """The one place of this module; what a test does to it is rolled back."""
    return deepcopy(_standing)


def test_a_buy_in_is_reversed_from_its_page(place: Place) -> None:
    assert place.reversal in place.page(place.buy_in, Role.SUPERVISOR)
    before = balances(place.table.stream)
    form = {"command_id": str(uuid.uuid4()), "version": str(place.version), "reason": "entered_twice"}
    form |= {"note": "typed twice <b>"}
    for _ in range(2):  # sent twice, it acts once
        answer = place.send(place.reversal, Role.SUPERVISOR, **form)
        made = place.last()
        assert (answer.status_code, answer.headers["Location"]) == (302, at.page_address(made))
    assert (made.kind, made.reverses, made.terminal) == ("entry.reverse", place.buy_in.id, None)
    assert made.actor == place.house.staff[Role.SUPERVISOR].id
    assert made.seq == place.played.last_seq + 1
    after = balances(place.table.stream)
    changed = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert changed == {"seat:1": -5_000, "tray": 5_000, "cash:drop_box": -5_000, "cash:patrons": 5_000}
    signed = Countersignature.objects.get(stream=place.table.stream, seq=made.seq)
    assert (signed.first, signed.second) == (
        place.house.staff[Role.SUPERVISOR],
        place.house.staff[Role.PIT_BOSS],
    )
    said = (f"entry {place.buy_in.seq} (seat.buy_in) was taken back", "Entered twice: typed twice &lt;b&gt;")
    for row in (place.buy_in, made, TableSession.objects.get(table=place.table)):
        page = place.page(row)
        assert all(text in page for text in said), row
        assert str(place.house.staff[Role.PIT_BOSS]) in page
    assert place.reversal not in place.page(place.buy_in)


def test_a_mispay_is_posted_from_the_tables_page(place: Place) -> None:
    assert place.mispay in place.page(place.table)
    fields = {"direction": "to_seat", "amount": "25.00", "seat": "2", "reason": "mispaid"}
    assert place.send(place.mispay, **fields).headers["Location"] == at.page_address(place.last())
    (moved,) = movements(place.last())
    assert (moved.source.name, moved.target.name, moved.amount) == ("tray", "seat:2", 2_500)
    place.send(place.mispay, direction="to_tray", amount="5", seat="", reason="dispute")
    page = place.page(TableSession.objects.get(table=place.table))
    assert "25.00 USD from the tray to seat 2" in page
    assert "5.00 USD from dispute into the tray" in page


def test_a_round_is_settled_again_on_its_physical_cards(place: Place) -> None:
    assert place.physical in place.page(place.played)
    place.send(place.physical, cards="5S QH KD", reason="card_misread")
    first = place.last()
    place.send(place.physical, cards="5S QH 9H", reason="other", note="looked again")
    played, second = Round.objects.get(id=place.played.id), place.last()
    assert (played.corrected_seq, second.seq) == (second.seq, first.seq + 1)
    assert played.state["cards"] == ["5S", "QH", "9D"]
    page = place.page(played)
    for text in ("5♠ Q♥ K♦ lay, recorded were 5♠ Q♥ 9♦", "Card misread", "Other: looked again"):
        assert text in page
    assert page.index(f">{first.seq}</a>") < page.index(f">{second.seq}</a>")
    dealt = Entry.objects.get(stream__name=place.table.stream, seq=place.played.last_seq)
    assert "5♠ Q♥ K♦ lay" in place.page(dealt)


def test_an_approval_given_elsewhere_signs(place: Place) -> None:
    boss, now = place.house.staff[Role.PIT_BOSS], timezone.now()
    given = Approval.objects.create(
        casino=place.house.casino,
        act="entry.reverse",
        subject=place.buy_in.id,
        version=place.version,
        given_by=boss,
        given_at=now,
        expires_at=now + timedelta(minutes=5),
    )
    signed = {"badge": "", "pin": "", "approval": str(given.id)}
    assert place.send(place.reversal, Role.SUPERVISOR, **signed).status_code == 302
    assert Countersignature.objects.get(stream=place.table.stream, seq=place.last().seq).second == boss


@pytest.mark.parametrize(
    ("page", "fields", "complaint"),
    [
        ("reversal", {"pin": "000000"}, "Badge and PIN do not belong together."),
        ("reversal", {"pin": ""}, "gives badge and PIN, or an approval."),
        (
            "reversal",
            {"approval": str(uuid.uuid4())},
            "The second person gives badge and PIN, or an approval.",
        ),
        ("reversal", {"approval": "x"}, "Enter a valid UUID."),
        ("reversal", {"badge": "", "pin": "", "approval": str(uuid.uuid4())}, "This approval is not good"),
        ("reversal", {"reason": ""}, "This field is required."),
        ("reversal", {"reason": "because"}, "Select a valid choice."),
        ("reversal", {"version": "x"}, "Nothing was done."),
        ("mispay", {"direction": "to_seat", "amount": "0", "seat": "1"}, "Enter an amount above zero"),
        ("mispay", {"direction": "to_seat", "amount": "1", "seat": "77"}, "The table has no seat 77."),
        ("mispay", {"direction": "up", "amount": "1", "seat": "1"}, "Select a valid choice."),
        ("physical", {"cards": "5S"}, "Enter two or three cards"),
        ("physical", {"cards": "5S QH 9D"}, "These are the cards on record."),
        ("physical", {"cards": "5S 5S 1D"}, "Enter two or three cards"),
        ("physical", {"cards": "5S QH"}, "Nothing was done."),
    ],
)
def test_what_is_refused_changes_nothing(
    place: Place, page: str, fields: dict[str, str], complaint: str
) -> None:
    before = floor.snapshot(place.house)
    answer = place.send(getattr(place, page), **fields)
    assert answer.status_code == 200
    assert complaint in answer.text
    assert floor.PIN not in answer.text
    assert floor.snapshot(place.house) == before


@pytest.mark.parametrize("second", [Role.PIT_BOSS, Role.DEALER, Role.CAGE])
def test_the_second_is_another_person_who_may(place: Place, second: Role) -> None:
    before = floor.snapshot(place.house)
    answer = place.send(place.reversal, badge=place.house.staff[second].badge)
    assert answer.status_code == 200
    assert "Nothing was done." in answer.text
    assert floor.snapshot(place.house) == before


def test_a_page_that_has_grown_stale_is_looked_at_again(place: Place) -> None:
    """Whoever sits at a seat may have changed since the page was opened: what moved is not guessed."""
    fields = {"direction": "to_seat", "amount": "1", "seat": "1", "version": str(place.version)}
    seats.seat_buy_in(table_id=place.table.id, seat=2, cash=100, command=place.house.command(Role.DEALER))
    before = floor.snapshot(place.house)
    answer = place.send(place.mispay, **fields)
    assert "Something happened here since" in answer.text
    assert floor.snapshot(place.house) == before
    found = VERSION.search(answer.text)
    assert found is not None
    assert place.send(place.mispay, **fields | {"version": found[1]}).status_code == 302


def test_what_cannot_be_corrected_is_not_offered_and_refused(place: Place) -> None:
    house = place.house
    seated = Entry.objects.filter(stream__name=place.table.stream, kind="seat.take")[0]
    vault = Entry.objects.filter(stream__name=house.casino.cage_stream).latest("seq")
    drawn, _ = floor.ready_table(house, "rd-drawn")
    floor.play_round(house, drawn, {1: 1000})
    settled = Round.objects.get(table=drawn)
    rounds.round_start(table_id=drawn.id, bets={1: 1000}, command=house.command(Role.DEALER))
    drawn.refresh_from_db()
    for row, name in (
        (seated, "ledger_entry_reverse"),
        (settled, "tables_round_set_cards"),
        (drawn, "tables_table_correct"),
    ):
        address = reverse(f"admin:{name}", args=[row.pk])
        assert address not in place.page(row)
        before = floor.snapshot(house)
        fields = {"cards": "5S QH 9D", "direction": "to_seat", "amount": "1", "seat": "1"}
        version = place.version if row is seated else drawn.version
        assert "Nothing was done." in place.send(address, **fields, version=str(version)).text
        assert floor.snapshot(house) == before
    assert place.send(reverse("admin:ledger_entry_reverse", args=[vault.pk])).status_code == 404


@pytest.mark.parametrize("role", Role)
def test_the_same_people_correct_here_as_at_a_terminal(place: Place, role: Role) -> None:
    """Supervisors and pit bosses; nobody else is shown a form, and nothing else is open to them here."""
    client, may = at.logged_in(place.house, role), role in (Role.SUPERVISOR, Role.PIT_BOSS)
    before = floor.snapshot(place.house)
    wanted = 200 if may else 403 if role in ADMIN_ROLES else 302
    rows = ((place.reversal, place.buy_in), (place.mispay, place.table), (place.physical, place.played))
    for address, row in rows:
        assert client.get(address).status_code == wanted
        assert client.post(address, {}).status_code == wanted
        if role in ADMIN_ROLES:
            assert (address in client.get(at.page_address(row)).text) == may
    assert floor.snapshot(place.house) == before
    corrections = {"entry.reverse", "correction.post", "round.correct", "round.cancel", "table.rules"}
    at_desk_too = {name for name, open_to in PERMISSIONS.items() if open_to.terminals and open_to.desk}
    assert corrections <= at_desk_too
    assert all(PERMISSIONS[name].desk == PERMISSIONS[name].roles == RUNNING for name in corrections)


def test_a_settled_round_is_voided_and_a_table_s_rules_change(place: Place) -> None:
    """The pages of a table's life, by the same form as every correction."""
    void = reverse("admin:tables_round_void", args=[place.played.pk])
    assert void in place.page(place.played)
    place.send(void, reason="misdeal", note="two cards stuck")
    place.played.refresh_from_db()
    assert place.played.status == "cancelled"
    assert "voided after it was over" in place.page(place.played)
    assert void not in place.page(place.played)
    body = floor.RULES | {"min_bet": 100}
    made = office.rule_set_create(
        casino_id=place.house.casino.id, name="evening", body=body, command=place.house.office()
    )
    change = reverse("admin:tables_table_rules", args=[place.table.pk])
    before = place.page(place.table)
    assert change in before
    assert "evening v1" not in before
    place.send(change, rules=made.body["rules"], reason="higher stakes", version=str(place.version))
    assert str(Table.objects.get(pk=place.table.pk).rules_id) == made.body["rules"]
    shown = place.page(place.table)
    (signed,) = rules_changed(Table.objects.get(pk=place.table.pk))
    said = (signed.before, "evening v1", str(signed.first), str(signed.second), "higher stakes")
    assert signed.after == "evening v1"
    assert all(each in shown for each in said)


def test_nobody_corrects_another_house(place: Place) -> None:
    stranger = at.logged_in(floor.make_house(), Role.PIT_BOSS)
    before = floor.snapshot(place.house)
    for address in (place.reversal, place.mispay, place.physical):
        assert stranger.get(address).status_code == 404
        assert stranger.post(address, {"command_id": str(uuid.uuid4())}).status_code == 404
    assert floor.snapshot(place.house) == before


def test_corrections_need_the_pages_own_token_and_labels(place: Place) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(place.house.staff[Role.PIT_BOSS], backend=at.BACKEND)
    for address in (place.reversal, place.mispay, place.physical):
        assert client.post(address, {}).status_code == 403
        page = client.get(address).text
        fields = re.findall(r'<(?:input|select)[^>]* id="(id_[a-z0-9_]+)"', page)
        assert all(f'for="{name}"' in page or name in ("id_command_id", "id_version") for name in fields)
