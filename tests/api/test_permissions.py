"""Who may do what where: every route, every role, every way to call."""

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from config.urls import api
from tables.models import CardSource, DropBox, Role
from tables.services.rounds import round_start
from tests import floor
from tests.api.client import Desk
from tests.api.conftest import Place, put_on_duty
from tests.api.routes import Targets, body_for, listed

pytestmark = pytest.mark.django_db

DEALER, SUPERVISOR, PIT_BOSS, CAGE = Role.DEALER, Role.SUPERVISOR, Role.PIT_BOSS, Role.CAGE
DEALING = {("table", role) for role in (DEALER, SUPERVISOR, PIT_BOSS)}
RUNNING = {("table", role) for role in (SUPERVISOR, PIT_BOSS)}
CASHIER = {("cage", CAGE)}
WATCHING_CASH = {(kind, role) for kind in ("table", "cage") for role in (SUPERVISOR, PIT_BOSS, CAGE)}
WORKING_HERE = WATCHING_CASH | {(kind, DEALER) for kind in ("table", "cage")}
READERS = {("session", role) for role in (Role.AUDITOR, Role.SURVEILLANCE, PIT_BOSS)}
WATCHERS = {("session", role) for role in (Role.AUDITOR, Role.SURVEILLANCE)}
TERMINAL = {(kind, role) for kind in ("table", "cage") for role in Role}  # whoever is signed in there
WORKING = {(kind, role) for kind in ("table", "cage") for role in (DEALER, SUPERVISOR, PIT_BOSS, CAGE)}
EVERYBODY = TERMINAL | {("session", role) for role in Role} | {("nobody", None)}

T, S, R = "tables/<uuid:table_id>", "sessions/<uuid:session_id>", "rounds/<uuid:round_id>"
B = "boxes/<uuid:box_id>"
X = "exports/<uuid:export_id>"

