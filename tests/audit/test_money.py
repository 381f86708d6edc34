"""Currency that was bet, as the audit sees it: what a round says of cash in, and what is kept of it."""

import re
import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from audit.printing.paper import Facts
from audit.printing.session import session_paper, sessions_to_print
from audit.services.cash import cash_astray
from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import gaming_day_resettle
from ledger.services import Movement
from tables.models import CashTransaction, Role, Round, Table, TableSession
from tables.services import cage, office, rounds, seats
from tests.admin.house import logged_in, page_address
from tests.audit import support
from tests.audit.paper import facts, on_paper
from tests.floor import House

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(house: House) -> Table:
    """An open table of a house with money plays, players nobody knows on seats 1 and 2."""
    house.casino.profiles = [{"from": "2000-01-01", "name": "generic_markers_money_plays", "version": 1}]
    house.casino.save(update_fields=["profiles"])
    return support.open_scanned(house)[0]


def decided(house: House, table: Table, money: Mapping[int, int]) -> Round:
    """A round with these bets of currency whose spread was announced, waiting for its third card."""
    begun = rounds.round_start(table_id=table.id, bets={}, money=money, command=house.command(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])
    rounds.round_deal(round_id=round_id, cards=support.WIN[:2], number=2, command=house.command(Role.DEALER))
    rounds.round_announce(round_id=round_id, spread=6, command=house.command(Role.DEALER))
    return Round.objects.get(id=round_id)


def settled(card: str) -> list[dict[str, str]]:
    """The actions of a round's last card and its settlement."""
    return [{"type": "deal", "card": card}, {"type": "settle"}]


def found(house: House) -> tuple[list[str], list[str]]:
    """What the re-settlement finds, and what the check of the day's cash does."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)
    return support.codes(house), [each.code for each in cash_astray(house.casino, day)]


def of(seat: int, amount: int, player: str | None = None) -> dict[str, Any]:
    """What an entry says of a money play."""
    return {str(seat): {"player": player, "amount": amount}}


@pytest.mark.parametrize(
    ("card", "said", "wrong"),
    [
        (support.WIN[2], of(1, 1_000) | of(2, 2_000), False),
        (support.WIN[2], of(1, 1_000), True),
        (support.LOSE[2], of(1, 1_000) | of(2, 1_900), True),
        (support.LOSE[2], of(1, 1_000) | of(2, 2_000, str(uuid.UUID(int=1))), True),
        (support.LOSE[2], of(1, 1_000) | of(2, 2_000) | of(3, 500), True),
        (support.LOSE[2], {}, True),
    ],
)
def test_a_round_that_says_other_cash_in_is_found(
    house: House, table: Table, card: str, said: dict[str, Any], wrong: bool
) -> None:
    """RD-MONEY: each money play, won or lost, counts for whoever sits there, to the last unit."""
    running = decided(house, table, {1: 1_000, 2: 2_000})
    support.forge(house, running, settled(card), payload={"cash_in": said} if said else {})
    assert found(house)[0] == (["cash_in_differs"] if wrong else [])


def test_currency_that_lies_there_again_is_not_counted_again_nor_anybody_elses(
    house: House, table: Table
) -> None:
    """(c)(2), by the entries alone: what came back is not counted, and what was pocketed for a round is."""
    support.forge(
        house, decided(house, table, {1: 1_000}), settled(support.WIN[2]), payload={"cash_in": of(1, 1_000)}
    )
    running = decided(house, table, {1: 1_500})
    support.forge(house, running, settled(support.WIN[2]), payload={"cash_in": of(1, 500)})
    support.forge(
        house, decided(house, table, {2: 500}), settled(support.WIN[2]), payload={"cash_in": of(2, 500)}
    )
    assert found(house)[0] == []
    running = decided(house, table, {1: 1_500})
    support.forge(house, running, settled(support.WIN[2]))  # as if it had lain there all the while
    assert found(house)[0] == ["cash_in_differs"]


def test_currency_that_went_elsewhere_than_the_rules_say_is_found(house: House, table: Table) -> None:
    """RD-MONEY: lost, it is the house's and lies in the box, whatever an entry makes of it."""
    running = decided(house, table, {1: 1_000})
    support.forge(
        house,
        running,
        settled(support.LOSE[2]),
        moves=lambda moves: [Movement("money:1", "cash:patrons", 1_000)],
        payload={"cash_in": of(1, 1_000)},
    )
    assert found(house)[0] == ["wrong_payout"]


