"""What the pages say, and what they must never say."""

import base64
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from ledger.models import Entry, Stream
from tables.models import Player, Role, Round, Shoe, Staff, Table, TableSession, Terminal
from tables.services import cage
from tests import floor
from tests.admin import house as at

HANDLER = re.compile(r"^on[a-z]+$")

pytestmark = pytest.mark.django_db


class Inline(HTMLParser):
    """Collects what a strict policy forbids in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Scripts and styles of the page's own, style attributes, event handlers, foreign addresses."""
        given = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in given):
            self.found.append(tag)
        self.found += [f"{tag} {name}" for name in given if name == "style" or HANDLER.match(name)]
        for name in ("src", "href", "action"):
            address = given.get(name) or ""
            if re.match(r"^(?:[a-z]+:)?//|^javascript:", address):
                self.found.append(f"{tag} {name}={address}")


def every_page(client: Client) -> Iterator[tuple[str, str]]:
    """(address, body) of each kind of page there is for this person."""
    addresses = ["admin:index", "admin:tables_staff_employ", "admin:tables_player_enter"]
    addresses += ["admin:tables_terminal_register", "admin:tables_pit_create"]
    addresses += [
        "admin:tables_ruleset_release",
        "admin:tables_ruleset_release_pool",
        "admin:tables_ruleset_release_bank",
        "admin:tables_table_put_up",
    ]
    for name in addresses:
        yield name, client.get(reverse(name)).text
    for model in at.registered():
        listed = client.get(at.list_address(model))
        yield at.list_address(model), listed.text
        for row in listed.context["cl"].result_list[:60]:
            yield at.page_address(row), client.get(at.page_address(row)).text


@pytest.fixture
def boss(shown: at.Shown) -> Client:
    """The pit boss's browser."""
    return at.logged_in(shown.house, Role.PIT_BOSS)


@pytest.fixture(scope="module")
def pages(shown: at.Shown, django_db_blocker: DjangoDbBlocker) -> list[tuple[str, str]]:
    """(address, body) of every page, as the administrator sees it."""
    with django_db_blocker.unblock():
        return [*every_page(at.logged_in(shown.house, Role.ADMINISTRATOR))]


@pytest.fixture
def house() -> floor.House:
    """A casino of the test's own."""
    return floor.make_house()


def secrets_of(shown: at.Shown) -> dict[str, str]:
    """What must not be on any page, in every shape it could be written in."""
    told: dict[str, str] = {}
    for person in Staff.objects.filter(casino=shown.house.casino):
        told |= {f"pin of {person}": person.pin, f"password of {person}": person.password}
    for terminal in Terminal.objects.filter(casino=shown.house.casino):
        for name in ("secret_hash", "code_hash"):
            told |= _shapes(f"{name} of {terminal}", getattr(terminal, name))
    for shoe in Shoe.objects.filter(table__casino=shown.house.casino):
        told |= _shapes(f"order of {shoe}", shoe.sealed)
    return told


def _shapes(what: str, value: bytes | memoryview | None) -> dict[str, str]:
    if value is None:
        return {}
    raw = bytes(value)
    short = base64.b64encode(raw).decode()[:40]
    return {what: raw.hex()[:40], f"{what} (base64)": short, f"{what} (text)": raw[:40].decode("latin-1")}


def test_no_page_tells_a_secret(shown: at.Shown, pages: list[tuple[str, str]]) -> None:
    told = secrets_of(shown)
    assert sum(name.startswith("order of") for name in told) >= 3
    assert sum(name.startswith(("secret_hash", "code_hash")) for name in told) >= 6
    for address, body in pages:
        for what, text in told.items():
            assert text not in body, f"{what} on {address}"
        assert "argon2" not in body, address
        assert "pbkdf2" not in body, address


def test_no_page_tells_what_is_left_in_a_shoe(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.SURVEILLANCE)
    shoe = Shoe.objects.get(table=shown.table)
    body = client.get(at.page_address(shoe)).text
    assert "5 of 312" in body
    assert "seen" not in re.sub(r"\s+", " ", body).lower()
    table = client.get(at.page_address(shown.table)).text
    assert "shoe_state" not in table


