"""The counts of drop boxes that were taken off their tables: twice, by different people.

In the count room one person counts it and another counts it again without knowing what the
first found (`tables.services.blind`): the second signs by counting. If they differ, both figures are kept
and the two count once more together. Only then is there a drop; a session has one when it is closed and
all its boxes are counted.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.engine.blind_count import PARTS, same_count
from tables.figures import count_total, gaming_day, is_late
from tables.models import BoxStatus, Countersignature, DropBox, SessionStatus, Staff, Table
from tables.selectors.drops import box_view, merged_counts
from tables.selectors.views import session_view
from tables.services.blind import digest_of, open_count, seal_count
from tables.services.boxes import moved
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, check_pieces
from tables.services.locks import lock_table_of_box, not_found
from tables.services.signatures import Second, second_of, signed_by_two

COUNT_ACT = "session.count_drop"
"""The act a profile names for the count of a drop: who may be the second under it."""
WHERE_IT_STANDS = {
    BoxStatus.ON_TABLE: ("box_on_table", "The box is still on its table."),
    BoxStatus.REMOVED: ("first_count_due", "The box has not been counted a first time."),
    BoxStatus.FIRST_COUNTED: ("second_count_due", "The first count is posted; another person counts now."),
    BoxStatus.DIFFERS: ("recount_due", "The two counts differ; both count once more together."),
    BoxStatus.COUNTED: ("drop_counted", "This box was counted before."),
}


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a box, each by value (minor units) and how many of it.

    Args:
        notes: banknotes and coins.
        chips: chips of the house.
        instruments: credit instruments.
    """

    notes: Count
    chips: Count
    instruments: Count

    @property
    def counted(self) -> dict[str, dict[str, int]]:
        """The three by name."""
        return {part: dict(getattr(self, part)) for part in PARTS}


def drop_count_first(
    *, box_id: uuid.UUID, notes: Count, chips: Count, instruments: Count, command: Command
) -> Answer:
    """Count a removed box for the first time. Nobody can read the count before the second is posted.

    Raises:
        DomainError: `box_on_table`, `second_count_due`, `recount_due`, `drop_counted`, `bad_count`,
            `unknown_denomination`.
    """
    found = Found(notes, chips, instruments)

    def work(table: Table) -> Effect:
        box = _box(table, box_id, BoxStatus.REMOVED)
        _check_silently(table, found)
        sealed = seal_count(box=str(box_id), counted=found.counted)
        box.status, box.sealed, box.commitment = BoxStatus.FIRST_COUNTED, sealed.content, sealed.commitment
        box.first_counter_id = command.actor.staff_id
        box.first_terminal_id, box.first_address = command.actor.terminal_id, command.actor.address

        def write(posted: Posted) -> None:
            box.first_counted_at = posted.recorded_at
            box.save()

        return Effect(
            kind="drop.count_first",
            payload=_said(table, box) | {"commitment": sealed.commitment},
            write=write,
            body=lambda: {"box": box_view(box)},
        )

    return _count("drop.count_first", box_id, found, work, command)


def drop_count_second(
    *,
    box_id: uuid.UUID,
    notes: Count,
    chips: Count,
    instruments: Count,
    slips: Sequence[str] | None = None,
    command: Command,
) -> Answer:
    """Count a box for the second time, by somebody else, who does not know the first count.

    Equal counts are the drop of the box. Else both are kept and shown, and a recount is due.

    Args:
        slips: labels of the slip copies found; the audit matches them. None: nobody has looked.

    Raises:
        DomainError: `first_count_due`, `box_on_table`, `recount_due`, `drop_counted`; `same_person_signed`
            (403), `may_not_countersign` (403), `other_device_needed` (403); `bad_count`,
            `unknown_denomination`.
    """
    found = Found(notes, chips, instruments)

    def work(table: Table) -> Effect:
        box = _box(table, box_id, BoxStatus.FIRST_COUNTED)
        _may_count_again(table, box, command)
        _check_silently(table, found)
        assert box.sealed is not None, "a first count is sealed until the second"
        first, salt = open_count(bytes(box.sealed), box=str(box_id))
        box.slips = _sorted(slips)
        box.first_count, box.second_count, box.sealed = first, found.counted, None
        box.second_counter_id = command.actor.staff_id
        said = {"first": {"counted": first, "salt": salt, "by": str(box.first_counter_id)}}
        sign = _both_counters(box, command)
        if same_count(first, found.counted):
            return _counted(table, box, found.counted, said, sign)
        box.status = BoxStatus.DIFFERS

        def write(posted: Posted) -> None:
            box.second_counted_at = posted.recorded_at
            box.save()
            sign(posted)

        return Effect(
            kind="drop.count_differs",
            payload=_said(table, box) | said | {"second_count": found.counted, "slips": box.slips},
            write=write,
            body=lambda: {"box": box_view(box), "session": session_view(box.session)},
        )

    return _count("drop.count_second", box_id, found, work, command, slips=_sorted(slips))


