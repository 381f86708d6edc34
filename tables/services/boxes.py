"""Drop boxes put on a table and taken off it.

A box is put on with the opening, and may be changed for an empty one in the middle of a session. Somebody
apart from the table's dealing removes it, under a second signature; from then on its cash lies in
`cash:boxes`, until it is counted (`tables.services.drops`).
"""

import uuid
from collections.abc import Mapping

from config.errors import DomainError
from ledger.selectors import balances
from ledger.services import Movement, Posted
from tables.models import BoxStatus, DropBox, Round, Table
from tables.selectors.drops import box_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table_of_session
from tables.services.signatures import Second, signed_by_two


def box_for(table: Table, number: int | None) -> DropBox:
    """An empty box for a locked table: the one asked for, or the first that is free; not written yet.

    Raises:
        DomainError: `box_on_table` while there is one, `box_in_use` for one that waits for its count.
    """
    away = _away(table)
    if BoxStatus.ON_TABLE in away.values():
        raise DomainError("box_on_table", "The last drop box must be removed first.")
    return DropBox(table=table, number=_free(away, number))


def _away(table: Table) -> dict[int, str]:
    """The numbers of a table's boxes that are not at hand, with where they stand."""
    rows = DropBox.objects.filter(table=table).exclude(status=BoxStatus.COUNTED)
    return dict(rows.values_list("number", "status"))


def _free(away: Mapping[int, str], number: int | None) -> int:
    """The number of a box that is at hand, none of those `away`."""
    if number is None:
        return next(free for free in range(1, len(away) + 2) if free not in away)
    if number in away:
        raise DomainError("box_in_use", f"Box {number} of this table is not counted yet.")
    return number


def box_remove(
    *, session_id: uuid.UUID, box: int, next_box: int | None, second: Second, command: Command
) -> Answer:
    """Take the drop box off a table; while the session is open another takes its place at once.

    Args:
        box: the number read on the box.
        next_box: the number of the box that takes its place; None for the first that is free.
        second: who signs with the actor. Neither may have dealt in the session.

    Raises:
        DomainError: `box_not_on_table`, `wrong_box`, `box_in_use`, `not_independent`, and those of
            `countersigner`.
    """

    def work(table: Table) -> Effect:
        removed = _on_table(table, session_id, box)
        replacement = _replacement(table, removed, next_box)
        witness, sign = signed_by_two("box.remove", command, second, on=table, subject=session_id)
        if Round.objects.filter(session=session_id, dealer__in=[command.actor.staff_id, witness.id]).exists():
            raise DomainError("not_independent", "Who has dealt here does not remove the box.", status=403)
        held = balances(table.stream)
        cash, removed.booked_instruments = held["cash:drop_box"], held.get("markers:drop_box", 0)
        removed.status, removed.booked = BoxStatus.REMOVED, cash + removed.booked_instruments

        def write(posted: Posted) -> None:
            removed.removed_at, removed.removed_seq = posted.recorded_at, posted.seq
            removed.save(
                update_fields=["status", "booked", "booked_instruments", "removed_at", "removed_seq"]
            )
            if replacement is not None:
                replacement.put_at = posted.recorded_at
                replacement.save(force_insert=True)
            sign(posted)

        return Effect(
            kind="box.remove",
            payload={
                "session": str(session_id),
                "box": str(removed.id),
                "number": removed.number,
                "next": replacement and {"box": str(replacement.id), "number": replacement.number},
                "second": str(witness.id),
            },
            movements=[
                *moved("cash:drop_box", "cash:boxes", cash),
                *moved("markers:drop_box", "markers:boxes", removed.booked_instruments),
            ],
            write=write,
            body=lambda: {"box": box_view(removed), "next": replacement and box_view(replacement)},
        )

    request = {"session": str(session_id), "box": box, "next": next_box, "second": second.number}
    return execute("box.remove", command, request, lock_table_of_session, session_id, work)


def _on_table(table: Table, session_id: uuid.UUID, number: int) -> DropBox:
    """The session's box on a locked table, which must be the one whose number was read."""
    box = DropBox.objects.filter(table=table, session=session_id, status=BoxStatus.ON_TABLE).first()
    if box is None:
        raise DomainError("box_not_on_table", "There is no box of this session on the table.")
    if box.number != number:
        raise DomainError("wrong_box", f"On the table is box {box.number}.")
    box.table = table
    return box


def _replacement(table: Table, removed: DropBox, number: int | None) -> DropBox | None:
    """The box that takes another's place on an open table; a closed one goes without."""
    if table.session is None:
        return None
    return DropBox(table=table, session=table.session, number=_free(_away(table), number))


def moved(source: str, target: str, amount: int) -> list[Movement]:
    """A movement of so much, backwards where it is negative, none where it is nothing."""
    if amount < 0:
        return [Movement(target, source, -amount)]
    return [Movement(source, target, amount)] if amount else []