def test_a_row_that_says_otherwise_is_found_seat_by_seat(house: House, table: Table) -> None:
    """Each seat's transaction of one entry is derived again by itself."""
    running = decided(house, table, {1: 1_000, 2: 2_000})
    rounds.round_deal(
        round_id=running.id, cards=support.LOSE[2:], number=1, command=house.command(Role.DEALER)
    )
    assert found(house) == ([], [])
    CashTransaction.objects.filter(table=table, kind="round.deal", seat=2).update(amount=1_900)
    assert found(house) == ([], ["cash_projection_differs"])
    CashTransaction.objects.filter(table=table, kind="round.deal", seat=1).update(seat=5)
    assert found(house)[1] == ["cash_projection_differs"] * 3, "and both seats a row was moved between"


def test_currency_that_is_bet_is_play(house: House, table: Table) -> None:
    """Much cash brought and hardly played: what a player stakes in currency was played."""
    made = office.player_create(
        casino_id=house.casino.id, reference="member 1", description="", command=house.office()
    )
    player = uuid.UUID(made.body["player"])
    seats.seat_take(
        table_id=table.id,
        seat=3,
        player_id=player,
        cash=500_000,
        chips=0,
        command=house.command(Role.DEALER),
    )
    for _ in range(2):
        running = decided(house, table, {3: 60_000})
        rounds.round_deal(
            round_id=running.id, cards=support.WIN[2:], number=1, command=house.command(Role.DEALER)
        )
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    cage.cage_redeem(
        casino_id=house.casino.id,
        chips={"10000": 50},
        player_id=player,
        command=house.command(Role.CAGE),
    )
    assert found(house) == ([], [])


def test_currency_that_is_bet_is_told_apart_from_chips(house: House, table: Table) -> None:
    """On paper, and in the admin: on the round's page and, while it lies there, on the table's."""
    rounds.round_start(table_id=table.id, bets={1: 1000}, money={2: 2500}, command=house.command(Role.DEALER))
    played = Round.objects.get(table=table)
    boss = logged_in(house, Role.PIT_BOSS)
    told = re.sub(r"<[^>]+>", "", boss.get(page_address(table)).text)
    assert "0.00 USD and 25.00 USD of currency" in told
    rounds.round_deal(round_id=played.id, cards=("5S", "QH"), number=2, command=house.command(Role.DEALER))
    rounds.round_announce(round_id=played.id, spread=6, command=house.command(Role.DEALER))
    rounds.round_raise(
        round_id=played.id, raises={}, withdraw=[], money={1: 500}, command=house.command(Role.DEALER)
    )
    rounds.round_deal(round_id=played.id, cards=("KD",), number=1, command=house.command(Role.DEALER))
    told = re.sub(r"<[^>]+>", " ", boss.get(page_address(played)).text)
    assert re.findall(r"([0-9.]+) +USD +of currency", told) == ["5.00", "25.00"]
    said = on_paper(played.id)
    assert [row[2:] for row in said["Players"][1:3]] == [
        ["10.00", "5.00", "0.00", "5.00", "0.00", "-15.00"],
        ["25.00", "0.00", "25.00", "0.00", "0.00", "-25.00"],
    ]
    course = [row[2] for row in said["Course of play"]]
    assert {"Seat 2 bets 25.00 USD of currency", "Seat 1 raises by 5.00 USD of currency"} <= set(course)
    assert facts(said, "Round")["House result"] == "40.00 USD"
    support.close(house, table, played.session_id)
    kept = session_reconcile(session_id=played.session_id)
    assert kept is not None
    told = re.sub(r"<[^>]+>", " ", logged_in(house, Role.AUDITOR).get(page_address(kept)).text)
    assert re.search(r"money plays lost into the box:?\s+30\.00\s+USD\s", told)
    paper = session_paper(sessions_to_print(pk=played.session_id).get())
    (checks,) = (each for each in paper.sections if each.heading == "Reconciliation")
    assert isinstance(checks, Facts)
    assert ("Of R, money plays lost into the box", "30.00 USD") in checks.facts
