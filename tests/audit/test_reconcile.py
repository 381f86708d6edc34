"""T, B and U of real sessions: honest ones are zero, and each wrong count has its own signature."""

import uuid
from typing import Any

import pytest

from audit.models import Finding, SessionReconciliation
from audit.services import reconciliation
from audit.services.findings import finding_acknowledge, finding_resolve
from audit.services.reconciliation import session_reconcile
from ledger.selectors import balances
from ledger.services import Movement, post
from tables.models import Role, Table, TableSession
from tables.services import seats, sessions
from tests import floor
from tests.audit import support
from tests.floor import House


def checks(kept: SessionReconciliation | None) -> tuple[int, int | None, int | None]:
    assert kept is not None
    return kept.tray, kept.box, kept.unexplained


def test_an_honest_session_is_zero_all_the_way(house: House) -> None:
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.play_with_raise(house, table, support.LOSE, {2: 2500})
    floor.fill_table(house, table, {"500": 10})
    support.close(house, table, session_id)
    assert checks(session_reconcile(session_id=session_id)) == (0, None, None)
    support.count_drop(house, session_id)
    kept = session_reconcile(session_id=session_id)
    assert checks(kept) == (0, 0, 0)
    assert kept is not None
    assert (kept.rounds_result, kept.fills, kept.insertions) == (-4500 + 6000, 5000, 400_000)
    assert (kept.win, kept.win_state) == (1500, "reconciled")
    assert support.codes(house) == []


def test_an_uncounted_drop_is_pending_and_not_zero(house: House) -> None:
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    kept = session_reconcile(session_id=session_id)
    assert kept is not None
    assert (kept.drop, kept.box, kept.unexplained, kept.win_state) == (None, None, None, "provisional")
    assert support.codes(house) == []


def test_an_open_session_is_not_reconciled(house: House) -> None:
    _, session_id = support.open_scanned(house)
    assert session_reconcile(session_id=session_id) is None
    assert support.codes(house) == []


