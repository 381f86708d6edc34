"""Results by whatever one asks: one definition of each figure, and the same number wherever it is shown."""

import csv
import json
import uuid
from datetime import date, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from audit.master_game import Line, line_of
from audit.models import PlayPiece, SessionPlay, SessionReconciliation
from audit.report import day_report
from audit.results import BY_PLAY, GROUPINGS, Results
from audit.selectors.master_game import master_game
from audit.selectors.results import results
from audit.services.play import open_sessions_play
from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import gaming_day_resettle
from ledger.selectors import balances
from tables.engine.odds import closed_form
from tables.figures import WinState, gaming_day, shift_of
from tables.models import CardSource, Role, Round, Staff, Table, TableSession
from tables.selectors.figures import session_figures
from tables.services import pools, rounds, sessions, shoes
from tables.services.corrections import correction_post
from tables.services.days import gaming_day_close
from tables.services.stints import dealer_relieve
from tests import floor
from tests.admin.house import logged_in
from tests.api.statements import counted
from tests.audit import rooms, support
from tests.room import make_room
from tests.tables.life import cancel, physical

pytestmark = pytest.mark.django_db
ODDS = closed_form(6)
SIX = next(one for one in ODDS.spreads if one.spread == 6).edge
BETS = 1_000 + 2_500  # of each round but one


def today(house: floor.House) -> date:
    return gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)


def found(house: floor.House, by: str) -> Results:
    return results(house.casino, by=by, first=today(house), last=today(house))


def line(house: floor.House, by: str, name: str) -> Line:
    return next(each for each in found(house, by).lines if each.name == name)


def opened(house: floor.House, code: str, **rules: Any) -> tuple[Table, uuid.UUID]:
    """A table that scans its cards, whose dealer is on at its terminal."""
    table = floor.make_table(house, code, card_source=CardSource.SCANNED, **rules)
    floor.fill_table(house, table)
    terminal, _ = floor.enrol(house, table)
    answer = sessions.session_open(
        table_id=table.id,
        opener=floor.CHIPS,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER, terminal),
    )
    shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    support.everybody_sits(house, table)
    return table, uuid.UUID(answer.body["session"]["id"])


def played_day(house: floor.House) -> dict[str, uuid.UUID]:
    """A red dog table on which everything happens once, dealt by two; and a card room that takes a fee."""
    table, session = opened(house, "rd-1")
    support.play_with_raise(house, table, support.WIN, {1: 1_000})
    support.play_with_raise(house, table, support.LOSE, {})
    floor.play_round(house, table, {2: 500}, support.PUSH)
    misread = support.play_with_raise(house, table, support.LOSE, {})
    physical(house, misread.id, support.WIN)
    tray = balances(table.stream)["tray"]
    dealer_relieve(
        table_id=table.id,
        relief=house.badge(Role.SUPERVISOR),
        count={"100": tray // 100},
        command=house.command(Role.DEALER),
    )
    voided = support.raising(house, table, ("4S", "JH"))
    rounds.round_void(
        round_id=voided.id,
        reason="misdeal",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.DEALER),
    )
    cancel(house, support.play_with_raise(house, table, support.LOSE, {2: 2_500}).id)
    support.play_with_raise(house, table, support.WIN, {})
    correction_post(
        table_id=table.id,
        seat=2,
        amount=250_000,
        direction="to_seat",
        reason="other",
        note="a stack",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.SUPERVISOR),
    )
    support.close(house, table, session)
    fee = {"kind": "time", "amount": 25, "minutes": 30}
    room = make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000, 5: 1_000}, dealer=1, fee=fee)
    pools.collection_take(table_id=room.table.id, command=room.command())
    return {"rd-1": session, room.table.code: rooms.close(room).id}


