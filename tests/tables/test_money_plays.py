"""Money plays: off but where the gaming day's profile allows them; then currency at stake, in R and drop."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from audit.selectors.balances import conservation
from audit.selectors.books import money_won
from audit.services.cash import cash_astray
from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from ledger.models import Entry
from ledger.selectors import balances
from tables.engine.red_dog import RED_DOG
from tables.engine.rules import MAX_SEATS
from tables.figures import INSERTIONS, MONEY_PLAY
from tables.models import CashTransaction, Role, Round, Table, TableSession
from tables.selectors.cash import log_of
from tables.selectors.figures import session_figures
from tables.services import cash, freezes, rounds, seats
from tables.services.command import Answer
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import cancel, found, last, moves_of, physical
from tests.tables.test_cash_reporting import described, known, sit, totals

PROFILE = "generic_markers_money_plays"
NONE: Mapping[int, int] = {}


def allowed(house: House, name: str = PROFILE) -> None:
    """The house plays by this profile."""
    house.casino.profiles = [{"from": "2000-01-01", "name": name, "version": 1}]
    house.casino.save(update_fields=["profiles"])


@pytest.fixture
def table(house: House) -> Table:
    """An open table of a house with money plays, players on seats 1 and 2, 2,000.00 before each."""
    allowed(house)
    return support.open_scanned(house, max_bet=1_200_000)[0]


def begun(house: House, table: Table, money: Mapping[int, int], bets: Mapping[int, int] = NONE) -> uuid.UUID:
    """The id of a round with these bets of currency and of chips."""
    answer = rounds.round_start(table_id=table.id, bets=bets, money=money, command=house.command(Role.DEALER))
    return uuid.UUID(answer.body["round"]["id"])


def dealt(
    house: House,
    round_id: uuid.UUID,
    cards: Sequence[str],
    raises: Mapping[int, int] = NONE,
    by: Role = Role.DEALER,
    **raised: Mapping[int, int],
) -> Answer:
    """The round's cards, with these raises of currency, and of chips where they are named."""
    for now in (cards[:2], cards[2:]):
        if now:
            answer = rounds.round_deal(
                round_id=round_id, cards=now, number=len(now), command=house.command(by)
            )
        if answer.body["round"]["phase"] == "raising":
            spread = answer.body["round"]["spread"]
            rounds.round_announce(round_id=round_id, spread=spread, command=house.command(Role.DEALER))
            if raises or raised:
                given: dict[str, Any] = {"raises": {}, "withdraw": [], "money": raises} | raised
                rounds.round_raise(round_id=round_id, command=house.command(Role.DEALER), **given)
    return answer


def play(
    house: House,
    table: Table,
    cards: Sequence[str],
    money: Mapping[int, int],
    raises: Mapping[int, int] = NONE,
    **also: Any,
) -> Round:
    """A whole round with bets and raises of currency; and 10.00 in chips on seat 1 where nothing is said."""
    round_id = begun(house, table, money, also.pop("bets", {1: 1000}))
    dealt(house, round_id, cards, raises, **also)
    return Round.objects.get(id=round_id)


def astray(house: House) -> list[str]:
    """What the nightly check of the running day's cash finds."""
    house.casino.refresh_from_db()
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    return [each.code for each in cash_astray(house.casino, day)]


def cash_in(table: Table) -> Any:
    """What the table's last entry says of cash in."""
    return json.loads(last(table).payload).get("cash_in")