# Each route with those it is open to; everybody else is refused before anything is read.
OPEN_TO: dict[tuple[str, str], set[tuple[str, Role]] | set[tuple[str, Role] | tuple[str, None]]] = {
    ("POST", "terminals/enrolments"): EVERYBODY,
    ("POST", "sign-ins"): TERMINAL,
    ("DELETE", "sign-ins/current"): WORKING,
    ("POST", "sign-ins/current/pin"): WORKING,
    ("POST", "approvals"): {(kind, role) for kind, role in WORKING if role != DEALER},
    ("GET", T): DEALING,
    ("POST", f"{T}/sessions"): DEALING,
    ("POST", f"{T}/fills"): DEALING,
    ("POST", f"{T}/fills/<uuid:slip_id>/receipt"): DEALING,
    ("POST", f"{T}/credits"): DEALING,
    ("POST", f"{T}/credits/<uuid:slip_id>/dispatch"): DEALING,
    ("POST", f"{T}/slips/<uuid:slip_id>/void"): DEALING,
    ("POST", f"{T}/slips/<uuid:slip_id>/return"): DEALING,
    ("GET", f"{T}/inventory"): DEALING,
    ("POST", f"{T}/seats/<int:seat>/occupation"): DEALING,
    ("DELETE", f"{T}/seats/<int:seat>/occupation"): DEALING,
    ("POST", f"{T}/seats/<int:seat>/buy-ins"): DEALING,
    ("POST", f"{T}/shoes"): DEALING,
    ("POST", f"{T}/shoes/current/burns"): DEALING,
    ("POST", f"{T}/shoes/current/retirement"): DEALING,
    ("POST", f"{T}/rounds"): DEALING,
    ("POST", f"{R}/bets"): DEALING,
    ("POST", f"{R}/cards"): DEALING,
    ("POST", f"{R}/announcement"): DEALING,
    ("POST", f"{R}/raises"): DEALING,
    ("POST", f"{R}/exposure"): DEALING,
    ("POST", f"{R}/settlement"): DEALING,
    ("POST", f"{R}/void"): DEALING,
    ("POST", f"{T}/freeze"): DEALING,
    ("POST", f"{T}/release"): DEALING,
    ("POST", f"{T}/dealer-draw"): DEALING,
    ("POST", f"{T}/deals"): DEALING,
    ("POST", f"{T}/pool-division"): DEALING,
    ("POST", f"{T}/collections"): DEALING,
    ("POST", f"{R}/passes"): DEALING,
    ("POST", f"{R}/turned-cards"): DEALING,
    ("POST", f"{R}/shows"): DEALING,
    ("POST", f"{R}/exposed-cards"): DEALING,
    ("POST", f"{R}/mispayments"): DEALING,
    ("POST", f"{R}/mispayments/correction"): DEALING,
    ("POST", f"{T}/entries/<uuid:entry_id>/reversal"): RUNNING,
    ("POST", f"{T}/corrections"): RUNNING,
    ("POST", f"{R}/correction"): RUNNING,
    ("POST", f"{R}/cancellation"): RUNNING,
    ("POST", f"{S}/reopening"): {("table", PIT_BOSS)},
    ("POST", f"{T}/rules"): RUNNING,
    ("POST", f"{T}/seats/<int:seat>/changes"): DEALING,
    ("POST", f"{T}/seats/<int:seat>/cash-outs"): DEALING,
    ("POST", f"{T}/seats/<int:seat>/tokes"): DEALING,
    ("POST", f"{T}/seats/<int:seat>/markers"): DEALING,
    ("POST", f"{T}/seats/<int:seat>/markers/<uuid:marker_id>/redemption"): DEALING,
    ("POST", "cage/markers/<uuid:marker_id>/payment"): CASHIER,
    ("POST", "cage/credit-limits"): CASHIER,
    ("POST", f"{T}/tokes"): DEALING,
    ("POST", f"{T}/promotions"): DEALING,
    ("POST", f"{T}/rejected-chips"): DEALING,
    ("POST", f"{B}/rejected-chips"): CASHIER,
    ("GET", "people/<uuid:player_id>/chips"): READERS,
    ("POST", "cage/promotions"): CASHIER,
    ("POST", "cage/promotions/stock"): CASHIER,
    ("POST", f"{T}/stints"): DEALING,
    ("DELETE", f"{T}/stints/current"): DEALING,
    ("POST", f"{T}/stints/current/relief"): DEALING,
    ("GET", "stints"): READERS,
    ("POST", f"{S}/closure"): DEALING,
    ("POST", f"{S}/box-removal"): CASHIER,
    ("GET", "cage/boxes"): CASHIER,
    ("POST", f"{B}/first-count"): CASHIER,
    ("POST", f"{B}/second-count"): CASHIER,
    ("POST", f"{B}/recount"): CASHIER,
    ("GET", "cage"): CASHIER,
    ("POST", "cage/chips"): CASHIER,
    ("POST", "cage/cash"): CASHIER,
    ("GET", "cage/slips"): CASHIER,
    ("POST", "cage/slips"): CASHIER,
    ("POST", "cage/fills/<uuid:slip_id>/issue"): CASHIER,
    ("POST", "cage/credits/<uuid:slip_id>/issue"): CASHIER,
    ("POST", "cage/credits/<uuid:slip_id>/receipt"): CASHIER,
    ("POST", "cage/slips/<uuid:slip_id>/refusal"): CASHIER,
    ("POST", "cage/slips/<uuid:slip_id>/void"): CASHIER,
    ("POST", "cage/slips/<uuid:slip_id>/return"): CASHIER,
    ("POST", "cage/slips/<uuid:slip_id>/prints"): CASHIER,
    ("POST", "cage/redemptions"): CASHIER,
    ("POST", "cage/sales"): CASHIER,
    ("POST", f"{T}/seats/<int:seat>/other-tender"): DEALING,
    ("POST", "people"): WORKING_HERE,
    ("POST", "people/<uuid:player_id>/identity"): WATCHING_CASH,
    ("POST", "cash/transactions/<uuid:transaction_id>/person"): WATCHING_CASH,
    ("GET", "cash/watch"): WATCHING_CASH,
    ("POST", "cash/reports/<uuid:report_id>/filing"): CASHIER,
    ("GET", "cash/reports"): READERS,
    ("GET", "cash/log"): READERS,
    ("GET", "rounds"): READERS,
    ("GET", R): READERS,
    ("GET", "sessions"): READERS,
    ("GET", "slips/numbers"): READERS,
    ("POST", "gaming-days/<day:gaming_day>/closure"): CASHIER,
    ("GET", "gaming-days"): READERS,
    ("GET", "gaming-days/<day:gaming_day>"): READERS,
    ("GET", "master-game/<day:gaming_day>"): READERS,
    ("GET", "rounds/<uuid:round_id>/print"): READERS,
    ("GET", "sessions/<uuid:session_id>/print"): READERS,
    ("GET", "stiff-sheets/<day:gaming_day>"): READERS,
    ("GET", "results"): READERS,
    ("GET", "float"): READERS,
    ("GET", "accounts"): READERS,
    ("GET", "accounts/<str:stream>/<str:account>/statement"): READERS,
    ("GET", "entries"): READERS,
    ("GET", "entries/<uuid:entry_id>"): READERS,
    ("GET", "entries/<uuid:entry_id>/proof"): READERS,
    ("GET", "checkpoints"): READERS,
    ("GET", "checkpoints/<int:size>"): READERS,
    ("GET", "checkpoints/<int:size>/consistency"): READERS,
    ("GET", "findings"): READERS,
    ("GET", "round-histories"): READERS,
    ("GET", "exports"): READERS,
    ("POST", "exports"): WATCHERS,
    ("GET", X): READERS,
    ("POST", f"{X}/cancellation"): WATCHERS,
    ("GET", f"{X}/file"): WATCHERS,
    ("GET", f"{X}/manifest"): WATCHERS,
    ("GET", f"{X}/note"): WATCHERS,
    ("GET", "saved-filters"): READERS,
    ("PUT", "saved-filters/<slug:name>"): READERS,
    ("DELETE", "saved-filters/<slug:name>"): READERS,
    ("GET", "export-schedules"): READERS,
    ("POST", "export-schedules"): {("session", Role.AUDITOR)},
    ("GET", "export-schedules/<uuid:schedule_id>"): READERS,
    ("PUT", "export-schedules/<uuid:schedule_id>"): {("session", Role.AUDITOR)},
    ("DELETE", "export-schedules/<uuid:schedule_id>"): {("session", Role.AUDITOR)},
}
CALLERS = sorted(EVERYBODY, key=str)


