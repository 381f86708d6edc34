"""A whole gaming day over each night of daylight saving, and every figure of it worked out by hand.

Two pits, three tables of casino Red Dog and one of the card room; a fill, a credit, a slip made void in
transit, a round made void, a mispay, a round corrected to its physical cards, a buy-in entered twice, a
closer that is miscounted, a box that is short and was counted differently by two, a slip copy that is
missing, a session and a count after the roll-over. All amounts are minor units: 100 is a dollar.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.bundle.scope import Scope
from audit.bundle.write import bundle_write
from audit.master_game import line_of, lines_by
from audit.models import Finding, SessionReconciliation
from audit.report import day_report
from audit.selectors.balances import conservation
from audit.selectors.master_game import master_game
from audit.services.resettlement import gaming_day_resettle
from audit.verify.bundle import verify_bundle
from audit.verify.notes import parse_key
from audit.verify.page import report
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint
from ledger.selectors import balances
from ledger.verify_journal import verify_journal
from tables.figures import gaming_day_bounds
from tables.models import (
    CashTotal,
    CashTransaction,
    ClosedDay,
    DropBox,
    Round,
    Slip,
    TableSession,
)
from tables.selectors.days import day_figures
from tables.selectors.slips import slip_numbers
from tests.audit.whole_day import DAY, NEW_YORK, NIGHTS, Played, play
from tests.clock import journal_with_a_clock

FULL = 1_740_000  # what CHIPS are worth: each table's opener

# By hand. R is what the rounds brought as paid, with what was corrected:
#   rd-1  -4,500 -3,500                         = -8,000    rd-2  -38,500 +5,000 = -33,500
#   rd-3  +6,000 -3,500                         = +2,500    pool  three collections of 500 = +1,500
# The tray at the end is opener + fills - credits + R - buy-ins, and what was counted at rd-2 500 less:
#   rd-1  1,740,000 + 3,000 - 8,000 - 1,100,000 = 635,000
#   rd-2  1,740,000 - 70,000 - 33,500 - 400,000 = 1,236,500, counted 1,236,000
#   rd-3  1,740,000 + 2,500 - 900,000           = 842,500
# and win = closer + credits + drop - opener - fills.
HAND: dict[str, dict[str, Any]] = {
    "rd-1": {"fills": 3_000, "credits": 0, "closer": 635_000, "insertions": 1_100_000, "drop": 1_100_000}
    | {"rounds_result": -8_000, "win": -8_000, "tray": 0, "box": 0, "unexplained": 0}
    | {"win_state": "reconciled"},
    "rd-2": {"fills": 0, "credits": 70_000, "closer": 1_236_000, "insertions": 400_000, "drop": 400_000}
    | {"rounds_result": -33_500, "win": -34_000, "tray": -500, "box": 0, "unexplained": -500}
    | {"win_state": "counted"},
    "rd-3": {"fills": 0, "credits": 0, "closer": 842_500, "insertions": 900_000, "drop": 895_000}
    | {"rounds_result": 2_500, "win": -2_500, "tray": 0, "box": -5_000, "unexplained": -5_000}
    | {"win_state": "counted"},
    "pool": {"fills": 0, "credits": 0, "closer": 1_500, "insertions": 0, "drop": 0}
    | {"rounds_result": 1_500, "win": 1_500, "tray": 0, "box": 0, "unexplained": 0}
    | {"win_state": "reconciled"},
}
OPENER = dict.fromkeys(HAND, FULL) | {"pool": 0}
HOLD = {
    "rd-1": Fraction(-8, 1_100),
    "rd-2": Fraction(-34, 400),
    "rd-3": Fraction(-25, 8_950),
    "pool": None,  # nothing was dropped
    "all": Fraction(-430, 23_950),
}
DROP, WIN = 2_395_000, -43_000
PLANTED = {
    ("rd-2", "tray_difference"): 1,
    ("rd-2", "unexplained_difference"): 1,
    ("rd-2", "slip_unmatched"): 1,
    ("rd-3", "box_difference"): 1,
    ("rd-3", "unexplained_difference"): 1,
    ("", "cash_minimal_play"): 1,  # 11,000.00 brought, 10,000.00 taken away
}


@pytest.fixture(scope="module")
def _clock(django_db_setup: None) -> Iterator[None]:
    with journal_with_a_clock():
        yield


@pytest.fixture(params=NIGHTS)
def played(request: pytest.FixtureRequest, _clock: None, db: None) -> Played:
    """The day, closed the morning after."""
    return play(NIGHTS[request.param])


def test_every_figure_of_the_day_is_the_one_worked_out_by_hand(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = played.night
    begins, ends = gaming_day_bounds(night.day, "America/New_York", 6)
    assert ends - begins == timedelta(hours=night.hours)
    _sessions(played)
    _pages(played)
    _house_as_a_whole(played)
    _cash_by_day(played)
    _findings(played)
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    _taken_home(played, tmp_path)


def _sessions(played: Played) -> None:
    """T, B, U, R and win of each session, its one gaming day, and which count came late."""
    for code, due in HAND.items():
        kept = SessionReconciliation.objects.get(session=played.sessions[code])
        assert {name: getattr(kept, name) for name in due} == due, code
        assert kept.opener == kept.carried == OPENER[code]
        row = TableSession.objects.get(id=played.sessions[code])
        assert (row.gaming_day, row.drop_total) == (played.night.day, due["drop"])
        assert DropBox.objects.get(session=row).late == (code == "rd-1")
    later = TableSession.objects.get(table=played.table("rd-2"), number=2)
    assert (later.gaming_day, later.opener_total) == (played.night.day + DAY, 1_236_000)
    at_night = Round.objects.filter(table=played.table("rd-3")).order_by("number")
    clocks = [one.started_at.astimezone(NEW_YORK).strftime("%H:%M") for one in at_night]
    assert clocks == [moment.strftime("%H:%M") for moment in (played.night.before, played.night.after)]


def _pages(played: Played) -> None:
    """The closing, the day's report and the master game report have one and the same figures."""
    casino, day = played.casino, played.night.day
    figures = ClosedDay.objects.get(casino=casino).figures
    assert figures == day_figures(casino, day)
    assert figures["total"] == {
        "sessions": 4,
        "fills": 3_000,
        "credits": 70_000,
        "drop": DROP,
        "win": WIN,
        "win_state": "counted",
    }
    assert figures["redemptions"] == {"number": 1, "paid": 1_000_000}
    page, sheet = day_report(casino_id=casino.id, gaming_day=day), master_game(casino, day)
    total = page.total
    assert (total.drop, total.win, total.hold) == (DROP, WIN, HOLD["all"])
    assert (total.tray, total.box, total.unexplained) == (-500, -5_000, -5_500)
    assert (total.rounds, total.voided, total.handle) == (6, 1, 4_500 + 3_500 + 3_500 + 6_000 + 3_500)
    assert total.verified
    assert {line.code: line.hold for line in page.lines} == {code: HOLD[code] for code in HAND}
    no_bank = {line.code: (line.handle, line.given_cards, line.play.best) for line in page.lines}["pool"]
    assert no_bank == (0, None, None), "what the house cannot expect is missing, and no zero"
    lines = {line.name: line for line in lines_by(sheet.sheets, lambda one: one.pit)}
    assert {pit: (line.win, line.drop) for pit, line in lines.items()} == {
        "pit-1": (-42_000, 1_500_000),
        "pit-2": (-1_000, 895_000),
    }
    one = line_of("all", sheet.sheets)
    assert (one.win, one.drop, one.hold) == (WIN, DROP, "-0.017954")
    assert (one.fills, one.credits, one.variance) == (3_000, 70_000, -5_000)
    assert Counter(each.kind for each in sheet.adjustments) == {
        "round.correct": 1,
        "entry.reverse": 1,
        "correction.post": 1,
    }
    states = {one.code: one.standing for one in sheet.sheets}
    final = dict.fromkeys(("rd-1", "pool"), "final")
    assert states == {"rd-2": "counted", "rd-3": "counted"} | final, "what is open is not final"


