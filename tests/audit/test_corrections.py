"""Corrections as the audit sees them: honest ones leave every check at zero, false ones are named."""

import json
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import transaction

from audit.corrected import moved_as_due
from audit.facts import Moved
from audit.models import Finding
from audit.report import day_report
from audit.selectors.reversals import reversals_astray
from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import gaming_day_resettle
from ledger.models import Entry
from ledger.selectors import movements
from ledger.services import Movement, post
from tables.models import Role, Round, Table, TableSession
from tables.services import seats, sessions
from tables.services.corrections import correction_post, entry_reverse, round_correct
from tests import floor
from tests.audit import support
from tests.floor import House


def signed(house: House) -> dict[str, Any]:
    """A reason, a second signature and a fresh command."""
    return {
        "reason": "other",
        "second": house.badge(Role.PIT_BOSS),
        "command": house.command(Role.SUPERVISOR),
    }


def buy_in(house: House, table: Table, cash: int) -> uuid.UUID:
    seats.seat_buy_in(table_id=table.id, seat=1, cash=cash, command=house.command(Role.DEALER))
    return Entry.objects.filter(stream__name=table.stream).latest("seq").id


def resettle(house: House) -> list[str]:
    """The codes found when the house's gaming day is re-settled."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)
    return support.codes(house)


def test_a_reversal_says_what_it_is_bound_to(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number and id: what it says it takes back is what the journal has it take back, and nothing else."""
    table, session_id = support.open_scanned(house)
    entry_reverse(table_id=table.id, entry_id=buy_in(house, table, 7_000), **signed(house))
    support.close(house, table, session_id)
    session_reconcile(session_id=session_id)
    assert support.codes(house) == []
    for lie in ({"seq": 2}, {"entry": str(uuid.UUID(int=1))}):
        monkeypatch.setattr("audit.selectors.reversals.parsed", lambda said, lie=lie: json.loads(said) | lie)
        session = TableSession.objects.get(id=session_id)
        assert [one.code for one in reversals_astray(session, session.opened_seq)] == ["wrong_reversal"]


def test_a_session_with_every_kind_of_correction_is_zero_all_the_way(house: House) -> None:
    """T, B and U: R counts what was paid, mispays and corrected rounds too; a reversed buy-in is none."""
    table, session_id = support.open_scanned(house)
    lost = support.play_with_raise(house, table, support.LOSE, {1: 1000})  # +4,500
    support.play_with_raise(house, table, support.WIN, {})  # -3,500
    entry_reverse(table_id=table.id, entry_id=buy_in(house, table, 7_000), **signed(house))
    correction_post(table_id=table.id, seat=2, amount=500, direction="to_seat", **signed(house))
    correction_post(table_id=table.id, seat=1, amount=700_000, direction="to_tray", **signed(house))
    round_correct(round_id=lost.id, cards=support.WIN, **signed(house))  # 9,000 back to the seats
    taken = Entry.objects.filter(stream__name=table.stream, kind="correction.post").earliest("seq")
    entry_reverse(table_id=table.id, entry_id=taken.id, **signed(house))
    on_seat_1 = 200_000 - 2_000 + 1_000
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    kept = session_reconcile(session_id=session_id)
    assert kept is not None
    assert (kept.tray, kept.box, kept.unexplained) == (0, 0, 0)
    assert (kept.rounds_result, kept.insertions) == (4_500 - 3_500 + on_seat_1 - 9_000, 400_000)
    assert kept.win_state == "reconciled"
    assert resettle(house) == []
    (line,) = day_report(casino_id=house.casino.id, gaming_day=kept.session.gaming_day).lines
    assert (line.tray, line.box, line.unexplained, line.verified) == (0, 0, 0, True)