def test_currency_is_in_r_and_in_the_drop_and_counted_as_cash_in_once(house: House, table: Table) -> None:
    """RD-MONEY, 31 CFR 1021.311(a)(5) and (c)(2): lost, won, pushed, laid again, laid after a pause."""
    session = TableSession.objects.get(table=table)
    player = known(house)
    sit(house, table, 3, 0, player)

    play(house, table, support.LOSE, {3: 60_000})
    assert moves_of(last(table)) == [("wager:1", "tray", 1_000), ("money:3", "cash:drop_box", 60_000)]
    assert cash_in(table) == {"3": {"player": str(player), "amount": 60_000}}
    assert balances(table.stream)["cash:drop_box"] == 460_000

    won = play(house, table, support.WIN, {3: 50_000}, {3: 50_000}, bets={})
    assert moves_of(last(table)) == [
        ("tray", "wager:3", 100_000),
        ("wager:3", "seat:3", 100_000),
        ("money:3", "cash:patrons", 100_000),
    ]
    assert (won.state["money"], won.state["money_raises"]) == ({"3": 50_000}, {"3": 50_000})
    assert totals(player) == {"in": (160_000, False)}, "won or lost; and the same is no cash out"
    play(house, table, support.PUSH, {3: 70_000})
    assert cash_in(table) is None, "it came back from the round before, and lies there again"
    play(house, table, support.WIN, {3: 90_000}, bets={})
    assert totals(player) == {"in": (180_000, False)}, "but for the increase"
    play(house, table, support.PUSH, {})
    play(house, table, support.LOSE, {3: 90_000}, bets={})
    assert totals(player) == {"in": (270_000, False)}, "what was in the pocket for a round is counted"

    assert session_figures([session])[session.id].insertions == 550_000
    assert conservation(house.casino).missing == 0
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, session.id)
    support.count_drop(house, session.id)
    books = session_reconcile(session_id=session.id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained, books.drop) == (0, 0, 0, 550_000)
    assert books.rounds_result == 61_000 - 100_000 - 90_000 + 90_000
    assert money_won(books) == 60_000 + 90_000, "what R has of the box"
    conservation_check(casino_id=house.casino.id)
    assert (found(house), astray(house)) == ([], [])


def test_who_leaves_takes_what_came_back_along(house: House, table: Table) -> None:
    """(c)(2): "without leaving the table": who sits down next, or again, brings all the currency anew."""
    player, other = known(house), known(house)
    sit(house, table, 3, 0, player)
    play(house, table, support.PUSH, {3: 50_000})
    for who in (other, player):
        seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
        sit(house, table, 3, 0, who)
        play(house, table, support.PUSH, {3: 50_000})
    assert (totals(player), totals(other)) == ({"in": (100_000, False)}, {"in": (50_000, False)})
    assert (found(house), astray(house)) == ([], [])


def test_what_was_never_a_bet_goes_back_and_is_no_cash_in(house: House, table: Table) -> None:
    """RD-MONEY: taken back, a raise withdrawn or seen too early, a void round, also of a frozen table."""
    player = known(house)
    sit(house, table, 3, 0, player)
    before = balances(table.stream)

    round_id = begun(house, table, {3: 50_000}, {1: 1000})
    assert balances(table.stream)["money:3"] == 50_000
    rounds.round_bet(
        round_id=round_id, bets={}, take_back=[3], money={2: 700}, command=house.command(Role.DEALER)
    )
    assert moves_of(last(table)) == [("money:3", "cash:patrons", 50_000), ("cash:patrons", "money:2", 700)]
    freezes.table_freeze(table_id=table.id, reason="a quarrel", command=house.command(Role.DEALER))
    second = house.badge(Role.PIT_BOSS)
    rounds.round_void(
        round_id=round_id, reason="misdeal", second=second, command=house.command(Role.SUPERVISOR)
    )
    assert moves_of(last(table)) == [("wager:1", "seat:1", 1_000), ("money:2", "cash:patrons", 700)]
    freezes.table_release(
        table_id=table.id, reason="settled", second=second, command=house.command(Role.SUPERVISOR)
    )

    round_id = begun(house, table, {3: 50_000})
    rounds.round_deal(round_id=round_id, cards=support.WIN[:2], number=2, command=house.command(Role.DEALER))
    for spread in (5, 6):  # wrong, then right
        rounds.round_announce(round_id=round_id, spread=spread, command=house.command(Role.DEALER))
    for money, withdraw in (({3: 50_000}, []), (NONE, [3]), ({3: 40_000}, [])):
        rounds.round_raise(
            round_id=round_id, raises={}, money=money, withdraw=withdraw, command=house.command(Role.DEALER)
        )
    rounds.round_expose(round_id=round_id, card=support.LOSE[2], command=house.command(Role.DEALER))
    assert balances(table.stream)["cash:drop_box"] == before["cash:drop_box"] + 50_000, "the bet alone"
    assert totals(player) == {"in": (50_000, False)}
    assert (found(house), astray(house)) == ([], [])


