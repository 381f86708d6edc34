"""Credits: not fills backwards. The slip comes first, three sign at the table, the cashier counts last."""

import uuid

from ledger.services import Movement, Posted
from tables.models import Cage, SlipKind, SlipStatus, Table
from tables.selectors.slips import slip_view
from tables.selectors.views import table_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips
from tables.services.locks import lock_cage, lock_table
from tables.services.signatures import Second, countersigner, signed_by_two
from tables.services.slips import (
    apart,
    counting,
    expect,
    expect_chips,
    locked_slip,
    numbered,
    payload_of,
    request_slip,
    stamp,
)

CARRY = "credit.carry"


def credit_request(*, table_id: uuid.UUID, chips: Count, second: Second, command: Command) -> Answer:
    """Ask the cage to take chips back; see `request_slip`."""
    return request_slip(kind=SlipKind.CREDIT, table_id=table_id, chips=chips, second=second, command=command)


def credit_issue(*, casino_id: uuid.UUID, slip_id: uuid.UUID, command: Command) -> Answer:
    """Issue the slip of a requested credit under the next number; no chip moves before it is at the table.

    Raises:
        DomainError: `slip_not_found`, and those of `expect`.
    """
    act = "credit.issue"

    def work(cage: Cage) -> Effect:
        slip = locked_slip(slip_id, casino_id=casino_id, kind=SlipKind.CREDIT)
        expect(slip, SlipStatus.REQUESTED)
        slip.chips = slip.requested_chips
        slip.total = check_chips(slip.chips or {}, cage.casino)
        slip.status = SlipStatus.ISSUED
        changed = numbered(slip, cage)

        def write(posted: Posted) -> None:
            stamp(slip, "issued", command, posted)
            slip.save(force_update=True)

        return Effect(
            kind=act,
            payload=payload_of(slip),
            write=write,
            changed=changed,
            body=lambda: slip_view(slip),
        )

    return execute(act, command, {"slip": str(slip_id)}, lock_cage, casino_id, work)


def credit_send(
    *,
    table_id: uuid.UUID,
    slip_id: uuid.UUID,
    chips: Count,
    second: Second,
    runner: Second,
    command: Command,
) -> Answer:
    """Count the chips out of the tray: the dealer before supervisor and runner, and all three sign.

    Args:
        chips: what the dealer counts, which must be what the slip says.
        second: the supervisor.
        runner: of security; carries the chips to the cage.

    Raises:
        DomainError: `slip_not_found`, those of `expect`, `unknown_denomination`, `bad_count`,
            `slip_differs`, those of `countersigner`, and `floor_broken` when the tray does not hold them.
    """
    act = "credit.send"

    def work(table: Table) -> Effect:
        slip = locked_slip(slip_id, table_id=table_id, kind=SlipKind.CREDIT)
        expect(slip, SlipStatus.ISSUED)
        check_chips(chips, table.casino)
        witness, sign = signed_by_two(act, command, second, on=table, subject=slip_id)
        carrier = countersigner(CARRY, command, runner, on=table, subject=slip_id)
        apart({carrier.id}, witness.id)
        apart({command.actor.staff_id, witness.id, carrier.id}, slip.issued_by_id)
        expect_chips(slip, chips)
        slip.status, slip.runner_id = SlipStatus.ON_THE_WAY, carrier.id

        def write(posted: Posted) -> None:
            stamp(slip, "counted", command, posted, second=witness.id)
            slip.save(force_update=True)
            sign(posted)

        session = str(table.session.id) if table.session else None
        signed = {"second": str(witness.id), "runner": str(carrier.id)}
        return Effect(
            kind=act,
            payload=payload_of(slip, session=session, **signed),
            movements=[Movement("tray", "cage", slip.total or 0)],
            write=write,
            body=lambda: table_view(table) | {"slip": slip_view(slip)},
        )

    request = {
        "slip": str(slip_id),
        "chips": dict(chips),
        "second": second.number,
        "runner": runner.number,
    }

    def run() -> Answer:
        return execute(act, command, request, lock_table, table_id, work)

    return counting(slip_id, chips, command, run)


def credit_receive(*, casino_id: uuid.UUID, slip_id: uuid.UUID, chips: Count, command: Command) -> Answer:
    """Take the chips of a credit into the vault: the cashier counts, verifies and signs.

    Args:
        chips: what the cashier counts; if it is not what the slip says the receipt is refused, and the
            chips stay in transit until the slip is made void.

    Raises:
        DomainError: `slip_not_found`, those of `expect`, `unknown_denomination`, `bad_count`,
            `same_person_signed`, `slip_differs`.
    """
    act = "credit.receive"

    def work(cage: Cage) -> Effect:
        slip = locked_slip(slip_id, casino_id=casino_id, kind=SlipKind.CREDIT)
        expect(slip, SlipStatus.ON_THE_WAY)
        check_chips(chips, cage.casino)
        apart({command.actor.staff_id}, slip.counted_by_id, slip.counted_with_id, slip.runner_id)
        expect_chips(slip, chips)
        slip.status = SlipStatus.RECEIVED

        def write(posted: Posted) -> None:
            stamp(slip, "received", command, posted)
            slip.save(force_update=True)

        return Effect(
            kind=act,
            payload=payload_of(slip),
            movements=[Movement(f"table:{slip.table_id}", "vault", slip.total or 0)],
            write=write,
            body=lambda: slip_view(slip),
        )

    def run() -> Answer:
        return execute(act, command, {"slip": str(slip_id), "chips": dict(chips)}, lock_cage, casino_id, work)

    return counting(slip_id, chips, command, run)
