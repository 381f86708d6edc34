"""Markers: off but where the gaming day's profile allows them; then an instrument in the drop, no cash."""

import json
import uuid
from typing import Any

import pytest

from audit.selectors.balances import conservation
from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from ledger.models import Entry
from ledger.selectors import balances
from tables.models import CashTotal, Countersignature, DropBox, Marker, Player, Role, Table, TableSession
from tables.selectors.figures import session_figures
from tables.services import people, seats
from tables.services.command import Answer
from tables.services.markers import credit_limit_set, marker_issue, marker_pay, marker_redeem
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import found, last, moves_of
from tests.tables.test_cash_reporting import described, known

LIMIT = 100_000


@pytest.fixture
def table(house: House) -> Table:
    """An open table of a house with markers, two players nobody knows on seats 1 and 2."""
    house.casino.profiles = [{"from": "2000-01-01", "name": "generic_markers", "version": 1}]
    house.casino.save(update_fields=["profiles"])
    return support.open_scanned(house)[0]


def limit(house: House, player: uuid.UUID, amount: int = LIMIT, **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "application", "second": house.badge(Role.PIT_BOSS)} | other
    return credit_limit_set(
        casino_id=house.casino.id,
        player_id=player,
        limit=amount,
        command=house.command(Role.CAGE),
        **given,
    )


def sits(house: House, table: Table, seat: int = 3, *, credit: int | None = LIMIT) -> uuid.UUID:
    """A known player sits down, with this limit."""
    player = known(house)
    if credit is not None:
        limit(house, player, credit)
    seats.seat_take(
        table_id=table.id, seat=seat, player_id=player, cash=0, chips=0, command=house.command(Role.DEALER)
    )
    return player


def issue(
    house: House, table: Table, amount: int, seat: int = 3, second: Role = Role.SUPERVISOR
) -> uuid.UUID:
    """The id of the marker that was issued."""
    made = marker_issue(
        table_id=table.id,
        seat=seat,
        amount=amount,
        second=house.badge(second),
        command=house.command(Role.DEALER),
    )
    return uuid.UUID(made.body["marker"]["marker"])


def redeem(house: House, table: Table, marker: uuid.UUID, tender: Any, seat: int = 3) -> Answer:
    return marker_redeem(
        table_id=table.id, seat=seat, marker_id=marker, tender=tender, command=house.command(Role.DEALER)
    )


def pay(house: House, marker: uuid.UUID) -> Answer:
    return marker_pay(casino_id=house.casino.id, marker_id=marker, command=house.command(Role.CAGE))


def cash_in(player: uuid.UUID) -> int:
    row = CashTotal.objects.filter(person=player, direction="in").first()
    return row.total if row else 0


def test_a_marker_is_in_the_drop_and_no_cash_until_it_is_paid(house: House, table: Table) -> None:
    """PIT-MARKER: issued, redeemed for chips and for cash, one dropped and paid at the cage; T, B, U zero."""
    session = TableSession.objects.get(table=table)
    player = sits(house, table)
    first = issue(house, table, 40_000)
    entry = last(table)
    assert moves_of(entry) == [("markers:patrons", "markers:drop_box", 40_000), ("tray", "seat:3", 40_000)]
    signed = Countersignature.objects.get(stream=table.stream, seq=entry.seq)
    assert (signed.act, signed.second_id) == ("marker.issue", house.staff[Role.SUPERVISOR].id)
    second, third = issue(house, table, 30_000), issue(house, table, 20_000)
    assert cash_in(player) == 0, "credit is no cash"
    redeem(house, table, first, "chips")
    assert cash_in(player) == 0, "chips are none either"
    assert moves_of(last(table)) == [
        ("markers:drop_box", "markers:patrons", 40_000),
        ("seat:3", "tray", 40_000),
    ]
    redeem(house, table, second, "cash")
    assert cash_in(player) == 30_000
    now = balances(table.stream)
    assert (now["markers:drop_box"], now["cash:drop_box"]) == (20_000, 430_000)
    assert session_figures([session])[session.id].insertions == 450_000
    labels = [each.label for each in Marker.objects.filter(table=table).order_by("number")]
    assert labels == [f"rd-1-M{n}" for n in (1, 2, 3)]

    support.play_with_raise(house, table, support.LOSE, {})
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, session.id)
    box = DropBox.objects.get(id=floor.remove_box(house, session.id))
    assert (box.booked, box.booked_instruments) == (450_000, 20_000)
    with refused(house, "table_closed"):
        redeem(house, table, third, "cash")
    floor.count_box(house, box.id, {"100": 4_300}, instruments={"20000": 1})
    now = balances(table.stream)
    assert (now["markers:count_room"], now["cash:count_room"], now["cash:over_short"]) == (20_000, 430_000, 0)
    assert (now["markers:boxes"], now["markers:drop_box"]) == (0, 0)
    paid = pay(house, third)
    assert (paid.body["received"], cash_in(player)) == (20_000, 50_000), "and at the cage it is cash in"
    with refused(house, "marker_redeemed"):
        pay(house, third)
    books = session_reconcile(session_id=session.id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained, books.drop) == (0, 0, 0, 450_000)
    assert conservation(house.casino).missing == 0
    conservation_check(casino_id=house.casino.id)
    assert found(house) == []


