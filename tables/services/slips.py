"""Slips of fills and credits: what both have in common, from the request to the void.

A slip's chips cross from one stream to the other, so they move twice, in two transactions: out of the
place that gives them and into the place that takes them. In between they are in transit, which the two
boundary accounts show (`table:<id>` in the cage's stream, `cage` in the table's). A void does not undo
an entry: what has left its place comes back to it by another one, counted and signed.

The slip's row is locked after the table's or the cage's; what two of them want of it, one gets.
"""

import uuid
from collections.abc import Callable
from datetime import datetime

from django.utils import timezone

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.figures import count_total
from tables.models import Cage, Slip, SlipDifference, SlipKind, SlipSeries, SlipStatus, Table
from tables.selectors.slips import slip_view
from tables.selectors.views import table_view
from tables.services.asked import some, why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, without_zeros
from tables.services.days import running_day
from tables.services.locks import lock_cage, lock_table, not_found
from tables.services.signatures import Second, signed_by_two

DIFFERS = "slip_differs"
MAX_REASON = 200


def locked_slip(slip_id: uuid.UUID, **within: object) -> Slip:
    """The slip, locked, if it lies within what is given (a table, a casino, a kind).

    Raises:
        DomainError: `slip_not_found` (404).
    """
    rows = Slip.objects.select_for_update(no_key=True, of=("self",))
    slip = rows.filter(id=slip_id, **within).first()
    if slip is None:
        raise not_found("slip")
    return slip


def expect(slip: Slip, *due: SlipStatus) -> None:
    """Refuse unless the slip stands where it must for this step.

    Raises:
        DomainError: `slip_requested`, `slip_issued`, `slip_on_the_way`, `slip_received`, `slip_refused`,
            `slip_returning`, `slip_void`: where it stands instead.
    """
    if slip.status not in due:
        label = SlipStatus(slip.status).label.lower()
        raise DomainError(f"slip_{slip.status}", f"{slip.label or 'The slip'} stands elsewhere: {label}.")


def expect_chips(slip: Slip, counted: Count) -> None:
    """Refuse chips that are not what the slip says.

    Raises:
        DomainError: `slip_differs`.
    """
    if without_zeros(counted) != slip.chips:
        raise DomainError(
            DIFFERS, f"{slip.label} says {slip.total}; counted were {count_total(counted)}, or other chips."
        )


def apart(people: set[uuid.UUID | None], *others: uuid.UUID | None) -> None:
    """Refuse somebody who has signed an earlier step that theirs is to be apart from.

    Raises:
        DomainError: `same_person_signed` (403).
    """
    if people.intersection(others) - {None}:
        raise DomainError("same_person_signed", "Who signed before cannot sign for this.", status=403)


def counting(slip_id: uuid.UUID, counted: Count, command: Command, run: Callable[[], Answer]) -> Answer:
    """Run a receipt; chips that differ are kept as evidence, beside the refusal and like it."""
    try:
        return run()
    except DomainError as refusal:
        if refusal.code == DIFFERS:
            SlipDifference.objects.create(
                slip_id=slip_id,
                chips=without_zeros(counted),
                staff_id=command.actor.staff_id,
                terminal_id=command.actor.terminal_id,
            )
        raise


def stamp(
    slip: Slip, step: str, command: Command, posted: Posted, *, second: uuid.UUID | None = None
) -> None:
    """Note on the slip when, by whom and where a step was done, and under which entry."""
    done = {
        "at": posted.recorded_at,
        "by_id": command.actor.staff_id,
        "with_id": second,
        "terminal_id": command.actor.terminal_id,
        "seq": posted.seq,
    }
    for what, value in done.items():
        if hasattr(slip, f"{step}_{what}"):
            setattr(slip, f"{step}_{what}", value)


def numbered(slip: Slip, cage: Cage) -> list[str]:
    """Give the slip the next number of its kind in the locked cage's series; the cage's changed fields."""
    field = f"next_{slip.kind}_number"
    slip.number = getattr(cage, field)
    setattr(cage, field, slip.number + 1)
    return [field]


def payload_of(slip: Slip, **more: object) -> dict[str, object]:
    """What every entry of a numbered slip says."""
    return {
        "slip": str(slip.id),
        "label": slip.label,
        "table": str(slip.table_id),
        "chips": slip.chips,
        "total": slip.total,
        **more,
    }


def request_slip(
    *, kind: SlipKind, table_id: uuid.UUID, chips: Count, second: Second, command: Command
) -> Answer:
    """Ask the cage for a fill or a credit: no chip moves, no number is taken.

    Args:
        second: the supervisor, who requests it with the dealer.

    Raises:
        DomainError: `unknown_denomination`, `bad_count`, `nothing_to_move`, `gaming_day_closed`, and those
            of `countersigner`.
    """
    act = f"{kind}.request"

    def work(table: Table) -> Effect:
        total = some(check_chips(chips, table.casino))
        running_day(table.casino)
        witness, sign = signed_by_two(act, command, second, on=table, subject=table_id)
        slip = Slip(
            casino_id=table.casino_id, table=table, kind=kind.value, requested_chips=without_zeros(chips)
        )

        def write(posted: Posted) -> None:
            stamp(slip, "requested", command, posted, second=witness.id)
            slip.save(force_insert=True)
            sign(posted)

        return Effect(
            kind=act,
            payload={
                "slip": str(slip.id),
                "session": str(table.session.id) if table.session else None,
                "chips": slip.requested_chips,
                "total": total,
                "second": str(witness.id),
            },
            write=write,
            body=lambda: table_view(table) | {"slip": slip_view(slip)},
            status=201,
        )

    request = {"table": str(table_id), "chips": dict(chips), "second": second.number}
    return execute(act, command, request, lock_table, table_id, work)


