"""The master game report: one definition of each figure, and what is missing is missing."""

import json
from datetime import date, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from audit.master_game import Line, MasterGame, line_of, lines_by
from audit.models import Finding
from audit.report import day_report
from audit.selectors.master_game import master_game
from audit.selectors.sheets import drop_periods
from audit.services.findings import finding_acknowledge, finding_resolve
from audit.services.reconciliation import session_reconcile
from tables.figures import Reconciliation, WinState, final_standing, gaming_day, hold_of, known_sum
from tables.models import Casino, DropBox, Role
from tables.selectors.days import day_figures
from tables.services.corrections import correction_post
from tables.services.days import gaming_day_close
from tests import floor
from tests.admin.house import logged_in
from tests.audit import support

pytestmark = pytest.mark.django_db


def today(house: floor.House) -> date:
    return gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)


def report(house: floor.House) -> MasterGame:
    return master_game(Casino.objects.get(id=house.casino.id), today(house))


def line(house: floor.House, code: str) -> Line:
    return next(
        each for each in lines_by(report(house).sheets, lambda sheet: sheet.code) if each.name == code
    )


def printed(house: floor.House, day: date, *options: str) -> str:
    out = StringIO()
    named = ("--casino", house.casino.code, "--gaming-day", day.isoformat())
    call_command("master_game", *named, *options, stdout=out)
    return out.getvalue()


