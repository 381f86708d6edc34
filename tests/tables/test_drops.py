"""Drop boxes: on which table, removed by whom, counted twice, the second time blind."""

import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from audit.services.reconciliation import session_reconcile
from ledger.selectors import balances
from tables.engine.blind_count import count_commitment
from tables.models import (
    BoxStatus,
    CommandAnswer,
    Countersignature,
    DropBox,
    OutboxItem,
    Role,
    SessionStatus,
    Table,
    TableSession,
)
from tables.services import boxes, drops, rounds, seats, sessions
from tables.services.command import Actor, Answer, Command, fingerprint
from tests import floor
from tests.audit import support
from tests.tables.test_days import said

CASH = {"10000": 40}  # what both players of a ready table bought in for


def first(house: floor.House, box: uuid.UUID, notes: Mapping[str, int], **also: Any) -> Answer:
    command = also.pop("command", None) or house.command(Role.CAGE)
    found: dict[str, Any] = {"notes": notes, "chips": {}, "instruments": {}} | also
    return drops.drop_count_first(box_id=box, **found, command=command)


def second(house: floor.House, box: uuid.UUID, notes: Mapping[str, int], **also: Any) -> Answer:
    command = also.pop("command", None) or house.second_count()
    found: dict[str, Any] = {"notes": notes, "chips": {}, "instruments": {}} | also
    return drops.drop_count_second(box_id=box, **found, command=command)


def recount(house: floor.House, box: uuid.UUID, notes: Mapping[str, int], signer: Role = Role.CAGE) -> Answer:
    return drops.drop_recount(
        box_id=box,
        notes=notes,
        chips={},
        instruments={},
        second=house.badge(signer),
        command=house.second_count(),
    )


def remove(
    house: floor.House,
    session: uuid.UUID,
    box: int = 1,
    signer: Role = Role.PIT_BOSS,
    next_box: int | None = None,
) -> Answer:
    return boxes.box_remove(
        session_id=session,
        box=box,
        next_box=next_box,
        second=house.badge(signer),
        command=house.command(Role.CAGE),
    )


def cash(table: Table) -> tuple[int, ...]:
    now = balances(table.stream)
    assert sum(amount for name, amount in now.items() if name.startswith("cash:")) == 0
    return tuple(now[f"cash:{place}"] for place in ("drop_box", "boxes", "count_room", "over_short"))


def closed(house: floor.House) -> tuple[Table, uuid.UUID, uuid.UUID]:
    """A table that has closed, its session, and its box in the count room."""
    table, session = floor.ready_table(house)
    support.close(house, table, session)
    return table, session, floor.remove_box(house, session)


def test_a_box_goes_from_its_table_to_the_count_and_its_cash_is_somewhere_at_every_moment(
    house: floor.House,
) -> None:
    """Win becomes counted only when both counts are equal; the drop of a session is that of its boxes."""
    table, session = floor.ready_table(house)
    assert cash(table) == (400_000, 0, 0, 0)
    support.close(house, table, session)
    with floor.refused(house, "wrong_box"):
        remove(house, session, box=2)
    box = floor.remove_box(house, session)
    assert cash(table) == (0, 400_000, 0, 0)
    with floor.refused(house, "box_not_on_table"):
        remove(house, session)
    first(house, box, {"10000": 39})
    assert cash(table) == (0, 400_000, 0, 0), "one count decides nothing"
    assert TableSession.objects.get(id=session).status == SessionStatus.CLOSED
    assert second(house, box, {"10000": 39}).body["session"]["status"] == "counted"
    assert cash(table) == (0, 0, 390_000, 10_000)
    kept, counted = TableSession.objects.get(id=session), DropBox.objects.get(id=box)
    assert (kept.status, kept.drop_total, kept.drop_count) == (SessionStatus.COUNTED, 390_000, {"10000": 39})
    assert (counted.booked, counted.total, counted.variance, counted.late) == (
        400_000,
        390_000,
        -10_000,
        False,
    )
    assert OutboxItem.objects.filter(topic="session.reconcile", subject=session).count() == 2
    assert counted.counted_seq is not None
    signed = Countersignature.objects.get(stream=table.stream, seq=counted.counted_seq)
    assert (signed.first_id, signed.second_id) == (house.staff[Role.CAGE].id, house.cashier_2.id)
    reconciled = session_reconcile(session_id=session)
    assert reconciled is not None
    assert (reconciled.tray, reconciled.box, reconciled.drop) == (0, -10_000, 390_000)
    assert "session_projection_differs" not in support.codes(house)