def test_every_route_is_in_the_table() -> None:
    assert set(listed()) == set(OPEN_TO)
    assert len(api) == len({route for _, route in OPEN_TO}) + 2, "and schema and docs, open to all"


@pytest.fixture(scope="module")
def browsers(_standing: Place, django_db_blocker: DjangoDbBlocker) -> dict[Role, Client]:
    """Everybody of the standing house, logged in to the admin site."""
    clients = {role: Client(raise_request_exception=False) for role in Role}
    with django_db_blocker.unblock():
        for role, http in clients.items():
            person = _standing.house.staff[role]
            http.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return clients


def caller(place: Place, browsers: dict[Role, Client], kind: str, role: Role | None) -> Desk:
    """Somebody calling: at a terminal, with a session of the admin site, or out of nowhere."""
    if role is None:
        return Desk(None)
    if kind == "session":
        return Desk(None, http=browsers[role])
    terminal = place.terminal if kind == "table" else place.cage_terminal
    put_on_duty(place.house, terminal, role)
    return place.desk if kind == "table" else place.cage


@pytest.mark.parametrize(("kind", "role"), CALLERS)
def test_a_caller_gets_in_where_the_table_says_so_and_nowhere_else(
    still: Place, browsers: dict[Role, Client], kind: str, role: Role | None
) -> None:
    targets = Targets(str(still.table.id), still.session, still.session)
    desk = caller(still, browsers, kind, role)
    before = floor.snapshot(still.house)
    let_in = set()
    for method, route in OPEN_TO:
        reply = desk.send(method, targets.path(route), {}, {})
        if reply.status not in (401, 403) or reply.code == "enrolment_code_refused":
            let_in.add((method, route))
        else:
            expected = "operation_not_allowed" if reply.status == 403 else "not_authenticated"
            assert reply.code == expected, (method, route)
            assert reply.status == 403 or "WWW-Authenticate" in reply.headers
        if route.startswith("sign-ins"):  # who signed out is not there any more
            desk = caller(still, browsers, kind, role)
    assert let_in == {at for at, callers in OPEN_TO.items() if (kind, role) in callers}
    assert floor.snapshot(still.house) == before