def test_a_gaming_day_from_the_tables_to_its_final_figures(house: floor.House) -> None:
    """Win goes from pending over provisional, counted and reconciled to final, and is one on every page."""
    first, one = support.open_scanned(house)
    support.play_with_raise(house, first, support.LOSE, {1: 1000})
    correction_post(
        table_id=first.id,
        seat=2,
        amount=250_000,
        direction="to_seat",
        reason="other",
        note="a stack",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.SUPERVISOR),
    )
    assert (line(house, "rd-1").win, line(house, "rd-1").win_state) == (None, WinState.PENDING)
    support.close(house, first, one)
    session_reconcile(session_id=one)
    assert (line(house, "rd-1").drop, line(house, "rd-1").win_state) == (None, WinState.PROVISIONAL)
    support.count_drop(house, one)
    assert line(house, "rd-1").win_state == WinState.COUNTED, "the worker has not looked yet"
    session_reconcile(session_id=one)
    counted = line(house, "rd-1")
    brought = known_sum([counted.closer, counted.credits, counted.drop])
    given = known_sum([counted.opener, counted.fills])
    assert brought is not None
    assert given is not None
    win = brought - given
    assert (counted.win, counted.win_state, counted.drop, counted.variance) == (
        win,
        WinState.RECONCILED,
        400_000,
        0,
    )
    assert (win, counted.handle) == (4_500 - 250_000, 4_500)

    other, two = support.open_scanned(house, "rd-2")
    support.close(house, other, two)
    day = report(house)
    total = line_of("all", day.sheets)
    assert (total.sessions, total.drop, total.win_state) == (2, None, WinState.PROVISIONAL)
    assert [(each.kind, each.amount, each.reason) for each in day.listed] == [
        ("correction.post", 250_000, "other")
    ]
    support.count_drop(house, two, off=-5_000)
    session_reconcile(session_id=two)
    assert day.closed is None

    gaming_day_close(
        casino_id=house.casino.id,
        gaming_day=today(house),
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    assert (line(house, "rd-1").win_state, line(house, "rd-2").win_state) == (
        WinState.FINAL,
        WinState.COUNTED,
    ), "a box that is short stays open"
    for finding in Finding.objects.filter(casino=house.casino):
        at = support.at_desk(house, Role.AUDITOR)
        finding_acknowledge(finding_id=finding.id, note="counted again", command=at)
        at = support.at_desk(house, Role.AUDITOR)
        finding_resolve(finding_id=finding.id, reason="a note was torn", false_positive=False, command=at)
    done = report(house)
    assert line_of("all", done.sheets).win_state == WinState.FINAL
    assert done.since_closing == {}, "the day was closed with these figures"
    _agrees_with_every_other_page(house, done)
    _on_its_page(house)


def _agrees_with_every_other_page(house: floor.House, done: MasterGame) -> None:
    total, casino = line_of("all", done.sheets), house.casino
    figures = day_figures(casino, today(house))["total"]
    of_day = day_report(casino_id=casino.id, gaming_day=today(house)).total
    for name in ("sessions", "drop", "win"):
        assert getattr(total, name) == figures[name] == getattr(of_day, name), name
    assert (total.fills, total.credits) == (figures["fills"], figures["credits"])
    assert total.handle == of_day.handle
    assert total.hold == of_day.to_dict()["hold"]
    assert [sheet.drop_parts["notes"] for sheet in done.sheets] == [{"100": 4_000}, {"100": 3_950}]
    said = json.loads(printed(house, today(house), "--json"))
    assert said == json.loads(json.dumps(done.to_dict()))
    assert said["year_to_date"] == said["month_to_date"]
    assert said["month_to_date"]["total"] == said["total"] | {"name": "all"}
    text = printed(house, today(house))
    assert "year to date" in text
    assert "1 adjustment; adjustments above 2000.00: 1" in text
    assert "final" in text


def _on_its_page(house: floor.House) -> None:
    """The page, for those who read the audit, and nobody else."""
    address = reverse("admin:audit_master_game", args=[today(house)])
    page = logged_in(house, Role.AUDITOR).get(address).content.decode()
    assert all(word in page for word in ("By table", "rd-1", "rd-2", "final", "correction.post", "a stack"))
    assert "Drop periods" in page
    assert "rd-1-1" in page
    assert logged_in(house, Role.SUPERVISOR).get(address).status_code == 403
    empty = reverse("admin:audit_master_game", args=[today(house) - timedelta(days=4000)])
    assert "No Activity" in logged_in(house, Role.PIT_BOSS).get(empty).content.decode()
    boxes = logged_in(house, Role.AUDITOR).get(reverse("admin:tables_dropbox_changelist"))
    assert "rd-1-1" in boxes.content.decode()


def test_a_day_without_business_says_so(house: floor.House) -> None:
    """GLI-19 v3.0: a report with no rows says "No Activity"."""
    long_ago = today(house) - timedelta(days=4000)
    assert printed(house, long_ago).strip().endswith("No Activity")
    assert json.loads(printed(house, long_ago, "--json"))["activity"] is False


def test_a_drop_period_has_t_and_u_between_two_moments_with_a_count_and_a_box_change_only() -> None:
    """B is each box's own; one changed without a count of the tray leaves T and U to the session."""
    now, checks = timezone.now(), Reconciliation(-5, 3, -2)
    first, second = (
        DropBox(number=number, put_at=now, removed_at=now, booked=100, total=total)
        for number, total in ((1, 103), (2, None))
    )

    def known(*boxes: DropBox, of: Reconciliation | None = checks) -> list[tuple[int | None, ...]]:
        return [(each.tray, each.box, each.unexplained) for each in drop_periods(boxes, of)]

    assert known(first) == [(-5, 3, -2)]
    assert known(first, second) == [(None, 3, None), (None, None, None)], "missing is missing"
    assert known(first, of=None) == [(None, 3, None)]


def test_only_what_was_counted_becomes_final() -> None:
    final = {
        state: final_standing(state, day_closed=closed, nothing_open=clear)
        for state in WinState
        for closed, clear in ((True, True),)
    }
    assert final[WinState.COUNTED] == final[WinState.RECONCILED] == WinState.FINAL
    assert (final[WinState.PENDING], final[WinState.PROVISIONAL]) == (WinState.PENDING, WinState.PROVISIONAL)
    for closed, clear in ((False, True), (True, False)):
        state = final_standing(WinState.RECONCILED, day_closed=closed, nothing_open=clear)
        assert state == WinState.RECONCILED
    assert (hold_of(4_000, 9_000), hold_of(1, 0), hold_of(None, 5), hold_of(5, None)) == (
        hold_of(4, 9),
        None,
        None,
        None,
    )
