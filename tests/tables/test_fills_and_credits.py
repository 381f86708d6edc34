"""Fills and credits step by step: who signs what in which order, what a number is, where the chips are."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from ledger.models import Entry
from ledger.selectors import balances
from tables.models import Countersignature, Role, Slip, SlipDifference, Staff, Table
from tables.selectors.slips import slip_numbers
from tables.services import credits, fills, slips, voids
from tests import floor
from tests.audit import support
from tests.floor import House, refused

CHIPS = {"500": 4, "100": 10}  # 3,000
SHORT = {"500": 3, "100": 10}
Given = dict[str, Any]


def vault(house: House) -> int:
    return balances(house.casino.cage_stream)["vault"]


def facing(house: House, table: Table) -> int:
    return balances(house.casino.cage_stream)[f"table:{table.id}"] + balances(table.stream)["cage"]


def issue(house: House, slip: uuid.UUID, chips: dict[str, int], **other: Any) -> Any:
    given: Given = {
        "runner": house.badge(Role.SECURITY),
        "command": house.command(Role.CAGE),
    } | other
    return fills.fill_issue(casino_id=house.casino.id, slip_id=slip, chips=chips, **given)


def void(house: House, table: Table, slip: uuid.UUID, **other: Any) -> Any:
    given: Given = {
        "second": house.badge(Role.SUPERVISOR),
        "command": house.command(Role.DEALER),
    } | other
    return voids.slip_void(table_id=table.id, slip_id=slip, reason="wrong chips", **given)


def take_back(house: House, slip: uuid.UUID, chips: dict[str, int]) -> Any:
    return voids.cage_take_back(
        casino_id=house.casino.id,
        slip_id=slip,
        chips=chips,
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )


def test_a_fill_is_requested_issued_in_part_carried_and_verified(house: House) -> None:
    """domain.md 2: request, acceptance with a slip, the runner's signature, then dealer and supervisor."""
    table, before = floor.make_table(house), vault(house)
    slip_id = floor.request_fill(house, table, CHIPS | {"2500": 0})
    asked = Slip.objects.get(id=slip_id)
    assert (asked.status, asked.number, asked.requested_chips, vault(house)) == (
        "requested",
        None,
        CHIPS,
        before,
    )
    with refused(house, "slip_requested"):
        floor.receive_fill(house, table, slip_id, CHIPS)
    with refused(house, "slip_exceeds_request"):
        issue(house, slip_id, {"500": 5})
    with refused(house, "nothing_to_move"):
        issue(house, slip_id, {"500": 0})
    with refused(house, "may_not_countersign"):
        issue(house, slip_id, SHORT, runner=house.badge(Role.PIT_BOSS))
    issued = issue(house, slip_id, SHORT)
    assert (issued.body["label"], issued.body["chips"], issued.body["status"]) == ("F-1", SHORT, "on_the_way")
    assert (vault(house), facing(house, table)) == (before - 2500, 2500)
    with refused(house, "slip_on_the_way"):
        issue(house, slip_id, SHORT)
    received = floor.receive_fill(house, table, slip_id, SHORT)
    assert received.body["slip"]["status"] == "received"
    assert (balances(table.stream)["tray"], facing(house, table)) == (2500, 0)
    done = Slip.objects.get(id=slip_id)
    people = {role: house.staff[role].id for role in Role}
    assert (done.requested_by_id, done.requested_with_id) == (people[Role.DEALER], people[Role.SUPERVISOR])
    assert (done.issued_by_id, done.runner_id) == (people[Role.CAGE], people[Role.SECURITY])
    assert (done.received_by_id, done.received_with_id) == (people[Role.DEALER], people[Role.SUPERVISOR])
    streams = (table.stream, house.casino.cage_stream)
    kept = Countersignature.objects.filter(stream__in=streams, act__startswith="fill.")
    signed = kept.values_list("act", "first", "second")
    assert set(signed) == {
        ("fill.request", people[Role.DEALER], people[Role.SUPERVISOR]),
        ("fill.issue", people[Role.CAGE], people[Role.SECURITY]),
        ("fill.receive", people[Role.DEALER], people[Role.SUPERVISOR]),
    }
    with refused(house, "slip_received"):
        floor.receive_fill(house, table, slip_id, SHORT)


