"""Voids: a slip keeps its number, with a reason and two signatures, and its chips go back.

They go back to the place that gave them, where they are counted and signed for: of a fill to the vault,
of a credit to the tray. A slip that was received is made void where its chips lie; one that is on its way
at either end. What comes back short (or long) goes to `over_short`, and the slip keeps what was counted.
"""

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.models import Cage, Slip, SlipKind, SlipStatus, Table
from tables.selectors.slips import slip_view
from tables.selectors.views import table_view
from tables.services.asked import why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, without_zeros
from tables.services.locks import lock_cage, lock_table
from tables.services.signatures import Second, Signable, signed_by_two
from tables.services.slips import expect, locked_slip, payload_of, stamp

Body = Callable[[], dict[str, Any]]


def slip_void(
    *, table_id: uuid.UUID, slip_id: uuid.UUID, reason: str, second: Second, command: Command
) -> Answer:
    """Make a slip void at the table: one on its way, or a fill whose chips are in the tray.

    Raises:
        DomainError: `slip_not_found`, those of `expect`, `reason_missing`, those of `countersigner`, and
            `floor_broken` when the tray does not hold the chips any more.
    """

    def work(table: Table) -> Effect:
        slip = locked_slip(slip_id, table_id=table_id)
        moves = [Movement("tray", "cage", slip.total or 0)] if _received(slip, SlipKind.FILL) else []
        return _void(table, slip, reason, second, command, moves, lambda: table_view(table) | _shown(slip))

    request = {"slip": str(slip_id), "reason": reason, "second": second.number}
    return execute("slip.void", command, request, lock_table, table_id, work)


def cage_void_slip(
    *, casino_id: uuid.UUID, slip_id: uuid.UUID, reason: str, second: Second, command: Command
) -> Answer:
    """Make a slip void in the cage: one on its way, or a credit whose chips are in the vault.

    Raises:
        DomainError: as `slip_void`.
    """

    def work(cage: Cage) -> Effect:
        slip = locked_slip(slip_id, casino_id=casino_id)
        received = _received(slip, SlipKind.CREDIT)
        moves = [Movement("vault", f"table:{slip.table_id}", slip.total or 0)] if received else []
        return _void(cage, slip, reason, second, command, moves, lambda: slip_view(slip))

    request = {"slip": str(slip_id), "reason": reason, "second": second.number}
    return execute("cage.void_slip", command, request, lock_cage, casino_id, work)


def slip_take_back(
    *, table_id: uuid.UUID, slip_id: uuid.UUID, chips: Count, second: Second, command: Command
) -> Answer:
    """Count the chips of a void credit back into the tray.

    Raises:
        DomainError: `slip_not_found`, those of `expect`, `unknown_denomination`, `bad_count`, and those of
            `countersigner`.
    """

    def work(table: Table) -> Effect:
        slip = locked_slip(slip_id, table_id=table_id, kind=SlipKind.CREDIT)
        counted = check_chips(chips, table.casino)
        moves = _back("cage", "tray", slip.total or 0, counted)
        return _taken_back(
            table, slip, chips, second, command, moves, lambda: table_view(table) | _shown(slip)
        )

    request = {"slip": str(slip_id), "chips": dict(chips), "second": second.number}
    return execute("slip.take_back", command, request, lock_table, table_id, work)


def cage_take_back(
    *, casino_id: uuid.UUID, slip_id: uuid.UUID, chips: Count, second: Second, command: Command
) -> Answer:
    """Count the chips of a void fill back into the vault.

    Raises:
        DomainError: as `slip_take_back`.
    """

    def work(cage: Cage) -> Effect:
        slip = locked_slip(slip_id, casino_id=casino_id, kind=SlipKind.FILL)
        counted = check_chips(chips, cage.casino)
        moves = _back(f"table:{slip.table_id}", "vault", slip.total or 0, counted)
        return _taken_back(cage, slip, chips, second, command, moves, lambda: slip_view(slip))

    request = {"slip": str(slip_id), "chips": dict(chips), "second": second.number}
    return execute("cage.take_back", command, request, lock_cage, casino_id, work)


def _received(slip: Slip, kind: SlipKind) -> bool:
    """Whether the slip's chips lie here, where a slip of this kind ends.

    Raises:
        DomainError: `slip_received` when they lie at the other end.
    """
    if slip.status != SlipStatus.RECEIVED:
        return False
    if slip.kind != kind:
        raise DomainError("slip_received", f"{slip.label} was received; make it void where its chips lie.")
    return True


def _shown(slip: Slip) -> dict[str, Any]:
    return {"slip": slip_view(slip)}


def _back(boundary: str, place: str, total: int, counted: int) -> list[Movement]:
    """The chips come back as the slip says, and the place is brought to what was counted."""
    moves = [Movement(boundary, place, total)]
    if counted > total:
        moves.append(Movement("over_short", place, counted - total))
    elif counted < total:
        moves.append(Movement(place, "over_short", total - counted))
    return moves


def _void(
    on: Signable,
    slip: Slip,
    reason: str,
    second: Second,
    command: Command,
    moves: Sequence[Movement],
    body: Body,
) -> Effect:
    expect(slip, SlipStatus.ISSUED, SlipStatus.ON_THE_WAY, SlipStatus.RECEIVED)
    nothing_moved = slip.status == SlipStatus.ISSUED
    slip.reason = why(reason)
    slip.status = SlipStatus.VOID if nothing_moved else SlipStatus.RETURNING
    more = {"reason": slip.reason}
    return _signed("voided", f"{slip.kind}.void", "slip.void", on, slip, second, command, moves, body, more)


def _taken_back(
    on: Signable,
    slip: Slip,
    chips: Count,
    second: Second,
    command: Command,
    moves: Sequence[Movement],
    body: Body,
) -> Effect:
    expect(slip, SlipStatus.RETURNING)
    slip.status, slip.returned_chips = SlipStatus.VOID, without_zeros(chips)
    more = {"counted": slip.returned_chips}
    kind = f"{slip.kind}.take_back"
    return _signed("returned", kind, "slip.take_back", on, slip, second, command, moves, body, more)


def _signed(
    step: str,
    kind: str,
    act: str,
    on: Signable,
    slip: Slip,
    second: Second,
    command: Command,
    moves: Sequence[Movement],
    body: Body,
    more: dict[str, Any],
) -> Effect:
    witness, sign = signed_by_two(act, command, second, on=on, subject=slip.id, reason=slip.reason)

    def write(posted: Posted) -> None:
        stamp(slip, step, command, posted, second=witness.id)
        slip.save(force_update=True)
        sign(posted)

    return Effect(
        kind=kind,
        payload=payload_of(slip, second=str(witness.id), **more),
        movements=moves,
        write=write,
        body=body,
    )