def slip_refuse(*, casino_id: uuid.UUID, slip_id: uuid.UUID, reason: str, command: Command) -> Answer:
    """Refuse a request in the cage; it never gets a number.

    Raises:
        DomainError: `slip_not_found`, those of `expect`, `reason_missing`.
    """

    def work(cage: Cage) -> Effect:
        slip = locked_slip(slip_id, casino_id=casino_id)
        expect(slip, SlipStatus.REQUESTED)
        slip.reason, slip.status = why(reason), SlipStatus.REFUSED

        def write(posted: Posted) -> None:
            stamp(slip, "refused", command, posted)
            slip.save(force_update=True)

        return Effect(
            kind=f"{slip.kind}.refuse",
            payload={"slip": str(slip.id), "table": str(slip.table_id), "reason": slip.reason},
            write=write,
            body=lambda: slip_view(slip),
        )

    request = {"slip": str(slip_id), "reason": reason}
    return execute("slip.refuse", command, request, lock_cage, casino_id, work)


def slip_enter(
    *,
    casino_id: uuid.UUID,
    table_id: uuid.UUID,
    kind: str,
    number: int,
    chips: Count,
    occurred_at: datetime,
    second: Second,
    command: Command,
) -> Answer:
    """Enter a slip that was written by hand while the system was down, under its paper number.

    It stands in a series of its own, so the system's numbers go on without a gap; the steps that are
    left (the table's, and of a credit the cashier's) are signed as ever.

    Args:
        kind: `fill` or `credit`.
        number: what is printed on the paper slip.
        occurred_at: when it was written.
        second: who signs the entry with the cashier.

    Raises:
        DomainError: `table_not_found`, `slip_number_taken`, `occurred_in_future` (422),
            `unknown_denomination`, `bad_count`, `nothing_to_move`, those of `countersigner`, and
            `floor_broken` when the vault does not hold as much.
    """
    operation = "slip.enter"

    def work(cage: Cage) -> Effect:
        slip = _by_hand(cage, table_id, SlipKind(kind), number, chips, occurred_at)
        witness, sign = signed_by_two(operation, command, second, on=cage, subject=table_id)
        is_fill = slip.kind == SlipKind.FILL
        slip.status = SlipStatus.ON_THE_WAY if is_fill else SlipStatus.ISSUED

        def write(posted: Posted) -> None:
            stamp(slip, "issued", command, posted, second=witness.id)
            slip.save(force_insert=True)
            sign(posted)

        return Effect(
            kind=f"{slip.kind}.enter",
            payload=payload_of(slip, manual=True, second=str(witness.id)),
            movements=[Movement("vault", f"table:{table_id}", slip.total or 0)] if is_fill else [],
            write=write,
            body=lambda: slip_view(slip),
            status=201,
            occurred_at=occurred_at,
        )

    request = {
        "table": str(table_id),
        "kind": kind,
        "number": number,
        "chips": dict(chips),
        "occurred_at": occurred_at.isoformat(),
        "second": second.number,
    }
    return execute(operation, command, request, lock_cage, casino_id, work)


def _by_hand(
    cage: Cage, table_id: uuid.UUID, kind: SlipKind, number: int, chips: Count, occurred_at: datetime
) -> Slip:
    """A paper slip of a table of the house, under a number that was not entered before; not written yet."""
    if not Table.objects.filter(id=table_id, casino=cage.casino).exists():
        raise not_found("table")
    slip = Slip(
        casino=cage.casino,
        table_id=table_id,
        kind=kind.value,
        series=SlipSeries.MANUAL,
        number=number,
        chips=without_zeros(chips),
        total=some(check_chips(chips, cage.casino)),
        occurred_at=_in_the_past(occurred_at),
    )
    taken = Slip.objects.filter(casino=cage.casino, series=slip.series, kind=kind, number=number)
    if taken.exists():
        raise DomainError("slip_number_taken", f"{slip.label} was entered before.")
    return slip


def _in_the_past(moment: datetime) -> datetime:
    if moment > timezone.now():
        raise DomainError("occurred_in_future", "That has not happened yet.", status=422)
    return moment


def slip_print(*, casino_id: uuid.UUID, slip_id: uuid.UUID, command: Command) -> Answer:
    """Print a slip; every time but the first it says REPRINT, and which one.

    Raises:
        DomainError: `slip_not_found`; `slip_requested` or `slip_refused` for what has no number.
    """

    def work(cage: Cage) -> Effect:
        slip = locked_slip(slip_id, casino_id=casino_id)
        if slip.number is None:
            expect(slip)
        slip.prints += 1

        def write(posted: Posted) -> None:
            slip.save(update_fields=["prints"])

        return Effect(
            kind=f"{slip.kind}.print",
            payload={"slip": str(slip.id), "label": slip.label, "reprint": slip.prints - 1},
            write=write,
            body=lambda: slip_view(slip) | {"reprint": slip.prints - 1},
        )

    return execute("slip.print", command, {"slip": str(slip_id)}, lock_cage, casino_id, work)
