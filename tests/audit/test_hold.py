"""When a hold must be investigated: each profile's rule, strictly beyond it, and not on too little."""

from datetime import date, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from audit.hold import BASE_DAYS, WINDOW_DAYS, Business, Days, Standing, days_of, judged
from audit.models import Finding, SessionReconciliation
from audit.selectors.hold import hold_judgements
from audit.services import outbox
from audit.services.findings import finding_record
from audit.services.hold import holds_out_of_range
from tables.jurisdiction.catalogue import NAMES, newest
from tables.models import Casino, ClosedDay, Role, Table, TableSession
from tables.services.cash import CHECK
from tests import floor
from tests.admin.house import logged_in

LAST = date(2026, 11, 29)


def drop_of(hold_bp: int, **other: int) -> Business:
    """Much business that held so many hundredths of a per cent."""
    usual = {"days": 40, "win": hold_bp * 100, "drop": 1_000_000, "uncounted": 0}
    return Business(**(usual | other))


@pytest.mark.parametrize("name", NAMES)
def test_a_hold_is_investigated_strictly_beyond_the_profile_s_rule(name: str) -> None:
    """Nevada, Kansas: more than three points; Ohio: more than four. At the threshold it is within."""
    rule = newest(name).hold
    limit = 400 if name == "ohio_like" else 300
    base = drop_of(2_000, days=400)
    verdicts = [
        judged(rule, drop_of(2_000 + off), base)[0] for off in (limit, -limit, limit + 1, -limit - 1, 0)
    ]
    within, out = Standing.WITHIN, Standing.OUT_OF_RANGE
    assert verdicts == [within, within, out, out, within]


@pytest.mark.parametrize("name", ["new_jersey_like", "ohio_like"])
def test_too_little_is_not_judged_and_says_so(name: str) -> None:
    rule, far = newest(name).hold, drop_of(9_000, days=WINDOW_DAYS)
    inside = WINDOW_DAYS if name == "ohio_like" else 0  # a lifetime has its window in it
    enough = drop_of(2_000, days=BASE_DAYS + inside)
    assert judged(rule, far, enough) == (Standing.OUT_OF_RANGE, "")
    for window, base, why in (
        (drop_of(9_000, days=WINDOW_DAYS - 1), enough, "fewer than 7 gaming days of business"),
        (far, drop_of(2_000, days=BASE_DAYS + inside - 1), "fewer than 30 gaming days to compare with"),
        (drop_of(9_000, uncounted=1), enough, "not all drops are counted and reconciled"),
        (far, drop_of(2_000, uncounted=1), "not all drops are counted and reconciled"),
        (drop_of(9_000, drop=0, days=WINDOW_DAYS), enough, "nothing was dropped"),
        (far, drop_of(2_000, drop=0, days=60), "nothing was dropped"),
        (Business(), Business(), "fewer than 7 gaming days of business"),
    ):
        assert judged(rule, window, base) == (Standing.NOT_JUDGED, why)


def test_the_days_of_each_rule() -> None:
    """A month is judged when it is over; thirty days roll on; a year before, and a lifetime."""
    monthly, rolling = newest("nevada_like").hold, newest("ohio_like").hold
    october = (Days(date(2026, 10, 1), date(2026, 10, 31)), Days(date(2025, 1, 1), date(2025, 12, 31)))
    assert days_of(monthly, LAST) == days_of(monthly, date(2026, 10, 31)) == october
    assert days_of(monthly, date(2026, 10, 30))[0] == Days(date(2026, 9, 1), date(2026, 9, 30))
    january = days_of(monthly, date(2026, 2, 1))
    assert january == (Days(date(2026, 1, 1), date(2026, 1, 31)), Days(date(2025, 1, 1), date(2025, 12, 31)))
    assert days_of(rolling, LAST) == (Days(date(2026, 10, 31), LAST), Days(None, LAST))


def business(table: Table, day: date, *, win: int, drop: int, counted: bool = True) -> None:
    """A closed session of a gaming day, as its row and its reconciliation say it."""
    number = TableSession.objects.filter(table=table).count() + 1
    now, closer = timezone.now(), win
    session = TableSession.objects.create(
        table=table,
        number=number,
        gaming_day=day,
        status="counted" if counted else "closed",
        opener={},
        opener_total=drop,
        opened_at=now,
        opened_seq=2 * number,
        closer={},
        closer_total=closer,
        closed_at=now,
        closed_seq=2 * number + 1,
        drop_total=drop if counted else None,
    )
    nothing = dict.fromkeys(("entries", "movements", "carried", "fills", "credits", "other_tray_moves"), 0)
    SessionReconciliation.objects.create(
        session=session,
        opened_seq=session.opened_seq,
        closed_seq=2 * number + 1,
        opener=drop,
        closer=closer,
        rounds_result=win,
        insertions=drop,
        drop=drop if counted else None,
        tray=0,
        box=0 if counted else None,
        unexplained=0 if counted else None,
        win=win,
        win_state="reconciled",
        checked_at=now,
        **nothing,
    )


