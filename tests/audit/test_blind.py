"""A first count that nobody knew is what was committed to, and both counts are what their entry says."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from audit.blind import BlindCheck
from audit.codes import Found
from audit.facts import Fact
from audit.selectors.boxes import boxes_astray
from audit.selectors.journal import parsed
from audit.services.reconciliation import read_books, session_reconcile
from audit.verify.entries import EPOCH
from ledger.models import Entry
from tables.engine.blind_count import count_commitment
from tables.models import DropBox, Role, TableSession
from tables.services import drops
from tables.services.signatures import Badge
from tests import floor
from tests.audit import support

SALT = bytes(range(32))
BOX, SESSION, ONE, TWO = (str(uuid.UUID(int=number)) for number in range(1, 5))
COUNT: dict[str, dict[str, int]] = {"notes": {"100": 40}, "chips": {}, "instruments": {}}
OTHER: dict[str, dict[str, int]] = {"notes": {"100": 39}, "chips": {}, "instruments": {}}
Said = tuple[str, str, dict[str, Any]]


def judged(*entries: Said) -> list[Found]:
    finds: list[Found] = []
    check = BlindCheck("table:x", finds.append)
    for seq, (kind, by, said) in enumerate(entries, 1):
        payload = {"session": SESSION, "box": BOX} | said
        check.see(Fact("table:x", seq, kind, uuid.UUID(by), EPOCH, payload, ()))
    return finds


def first(counted: dict[str, dict[str, int]] = COUNT, box: str = BOX, by: str = ONE) -> Said:
    return "drop.count_first", by, {"commitment": count_commitment(box=box, counted=counted, salt=SALT)}


def second(counted: dict[str, dict[str, int]] = COUNT, by: str = TWO, **other: Any) -> Said:
    opened = {"counted": COUNT, "salt": SALT.hex(), "by": ONE}
    said = {"first": opened, "counted": counted, "total": 4_000}
    return "session.count_drop", by, {**said, "notes": counted["notes"], "drop_total": 4_000, **other}


DIFFERS: Said = ("drop.count_differs", TWO, {"first": second()[2]["first"], "second_count": OTHER})


def recount(by: str = TWO, **other: Any) -> Said:
    counted = {"counted": OTHER, "total": 3_900, "notes": {"100": 39}, "drop_total": 3_900, "second": ONE}
    return "session.count_drop", by, {"recounted": {"first": COUNT, "second": OTHER}, **counted, **other}


def test_a_first_count_fits_its_commitment_and_the_second() -> None:
    assert judged(first(), second()) == judged(first(), DIFFERS, recount()) == []


@pytest.mark.parametrize(
    ("entries", "evidence"),
    [
        ([first(OTHER), second()], "opened"),  # another count was opened than was committed to
        ([first(box=SESSION), second()], "opened"),  # that of another box
        ([second()], "opened"),  # nobody had committed to anything
        ([first(), first(), second()], "committed"),  # a count is made a first time once
        ([first(), second(), second(drop_total=8_000, notes={"100": 80})], "opened"),  # and opened once
        ([first(by=TWO), second()], "first_by"),  # by another than is said
        ([first(), second(by=ONE)], "first_by"),  # both by one person
        ([first(), second(OTHER, total=3_900, drop_total=3_900)], "second"),  # unequal counts passed as equal
        ([first(), ("drop.count_differs", TWO, second()[2] | {"second_count": COUNT})], "second"),
        ([first(), second(total=4_001, drop_total=4_001)], "total"),
        ([first(), second(drop_total=4_001)], "drop_total"),  # a session's drop is that of its boxes
        ([first(), second(notes={"100": 41})], "notes"),
        ([first(), DIFFERS, recount(recounted={"first": COUNT, "second": COUNT})], "differed"),
        ([first(), DIFFERS, recount(by=BOX)], "counters"),  # one who had not counted
        ([first(), recount()], "differed"),  # counted once more before it was counted twice
    ],
)
def test_a_count_that_is_not_what_it_says_is_found(entries: list[Any], evidence: str) -> None:
    (found,) = judged(*entries)
    assert (found.code, found.about, evidence in found.evidence) == ("blind_count_differs", BOX, True)


def test_a_count_that_cannot_be_read_is_found() -> None:
    finds = judged(("drop.count", ONE, {"first": {}}), ("drop.count_first", ONE, {}))
    assert [found.code for found in finds] == ["entry_unreadable"] * 2


@pytest.mark.django_db
def test_each_session_s_boxes_are_looked_at(house: floor.House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that were made, equal or not, are sound, and the rows are what the journal says of them; a count
    that opens otherwise is found at the next look, and so is whatever a row says else."""
    table, session = support.open_scanned(house)
    taken_off = floor.remove_box(house, session)
    session_reconcile(session_id=session)
    support.close(house, table, session)
    floor.count_box(house, taken_off, {"100": 4_000}, slips=["F-1"])
    box = floor.remove_box(house, session)
    found: dict[str, Any] = {"chips": {}, "instruments": {}}
    drops.drop_count_first(box_id=box, notes={"100": 1}, **found, command=house.command(Role.CAGE))
    session_reconcile(session_id=session)
    drops.drop_count_second(box_id=box, notes={}, **found, slips=[], command=house.second_count())
    session_reconcile(session_id=session)
    badge = Badge(house.cashier_2.badge, floor.PIN)
    found |= {"notes": {}, "slips": []}
    drops.drop_recount(box_id=box, **found, second=badge, command=house.command(Role.CAGE))
    session_reconcile(session_id=session)
    assert support.codes(house) == []
    _rows_that_lie(house, session, box)
    _boxes_with_less(session)
    opened = parsed(Entry.objects.get(stream__name=table.stream, kind="drop.count_differs").payload)

    def forged(payload: str) -> dict[str, Any]:
        said = parsed(payload)
        return said | {"first": opened["first"] | {"counted": OTHER}} if "second_count" in said else said

    monkeypatch.setattr("audit.selectors.boxes.parsed", forged)
    session_reconcile(session_id=session)
    assert "blind_count_differs" in support.codes(house)