def _of_a_box(route: str) -> bool:
    return route.startswith("boxes/") or route.endswith("box-removal")


OF_A_TABLE = sorted(
    (method, route) for method, route in OPEN_TO if OPEN_TO[method, route] == DEALING or _of_a_box(route)
)


@pytest.fixture
def others(place: Place) -> list[Targets]:
    """What belongs to another table of the house, and to a table of another house."""
    targets = []
    for house in (place.house, floor.make_house()):
        if house is not place.house:
            floor.stock_cage(house)
        table, session = floor.ready_table(house, "other", card_source=CardSource.SCANNED)
        played = round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
        box = DropBox.objects.get(session=session)
        targets.append(Targets(str(table.id), played.body["round"]["id"], str(session), box=str(box.id)))
    return targets


def test_a_terminal_reaches_its_own_table_and_nothing_else(place: Place, others: list[Targets]) -> None:
    before = floor.snapshot(place.house)
    nothing = Targets(place.session, place.session, str(place.table.id))
    for method, route in OF_A_TABLE:
        at_cage = _of_a_box(route)
        desk = place.cage if at_cage else place.desk
        answers = set()
        for target in [nothing, *(others[1:] if at_cage else others)]:
            reply = desk.send(
                method,
                target.path(route),
                body_for(method, route, place),
                desk.command_headers({}) if method != "GET" else {},
            )
            answers.add((reply.status, str(reply.body)))
        assert len(answers) == 1, f"{route}: what is another's looks like what is not there"
        assert answers.pop()[0] == 404
    assert floor.snapshot(place.house) == before


def test_a_cage_serves_and_counts_for_its_own_house_only(place: Place, others: list[Targets]) -> None:
    place.cage.get("cage")
    before = floor.snapshot(place.house)
    manual = body_for("POST", "cage/slips", place) | {"table": others[1].table}
    reply = place.cage.post("cage/slips", manual)
    assert (reply.status, reply.code) == (404, "table_not_found")
    slip = floor.request_fill(place.house, place.house.tables["other"], {"100": 1})
    elsewhere = floor.make_house()
    floor.stock_cage(elsewhere)
    foreign = floor.request_fill(elsewhere, floor.make_table(elsewhere), {"100": 1})
    issue = {"chips": {"100": 1}, "runner": place.badge(Role.SECURITY)}
    before = floor.snapshot(place.house)
    reply = place.cage.post(f"cage/fills/{foreign}/issue", issue)
    assert (reply.status, reply.code) == (404, "slip_not_found")
    assert [each["id"] for each in place.cage.get("cage/slips").body["slips"]] == [str(slip)]
    assert floor.snapshot(place.house) == before
    reply = place.cage.post(f"boxes/{others[0].box}/first-count", {"notes": {}}, if_match="*")
    assert (reply.status, reply.code) == (409, "box_on_table"), "a box of the house is found"
    listed_boxes = place.cage.get("cage/boxes").body["boxes"]
    assert {box["table"] for box in listed_boxes} == {str(place.table.id), others[0].table}
