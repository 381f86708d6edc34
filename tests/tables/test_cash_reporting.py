"""Cash that is reported: what counts, when a report is due, whose it is, and what is only ever refused.

31 CFR 1021.311 and 1021.313: cash in, or cash out, of one person and gaming day, each by itself, at all
tables and the cage together, strictly more than 10,000.00.
"""

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from ledger.models import Entry
from tables.models import CashTotal, CashTransaction, Player, Refusal, Role, Seat, Table
from tables.selectors.cash import log_of, reports_of, totals_watched
from tables.services import cage, cash, corrections, office, people, seats
from tables.services.command import Answer
from tests import floor
from tests.floor import House, refused

pytestmark = pytest.mark.django_db

NEXT = timedelta(days=1)
LIMIT = 1_000_000  # 10,000.00


def known(house: House, reference: str = "") -> uuid.UUID:
    """A player the house knows."""
    made = office.player_create(
        casino_id=house.casino.id,
        reference=reference or uuid.uuid4().hex,
        description="",
        command=house.office(),
    )
    return uuid.UUID(made.body["player"])


def described(house: House, text: str = "tall, forties, green coat") -> uuid.UUID:
    """Somebody nobody knows by name."""
    made = people.person_describe(
        casino_id=house.casino.id, description=text, command=house.command(Role.SUPERVISOR)
    )
    return uuid.UUID(made.body["player"])


def sit(house: House, table: Table, seat: int, cash_in: int, player: uuid.UUID | None, **who: Role) -> Answer:
    """Sit down with cash."""
    command = house.command(who.get("by", Role.DEALER))
    return seats.seat_take(
        table_id=table.id, seat=seat, player_id=player, cash=cash_in, chips=0, command=command
    )


def buy_in(
    house: House,
    table: Table,
    seat: int,
    amount: int,
    player: uuid.UUID | None = None,
    by: Role = Role.DEALER,
) -> Answer:
    """Somebody seated buys more chips."""
    return seats.seat_buy_in(
        table_id=table.id, seat=seat, cash=amount, player_id=player, command=house.command(by)
    )