def test_an_instrument_the_count_does_not_find_is_short(house: House, table: Table) -> None:
    """PIT-MARKER: a marker that was issued and is not in the box leaves B at what is missing."""
    session = TableSession.objects.get(table=table)
    sits(house, table)
    issue(house, table, 20_000)
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, session.id)
    floor.count_drop(house, session.id, {"100": 4_000})
    books = session_reconcile(session_id=session.id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained) == (0, -20_000, -20_000)
    assert support.codes(house) == ["box_difference", "unexplained_difference"]


def test_credit_is_given_to_who_is_known_within_the_limit_and_by_two(house: House, table: Table) -> None:
    """PIT-MARKER: whatever is refused changes nothing; what was redeemed may be lent again."""
    player = sits(house, table)
    for seat, amount, code in (
        (1, 100, "no_credit"),
        (4, 100, "seat_empty"),
        (3, 0, "nothing_to_move"),
        (3, LIMIT + 100, "above_credit_limit"),
    ):
        with refused(house, code):
            issue(house, table, amount, seat)
    for second, code in ((Role.DEALER, "same_person_signed"), (Role.CAGE, "may_not_countersign")):
        with refused(house, code):
            issue(house, table, 100, second=second)
    other, _ = support.open_scanned(house, "rd-2")
    seats.seat_take(
        table_id=other.id, seat=3, player_id=player, cash=0, chips=0, command=house.command(Role.DEALER)
    )
    first = issue(house, table, LIMIT - 100)
    with refused(house, "above_credit_limit"):
        issue(house, other, 200)
    with refused(house, "marker_not_found"):
        redeem(house, other, first, "chips")
    with refused(house, "seat_of_another"):
        redeem(house, table, first, "chips", seat=1)
    redeem(house, table, first, "chips")
    with refused(house, "marker_redeemed"):
        redeem(house, table, first, "chips")
    issue(house, other, 200)
    assert [each.label for each in Marker.objects.filter(table=other)] == ["rd-2-M1"], "a series by table"


def test_a_marker_whose_box_is_gone_is_paid_at_the_cage(house: House, table: Table) -> None:
    """PIT-MARKER: what has left the table in its box does not come out again there."""
    player = sits(house, table)
    marker = issue(house, table, 20_000)
    floor.remove_box(house, TableSession.objects.get(table=table).id)
    with refused(house, "marker_at_cage"):
        redeem(house, table, marker, "chips")
    pay(house, marker)
    with refused(house, "marker_redeemed"):
        redeem(house, table, marker, "chips")
    assert cash_in(player) == 20_000


def test_a_limit_is_set_at_the_cage_by_two_for_a_player_with_a_reference(house: House, table: Table) -> None:
    """PIT-MARKER: the journal keeps before and after and why, from a closed list; never a name."""
    player = known(house)
    limit(house, player, 5_000)
    limit(house, player, 0, reason="revoked")
    entry = Entry.objects.filter(stream__name=house.casino.cage_stream).latest("seq")
    said = json.loads(entry.payload)
    assert (entry.kind, said["before"], said["limit"], said["reason"]) == (
        "cage.credit_limit",
        5_000,
        0,
        "revoked",
    )
    assert Player.objects.get(id=player).credit_limit == 0
    for code, given in (
        ("same_limit", {"amount": 0}),
        ("bad_reason", {"reason": "he asked"}),
        ("same_person_signed", {"second": house.badge(Role.CAGE)}),
        ("may_not_countersign", {"second": house.badge(Role.DEALER)}),
    ):
        with refused(house, code):
            limit(house, player, **given)
    somebody = described(house)
    with refused(house, "no_credit"):
        limit(house, somebody)
    with refused(house, "player_not_found"):
        limit(house, uuid.uuid4())


def test_who_owes_is_not_erased(house: House, table: Table) -> None:
    """PIT-MARKER: a debt needs the name, as a cash report does; once it is paid, the law has its way."""
    player = sits(house, table)
    marker = issue(house, table, 20_000)
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))

    def erase() -> None:
        people.person_erase(
            casino_id=house.casino.id,
            player_id=player,
            reason=people.LEGAL_REQUEST,
            second=house.badge(Role.SURVEILLANCE),
            command=house.office(),
        )

    with refused(house, "marker_open"):
        erase()
    pay(house, marker)
    erase()
    assert Player.objects.get(id=player).reference == ""


def test_a_row_that_says_otherwise_is_found(house: House, table: Table) -> None:
    """A marker whose amount was changed past the journal differs from its table's accounts."""
    sits(house, table)
    Marker.objects.filter(id=issue(house, table, 20_000)).update(amount=100)
    conservation_check(casino_id=house.casino.id)
    assert support.codes(house) == ["markers_differ"]


def test_where_hands_are_held_credit_is_given_between_rounds(house: House, table: Table) -> None:
    """CR-BETWEEN: who pays "all he has" must not have chosen how much that is."""
    made = room.make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, dealer=4)
    made.deal()
    with refused(house, "round_in_progress"):
        issue(house, made.table, 100, seat=1)


def test_without_the_profile_there_is_no_marker(house: House) -> None:
    """PIT-MARKER: off in every profile but the one a house chooses for it; nothing is opened or kept."""
    table, _ = support.open_scanned(house)
    with refused(house, "markers_not_allowed"):
        issue(house, table, 100, seat=1)
    player = known(house)
    with refused(house, "markers_not_allowed"):
        limit(house, player)
    assert "markers:drop_box" not in balances(table.stream)