def test_a_box_is_changed_in_the_middle_and_the_session_waits_for_all_its_boxes(house: floor.House) -> None:
    table, session = floor.ready_table(house)
    changed = remove(house, session, next_box=7)
    assert (changed.body["next"]["number"], changed.body["next"]["name"]) == (7, f"{table.code}-7")
    floor.seat_player(house, table, 3, 5_000)
    assert cash(table) == (5_000, 400_000, 0, 0), "from then on money goes into the next box"
    box = uuid.UUID(changed.body["box"]["id"])
    with floor.refused(house, "box_in_use"):
        remove(house, session, box=7, next_box=1)
    floor.count_box(house, box, CASH)
    assert TableSession.objects.get(id=session).drop_total is None, "a missing count is missing, never zero"
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, session)
    assert TableSession.objects.get(id=session).status == SessionStatus.CLOSED
    floor.count_drop(house, session, {"5000": 1})
    kept = TableSession.objects.get(id=session)
    assert (kept.drop_total, kept.drop_count) == (405_000, {"10000": 40, "5000": 1})
    assert cash(table) == (0, 0, 405_000, 0)


def test_the_next_session_begins_with_an_empty_box_and_does_not_disturb_a_late_count(
    house: floor.House,
) -> None:
    table, session = floor.ready_table(house)
    support.close(house, table, session)

    def reopen(box: int | None = None) -> Answer:
        return sessions.session_open(
            table_id=table.id,
            opener={"100": balances(table.stream)["tray"] // 100},
            second=house.badge(Role.SUPERVISOR),
            command=house.command(Role.DEALER),
            box=box,
        )

    with floor.refused(house, "box_on_table"):
        reopen()
    box = floor.remove_box(house, session)
    with floor.refused(house, "box_in_use"):
        reopen(box=1)
    reopen()
    assert DropBox.objects.get(table=table, status="on_table").number == 2, "box 1 is not back yet"
    floor.seat_player(house, table, 1, 7_000)
    floor.count_box(house, box, CASH)
    assert cash(table) == (7_000, 0, 400_000, 0)


def test_who_removes_a_box_is_apart_from_the_dealing(house: floor.House) -> None:
    table, session = floor.ready_table(house)
    with floor.refused(house, "may_not_countersign"):
        remove(house, session, signer=Role.DEALER)
    with floor.refused(house, "same_person_signed"):
        remove(house, session, signer=Role.CAGE)
    with floor.refused(house, "operation_not_allowed"):
        boxes.box_remove(
            session_id=session,
            box=1,
            next_box=None,
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.DEALER),
        )
    rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.SUPERVISOR))
    with floor.refused(house, "not_independent"):
        remove(house, session, signer=Role.SUPERVISOR)
    remove(house, session)


def test_each_count_comes_in_its_turn_once_and_by_another_person(house: floor.House) -> None:
    table, session = floor.ready_table(house)
    box = DropBox.objects.get(session=session).id
    with floor.refused(house, "box_on_table"):
        first(house, box, CASH)
    support.close(house, table, session)
    floor.remove_box(house, session)
    with floor.refused(house, "first_count_due"):
        second(house, box, CASH)
    with floor.refused(house, "first_count_due"):
        recount(house, box, CASH)
    first(house, box, CASH)
    with floor.refused(house, "second_count_due"):
        first(house, box, CASH, command=house.second_count())
    with floor.refused(house, "same_person_signed"):
        second(house, box, CASH, command=house.command(Role.CAGE))
    with floor.refused(house, "second_count_due"):
        recount(house, box, CASH)
    with floor.refused(house, "box_not_found"):
        first(house, uuid.uuid4(), CASH)
    second(house, box, CASH)
    for again in (first, second, recount):
        with floor.refused(house, "drop_counted"):
            again(house, box, CASH)


def test_counts_that_differ_are_kept_and_both_count_again(house: floor.House) -> None:
    """Neither of two unequal counts is the drop, whichever is nearer to the books."""
    table, session, box = closed(house)
    first(house, box, {"10000": 40})
    assert second(house, box, {"10000": 38, "5000": 2}).body["box"]["status"] == "differs"
    assert (TableSession.objects.get(id=session).status, cash(table)[1]) == (SessionStatus.CLOSED, 400_000)
    for signer, code in ((Role.PIT_BOSS, "not_the_counters"), (Role.DEALER, "may_not_countersign")):
        with floor.refused(house, code):
            recount(house, box, CASH, signer)
    with floor.refused(house, "recount_due"):
        second(house, box, CASH)
    recount(house, box, {"10000": 39, "5000": 2})
    kept = DropBox.objects.get(id=box)
    counts = [kept.first_count, kept.second_count, kept.counted]
    assert [count and count["notes"] for count in counts] == [
        {"10000": 40},
        {"10000": 38, "5000": 2},
        {"10000": 39, "5000": 2},
    ]
    assert TableSession.objects.get(id=session).drop_total == 400_000