def test_a_credit_is_no_fill_backwards(house: House) -> None:
    """domain.md 2: the slip first, then three sign at the table, then the cashier counts."""
    table = floor.make_table(house)
    floor.fill_table(house, table, CHIPS)
    before, second = vault(house), house.badge(Role.SUPERVISOR)
    slip_id = floor.issue_credit(house, table, SHORT)
    slip = Slip.objects.get(id=slip_id)
    assert (slip.label, slip.status, facing(house, table)) == ("C-1", "issued", 0)
    with refused(house, "slip_issued"):
        floor.receive_credit(house, slip_id, SHORT)
    sending: Given = {"table_id": table.id, "slip_id": slip_id, "chips": SHORT, "second": second}
    with refused(house, "may_not_countersign"):
        credits.credit_send(**sending, runner=second, command=house.command(Role.DEALER))
    with refused(house, "same_person_signed"):
        credits.credit_send(
            **(sending | {"second": house.badge(Role.DEALER)}),
            runner=house.badge(Role.SECURITY),
            command=house.command(Role.DEALER),
        )
    credits.credit_send(**sending, runner=house.badge(Role.SECURITY), command=house.command(Role.DEALER))
    assert (balances(table.stream)["tray"], facing(house, table), vault(house)) == (500, 2500, before)
    with refused(house, "operation_not_allowed"):
        credits.credit_receive(
            casino_id=house.casino.id, slip_id=slip_id, chips=SHORT, command=house.command(Role.DEALER)
        )
    floor.receive_credit(house, slip_id, SHORT)
    assert (facing(house, table), vault(house)) == (0, before + 2500)
    assert conservation_check(casino_id=house.casino.id).conserved


def test_a_credit_of_a_session_counts_in_its_win_and_leaves_t_at_zero(house: House) -> None:
    """Table win = closer + credits + drop - opener - fills: nothing was won, so 400,000 in and out."""
    table, session_id = floor.ready_table(house)
    floor.receive_credit(house, floor.send_credit(house, table, {"10000": 7}), {"10000": 7})
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    kept = session_reconcile(session_id=session_id)
    assert kept is not None
    assert (kept.credits, kept.fills, kept.win) == (70_000, 0, 0)
    assert (kept.tray, kept.box, kept.unexplained, kept.win_state) == (0, 0, 0, "reconciled")


def test_numbers_leave_no_gap_whatever_is_refused_and_a_void_keeps_its_own(house: House) -> None:
    """One series per kind; a sequence that skips on rollback would leave a gap."""
    table = floor.make_table(house)
    floor.fill_table(house, table, CHIPS)
    too_many = floor.request_fill(house, table, {"10000": 9_000_000})
    with refused(house, "floor_broken"):
        issue(house, too_many, {"10000": 9_000_000})
    refusal: Given = {
        "casino_id": house.casino.id,
        "slip_id": too_many,
        "command": house.command(Role.CAGE),
    }
    with refused(house, "reason_missing"):
        slips.slip_refuse(**refusal, reason=" ")
    answer = slips.slip_refuse(**(refusal | {"command": house.command(Role.CAGE)}), reason="too many")
    assert (answer.body["status"], answer.body["number"]) == ("refused", None)
    with refused(house, "slip_refused"):
        issue(house, too_many, {"10000": 1})
    second = floor.send_fill(house, table, {"500": 1})
    void(house, table, second)
    take_back(house, second, {"500": 1})
    floor.send_fill(house, table, {"500": 1})
    credit = floor.issue_credit(house, table, {"500": 1})
    assert Slip.objects.get(id=credit).label == "C-1"
    numbers = Slip.objects.filter(casino=house.casino, kind="fill", number__isnull=False).order_by("number")
    assert list(numbers.values_list("number", "status")) == [
        (1, "received"),
        (2, "void"),
        (3, "on_the_way"),
    ]
    used = slip_numbers(house.casino.id)[0]
    assert (used.first, used.last, used.used, used.void, used.missing) == (1, 3, 3, 1, ())