def redeem(house: House, amount: int, player: uuid.UUID | None) -> Answer:
    """Bring chips to the cage for cash."""
    return cage.cage_redeem(
        casino_id=house.casino.id,
        chips={"100": amount // 100},
        player_id=player,
        command=house.command(Role.CAGE),
    )


def sell(house: House, amount: int, player: uuid.UUID | None) -> Answer:
    """Buy chips at the cage."""
    return cage.cage_sell(
        casino_id=house.casino.id,
        chips={"100": amount // 100},
        player_id=player,
        command=house.command(Role.CAGE),
    )


def totals(player: uuid.UUID) -> dict[str, tuple[int, bool]]:
    """By direction a person's total and whether a report is due."""
    rows = CashTotal.objects.filter(person=player)
    return {row.direction: (row.total, row.is_due) for row in rows}


@pytest.fixture
def table(house: House) -> Table:
    """An open table, seats 3 to 7 free."""
    return floor.ready_table(house)[0]


def test_ten_thousand_is_not_reported_and_a_chip_more_is(house: House, table: Table) -> None:
    """In and out apart, tables and cage together, two persons apart; due fifteen days on."""
    player, other = known(house), known(house)
    second, _ = floor.ready_table(house, "rd-2")
    sit(house, table, 3, 400_000, player)
    sit(house, second, 3, 400_000, player)
    sit(house, second, 4, 900_000, other)
    assert sell(house, 200_000, player).body["cash_report_due"] is None
    assert redeem(house, 900_000, player).body["cash_report_due"] is None, "in and out are not added"
    assert totals(player) == {"in": (LIMIT, False), "out": (900_000, False)}
    assert not reports_of(house.casino.id).exists()

    more = sell(house, 100, player).body["cash_report_due"]
    row = CashTotal.objects.get(person=player, direction="in")
    assert more == {
        "report": str(row.id),
        "player": str(player),
        "direction": "in",
        "gaming_day": row.gaming_day.isoformat(),
        "total": LIMIT + 100,
        "due_on": (row.gaming_day + timedelta(days=15)).isoformat(),
    }
    assert totals(other) == {"in": (900_000, False)}
    watched = [(each["player"], each["total"]) for each in totals_watched(house.casino, row.gaming_day)]
    assert watched[0] == (str(player), LIMIT + 100), "who is past it"
    assert sorted(watched[1:]) == sorted([(str(player), 900_000), (str(other), 900_000)]), "or soon may be"
    assert redeem(house, 100_100, player).body["cash_report_due"]["direction"] == "out"


def test_a_dealers_terminal_does_not_tell_that_a_report_is_due(house: House, table: Table) -> None:
    """It faces the players; whoever runs the table is told, and the cage."""
    player = known(house)
    assert sit(house, table, 3, LIMIT + 100, player).body["cash_report_due"] is None
    told = buy_in(house, table, 3, 100, by=Role.SUPERVISOR)
    assert told.body["cash_report_due"]["total"] == LIMIT + 200
    assert buy_in(house, table, 3, 100).body["cash_report_due"] is None
    assert totals(player) == {"in": (LIMIT + 300, True)}, "but it is due"


def test_a_buy_in_names_who_sits_there_or_who_it_is_found_to_be(house: House, table: Table) -> None:
    unknown, player = described(house), known(house)
    buy_in(house, table, 1, 100, unknown)
    assert Seat.objects.get(table=table, number=1).player_id == unknown
    buy_in(house, table, 1, 100)
    assert totals(unknown) == {"in": (200, False)}
    with refused(house, "seat_of_another"):
        buy_in(house, table, 1, 100, player)
    with refused(house, "player_not_found"):
        buy_in(house, table, 2, 100, uuid.uuid4())
    with refused(house, "player_not_found"):
        redeem(house, 100, uuid.uuid4())
    with refused(house, "description_missing"):
        described(house, "  ")


def test_a_buy_in_taken_back_was_never_brought(house: House, table: Table) -> None:
    """The reversal is cash of the day the buy-in was entered for; a reversal of it brings it again."""
    player = known(house)
    sit(house, table, 3, LIMIT, player)
    buy_in(house, table, 3, 500)
    assert totals(player) == {"in": (LIMIT + 500, True)}
    for total in (LIMIT, LIMIT + 500):
        entry = Entry.objects.filter(stream__name=table.stream).latest("seq")
        corrections.entry_reverse(
            table_id=table.id,
            entry_id=entry.id,
            reason="entered_twice",
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.SUPERVISOR),
        )
        assert totals(player) == {"in": (total, total > LIMIT)}
    rows = CashTransaction.objects.filter(person=player, kind="entry.reverse").order_by("seq")
    assert [row.amount for row in rows] == [-500, 500]


def test_the_log_has_every_transaction_from_the_threshold_on_and_nobody_is_described_later(
    house: House, table: Table
) -> None:
    """Also of those nobody named; who that was can be said once."""
    sit(house, table, 3, 300_000, None)
    sit(house, table, 4, 299_999, None)
    (line,) = log_of(house.casino.id, CashTransaction.objects.latest("at").gaming_day).filter(table=table)
    assert (line.person, line.table, line.seat, line.amount) == (None, table, 3, 300_000)
    assert line.staff == house.staff[Role.DEALER]
    person = described(house)

    def identify(transaction: uuid.UUID) -> Answer:
        return cash.transaction_identify(
            casino_id=house.casino.id,
            transaction_id=transaction,
            player_id=person,
            command=house.command(Role.PIT_BOSS),
        )

    identify(line.id)
    assert totals(person) == {"in": (300_000, False)}
    entry = Entry.objects.filter(stream__name=house.casino.stream).latest("seq")
    assert entry.kind == "cash.identify"
    with refused(house, "transaction_identified"):
        identify(line.id)
    with refused(house, "transaction_not_found"):
        identify(uuid.uuid4())


def test_a_description_tied_later_crosses_the_threshold_then(house: House, table: Table) -> None:
    """The totals follow, the report is due from the day it became known on, and more cash joins them."""
    first, second, alone = (described(house) for _ in range(3))
    player = known(house)
    sit(house, table, 3, 600_000, first)
    sell(house, 300_000, second)
    sell(house, 200_000, player)

    def tie(one: uuid.UUID, other: uuid.UUID) -> Answer:
        return cash.person_tie(
            casino_id=house.casino.id, player_id=one, same_as_id=other, command=house.command(Role.PIT_BOSS)
        )

    tie(first, second)
    assert totals(second) == {"in": (900_000, False)}
    today = CashTotal.objects.get(person=second).gaming_day
    with time_machine.travel(timezone.now() + 3 * NEXT, tick=True):
        tie(second, player)
    assert totals(player) == {"in": (1_100_000, True)}
    assert totals(first) | totals(second) == {"in": (0, False)}
    report = CashTotal.objects.get(person=player)
    assert (report.gaming_day, report.due_on) == (today, today + timedelta(days=18))
    assert set(Player.objects.filter(same_as=player).values_list("id", flat=True)) == {first, second}
    buy_in(house, table, 3, 100)
    assert totals(player) == {"in": (1_100_100, True)}, "under the description, which is the player's"
    with refused(house, "person_tied"):
        tie(first, player)
    with refused(house, "person_tied"):
        tie(alone, alone)
    with refused(house, "person_known"):
        tie(player, second)
    with refused(house, "player_not_found"):
        tie(first, uuid.uuid4())


def test_a_report_is_filed_once_the_day_is_over_and_anew_when_its_total_changes(house: House) -> None:
    """By whom, when, under which number: an entry without a word about the person."""
    player, unknown = known(house), described(house)
    sell(house, LIMIT + 100, player)
    sell(house, 500, unknown)
    report = CashTotal.objects.get(person=player)

    def file(reference: str, report_id: uuid.UUID = report.id) -> Answer:
        return cash.cash_report_file(
            casino_id=house.casino.id,
            report_id=report_id,
            reference=reference,
            command=house.command(Role.CAGE),
        )

    with refused(house, "gaming_day_runs"):
        file("BSA-1")
    with time_machine.travel(timezone.now() + NEXT, tick=True):
        with refused(house, "bad_reference"):
            file("no-digit")
        file("BSA-1")
        with refused(house, "report_not_due"):
            file("BSA-2")
        with refused(house, "report_not_found"):
            file("BSA-2", uuid.uuid4())
        assert not reports_of(house.casino.id, open_only=True).exists()
        cash.person_tie(
            casino_id=house.casino.id,
            player_id=unknown,
            same_as_id=player,
            command=house.command(Role.PIT_BOSS),
        )
    report.refresh_from_db()
    assert (report.filed_total, report.total, report.is_due) == (LIMIT + 100, LIMIT + 600, True)
    assert report.filed_by == house.staff[Role.CAGE]
    assert report.due_on == report.gaming_day + timedelta(days=16)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("money_play", "money_plays_not_allowed"),
        ("marker", "markers_not_allowed"),
        ("cash_out", "cash_out_at_cage"),
        ("foreign_chips", "foreign_chips_not_taken"),
    ],
)
def test_other_tender_is_refused_and_kept_as_a_refusal(
    house: House, table: Table, kind: str, code: str
) -> None:
    """Cash does not play, nobody gets credit or cash at a table, and only the house's chips are played."""
    with refused(house, code):
        seats.seat_other_tender(
            table_id=table.id, seat=1, kind=kind, amount=5000, command=house.command(Role.DEALER)
        )
    assert Refusal.objects.filter(code=code, operation="seat.other_tender").exists()
