"""What a pit boss does at the desk: slips asked for, tokes, pieces, false chips, markers, a table frozen."""

import json
import re
import uuid
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from ledger.models import Entry
from ledger.selectors import balances, movements
from tables.admin.floor import TableAdmin
from tables.models import (
    CardSource,
    Countersignature,
    DropBox,
    Marker,
    Player,
    PromoPiece,
    PromoStock,
    Role,
    Slip,
    Table,
)
from tables.models.staff import ADMIN_ROLES
from tables.services import office, rounds, seats
from tables.services.permissions import PERMISSIONS, PIT_BOSS, RUNNING
from tests import floor
from tests.admin import house as at

OF_TABLE = {form.word: form for form in TableAdmin.at_table}
LABELLED = re.compile(r'<(?:input|select|textarea)[^>]* id="(id_[a-z0-9_]+)"')

pytestmark = pytest.mark.django_db


@dataclass
class Place:
    """An open table of a house with markers, a player of hers on seat 3, and pieces in the cage's stock."""

    house: floor.House
    table: Table
    player: Player

    def address(self, word: str, row: Any = None) -> str:
        """Where an act on a row is done; on the table, if none is named."""
        row = self.table if row is None else row
        return reverse(f"admin:tables_{row._meta.model_name}_{word}", args=[row.pk])

    def send(self, address: str, /, **fields: Any) -> HttpResponse:
        """Send a form by the pit boss, countersigned by the supervisor, for the table as it is."""
        form = {"command_id": str(uuid.uuid4()), "version": str(self.version)}
        form |= {"badge": self.house.staff[Role.SUPERVISOR].badge, "pin": floor.PIN}
        boss = at.logged_in(self.house, Role.PIT_BOSS)
        return cast(HttpResponse, boss.post(address, form | fields, follow=True))

    def done(self, address: str, /, **fields: Any) -> str:
        """Send a form that must be accepted; what the person is told."""
        answer = self.send(address, **fields)
        told = re.search(r'<li class="success">(.*?)</li>', answer.text)
        assert told is not None, re.findall(r"errorlist[^>]*>(.*?)</ul>", answer.text)
        return told[1]

    @property
    def version(self) -> int:
        """The table's action counter now."""
        return Table.objects.get(pk=self.table.pk).version

    def last(self, stream: str = "") -> Entry:
        """The last entry of the table, or of another stream."""
        return Entry.objects.filter(stream__name=stream or self.table.stream).latest("seq")

    def moved(self, stream: str = "") -> list[tuple[str, str, int]]:
        """What the last entry moved."""
        return [(m.source.name, m.target.name, m.amount) for m in movements(self.last(stream))]

    def signed(self, stream: str = "") -> bool:
        """Whether the pit boss and the supervisor have signed the last entry, from one address."""
        made = self.last(stream)
        kept = Countersignature.objects.get(stream=made.stream.name, seq=made.seq)
        assert (kept.first_address, kept.second_address) == ("127.0.0.1", "127.0.0.1")
        pair = (self.house.staff[Role.PIT_BOSS], self.house.staff[Role.SUPERVISOR])
        return (kept.first, kept.second) == pair

    def page(self, row: Any, role: Role = Role.PIT_BOSS) -> str:
        """A row's page."""
        return at.logged_in(self.house, role).get(at.page_address(row)).text