def closed(house: floor.House) -> Casino:
    """The house's casino, which has closed its days and had its profile all year."""
    profiles = [house.casino.profiles[0] | {"from": "2026-01-01"}]
    Casino.objects.filter(id=house.casino.id).update(closed_day=LAST, profiles=profiles)
    return Casino.objects.get(id=house.casino.id)


@pytest.mark.django_db
def test_a_hold_out_of_range_is_one_finding_with_its_numbers() -> None:
    """Ohio: per table, thirty days against the lifetime; one open finding per cause, counted each night."""
    house = floor.make_house(profile="ohio_like")
    far, near = (floor.make_table(house, code) for code in ("far", "near"))
    for n in range(40):
        recent = n < 10  # of forty days the last ten, drops of ten: lifetime hold 20 + (win - 20) / 4
        day = LAST - timedelta(days=n if recent else n + 30)
        business(far, day, win=2_534 if recent else 2_000, drop=10_000)
        business(near, day, win=2_533 if recent else 2_000, drop=10_000)
    casino = closed(house)
    one, other = hold_judgements(casino, LAST)
    assert (one.window.days, one.base.days, one.base.uncounted) == (10, 40, 0)
    assert (one.verdict[0], other.verdict[0]) == (Standing.OUT_OF_RANGE, Standing.WITHIN)
    for _ in range(2):
        for found in holds_out_of_range(casino):
            finding_record(casino_id=casino.id, found=found, gaming_day=LAST)
    finding = Finding.objects.get(casino=casino)
    assert (finding.code, finding.counter, finding.stream) == ("hold_out_of_range", 2, far.stream)
    said = finding.evidence.get().body
    assert (said["threshold_bp"], said["table"], said["profile"]) == (
        400,
        "far",
        f"ohio_like v{newest('ohio_like').version}",
    )
    assert said["window"] == {
        "kind": "rolling_30_days",
        "from": "2026-10-31",
        "to": "2026-11-29",
        "days": 10,
        "win": 25_340,
        "drop": 100_000,
        "uncounted": 0,
        "hold": "0.253400",
    }
    assert (said["base"]["hold"], said["base"]["from"]) == ("0.213350", None)
    _shown(casino, house)


def _shown(casino: Casino, house: floor.House) -> None:
    """The master game report of a closed day says how each table's hold was judged."""
    day = ClosedDay.objects.create(
        casino=casino,
        gaming_day=LAST,
        closed_at=timezone.now(),
        seq=1,
        early=False,
        figures={"total": {"sessions": 2, "fills": 0, "credits": 0, "drop": 20_000, "win": 5_067}},
    )
    outbox.JOBS[CHECK](day.id)
    assert Finding.objects.get(casino=casino).counter == 3, "judged when the day is closed, too"
    out = StringIO()
    call_command("master_game", "--casino", casino.code, "--gaming-day", LAST.isoformat(), stdout=out)
    assert "hold of far: 0.253400, compared with 0.213350: out_of_range" in out.getvalue()
    auditor = logged_in(house, Role.AUDITOR)
    page = auditor.get(f"/admin/audit/gamingdaycheck/master-game/{LAST}/").content.decode()
    assert "out of range" in page
    said = auditor.get(f"/api/v1/master-game/{LAST}").json()["holds"]
    assert [(row["table"], row["standing"]) for row in said] == [("far", "out_of_range"), ("near", "within")]


@pytest.mark.django_db
def test_nothing_is_judged_before_a_day_was_closed_or_while_a_drop_is_uncounted() -> None:
    house = floor.make_house(profile="ohio_like")
    assert list(holds_out_of_range(house.casino)) == []
    table = floor.make_table(house)
    for n in range(40):
        business(table, LAST - timedelta(days=n), win=9_000 if n < 9 else 100, drop=10_000, counted=n != 3)
    (judgement,) = hold_judgements(closed(house), LAST)
    assert judgement.verdict == (Standing.NOT_JUDGED, "not all drops are counted and reconciled")