def test_chips_and_instruments_in_a_box_are_drop_and_have_their_place(house: floor.House) -> None:
    """Drop is cash, credit instruments, and chips found in the box, each counted apart."""
    table, session, box = closed(house)
    with floor.refused(house, "unknown_denomination"):
        first(house, box, CASH, chips={"777": 1})
    floor.count_box(house, box, {"10000": 35}, chips={"2500": 2}, instruments={"50000": 1})
    kept = TableSession.objects.get(id=session)
    assert (kept.drop_total, kept.drop_count) == (405_000, {"10000": 35})
    now = balances(table.stream)
    assert (now["count_room"], now["over_short"], cash(table)) == (5_000, -5_000, (0, 0, 400_000, 0))


NOTES = {"10000": 7_919_311, "100": 6_700_417}
TOTAL = 7_919_311 * 10_000 + 6_700_417 * 100


def everything_stored() -> str:
    """Every row of every table, as text."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
        )
        texts = []
        for (name,) in cursor.fetchall():
            cursor.execute(
                f'SELECT coalesce(string_agg(to_jsonb(r)::text, chr(10)), chr(32)) FROM "{name}" r'  # noqa: S608
            )
            texts.append(cursor.fetchone()[0])
    return "\n".join(texts)


def test_the_first_count_can_be_learnt_nowhere_before_the_second_is_posted(house: floor.House) -> None:
    """Neither rows, nor answers, nor refusals, nor journal have it; a guess has nothing to be tried on."""
    table, _, box = closed(house)
    with floor.refused(house, "unknown_denomination"):
        first(house, box, NOTES, chips={"7919311": 6_700_417})
    command = house.command(Role.CAGE)
    answer = first(house, box, NOTES, command=command)
    with floor.refused(house, "same_person_signed"):
        second(house, box, NOTES, command=house.command(Role.CAGE))
    with floor.refused(house, "second_count_due"):
        first(house, box, NOTES)
    with floor.refused(house, "unknown_denomination"):
        second(house, box, NOTES, chips={"7919311": 1})

    stored = everything_stored() + str(answer.body) + str(DropBox.objects.get(id=box).__dict__)
    assert str(box) in stored
    for secret in (7_919_311, 6_700_417, TOTAL, TOTAL - 400_000):
        assert str(secret) not in stored
    replay = first(house, box, NOTES, command=command)
    assert (replay.replayed, replay.body) == (True, answer.body), "its retry is known all the same"
    kept = CommandAnswer.objects.get(stream=table.stream, command_id=command.id)
    content = {"notes": NOTES, "chips": {}, "instruments": {}}
    for guess in (content, {"counted": content}, NOTES):
        plain = fingerprint("drop.count_first", command.actor, {"box": str(box), **guess})
        assert plain != bytes(kept.fingerprint)

    row = DropBox.objects.get(id=box)
    assert row.sealed is not None
    length, commitment = len(row.sealed), row.commitment
    second(house, box, NOTES)
    entry = everything_stored()
    assert str(TOTAL) in entry
    opened = DropBox.objects.get(id=box)
    assert (opened.sealed, opened.first_count) == (None, content)
    salt = bytes.fromhex(said(table.stream, "session.count_drop")["first"]["salt"])
    assert commitment == count_commitment(box=str(box), counted=content, salt=salt), "and was not changed"
    other, other_session = floor.ready_table(house, "rd-2")
    support.close(house, other, other_session)
    empty = floor.remove_box(house, other_session)
    first(house, empty, {})
    sealed = DropBox.objects.get(id=empty).sealed
    assert sealed is not None
    assert len(sealed) == length, "the length tells nothing"
    for wrong in ({"second_counter": house.staff[Role.CAGE]}, {"sealed": None}, {"first_count": content}):
        with pytest.raises(DatabaseError), transaction.atomic():
            DropBox.objects.filter(id=empty).update(**wrong)


def test_a_house_whose_profile_names_others_holds_the_second_counter_to_it(house: floor.House) -> None:
    """Who may count as the second is the profile's line for the count of a drop."""
    _, _, box = closed(house)
    first(house, box, CASH)
    stranger = Command(uuid.uuid4(), Actor(house.staff[Role.DEALER].id, Role.CAGE, None, "cage"))
    with floor.refused(house, "may_not_countersign"):
        second(house, box, CASH, command=stranger)
    assert DropBox.objects.get(id=box).status == BoxStatus.FIRST_COUNTED