@pytest.fixture(scope="module")
def _standing(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Place:
    with django_db_blocker.unblock():
        house = floor.make_house(profile="generic_markers")
        floor.stock_cage(house)
        table, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
        made = office.player_create(
            casino_id=house.casino.id, reference="P-1", description="", command=house.office()
        )
        player = Player.objects.get(id=made.body["player"])
        dealer = house.command(Role.DEALER)
        seats.seat_take(table_id=table.id, seat=3, player_id=player.id, cash=10_000, chips=0, command=dealer)
        return Place(house, table, player)


@pytest.fixture
def place(_standing: Place, db: None) -> Place:
    """The one place of this module; what a test does to it is rolled back."""
    return deepcopy(_standing)


def test_tokes_are_taken_and_their_box_is_emptied_by_two(place: Place) -> None:
    """PIT-TOKE: from a seat that is taken into the box; out of it on a joint count, a chip short."""
    asked = at.logged_in(place.house, Role.SUPERVISOR).get(place.address("toke")).text
    assert "Seat 1: somebody unknown, 2,000.00 USD" in asked
    assert "Seat 3: P-1, 100.00 USD" in asked
    assert "Seat 4" not in asked
    told = place.done(place.address("toke"), seat="3", amount="7.00")
    assert told == f"Seat 3 of table {place.table.code} gave the dealers 7.00 USD."
    assert place.moved() == [("seat:3", "toke_box", 700)]
    told = place.done(place.address("empty_toke_box"), chip_100="6")
    assert told.startswith("6.00 USD were collected")
    assert "\N{MINUS SIGN}1.00 against the books" in told
    assert place.moved() == [("toke_box", "over_short", 100), ("toke_box", "floor", 600)]
    assert place.signed()


def test_pieces_come_into_the_stock_to_a_player_and_out_of_a_tables_box(place: Place) -> None:
    """RD-PROMO: a stock counted by two, numbers given once, played ones found and cancelled by two."""
    stock, cage = reverse("admin:tables_promopiece_stock"), place.house.casino.cage_stream
    assert place.done(stock, pieces="25.00 4\n\n 5 10 ") == "14 pieces were taken into the stock."
    assert json.loads(place.last(cage).payload)["pieces"] == {"2500": 4, "500": 10}
    assert place.signed(cage)
    in_stock = at.logged_in(place.house, Role.PIT_BOSS).get(at.list_address(PromoStock)).text
    assert "100.00" in in_stock, "four of 25.00"
    assert stock in in_stock
    give = place.address("pieces", place.player)
    assert give in place.page(place.player, Role.PIT_BOSS)
    told = place.done(give, pieces="MP-1 25.00\nMP-2 5")
    assert told == "Pieces worth 30.00 USD were issued: MP-1, MP-2."
    assert "One of these numbers was issued before." in place.send(give, pieces="MP-1 25.00").text
    assert "MP-1, MP-2" in place.page(place.player)
    dealer = place.house.command
    rounds.round_start(
        table_id=place.table.id,
        bets={1: 2500, 3: 1000},
        coupons={1: "MP-1", 3: "MP-2"},
        command=dealer(Role.DEALER),
    )
    running = Table.objects.select_related("round").get(pk=place.table.pk).round
    assert running is not None
    rounds.round_deal(round_id=running.id, cards=("8S", "9S"), number=2, command=dealer(Role.DEALER))
    rounds.round_start(
        table_id=place.table.id, bets={1: 2500}, coupons={1: "MP-1"}, command=dealer(Role.DEALER)
    )
    running = Table.objects.select_related("round").get(pk=place.table.pk).round
    assert running is not None
    rounds.round_deal(round_id=running.id, cards=("4S", "7S"), number=2, command=dealer(Role.DEALER))
    rounds.round_announce(round_id=running.id, spread=2, command=dealer(Role.DEALER))
    rounds.round_deal(round_id=running.id, cards=("KS",), number=1, command=dealer(Role.DEALER))
    collect = place.address("collect_pieces")
    asked = at.logged_in(place.house, Role.PIT_BOSS).get(collect).text
    assert 'value="MP-1"' in asked
    assert 'value="MP-2"' not in asked, "it went back to the player"
    assert "Choose what was found." in place.send(collect).text
    assert place.done(collect, coupons=["MP-1"]) == "Pieces worth 25.00 USD were cancelled."
    assert place.signed()
    listed = at.logged_in(place.house, Role.PIT_BOSS).get(
        at.list_address(PromoPiece), {"at": place.table.code}
    )
    assert [piece.serial for piece in listed.context["cl"].result_list] == ["MP-1"]
    assert "Cancelled" in place.page(PromoPiece.objects.get(serial="MP-1", casino=place.house.casino))


def test_false_chips_are_documented_in_a_tray_and_in_a_box(place: Place) -> None:
    """PIT-REJECT: out of the tray's books; in a box nothing moves, and only once it has left the table."""
    found = {"kind": "foreign", "note": "red, in bag 12", "chip_2500": "2"}
    told = place.done(place.address("reject"), **found)
    assert told == f"Chips taken for 50.00 USD at table {place.table.code} were rejected."
    assert (place.moved(), place.signed()) == ([("tray", "floor", 5_000)], True)
    box = DropBox.objects.get(table=place.table)
    reject = place.address("reject", box)
    assert reject not in place.page(box)
    assert "The box is still on its table." in place.send(reject, **found).text
    table = Table.objects.get(pk=place.table.pk)
    assert table.session_id is not None
    for seat in (1, 2, 3):
        seats.seat_leave(table_id=table.id, seat=seat, command=place.house.command(Role.DEALER))
    floor.remove_box(place.house, table.session_id, second=Role.SURVEILLANCE)
    assert reject in place.page(DropBox.objects.get(pk=box.pk))
    place.done(reject, **found)
    said = json.loads(place.last().payload)
    assert (place.moved(), said["where"], said["box"], said["value"]) == ([], "box", str(box.id), 5_000)


def test_a_marker_from_the_limit_to_its_payment(place: Place) -> None:
    """PIT-MARKER: a limit signed by two, two markers within it, one redeemed here, one paid at the cage."""
    cage = place.house.casino.cage_stream
    limit = place.address("limit", place.player)
    assert "no credit limit" in place.page(place.player)
    told = place.done(limit, limit="1,000.00", reason="application")
    assert (told, place.signed(cage)) == ("The credit limit is 1,000.00 USD now.", True)
    issue = place.address("issue_marker")
    asked = at.logged_in(place.house, Role.SUPERVISOR).get(issue).text
    assert "Seat 3: P-1" in asked
    assert "Seat 1" not in asked, "nobody knows who sits there"
    assert "more than the player&#x27;s limit leaves" in place.send(issue, seat="3", amount="1,000.01").text
    for number, amount in ((1, "400"), (2, "600")):
        told = place.done(issue, seat="3", amount=amount)
        assert told == f"Marker {place.table.code}-M{number} of {amount}.00 USD was issued to seat 3."
        assert place.signed()
    first, second = Marker.objects.filter(table=place.table).order_by("number")
    owed = place.page(place.player)
    assert "1,000.00" in owed
    assert first.label in owed
    redeem, pay = place.address("redeem", first), place.address("pay", second)
    assert redeem in place.page(first)
    assert place.done(redeem, seat="3", tender="chips") == "The marker of 400.00 USD was redeemed."
    assert ("seat:3", "tray", 40_000) in place.moved()
    assert pay in place.page(second)
    assert place.done(pay) == "600.00 USD were paid."
    assert place.moved(cage) == [("cash:patrons", "cash:drawer", 60_000)]
    assert "This marker was redeemed before." in place.send(pay).text
    boss, marked = at.logged_in(place.house, Role.PIT_BOSS), at.list_address(Marker)
    for standing, found in (("owed", []), ("table", [first]), ("cage", [second])):
        assert list(boss.get(marked, {"standing": standing}).context["cl"].result_list) == found
    page = place.page(Marker.objects.get(pk=second.pk))
    assert "Paid at the cage" in page
    assert pay not in page


def test_slips_are_asked_for_and_voided_and_a_table_is_frozen(place: Place) -> None:
    """No chip moves by a request; a fill on its way is voided; two let a frozen table go on."""
    for word, kind in (("request_fill", "fill"), ("request_credit", "credit")):
        before = balances(place.table.stream)
        assert f"A {kind} was requested" in place.done(place.address(word), chip_500="20")
        asked = Slip.objects.get(table=place.table, kind=kind, status="requested")
        assert (asked.requested_chips, place.signed()) == ({"500": 20}, True)
        assert balances(place.table.stream) == before
    slip = Slip.objects.get(id=floor.send_fill(place.house, place.table, {"100": 5}))
    void = place.address("void", slip)
    assert void in place.page(slip)
    assert place.done(void, reason="the wrong table") == "The slip is void."
    assert void not in place.page(Slip.objects.get(pk=slip.pk))
    place.done(place.address("freeze"), reason="a card came twice")
    page = place.page(Table.objects.get(pk=place.table.pk))
    assert "a card came twice" in page
    assert place.address("freeze") not in page
    assert "The table is frozen" in place.send(place.address("toke"), seat="3", amount="1").text
    place.done(place.address("release"), reason="it was another shoe&#x27;s")
    assert (place.last().kind, place.signed()) == ("table.release", True)


@pytest.mark.parametrize(
    ("word", "fields", "complaint"),
    [
        ("toke", {"seat": "4", "amount": "1"}, "Select a valid choice."),
        ("toke", {"seat": "3", "amount": "0"}, "Enter an amount above zero"),
        ("toke", {"seat": "3", "amount": "100.01"}, "There is not enough in seat 3."),
        ("toke", {"seat": "3", "amount": "1", "version": "0"}, "Something happened here since"),
        ("empty_toke_box", {}, "The toke box is empty."),
        ("empty_toke_box", {"chip_100": "-1"}, "greater than or equal to 0"),
        ("empty_toke_box", {"chip_100": "1", "pin": ""}, "badge and PIN, or an approval"),
        ("reject", {"kind": "lost", "note": "x", "chip_100": "1"}, "Select a valid choice."),
        ("reject", {"kind": "foreign", "note": "", "chip_100": "1"}, "This field is required."),
        ("reject", {"kind": "foreign", "note": "x"}, "An amount above zero is needed."),
        ("issue_marker", {"seat": "3", "amount": "5"}, "Select a valid choice."),
        ("request_fill", {"chip_100": ""}, "An amount above zero is needed."),
        ("freeze", {"reason": ""}, "This field is required."),
        ("release", {"reason": "x"}, "The table is not frozen."),
        ("request_fill", {"chip_100": "1", "pin": "000000"}, "Badge and PIN do not belong together."),
    ],
)
def test_what_is_refused_changes_nothing(
    place: Place, word: str, fields: dict[str, str], complaint: str
) -> None:
    before = floor.snapshot(place.house)
    answer = place.send(place.address(word), **fields)
    assert answer.status_code == 200
    assert complaint in answer.text
    assert floor.PIN not in answer.text
    assert floor.snapshot(place.house) == before


@pytest.mark.parametrize(
    ("pieces", "complaint"),
    [
        ("MP-1", "Line 1 is not like MP-000017 25.00."),
        ("MP-1 25.00\nMP-2 x", "Line 2 is not like"),
        ("MP-1 5\nMP-1 5", "Line 2 says again what stands above."),
        ("MP-1 0", "Line 1 is not like"),
        (" ", "This field is required."),
        ("MP-1 5", "Nothing was done."),
    ],
)
def test_pieces_that_cannot_be_are_refused_by_their_line(place: Place, pieces: str, complaint: str) -> None:
    before = floor.snapshot(place.house)
    assert complaint in place.send(place.address("pieces", place.player), pieces=pieces).text
    assert floor.snapshot(place.house) == before


@pytest.mark.parametrize("role", sorted(ADMIN_ROLES))
def test_the_desk_is_open_to_those_who_run_the_pit(place: Place, role: Role) -> None:
    """Supervisors and pit bosses at tables, pit bosses alone for what is the cage's; nobody else."""
    client, before = at.logged_in(place.house, role), floor.snapshot(place.house)
    box = DropBox.objects.get(table=place.table)
    tables = {place.address(word): form.operation for word, form in OF_TABLE.items()}
    others = {
        place.address("limit", place.player): "cage.credit_limit",
        place.address("pieces", place.player): "promo.issue",
        place.address("reject", box): "box.reject",
        reverse("admin:tables_promopiece_stock"): "promo.stock",
    }
    page = place.page(place.table, role)
    for address, operation in (tables | others).items():
        may = role in PERMISSIONS[operation].desk
        assert may is (role in (RUNNING if address in tables else PIT_BOSS)), operation
        assert client.get(address).status_code == (200 if may else 403)
        assert client.post(address, {}).status_code == (200 if may else 403)
        if address in tables and "release" not in address:
            assert (address in page) is may, address
    assert floor.snapshot(place.house) == before


def test_the_desk_reaches_no_other_house_and_needs_tokens_and_labels(place: Place) -> None:
    stranger = at.logged_in(floor.make_house(), Role.PIT_BOSS)
    guarded = Client(enforce_csrf_checks=True)
    guarded.force_login(place.house.staff[Role.PIT_BOSS], backend=at.BACKEND)
    before = floor.snapshot(place.house)
    for address in [place.address(word) for word in OF_TABLE] + [place.address("pieces", place.player)]:
        assert stranger.get(address).status_code == 404
        assert stranger.post(address, {"command_id": str(uuid.uuid4())}).status_code == 404
        assert guarded.post(address, {}).status_code == 403
        page = guarded.get(address).text
        for name in LABELLED.findall(page):
            assert f'for="{name}"' in page or name in ("id_command_id", "id_version"), name
    assert floor.snapshot(place.house) == before