def test_chips_that_differ_are_refused_and_come_back_by_a_void(house: House) -> None:
    """What arrives is short: refused, kept as evidence, void under two signatures, counted back, found."""
    table, before = floor.make_table(house), vault(house)
    slip_id = floor.send_fill(house, table, CHIPS)
    with refused(house, "slip_differs"):
        floor.receive_fill(house, table, slip_id, SHORT)
    with refused(house, "slip_differs"):  # the same value in other chips is something else
        floor.receive_fill(house, table, slip_id, {"500": 6})
    assert [found.chips for found in SlipDifference.objects.filter(slip=slip_id)] == [SHORT, {"500": 6}]
    with refused(house, "same_person_signed"):
        void(house, table, slip_id, second=house.badge(Role.DEALER))
    answer = void(house, table, slip_id)
    assert (answer.body["slip"]["label"], answer.body["slip"]["status"]) == ("F-1", "returning")
    assert facing(house, table) == 3000, "nothing is lost on the way back either"
    with refused(house, "slip_returning"):
        floor.receive_fill(house, table, slip_id, CHIPS)
    take_back(house, slip_id, SHORT)
    assert (vault(house), facing(house, table)) == (before - 500, 0)
    assert balances(house.casino.cage_stream)["over_short"] == 500
    result = conservation_check(casino_id=house.casino.id)
    assert (result.conserved, support.codes(house)) == (True, ["slip_differs"])
    with refused(house, "slip_void"):
        void(house, table, slip_id)