def _boxes_with_less(session: uuid.UUID) -> None:
    """All that was put in left with the boxes."""
    row = TableSession.objects.get(id=session)
    books, _ = read_books(row)
    assert books is not None
    assert list(boxes_astray(row, 1, books=books)) == []
    more = replace(books, flows=replace(books.flows, insertions=books.flows.insertions + 1))
    (wrong,) = boxes_astray(row, 1, books=more)
    assert (wrong.code, wrong.evidence["put_in"] - wrong.evidence["taken_off"]) == ("amount_differs", 1)


def _rows_that_lie(house: floor.House, session: uuid.UUID, box: uuid.UUID) -> None:
    """Each field that the journal tells, changed in the row."""
    supervisor, day = house.staff[Role.SUPERVISOR].id, timedelta(days=1)
    row = DropBox.objects.get(id=box)
    lies: dict[str, Any] = {
        **dict.fromkeys(("number", "removed_seq", "booked", "booked_instruments", "total"), 9),
        **dict.fromkeys(("first_count", "second_count", "counted"), OTHER),
        **dict.fromkeys(("first_counter_id", "second_counter_id"), supervisor),
        "first_terminal_id": floor.enrol(house, None)[0].id,
        **dict.fromkeys(("put_at", "removed_at", "first_counted_at"), row.put_at - day),
        **dict.fromkeys(("second_counted_at", "counted_at"), row.put_at - day),
        "counted_seq": 9,
        "commitment": "00",
        "slips": ["F-9"],
        "late": True,
    }
    for field, lie in lies.items():
        DropBox.objects.filter(id=box).update(**{field: lie})
        (wrong,) = boxes_astray(TableSession.objects.get(id=session), 1)
        assert (wrong.code, list(wrong.evidence)) == ("box_projection_differs", [field.removesuffix("_id")])
        DropBox.objects.filter(id=box).update(**{field: getattr(row, field)})
    row.id = uuid.uuid4()
    with transaction.atomic():
        row.save(force_insert=True)
        (missing,) = boxes_astray(TableSession.objects.get(id=session), 1)
        transaction.set_rollback(True)
    assert (missing.about, missing.evidence) == (str(row.id), {"missing": "journal"})
    session_reconcile(session_id=session)
    assert support.codes(house) == []