def test_every_page_is_strict_about_scripts_and_styles(pages: list[tuple[str, str]]) -> None:
    assert len(pages) > 60
    for address, body in (*pages, ("login", Client().get(reverse("admin:login")).text)):
        inline = Inline()
        inline.feed(body)
        assert inline.found == [], address


@pytest.mark.parametrize("name", ["admin:index", "admin:login", "admin:ledger_entry_changelist"])
def test_the_policy_is_sent(shown: at.Shown, boss: Client, name: str) -> None:
    headers = boss.get(reverse(name), follow=False).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert "no-store" in headers["Cache-Control"]


def test_hostile_text_stays_text(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.ADMINISTRATOR)
    player = Player.objects.get(id=shown.player_id)
    assert player.description == at.HOSTILE
    for address in (at.list_address(Player), at.page_address(player)):
        body = client.get(address).text
        assert "&lt;script&gt;alert(" in body
        assert "<script>alert" not in body
        assert "<img src=x" not in body
    sent = client.get(at.list_address(Player), {"q": at.HOSTILE}).text
    assert "<script>alert" not in sent


def test_an_open_sessions_win_is_pending(shown: at.Shown, boss: Client) -> None:
    body = boss.get(at.page_address(shown.session)).text
    figures = body[body.index(">Figures<") : body.index(">Counts<")]
    assert figures.count("pending") == 2
    assert "Pending" in figures
    assert "the closer is not counted yet" in figures
    assert figures.count("not counted") == 3  # the closer, the drop, and why the win is pending
    assert "17,400.00" in figures


def test_a_closed_sessions_win_is_provisional(shown: at.Shown, boss: Client) -> None:
    closed = TableSession.objects.get(table__casino=shown.house.casino, status="closed")
    body = boss.get(at.page_address(closed)).text
    # 17,400 at both ends, 4,000 in the box: win = closer + drop - opener = 4,000, all of the drop
    assert "Provisional" in body
    assert '<span class="money">4,200.00 <span class="currency">USD</span></span>' in body
    assert "100.00 %" in body
    assert "session.close" in body


def test_a_round_is_told_whole(shown: at.Shown, boss: Client) -> None:
    played = Round.objects.get(table=shown.table, status="complete")
    body = boss.get(at.page_address(played)).text
    for text in (">8♠<", ">10♥<", ">9♦<", "1 (announced 1)", "Win: the third card lies between"):
        assert text in body
    # spread 1 pays 5 to 1 on 10 and on 25
    for amount in ("10.00", "50.00", "25.00", "125.00"):
        assert f">{amount} <" in body
    for entry in Entry.objects.filter(
        stream__name=shown.table.stream, seq__gte=played.first_seq, seq__lte=played.last_seq
    ):
        assert at.page_address(entry) in body
    found = re.search(r'href="(/admin/ledger/entry/\?[^"]+)"', body)
    assert found is not None
    listed = boss.get(found[1].replace("&amp;", "&"))
    assert [row.seq for row in listed.context["cl"].result_list] == [
        *range(played.last_seq, played.first_seq - 1, -1)
    ]


def test_a_running_round_is_pending(shown: at.Shown, boss: Client) -> None:
    body = boss.get(at.page_address(shown.running)).text
    for text in ("In progress: raising", "Undecided", ">5♣<", ">Q♥<", "pending"):
        assert text in body


def test_an_entry_shows_movements_and_payload(shown: at.Shown, boss: Client) -> None:
    played = Round.objects.get(table=shown.table, status="complete")
    entry = Entry.objects.get(stream__name=shown.table.stream, seq=played.last_seq)
    body = boss.get(at.page_address(entry)).text
    for text in ("tray", "wager:1", "50.00", "chips:USD", bytes(entry.hash).hex()):
        assert text in body
    shown_payload = re.search(r'<pre class="json"[^>]*>(.*?)</pre>', body, re.DOTALL)
    assert shown_payload is not None
    assert json.loads(shown_payload[1].replace("&quot;", '"')) == json.loads(entry.payload)