def drop_recount(
    *,
    box_id: uuid.UUID,
    notes: Count,
    chips: Count,
    instruments: Count,
    slips: Sequence[str] | None = None,
    second: Second,
    command: Command,
) -> Answer:
    """Count a box once more, by both who differed: what they find now is its drop; all three are kept.

    Raises:
        DomainError: `box_on_table`, `first_count_due`, `second_count_due`, `drop_counted`;
            `not_the_counters` (403) when it is not the two of them; `bad_count`, `unknown_denomination`,
            and those of `countersigner`.
    """
    found = Found(notes, chips, instruments)

    def work(table: Table) -> Effect:
        box = _box(table, box_id, BoxStatus.DIFFERS)
        witness, sign = signed_by_two(COUNT_ACT, command, second, on=table, subject=box_id)
        if {command.actor.staff_id, witness.id} != {box.first_counter_id, box.second_counter_id}:
            raise DomainError("not_the_counters", "The two whose counts differ count again.", status=403)
        _check_silently(table, found)
        box.slips = _sorted(slips)
        said: dict[str, Any] = {"recounted": {"first": box.first_count, "second": box.second_count}}
        return _counted(table, box, found.counted, said | {"second": str(witness.id)}, sign)

    return _count("drop.recount", box_id, found, work, command, slips=_sorted(slips), second=second.number)


def _count(
    operation: str,
    box_id: uuid.UUID,
    found: Found,
    work: Callable[[Table], Effect],
    command: Command,
    **also: Any,
) -> Answer:
    """Run one of the counts; what is stored to know its retry by tells nothing of what was counted."""
    request = {"box": str(box_id), "counted": digest_of(found.counted), **also}
    return execute(operation, command, request, lock_table_of_box, box_id, work)


def _box(table: Table, box_id: uuid.UUID, due: BoxStatus) -> DropBox:
    """The box, under its table's lock, when this count of it is due."""
    box = DropBox.objects.select_related("session").filter(id=box_id, table=table).first()
    if box is None:
        raise not_found("box")
    if box.status != due:
        code, detail = WHERE_IT_STANDS[BoxStatus(box.status)]
        raise DomainError(code, detail)
    box.table = table
    return box


def _check_silently(table: Table, found: Found) -> None:
    """Check what was counted; a refusal, which is kept, repeats nothing of it."""
    try:
        check_chips(found.chips, table.casino)
        check_pieces(found.notes)
        check_pieces(found.instruments)
    except DomainError as refusal:
        detail = "Count again: this is no count, or names chips the house has not."
        raise DomainError(refusal.code, detail, status=refusal.status) from None


def _may_count_again(table: Table, box: DropBox, command: Command) -> None:
    """Whether the actor may be the second who counts: another person, of a role the profile names."""
    if command.actor.staff_id == box.first_counter_id:
        raise DomainError("same_person_signed", "A second, different person must count.", status=403)
    person = Staff.objects.select_related("casino").get(id=command.actor.staff_id)
    if second_of(person, COUNT_ACT).other_device and command.actor.terminal_id == box.first_terminal_id:
        raise DomainError("other_device_needed", "The second counts at a device of their own.", status=403)


