"""Fills: requested at the table, issued by the cage to a runner, verified and signed for at the table."""

import uuid

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.models import Cage, Slip, SlipKind, SlipStatus, Table
from tables.selectors.slips import slip_view
from tables.selectors.views import table_view
from tables.services.asked import some
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, without_zeros
from tables.services.locks import lock_cage, lock_table
from tables.services.signatures import Second, signed_by_two
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


def fill_request(*, table_id: uuid.UUID, chips: Count, second: Second, command: Command) -> Answer:
    """Ask the cage for chips; see `request_slip`."""
    return request_slip(kind=SlipKind.FILL, table_id=table_id, chips=chips, second=second, command=command)


def fill_issue(
    *, casino_id: uuid.UUID, slip_id: uuid.UUID, chips: Count, runner: Second, command: Command
) -> Answer:
    """Accept a requested fill, in full or in part: the slip gets the next number, its chips leave the vault.

    Args:
        chips: what is given, of each chip at most what was requested.
        runner: of security; signs for the chips and carries them.

    Raises:
        DomainError: `slip_not_found`, those of `expect`, `unknown_denomination`, `bad_count`,
            `nothing_to_move`, `slip_exceeds_request`, those of `countersigner`, and `floor_broken` when the
            vault does not hold as much.
    """
    act = "fill.issue"

    def work(cage: Cage) -> Effect:
        slip = locked_slip(slip_id, casino_id=casino_id, kind=SlipKind.FILL)
        expect(slip, SlipStatus.REQUESTED)
        slip.total = some(check_chips(chips, cage.casino))
        slip.chips = _part_of_request(slip, chips)
        carrier, sign = signed_by_two(act, command, runner, on=cage, subject=slip_id)
        slip.status, slip.runner_id = SlipStatus.ON_THE_WAY, carrier.id
        changed = numbered(slip, cage)

        def write(posted: Posted) -> None:
            stamp(slip, "issued", command, posted)
            slip.save(force_update=True)
            sign(posted)

        return Effect(
            kind=act,
            payload=payload_of(slip, partial=slip.chips != slip.requested_chips, runner=str(carrier.id)),
            movements=[Movement("vault", f"table:{slip.table_id}", slip.total)],
            write=write,
            changed=changed,
            body=lambda: slip_view(slip),
        )

    request = {"slip": str(slip_id), "chips": dict(chips), "runner": runner.number}
    return execute(act, command, request, lock_cage, casino_id, work)


def _part_of_request(slip: Slip, chips: Count) -> dict[str, int]:
    given, wanted = without_zeros(chips), slip.requested_chips or {}
    for value, number in given.items():
        if number > wanted.get(value, 0):
            raise DomainError("slip_exceeds_request", f"More of {value} than the table asked for.")
    return given


def fill_receive(
    *, table_id: uuid.UUID, slip_id: uuid.UUID, chips: Count, second: Second, command: Command
) -> Answer:
    """Take a fill into the tray: the dealer counts it before the supervisor, both sign.

    Args:
        chips: what the dealer counts, which must be what the slip says.
        second: the supervisor; neither may have issued the slip or carried the chips.

    Raises:
        DomainError: `slip_not_found`, those of `expect`, `unknown_denomination`, `bad_count`,
            `slip_differs`, and those of `countersigner`.
    """
    act = "fill.receive"

    def work(table: Table) -> Effect:
        slip = locked_slip(slip_id, table_id=table_id, kind=SlipKind.FILL)
        expect(slip, SlipStatus.ON_THE_WAY)
        check_chips(chips, table.casino)
        witness, sign = signed_by_two(act, command, second, on=table, subject=slip_id)
        apart({command.actor.staff_id, witness.id}, slip.issued_by_id, slip.runner_id)
        expect_chips(slip, chips)
        slip.status = SlipStatus.RECEIVED

        def write(posted: Posted) -> None:
            stamp(slip, "received", command, posted, second=witness.id)
            slip.save(force_update=True)
            sign(posted)

        session = str(table.session.id) if table.session else None
        return Effect(
            kind=act,
            payload=payload_of(slip, session=session, second=str(witness.id)),
            movements=[Movement("cage", "tray", slip.total or 0)],
            write=write,
            body=lambda: table_view(table) | {"slip": slip_view(slip)},
        )

    def run() -> Answer:
        request = {"slip": str(slip_id), "chips": dict(chips), "second": second.number}
        return execute(act, command, request, lock_table, table_id, work)

    return counting(slip_id, chips, command, run)