def test_an_entry_names_its_terminal(house: floor.House) -> None:
    floor.stock_cage(house)
    terminal, _ = floor.enrol(house, None)
    cage.cage_redeem(
        casino_id=house.casino.id,
        chips={"100": 3},
        player_id=None,
        command=house.command(Role.CAGE, terminal),
    )
    entry = Entry.objects.get(terminal=terminal.id)
    body = at.logged_in(house, Role.PIT_BOSS).get(at.page_address(entry)).text
    assert f'<a href="{at.page_address(terminal)}">{terminal}</a> ({terminal.id})' in body


def test_a_page_to_look_at_leads_back_to_its_list(shown: at.Shown, boss: Client) -> None:
    for row in (shown.table, shown.session, shown.house.casino.cage):
        body = boss.get(at.page_address(row)).text
        back = f'<a href="{at.list_address(type(row))}" class="closelink">Back to the list</a>'
        assert back in body
        assert ">Close<" not in body


def test_the_cage_goes_by_the_name_of_its_house(shown: at.Shown, boss: Client) -> None:
    body = boss.get(at.page_address(shown.house.casino.cage)).text
    assert body.count(f"Cage of {shown.house.casino.name}") >= 3  # title, heading, breadcrumbs
    assert f"Cage of {shown.house.casino.id}" not in body


def test_the_bare_address_leads_to_the_floor(boss: Client) -> None:
    answer = boss.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse("admin:index"))


def test_the_floor_tells_what_goes_on(shown: at.Shown, boss: Client) -> None:
    body = boss.get(reverse("admin:index")).text
    for text in ("<strong>1</strong> of 2 tables open", "<strong>1</strong> round in play", "Round 2"):
        assert text in body
    for text in (", raising", ">5♣<", "13,225.00", "2 of 7", "Dealer 1", "round.deal", "Closed"):
        assert text in body
    assert at.page_address(shown.table) in body
    assert f"Times are those of {shown.house.casino.time_zone}." in body


def test_times_are_the_houses_own(shown: at.Shown, boss: Client) -> None:
    opened = shown.session.opened_at.astimezone(ZoneInfo(shown.house.casino.time_zone))
    assert f"{opened:%Y-%m-%d %H:%M:%S}" in boss.get(at.page_address(shown.session)).text


def test_filters_and_searches_find_what_they_should(shown: at.Shown, boss: Client) -> None:
    def found(model: type, **asked: str) -> list[str]:
        return [str(row) for row in boss.get(at.list_address(model), asked).context["cl"].result_list]

    assert found(TableSession, at="rd-open") == ["rd-open session 1"]
    assert found(TableSession, q="rd-closed") == ["rd-closed session 1"]
    assert len(found(Round, at="rd-open", status__exact="complete")) == 1
    assert len(found(Round, session__id__exact=str(shown.session.id))) == 2
    assert found(Entry, stream__name=shown.table.stream, about="seat") == ["seat.take 7", "seat.take 6"]
    entry = Entry.objects.get(stream__name=shown.table.stream, seq=1)
    assert found(Entry, q=str(entry.id)) == ["stream.open 1"]
    assert "stream.open 1" in found(Entry, q=str(entry.command_id))
    assert found(Entry, q="'; --") == []
    assert found(Entry, stream__name="table:of-nobody") == []


@pytest.mark.parametrize(
    "asked", ["seq__gte=x", "nonsense=1", "at=nowhere", "table__id__exact=x", "o=99", "p=999"]
)
def test_a_senseless_query_is_no_fault(shown: at.Shown, boss: Client, asked: str) -> None:
    for model in (Entry, Round, Table, Stream):
        assert boss.get(f"{at.list_address(model)}?{asked}").status_code in (200, 302, 400)