def test_every_screen_report_and_file_has_the_same_numbers(house: floor.House) -> None:
    made = played_day(house)
    room = next(code for code in made if code != "rd-1")
    assert {each.rounds for each in found(house, "table").lines} == {None}, "not worked out is not zero"
    assert found(house, "shift").waiting == 2
    for session in made.values():
        support.count_drop(house, session)
        session_reconcile(session_id=session)
    for session in made.values():
        kept = SessionReconciliation.objects.get(session=session)
        pieces = PlayPiece.objects.filter(session=session)
        assert sum(piece.result for piece in pieces) == kept.rounds_result, "R, whoever adds it up"
    gaming_day_close(
        casino_id=house.casino.id,
        gaming_day=today(house),
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    house.casino.refresh_from_db()
    _by_hand(house, room)
    _by_whom_and_when(house)
    _everywhere(house)
    _on_pages(house)


def _by_hand(house: floor.House, room: str) -> None:
    red_dog, pool = line(house, "table", "rd-1"), line(house, "table", room)
    bets = BETS + BETS + 500 + BETS + BETS  # what was voided, at once or later, does not count
    assert (red_dog.rounds, red_dog.play and red_dog.play.voided) == (5, 2)
    assert red_dog.handle == bets + 1_000
    won = -4_500 + 3_500 + 0 - 3_500 + 0 - 3_500 - 250_000  # the misread one as its cards lay
    assert (red_dog.result, red_dog.win, red_dog.win_state) == (won, won, WinState.FINAL)
    best = bets * ODDS.house_edge
    assert red_dog.expected == (best - 1_000 * SIX, best), "one seat raised where the best play does not"
    assert (pool.result, pool.win, pool.handle, pool.rounds) == (100, 100, 0, 0)
    assert pool.expected == (None, None), "not zero: the house has nothing to expect of what it does not bank"
    together = found(house, "game").total
    assert (together.result, together.expected) == (won + 100, red_dog.expected)
    assert (together.tray, together.box, together.unexplained) == (0, 0, 0)


def _by_whom_and_when(house: floor.House) -> None:
    """Win needs counts: a dealer's and a shift's is pending. What was played is known, and adds up."""
    total = found(house, "table").total
    dealers = {each.name: each for each in found(house, "dealer").lines}
    first = dealers[house.staff[Role.DEALER].badge]
    second = dealers[house.staff[Role.SUPERVISOR].badge]
    assert (first.rounds, first.handle) == (4, BETS + 1_000 + BETS + 500 + BETS)
    assert (second.rounds, second.result) == (1, -3_500 - 250_000)
    assert (first.tray, second.tray) == (0, 0), "each stint lies between two counts"
    for by in BY_PLAY:
        lines = found(house, by).lines
        assert all(
            (each.win, each.drop, each.hold, each.win_state) == (None, None, None, "pending")
            for each in lines
        )
        for name in ("rounds", "handle", "result"):
            assert sum(getattr(each, name) for each in lines) == getattr(total, name), (by, name)
        for index in (0, 1):
            assert sum(each.expected[index] or 0 for each in lines) == total.expected[index]
    shifts = {
        str(shift_of(row.started_at, house.casino.time_zone, house.casino.rollover_hour))
        for row in Round.objects.filter(table__casino=house.casino)
    }
    assert shifts <= {each.name for each in found(house, "shift").lines}


def _everywhere(house: floor.House) -> None:
    """The session's rows, the day's report, the master game report and the results."""
    day, casino = today(house), house.casino
    of_day, sheets = day_report(casino_id=casino.id, gaming_day=day), master_game(casino, day)
    for by in ("table", "pit", "game", "day", "month"):
        assert line_of("all", sheets.sheets) == found(house, by).total
    assert line_of("all", sheets.year) == line_of("all", sheets.month) == found(house, "month").total
    for shown in of_day.lines:
        row = line(house, "table", shown.code)
        assert (row.play, row.win, row.drop) == (shown.play, shown.win, shown.drop)
        assert (row.tray, row.box, row.unexplained) == (shown.tray, shown.box, shown.unexplained)
    of_session = session_figures(TableSession.objects.filter(table__casino=casino))
    assert all(of_session[sheet.session].win == sheet.win for sheet in sheets.sheets), (
        "the session's own page"
    )
    assert sheets.since_closing == {}, "and what the day was closed with"
    (period,) = next(sheet for sheet in sheets.sheets if sheet.code == "rd-1").periods
    assert (period.box, period.tray, period.unexplained) == (0, 0, 0)
    assert (period.booked, period.total) == (400_000, 400_000)


def _on_pages(house: floor.House) -> None:
    """The API, the command in its three forms, and the page; each for those who may read the audit."""
    day = today(house).isoformat()
    for by in GROUPINGS:
        due = json.loads(json.dumps(found(house, by).to_dict()))
        auditor = logged_in(house, Role.AUDITOR)
        assert auditor.get(f"/api/v1/results?by={by}&from={day}").json() == due
        assert json.loads(_printed(house, "--by", by, "--from", day, "--json")) == due
        rows = list(csv.DictReader(StringIO(_printed(house, "--by", by, "--from", day, "--csv"))))
        every = [*due["lines"], due["total"]]
        assert rows == [{k: "" if v is None else str(v) for k, v in each.items()} for each in every]
    assert "final" in _printed(house, "--by", "table", "--from", day)
    address = reverse("admin:audit_results")
    page = auditor.get(address, {"by": "dealer", "first": day, "last": day}).content.decode()
    assert house.staff[Role.SUPERVISOR].badge in page
    assert "pending" in page
    assert logged_in(house, Role.SUPERVISOR).get(address).status_code == 403
    wrong = {"by": "dealer", "first": day, "last": "2001-01-01"}
    assert "It comes before the first day." in auditor.get(address, wrong).content.decode()
    assert auditor.get(f"/api/v1/results?by=table&from={day}&to=2001-01-01").status_code == 400
    empty = {"by": "table", "first": "2001-01-01", "last": "2001-01-01"}
    assert "No Activity" in auditor.get(address, empty).content.decode()
    assert "No Activity" in _printed(house, "--by", "shift", "--from", "2001-01-01")
    assert "No Activity" in _printed(house, "--by", "shift", "--from", "2001-01-01", "--csv")
    with pytest.raises(CommandError, match="--to comes before --from"):
        _printed(house, "--from", day, "--to", "2001-01-01")
    Staff.objects.filter(id=house.staff[Role.SUPERVISOR].id).update(badge="=1+1")
    assert "\n'=1+1," in _printed(house, "--by", "dealer", "--from", day, "--csv"), "no formula"


def _printed(house: floor.House, *options: str) -> str:
    out = StringIO()
    call_command("results", "--casino", house.casino.code, *options, stdout=out)
    return out.getvalue()


def test_a_period_takes_the_same_statements_however_long_it_is(house: floor.House) -> None:
    table, session = support.open_scanned(house)
    support.play_with_raise(house, table, support.LOSE, {})

    def statements() -> dict[str, int]:
        sent = {}
        for by in ("table", *BY_PLAY):
            with counted() as taken:
                found(house, by)
            sent[by] = len(taken)
        return sent

    open_sessions_play()
    before = statements()
    assert before == {"table": 7, "dealer": 11, "shift": 8}
    for _ in range(2):
        support.close(house, table, session)
        support.count_drop(house, session)
        session_reconcile(session_id=session)
        session = support.open_again(house, table)
        shoes.shoe_retire(table_id=table.id, stub=None, burnt=(), command=house.command(Role.DEALER))
        shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
        support.everybody_sits(house, table)
        support.play_with_raise(house, table, support.LOSE, {})
    TableSession.objects.filter(table=table, number=1).update(gaming_day=today(house) - timedelta(days=1))
    assert statements() == before


def test_an_open_session_s_play_is_said_with_its_time(house: floor.House) -> None:
    """A missing figure is missing; one that was worked out is shown with when that was."""
    table, session = support.open_scanned(house)
    support.play_with_raise(house, table, support.LOSE, {})
    before = found(house, "table")
    assert (before.total.rounds, before.total.handle, before.as_of, before.waiting) == (None, None, None, 1)
    assert open_sessions_play() == TableSession.objects.filter(status="open").count()
    then = found(house, "table")
    assert (then.total.handle, then.total.win, then.total.win_state) == (BETS, None, WinState.PENDING)
    assert then.as_of == SessionPlay.objects.get(session=session).worked_out_at
    open_sessions_play()
    again = SessionPlay.objects.get(session=session)
    assert (again.pieces.count(), again.worked_out_at > then.as_of) == (1, True), (
        "nothing new, looked at anew"
    )
    support.play_with_raise(house, table, support.WIN, {})
    PlayPiece.objects.filter(session=session).delete()
    open_sessions_play()
    assert found(house, "table").total.handle == 2 * BETS
    assert support.codes(house) == ["play_differs"], "told, whoever comes upon it first"
    assert "Play of open sessions as of" in _printed(house, "--from", today(house).isoformat()).replace(
        "play of", "Play of"
    )


def test_pieces_that_are_not_the_journal_s_are_found_and_put_right(house: floor.House) -> None:
    """A projection is compared every night, and one that differs is never mended silently."""
    table, session = support.open_scanned(house)
    support.play_with_raise(house, table, support.LOSE, {})
    support.close(house, table, session)
    support.count_drop(house, session)
    session_reconcile(session_id=session)
    pieces = PlayPiece.objects.filter(session=session)
    due = pieces.values(*(field.name for field in PlayPiece._meta.fields if field.name != "id"))
    (honest,) = due

    def findings() -> int:
        return gaming_day_resettle(casino_id=house.casino.id, gaming_day=today(house)).findings

    assert findings() == 0
    altered: list[dict[str, Any] | None] = [{"handle": 1}, {"result": 1}, {"best": 1}, {"dealer": None}, None]
    altered += [{"at": honest["at"] + timedelta(microseconds=1)}, {"round": session}]
    for tampered in [*altered, {"shift": 1 + honest["shift"] % 3}]:
        pieces.delete()
        if tampered is not None:
            PlayPiece.objects.create(**honest | {"session": SessionPlay(session_id=session)} | tampered)
        assert findings() == 1
        assert list(due) == [honest]
    assert support.codes(house) == ["play_differs"]
    assert findings() == 0
