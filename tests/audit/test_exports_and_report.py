"""A day's round histories read back, and its page of figures."""

import json
from fractions import Fraction
from io import StringIO

import pytest
from django.core.management import call_command

from audit.management.lines import amount
from audit.report import day_report
from audit.services.reconciliation import session_reconcile
from tables.engine.odds import closed_form, expected_net, full_shoe, without
from tables.figures import decimal
from tables.models import Role, TableSession
from tables.services import rounds
from tests import floor
from tests.audit import support
from tests.floor import House


@pytest.fixture
def played(house: House) -> TableSession:
    """Four rounds: a raised win, a loss, a push, and one voided."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.play_with_raise(house, table, support.LOSE, {})
    floor.play_round(house, table, {2: 500}, support.PUSH)
    voided = support.raising(house, table, ("5S", "QH"))
    rounds.round_void(
        round_id=voided.id,
        reason="misdeal",
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    return TableSession.objects.get(id=session_id)


def test_the_page_of_a_counted_day(house: House, played: TableSession) -> None:
    support.close(house, played.table, played.id)
    support.count_drop(house, played.id)
    kept = session_reconcile(session_id=played.id)
    report = day_report(casino_id=house.casino.id, gaming_day=played.gaming_day)
    (line,) = report.lines
    assert (line.rounds, line.voided, line.handle) == (3, 1, 4500 + 3500 + 500)
    assert (line.drop, line.win, line.play.result) == (400_000, -1000, -1000)
    assert line.hold == Fraction(-1000, 400_000)
    assert (line.tray, line.box, line.unexplained, line.win_state) == (0, 0, 0, "reconciled")
    assert kept is not None
    assert (line.win, line.entries, line.movements) == (kept.win, kept.entries, kept.movements)
    assert line.verified
    assert report.total.to_dict() | {"code": "", "table": None, "packs": None, "card_source": ""} == (
        line.to_dict() | {"code": "", "table": None, "packs": None, "card_source": ""}
    )


def test_what_the_house_could_expect_has_one_name_for_each_basis(house: House, played: TableSession) -> None:
    """Before the cards, of a full shoe; and given two cards, of what was left: never under one name."""
    odds = closed_form(6)
    best = (1000 + 2500 + 1000 + 2500 + 500) * odds.house_edge  # of the rounds that count
    spread_6 = next(one for one in odds.spreads if one.spread == 6)
    report = day_report(casino_id=house.casino.id, gaming_day=played.gaming_day)
    assert report.total.play.best == best
    assert report.total.play.actual == best - 1000 * spread_6.edge, "the best play does not raise on a six"
    said = report.lines[0].to_dict()
    assert said["theoretical_best_win_exact"] == str(best)
    unseen = full_shoe(6)
    expected = Fraction()
    for cards, stakes in (
        (support.WIN, [(1000, 1000), (2500, 0)]),
        (support.LOSE, [(1000, 0), (2500, 0)]),
        (support.PUSH, [(500, 0)]),
        (("5S", "QH"), [(1000, 0), (2500, 0)]),  # voided: it counts, as if it had been played
    ):
        two = without(unseen, cards[:2])
        expected -= sum(expected_net(cards[0], cards[1], bet, raised, two) for bet, raised in stakes)
        unseen = without(unseen, cards)
    assert report.total.given_cards == expected
    assert said["given_cards_win_exact"] == str(expected)


def test_what_is_missing_is_missing_and_not_zero(house: House, played: TableSession) -> None:
    line = day_report(casino_id=house.casino.id, gaming_day=played.gaming_day).total
    assert (line.drop, line.win, line.hold, line.tray) == (None, None, None, None)
    assert line.win_state == "pending"
    out = StringIO()
    arguments = ("--gaming-day", played.gaming_day.isoformat(), "--casino", house.casino.code)
    call_command("day_report", *arguments, stdout=out)
    assert "pending" in out.getvalue()
    out = StringIO()
    call_command("day_report", *arguments, "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert (said["total"]["win"], said["activity"]) == (None, True)


def test_a_day_that_does_not_verify_says_so(house: House, played: TableSession) -> None:
    running = support.raising(house, played.table, ("5S", "QH"))
    action = {"type": "raise", "seat": 1, "amount": 1000}
    support.forge(house, running, [action], kind="round.raise", payload={"state": "0" * 64})
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command(
            "day_report",
            *("--gaming-day", played.gaming_day.isoformat(), "--casino", house.casino.code),
            stdout=out,
        )
    assert "found: state_differs" in out.getvalue()


def test_a_day_nobody_played(house: House) -> None:
    out = StringIO()
    call_command("day_report", "--gaming-day", "2001-01-01", "--casino", house.casino.code, stdout=out)
    assert "No Activity" in out.getvalue()


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(4, 9), 6, "0.444444"),
        (Fraction(-4), 6, "-4.000000"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(5, 1000), 2, "0.00"),
        (Fraction(15, 1000), 2, "0.02"),
        (Fraction(123456), 2, "123456.00"),
        (Fraction(-5, 2), 0, "-2"),
    ],
)
def test_decimals_are_exact(value: Fraction, places: int, text: str) -> None:
    assert decimal(value, places) == text


@pytest.mark.parametrize(
    ("value", "currency", "text"),
    [
        (123456, "USD", "1234.56"),
        (123456, "JPY", "123456"),
        (-5, "KWD", "-0.005"),
        (Fraction(5, 2), "JPY", "2"),
        (None, "USD", "-"),
    ],
)
def test_amounts_of_reports_follow_their_currency(
    value: int | Fraction | None, currency: str, text: str
) -> None:
    """ISO 4217: the yen has no minor unit, the Kuwaiti dinar has a thousand."""
    assert amount(value, currency) == text