def test_a_round_that_is_owed_keeps_the_currency_until_its_fill(house: House, table: Table) -> None:
    """RD-SETTLE: a tray that cannot pay owes; nothing is cash in before, and all of it then."""
    player = known(house)
    sit(house, table, 3, 0, player)
    tray = balances(table.stream)["tray"]
    round_id = begun(house, table, {1: 100_000, 3: 100_000})
    answer = dealt(house, round_id, support.TRIPS)
    assert (answer.body["round"]["phase"], answer.body["round"]["tray_need"]) == ("paying", 2_200_000)
    now = balances(table.stream)
    assert (now["money:1"], now["money:3"], now["tray"]) == (100_000, 100_000, tray)
    assert (cash_in(table), totals(player)) == (None, {})
    floor.fill_table(house, table)
    rounds.round_settle(round_id=round_id, command=house.command(Role.DEALER))
    now = balances(table.stream)
    assert (now["money:1"], now["money:3"], now["seat:3"]) == (0, 0, 1_100_000)
    assert totals(player) == {"in": (100_000, False)}
    (unknown,) = CashTransaction.objects.filter(table=table, seat=1, kind="round.settle")
    assert (unknown.amount, unknown.person) == (100_000, None)
    assert (found(house), astray(house)) == ([], [])


def test_a_corrected_or_cancelled_round_is_evened_out_in_chips(house: House, table: Table) -> None:
    """RD-PHYSICAL: what lies in the box stays there, what went back stays back; T, B and U are zero."""
    session = TableSession.objects.get(table=table)
    player = known(house)
    sit(house, table, 3, 0, player)
    lost = play(house, table, support.LOSE, {3: 20_000}, {3: 10_000}, bets={})
    physical(house, lost.id, support.WIN)
    assert moves_of(last(table)) == [("tray", "seat:3", 60_000)], "the stake and as much again"
    won = play(house, table, support.WIN, {3: 20_000}, bets={})
    cancel(house, won.id)
    assert moves_of(last(table)) == [("seat:3", "tray", 20_000)]
    box = balances(table.stream)["cash:drop_box"]
    gone = play(house, table, support.LOSE, {3: 20_000}, bets={})
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    cancel(house, gone.id)
    assert moves_of(last(table)) == [("tray", "disputed", 20_000)], "set aside for who is not there any more"
    assert balances(table.stream)["cash:drop_box"] == box + 20_000
    assert totals(player) == {"in": (30_000 + 20_000, False)}, "the house has or had it"
    support.close(house, table, session.id)
    support.count_drop(house, session.id)
    books = session_reconcile(session_id=session.id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained) == (0, 0, 0)
    assert books.rounds_result == 30_000 - 60_000 - 20_000 + 20_000 + 20_000 - 20_000
    conservation_check(casino_id=house.casino.id)
    assert found(house) == ["void_after_decision", "void_after_decision"]