def _both_counters(box: DropBox, command: Command) -> Callable[[Posted], None]:
    """A write that keeps both counters as the signatories of what the second count decides."""
    assert box.first_counter_id is not None, "a second count follows a first"
    assert box.first_counted_at is not None, "a second count follows a first"
    first, counted_at = box.first_counter_id, box.first_counted_at

    def write(posted: Posted) -> None:
        Countersignature.objects.create(
            stream=posted.stream,
            seq=posted.seq,
            act=COUNT_ACT,
            first_id=first,
            second_id=command.actor.staff_id,
            first_terminal_id=box.first_terminal_id,
            second_terminal_id=command.actor.terminal_id,
            first_address=box.first_address,
            second_address=command.actor.address,
            signed_at=counted_at,
            second_signed_at=posted.recorded_at,
        )

    return write


def _said(table: Table, box: DropBox) -> dict[str, Any]:
    """What every entry about a count says; it comes late once the session's gaming day has ended."""
    casino = table.casino
    today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
    box.late = is_late(box.session.gaming_day, today=today, closed=casino.closed_day)
    return {"session": str(box.session_id), "box": str(box.id), "number": box.number, "late": box.late}


def _counted(
    table: Table,
    box: DropBox,
    counted: dict[str, dict[str, int]],
    said: dict[str, Any],
    sign: Callable[[Posted], None],
) -> Effect:
    """The box is counted; where it was the last of a closed session, so is the session's drop."""
    session = box.session
    values = {part: count_total(counted[part]) for part in PARTS}
    box.status, box.counted, box.total = BoxStatus.COUNTED, counted, sum(values.values())
    others = list(DropBox.objects.filter(session=session).exclude(pk=box.pk))
    whole = session.status == SessionStatus.CLOSED and all(o.status == BoxStatus.COUNTED for o in others)
    payload = (
        _said(table, box)
        | {"counted": counted, "total": box.total, "variance": box.variance, "slips": box.slips}
        | said
    )
    if whole:
        boxes = [box, *others]
        session.status = SessionStatus.COUNTED
        session.drop_count = merged_counts(boxes, "notes")
        session.drop_total = sum(each.total or 0 for each in boxes)
        payload |= {
            "notes": session.drop_count,
            "drop_total": session.drop_total,
            "slips": _slips_of(boxes),
            "box_slips": box.slips,
        }

    def write(posted: Posted) -> None:
        box.counted_at, box.counted_seq = posted.recorded_at, posted.seq
        box.second_counted_at = box.second_counted_at or posted.recorded_at
        box.save()
        if whole:
            session.counted_at = posted.recorded_at
            session.save(update_fields=["status", "drop_count", "drop_total", "counted_at"])
        sign(posted)

    return Effect(
        kind=COUNT_ACT if whole else "drop.count",
        payload=payload,
        movements=_emptied(box, values),
        write=write,
        body=lambda: {"box": box_view(box), "session": session_view(session)},
        outbox=[("session.reconcile", session.id)] if whole else [],
    )


def _sorted(slips: Sequence[str] | None) -> list[str] | None:
    return None if slips is None else sorted(slips)


def _slips_of(boxes: Iterable[DropBox]) -> list[str] | None:
    """The slip copies found in all boxes of a session; None when nobody has looked into one."""
    found: list[str] = []
    for box in boxes:
        if box.slips is None:
            return None
        found += box.slips
    return sorted(found)


def _emptied(box: DropBox, values: Mapping[str, int]) -> list[Movement]:
    """What is found goes to the count room; what the books had otherwise is over or short.

    A marker was booked into the box as an instrument; what else is found of instruments stands for cash.
    Chips never were booked: they are missing where they came from, a tray or a patron, which only the counts
    there can tell.
    """
    assert box.booked is not None, "a counted box was removed"
    markers = box.booked_instruments
    cash = values["notes"] + values["instruments"] - markers
    return [
        *moved("cash:over_short", "cash:boxes", cash - (box.booked - markers)),
        *moved("markers:boxes", "markers:count_room", markers),
        *moved("cash:boxes", "cash:count_room", cash),
        *moved("over_short", "count_room", values["chips"]),
    ]