def test_a_round_of_an_earlier_session_is_corrected_and_re_settled_with_the_later_one(house: House) -> None:
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    support.close(house, table, session_id)
    tray = TableSession.objects.get(id=session_id).closer_total
    assert tray is not None
    floor.clear_box(house, table)
    opened = sessions.session_open(
        table_id=table.id,
        opener={"100": tray // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    round_correct(round_id=played.id, cards=support.WIN, **signed(house))
    last = Entry.objects.filter(stream__name=table.stream).latest("seq")
    assert json.loads(last.payload)["late"] is True
    sessions.session_close(
        session_id=uuid.UUID(opened.body["session"]["id"]),
        closer={"100": tray // 100 - 90},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    kept = session_reconcile(session_id=uuid.UUID(opened.body["session"]["id"]))
    assert kept is not None
    assert (kept.tray, kept.rounds_result) == (0, -9_000), "set aside for players who are gone"
    assert resettle(house) == []


Forge = Callable[[dict[str, Any], list[Movement]], None]


def _less(said: dict[str, Any], moves: list[Movement]) -> None:
    moves[0] = Movement(moves[0].source, moves[0].target, moves[0].amount - 100)


def _elsewhere(said: dict[str, Any], moves: list[Movement]) -> None:
    moves[0] = Movement(moves[0].source, "seat:3", moves[0].amount)


def _other_state(said: dict[str, Any], moves: list[Movement]) -> None:
    said["state"] = "0" * 64


def _other_results(said: dict[str, Any], moves: list[Movement]) -> None:
    said["results"] = said["recorded"]["results"]


def _other_record(said: dict[str, Any], moves: list[Movement]) -> None:
    said["recorded"] = said["recorded"] | {"announced": 9, "misannounced": True}


def _other_round(said: dict[str, Any], moves: list[Movement]) -> None:
    said["round"] = str(uuid.uuid4())


def _no_end(said: dict[str, Any], moves: list[Movement]) -> None:
    said["last_seq"] -= 1


def _no_correction_before(said: dict[str, Any], moves: list[Movement]) -> None:
    said["before_seq"] = said["first_seq"]


def _undecided(said: dict[str, Any], moves: list[Movement]) -> None:
    said["cards"] = said["cards"][:2]


FORGERIES: list[tuple[Forge, set[str]]] = [
    (_less, {"wrong_correction"}),
    (_elsewhere, {"wrong_correction"}),
    (_other_state, {"state_differs"}),
    (_other_results, {"state_differs"}),
    (_other_record, {"correction_without_round"}),
    (_other_round, {"correction_without_round"}),
    (_no_end, {"correction_without_round"}),
    (_no_correction_before, {"illegal_action"}),
    (_undecided, {"illegal_action"}),
]


def test_a_forged_correction_is_named(house: House) -> None:
    table, _ = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    true = _taken_back(house, played)
    for forge, codes in FORGERIES:
        said, moves = json.loads(true.payload), [Movement(*move) for move in true.moves]
        forge(said, moves)
        with transaction.atomic():
            posted = post(
                stream=table.stream,
                kind="round.correct",
                payload=said,
                movements=moves,
                actor=house.staff[Role.SUPERVISOR].id,
                command_id=uuid.uuid4(),
            )
            found = set(resettle(house))
            assert found - {"round_projection_differs"} == codes, forge.__name__
            named = Finding.objects.filter(casino=house.casino, code__in=codes)
            assert {finding.seq for finding in named} == {posted.seq}, forge.__name__
            transaction.set_rollback(True)


class _Made:
    """What a correction posts."""

    def __init__(self, payload: str, moves: Sequence[Moved]) -> None:
        self.payload, self.moves = payload, moves


def _taken_back(house: House, played: Round) -> _Made:
    """What correcting the round would post, without its having happened."""
    with transaction.atomic():
        round_correct(round_id=played.id, cards=support.WIN, **signed(house))
        entry = Entry.objects.filter(stream__name=played.table.stream).latest("seq")
        moves = [Moved(m.source.name, m.target.name, m.amount) for m in movements(entry)]
        transaction.set_rollback(True)
    return _Made(entry.payload, moves)


def test_a_correction_that_skips_the_one_before_is_named(house: House) -> None:
    """Paid twice: the second correction starts from the record, as if there had been no first."""
    table, _ = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    round_correct(round_id=played.id, cards=support.WIN, **signed(house))
    first = Entry.objects.filter(stream__name=table.stream).latest("seq")
    post(
        stream=table.stream,
        kind="round.correct",
        payload=json.loads(first.payload),
        movements=[Movement(m.source.name, m.target.name, m.amount) for m in movements(first)],
        actor=house.staff[Role.SUPERVISOR].id,
        command_id=uuid.uuid4(),
    )
    assert "correction_without_round" in resettle(house)


def test_rows_that_know_other_corrections_than_the_journal_are_found(house: House) -> None:
    table, _ = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    round_correct(round_id=played.id, cards=support.WIN, **signed(house))
    kept = Round.objects.get(id=played.id)
    for changed in (
        {"corrected_seq": None, "corrected_state": None},
        {"corrected_seq": kept.first_seq},
        {"corrected_state": kept.state},
    ):
        with transaction.atomic():
            Round.objects.filter(id=kept.id).update(**changed)
            assert set(resettle(house)) == {"round_projection_differs"}, changed
            transaction.set_rollback(True)


def test_a_reversal_of_something_else_is_no_listed_reason_for_chips_in_the_tray(house: House) -> None:
    table, session_id = support.open_scanned(house)
    post(
        stream=table.stream,
        kind="entry.reverse",
        payload={"session": str(session_id), "origin": "seat.leave"},
        movements=[Movement("tray", "seat:1", 700)],
        actor=house.staff[Role.DEALER].id,
        command_id=uuid.uuid4(),
    )
    support.close(house, table, session_id)
    session_reconcile(session_id=session_id)
    assert support.codes(house) == ["tray_move_not_listed", "wrong_reversal"]


def _moves(*moves: tuple[str, str, int]) -> list[Moved]:
    return [Moved(*move) for move in moves]


@pytest.mark.parametrize(
    ("moves", "due", "right"),
    [
        ((), {1: 0}, True),
        ((("tray", "seat:1", 5),), {1: 5}, True),
        ((("tray", "seat:1", 3), ("disputed", "floor", 2)), {1: 5}, True),
        ((("tray", "disputed", 5),), {1: 5}, True),
        ((("seat:1", "tray", 3), ("floor", "disputed", 2)), {1: -5}, True),
        ((("seat:1", "tray", 5), ("tray", "seat:2", 4)), {1: -5, 2: 4}, True),
        ((("seat:1", "tray", 6),), {1: -5}, False),
        ((("tray", "seat:2", 5),), {1: 5}, False),
        ((("tray", "seat:1", 5), ("tray", "disputed", 1)), {1: 5}, False),
        ((("tray", "floor", 5),), {1: 5}, False),
        ((), {1: -5}, False),
        ((("floor", "disputed", 5),), {1: 5}, False),
    ],
)
def test_what_had_to_move(moves: Any, due: dict[int, int], right: bool) -> None:
    assert moved_as_due(_moves(*moves), {"tray": due}) is right