def test_a_report_that_a_round_makes_due_is_told_to_those_who_run_the_table(
    house: House, table: Table
) -> None:
    """A dealer's screen faces the players; and of two nobody knew each has a line in the log."""
    player = known(house)
    sit(house, table, 3, 0, player)
    told = dealt(house, begun(house, table, {3: 1_000_100}), support.LOSE)
    assert "cash_reports_due" not in told.body
    assert totals(player) == {"in": (1_000_100, True)}, "but it is due"
    round_id = begun(house, table, {1: 400_000, 2: 300_000, 3: 500})
    (due,) = dealt(house, round_id, support.LOSE, by=Role.SUPERVISOR).body["cash_reports_due"]
    assert (due["player"], due["total"], due["direction"]) == (str(player), 1_000_600, "in")
    day = TableSession.objects.get(table=table).gaming_day
    lines = log_of(house.casino.id, day).filter(seq=last(table).seq).order_by("seat")
    assert [(line.seat, line.amount) for line in lines] == [(1, 400_000), (2, 300_000)]
    assert {line.person for line in lines} == {None}
    assert CashTransaction.objects.filter(seq=last(table).seq, stream=table.stream).count() == 3
    person = described(house)
    cash.transaction_identify(
        casino_id=house.casino.id,
        transaction_id=lines[1].id,
        player_id=person,
        command=house.command(Role.PIT_BOSS),
    )
    said = json.loads(Entry.objects.filter(stream__name=house.casino.stream).latest("seq").payload)
    assert (said["seq"], said["seat"]) == (last(table).seq, 2)
    assert totals(person) == {"in": (300_000, False)}
    assert (found(house), astray(house)) == ([], [])


def test_whatever_may_not_be_bet_in_currency_changes_nothing(house: House, table: Table) -> None:
    """RD-MONEY: the limits of chips; somebody must sit there; chips or currency; version 2; no card room."""
    command = house.command
    for money, bets, code in (
        ({4: 1_000}, {}, "seat_empty"),
        ({1: 400}, {}, "bet_below_minimum"),
        ({1: 1_200_100}, {}, "bet_above_maximum"),
        ({1: 1_050}, {}, "bet_off_step"),
        ({1: 1_000}, {1: 1_000}, "bet_exists"),
        ({}, {}, "no_bets"),
    ):
        with refused(house, code):
            rounds.round_start(table_id=table.id, bets=bets, money=money, command=command(Role.DEALER))
    round_id = begun(house, table, {1: 1_000})
    with refused(house, "raises_not_open"):
        rounds.round_raise(
            round_id=round_id, raises={}, withdraw=[], money={1: 1_000}, command=command(Role.DEALER)
        )
    # A round that was begun before currency could be bet goes on without it.
    old = RED_DOG.encode_state(RED_DOG.new_round(RED_DOG.decode_rules(table.rules.body)))
    Round.objects.filter(id=round_id).update(engine_version=1, state=old)
    with refused(house, "bad_action"):
        rounds.round_bet(
            round_id=round_id, bets={}, take_back=[], money={2: 1_000}, command=command(Role.DEALER)
        )
    made = room.make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, dealer=4)
    made.deal()
    with refused(house, "wrong_game"):
        rounds.round_bet(
            round_id=made.newest.id, bets={}, take_back=[], money={1: 10}, command=command(Role.DEALER)
        )


@pytest.mark.parametrize("profile", ["generic", "generic_markers"])
def test_without_the_profile_cash_does_not_play(house: House, profile: str) -> None:
    """PIT-TENDER: off in every profile but the one a house chooses for it; no account is opened for it."""
    allowed(house, profile)
    table, _ = support.open_scanned(house)
    with refused(house, "money_plays_not_allowed"):
        begun(house, table, {1: 1_000})
    round_id = begun(house, table, {}, {1: 1_000})
    with refused(house, "money_plays_not_allowed"):
        rounds.round_bet(
            round_id=round_id, bets={}, take_back=[], money={2: 500}, command=house.command(Role.DEALER)
        )
    dealt(house, round_id, support.WIN[:2])
    with refused(house, "money_plays_not_allowed"):
        rounds.round_raise(
            round_id=round_id, raises={}, withdraw=[], money={1: 500}, command=house.command(Role.DEALER)
        )
    assert "money:1" not in balances(table.stream)


def test_every_seat_a_rule_set_may_have_is_known_to_the_drop() -> None:
    """What goes into a box is one list, and it has the currency of every seat."""
    assert [source for source, _ in INSERTIONS if source.startswith(MONEY_PLAY)] == [
        f"{MONEY_PLAY}{seat}" for seat in range(1, MAX_SEATS + 1)
    ]