def _house_as_a_whole(played: Played) -> None:
    """Where all chips are: what patrons hold is what they bought and won less what was redeemed."""
    result = conservation(played.casino)
    won = 8_000 + 33_500 - 2_500 - 1_500
    assert result.with_patrons == 1_100_000 + 400_000 + 900_000 + won - 1_000_000 - 5_000 == 1_432_500
    assert (result.vault, result.trays) == (13_252_000, 635_000 + 1_236_000 + 842_500 + 1_500)
    assert (result.over_short, result.disputed, result.in_transit) == (500, 0, {})
    assert (result.commissioned, result.missing) == (10 * FULL, 0)
    assert balances(played.casino.cage_stream)["cash:drawer"] == 5_000_000 - 1_005_000
    labels = Slip.objects.filter(casino=played.casino).order_by("kind", "number")
    assert [(slip.label, slip.status) for slip in labels] == [
        ("C-1", "received"),
        *[(f"F-{number}", "received") for number in (1, 2, 3, 4)],
        ("F-5", "void"),
    ]
    assert not any(numbers.missing for numbers in slip_numbers(played.casino.id))


def _cash_by_day(played: Played) -> None:
    """In and out apart, by the gaming day of the moment; exactly the threshold is not above it."""
    day, player = played.night.day, played.player
    totals = CashTotal.objects.filter(casino=played.casino)
    assert {(row.person_id, row.gaming_day, row.direction): (row.total, row.due_on) for row in totals} == {
        (player, day, "in"): (1_100_000, day + 15 * DAY),
        (player, day, "out"): (1_000_000, None),
        (player, day + DAY, "in"): (300_000, None),
    }
    sums: Counter[tuple[date, str]] = Counter()
    for made in CashTransaction.objects.filter(casino=played.casino):
        sums[made.gaming_day, made.direction] += made.amount
    assert sums == {
        (day, "in"): 2_100_000,
        (day, "out"): 1_000_000,
        (day + DAY, "in"): 300_000,
        (day + DAY, "out"): 5_000,
    }