def test_a_drop_counted_while_the_journal_is_read_is_no_finding(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row was read before the count, the journal after it: both are read again."""
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    read = reconciliation.read_books
    seen: list[str] = []

    def counted_meanwhile(session: TableSession) -> Any:
        if not seen:
            support.count_drop(house, session_id)
        seen.append(session.status)
        return read(session)

    monkeypatch.setattr(reconciliation, "read_books", counted_meanwhile)
    assert checks(session_reconcile(session_id=session_id)) == (0, 0, 0)
    assert seen == ["closed", "counted"]
    assert support.codes(house) == []


def test_a_wrong_closer_shows_in_t_and_u(house: House) -> None:
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id, off=-2500)
    support.count_drop(house, session_id)
    assert checks(session_reconcile(session_id=session_id)) == (-2500, 0, -2500)
    assert support.codes(house) == ["tray_difference", "unexplained_difference"]


def test_a_wrong_drop_shows_in_b_and_u(house: House) -> None:
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    support.count_drop(house, session_id, off=-10_000)
    assert checks(session_reconcile(session_id=session_id)) == (0, -10_000, -10_000)
    assert support.codes(house) == ["box_difference", "unexplained_difference"]


def test_an_unrecorded_buy_in_leaves_u_at_zero_and_is_found_all_the_same(house: House) -> None:
    """Chips for 1,000 left the tray and 1,000 in cash went into the box, and nobody wrote it down."""
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id, off=-1000)
    support.count_drop(house, session_id, off=1000)
    kept = session_reconcile(session_id=session_id)
    assert checks(kept) == (-1000, 1000, 0)
    assert kept is not None
    assert kept.win_state == "counted"
    assert support.codes(house) == ["box_difference", "tray_difference"]


def test_an_opener_other_than_the_last_closer_is_found(house: House) -> None:
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    tray = TableSession.objects.get(id=session_id).closer_total
    assert tray is not None
    floor.fill_table(house, table, {"100": 50})  # while closed: belongs to the next opener
    second = _reopen(house, table, tray + 5000 - 300)
    seats.seat_take(
        table_id=table.id, seat=1, player_id=None, cash=0, chips=0, command=house.command(Role.DEALER)
    )
    seats.seat_take(
        table_id=table.id, seat=2, player_id=None, cash=0, chips=0, command=house.command(Role.DEALER)
    )
    support.close(house, table, second)
    kept = session_reconcile(session_id=second)
    assert kept is not None
    assert (kept.carried, kept.opener_difference, kept.tray) == (tray + 5000, -300, 0)
    assert support.codes(house) == ["opener_not_from_closer"]


def _reopen(house: House, table: Table, total: int) -> uuid.UUID:
    floor.clear_box(house, table)
    opened = sessions.session_open(
        table_id=table.id,
        opener={"100": total // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    return uuid.UUID(opened.body["session"]["id"])


def test_chips_that_leave_the_tray_for_no_listed_reason_are_found(house: House) -> None:
    table, session_id = support.open_scanned(house)
    post(
        stream=table.stream,
        kind="tray.taken",
        payload={"session": str(session_id)},
        movements=[Movement("tray", "floor", 700)],
        actor=house.staff[Role.DEALER].id,
        command_id=uuid.uuid4(),
    )
    support.close(house, table, session_id)
    kept = session_reconcile(session_id=session_id)
    assert kept is not None
    assert (kept.tray, kept.other_tray_moves) == (0, -400_000 - 700)
    assert support.codes(house) == ["tray_move_not_listed"]


def test_chips_that_leave_the_tray_of_a_closed_table_are_found(house: House) -> None:
    """As much as is gone is missing from no count: the next opener is what was left."""
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    post(
        stream=table.stream,
        kind="table.par",
        payload={},
        movements=[Movement("tray", "floor", 700)],
        actor=house.staff[Role.DEALER].id,
        command_id=uuid.uuid4(),
    )
    again = _reopen(house, table, balances(table.stream)["tray"])
    support.everybody_sits(house, table)
    support.close(house, table, again)
    kept = session_reconcile(session_id=again)
    assert kept is not None
    assert (kept.opener_difference, kept.tray) == (0, 0)
    assert support.codes(house) == ["tray_move_not_listed"]


@pytest.mark.parametrize("field", ["closer_total", "opener_total", "number", "opened_seq"])
def test_a_changed_session_row_is_found(house: House, field: str) -> None:
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id)
    row = TableSession.objects.get(id=session_id)
    TableSession.objects.filter(id=session_id).update(**{field: getattr(row, field) + 1})
    assert checks(session_reconcile(session_id=session_id)) == (0, None, None)
    finding = Finding.objects.get(casino=house.casino)
    assert finding.code == "session_projection_differs"
    assert list(finding.evidence.get().body) == [field]


def test_a_session_that_is_not_in_the_journal_is_found(house: House) -> None:
    table, session_id = support.open_scanned(house)
    invented = TableSession.objects.get(id=session_id)
    support.close(house, table, session_id)
    invented.id, invented.number, invented.opened_seq = uuid.uuid4(), 99, 1
    invented.status, invented.closer_total, invented.closed_seq = "closed", 0, 2
    invented.save(force_insert=True)
    assert session_reconcile(session_id=invented.id) is None
    assert support.codes(house) == ["session_not_in_journal"]


def test_reconciling_again_changes_nothing_but_the_counter(house: House) -> None:
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id, off=100)
    first = session_reconcile(session_id=session_id)
    second = session_reconcile(session_id=session_id)
    assert checks(first) == checks(second) == (100, None, None)
    assert SessionReconciliation.objects.filter(session=session_id).count() == 1
    finding = Finding.objects.get(casino=house.casino)
    assert (finding.counter, finding.evidence.count()) == (2, 1)


def test_what_was_explained_stays_resolved_until_the_evidence_changes(house: House) -> None:
    table, session_id = support.open_scanned(house)
    support.close(house, table, session_id, off=100)
    session_reconcile(session_id=session_id)
    finding = Finding.objects.get(casino=house.casino)
    finding_acknowledge(
        finding_id=finding.id, note="asking the pit", command=support.at_desk(house, Role.AUDITOR)
    )
    finding_resolve(
        finding_id=finding.id,
        reason="miscounted stack",
        false_positive=False,
        command=support.at_desk(house, Role.AUDITOR),
    )
    session_reconcile(session_id=session_id)
    assert [(f.status, f.counter) for f in Finding.objects.filter(casino=house.casino)] == [("resolved", 2)]
    support.count_drop(house, session_id, off=300)
    session_reconcile(session_id=session_id)
    again = Finding.objects.filter(casino=house.casino, code="tray_difference").order_by("first_seen")
    assert [(f.status, f.counter) for f in again] == [("resolved", 2), ("open", 1)]