def test_a_credit_the_cashier_counts_otherwise_stays_in_transit_until_it_is_void(house: House) -> None:
    table = floor.make_table(house)
    floor.fill_table(house, table, CHIPS)
    slip_id = floor.send_credit(house, table, CHIPS)
    with refused(house, "slip_differs"):
        floor.receive_credit(house, slip_id, SHORT)
    conservation_check(casino_id=house.casino.id)
    assert (support.codes(house), facing(house, table)) == (["slip_differs"], 3000)
    voids.cage_void_slip(
        casino_id=house.casino.id,
        slip_id=slip_id,
        reason="a chip is missing",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    back: Given = {"table_id": table.id, "slip_id": slip_id, "second": house.badge(Role.SUPERVISOR)}
    voids.slip_take_back(**back, chips=SHORT, command=house.command(Role.DEALER))
    books = balances(table.stream)
    assert (books["tray"], books["over_short"], facing(house, table)) == (2500, 500, 0)


def test_what_was_received_is_made_void_where_its_chips_lie(house: House) -> None:
    """Both streams, each in its own transaction, and an issued credit whose chips nobody has touched."""
    table, before = floor.make_table(house), vault(house)
    slip_id = floor.send_fill(house, table, CHIPS)
    floor.receive_fill(house, table, slip_id, CHIPS)
    at_cage: Given = {
        "casino_id": house.casino.id,
        "second": house.badge(Role.PIT_BOSS),
        "reason": "other table",
    }
    with refused(house, "slip_received"):
        voids.cage_void_slip(**at_cage, slip_id=slip_id, command=house.command(Role.CAGE))
    void(house, table, slip_id)
    assert (balances(table.stream)["tray"], facing(house, table)) == (0, 3000)
    take_back(house, slip_id, CHIPS)
    assert (vault(house), facing(house, table)) == (before, 0)
    floor.fill_table(house, table, CHIPS)
    credit = floor.send_credit(house, table, CHIPS)
    floor.receive_credit(house, credit, CHIPS)
    voids.cage_void_slip(**at_cage, slip_id=credit, command=house.command(Role.CAGE))
    assert facing(house, table) == 3000
    issued = floor.issue_credit(house, table, CHIPS)
    assert void(house, table, issued).body["slip"]["status"] == "void", "no chip has moved"
    result = conservation_check(casino_id=house.casino.id)
    assert (result.conserved, result.in_transit) == (True, {str(table.id): 3000})
    assert support.codes(house) == []


def test_the_people_of_a_slip_are_different_people_by_the_databases_own_rule(house: House) -> None:
    """Neither issuer nor runner may sign for the receipt; no person signs a step twice."""
    table = floor.make_table(house)
    slip_id = floor.send_fill(house, table, CHIPS)
    Staff.objects.filter(id=house.staff[Role.SECURITY].id).update(role=Role.SUPERVISOR)
    with refused(house, "same_person_signed"):  # whoever carried the chips is a supervisor now
        fills.fill_receive(
            table_id=table.id,
            slip_id=slip_id,
            chips=CHIPS,
            second=house.badge(Role.SECURITY),
            command=house.command(Role.DEALER),
        )
    people = {role: house.staff[role] for role in Role}
    wrong: list[dict[str, Any]] = [
        {"received_by": people[Role.CAGE], "received_with": people[Role.SUPERVISOR], "status": "received"},
        {"received_by": people[Role.DEALER], "received_with": people[Role.SECURITY], "status": "received"},
        {"received_by": people[Role.DEALER], "received_with": people[Role.DEALER], "status": "received"},
        {"received_by": people[Role.DEALER], "status": "received"},
        {"voided_by": people[Role.DEALER], "voided_with": people[Role.DEALER], "reason": "x"},
        {"status": "returning"},
    ]
    for change in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            Slip.objects.filter(id=slip_id).update(**change)


def test_a_stored_slip_changes_by_its_steps_alone(house: House) -> None:
    """Louisiana: only a void may change a stored slip; the database sees to it."""
    table = floor.make_table(house)
    slip_id = floor.send_fill(house, table, CHIPS)
    floor.receive_fill(house, table, slip_id, CHIPS)
    for change in (
        {"total": 1},
        {"chips": SHORT},
        {"number": 7},
        {"table": None},
        {"received_at": None},
        {"status": "on_the_way"},
        {"status": "void"},
        {"prints": -1},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Slip.objects.filter(id=slip_id).update(**change)
    before = floor.snapshot(house)
    for reprint in (0, 1):
        printed = slips.slip_print(
            casino_id=house.casino.id, slip_id=slip_id, command=house.command(Role.CAGE)
        )
        assert printed.body["reprint"] == reprint
    said = [
        entry.payload
        for entry in Entry.objects.filter(stream__name=house.casino.cage_stream, kind="fill.print").order_by(
            "seq"
        )
    ]
    assert ['"reprint":0' in text for text in said] == [True, False]
    assert floor.snapshot(house)["balances"] == before["balances"]
    asked = floor.request_fill(house, table, CHIPS)
    with refused(house, "slip_requested"):
        slips.slip_print(casino_id=house.casino.id, slip_id=asked, command=house.command(Role.CAGE))


def test_a_slip_written_by_hand_stands_in_a_series_of_its_own(house: House) -> None:
    """Entered later, marked, with its own time; the system's numbers go on without a gap."""
    table, before = floor.make_table(house), vault(house)
    written = timezone.now() - timedelta(hours=3)

    def enter(**other: Any) -> Any:
        given: Given = {
            "casino_id": house.casino.id,
            "table_id": table.id,
            "kind": "fill",
            "number": 7,
            "chips": CHIPS,
            "occurred_at": written,
            "second": house.badge(Role.PIT_BOSS),
            "command": house.command(Role.CAGE),
        }
        return slips.slip_enter(**(given | other))

    with refused(house, "occurred_in_future"):
        enter(occurred_at=timezone.now() + timedelta(hours=1))
    with refused(house, "same_person_signed"):
        enter(second=house.badge(Role.CAGE))
    slip_id = uuid.UUID(enter().body["id"])
    with refused(house, "slip_number_taken"):
        enter()
    slip = Slip.objects.get(id=slip_id)
    assert (slip.label, slip.manual, slip.occurred_at, vault(house)) == ("MF-7", True, written, before - 3000)
    entry = Entry.objects.get(stream__name=house.casino.cage_stream, kind="fill.enter")
    assert entry.occurred_at == written
    floor.receive_fill(house, table, slip_id, CHIPS)
    credit = enter(kind="credit", number=10)
    assert (credit.body["label"], credit.body["status"]) == ("MC-10", "issued"), "its chips are in the tray"
    enter(number=9)
    floor.fill_table(house, table, {"500": 1})
    system, by_hand = slip_numbers(house.casino.id)[0], slip_numbers(house.casino.id)[2]
    assert (system.first, system.last, system.missing) == (1, 1, ())
    assert (by_hand.first, by_hand.last, by_hand.missing) == (7, 9, ((8, 8),))
    assert conservation_check(casino_id=house.casino.id).conserved


def test_a_retry_of_each_step_has_no_second_effect(house: House) -> None:
    table = floor.make_table(house)
    slip_id = floor.request_fill(house, table, CHIPS)
    cashier, dealer = house.command(Role.CAGE), house.command(Role.DEALER)
    receipt: Given = {
        "table_id": table.id,
        "slip_id": slip_id,
        "chips": CHIPS,
        "second": house.badge(Role.SUPERVISOR),
    }
    steps: list[Callable[[], Any]] = [
        lambda: issue(house, slip_id, CHIPS, command=cashier),
        lambda: fills.fill_receive(**receipt, command=dealer),
    ]
    for step in steps:
        first, before = step(), floor.snapshot(house)
        again = step()
        assert (again.replayed, again.body, floor.snapshot(house)) == (True, first.body, before)
    with refused(house, "command_id_reused"):
        issue(house, slip_id, SHORT, command=cashier)