def _findings(played: Played) -> None:
    """Played again nothing differs; all that is found is what was planted, and each of it once."""
    tables = {table.stream: code for code, table in played.house.tables.items()}
    found = Counter(
        (tables.get(one.stream, ""), one.code) for one in Finding.objects.filter(casino=played.casino)
    )
    assert found == PLANTED
    done = gaming_day_resettle(casino_id=played.casino.id, gaming_day=played.night.day)
    assert (done.sessions, done.rounds, done.findings, done.on_trust) == (4, 7, 0, 6)
    assert Round.objects.filter(table__in=played.house.tables.values()).count() == 7
    for stream in (*tables, played.casino.stream, played.casino.cage_stream):
        assert verify_journal(stream=stream).findings == []


def _taken_home(played: Played, folder: Path) -> None:
    """The offline verifier proves the day's entries, adds up the same figures and finds the same."""
    keys = KeyStore(env.home())
    seal(folder=Folder(folder / "published"))
    path = folder / "day.zip"
    written = bundle_write(
        Scope(played.casino, played.night.day),
        checkpoint=Checkpoint.objects.latest("size"),
        keys=keys,
        path=path,
    )
    judged = verify_bundle(path.read_bytes(), keys=[parse_key(keys.signer().verifier.text)])
    assert (
        judged.findings.counts
        == written.findings.counts
        == {
            "tray_difference": 1,
            "box_difference": 1,
            "unexplained_difference": 2,
        }
    )
    said = {one["session"]: one for one in report(judged, [])["sessions"]}
    for code, due in HAND.items():
        one = said[str(played.sessions[code])]
        names = {"tray": "T", "box": "B", "unexplained": "U"}
        assert {name: one[names.get(name, name)] for name in due} == due
        assert (one["gaming_day"], one["opener"]) == (str(played.night.day), OPENER[code])
