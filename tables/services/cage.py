"""The cage: chips commissioned, cash for the drawer, fills to tables, chips redeemed.

A fill is two entries in two streams, never one transaction: the cage issues a slip and the chips leave
the vault; the table receives them later. In between they are in transit, which the two boundary
accounts show (`table:<id>` in the cage's stream, `cage` in the table's).
"""

import uuid
from collections.abc import Mapping

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.jurisdiction.cash import CashMoved, Direction
from tables.models import Cage, Fill, FillStatus, Redemption, Table
from tables.selectors.views import cage_view, fill_view, table_view
from tables.services.cash import CAGE, CashKept, person_named
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import check_chips
from tables.services.days import running_day
from tables.services.locks import lock_cage, lock_table, not_found
from tables.services.signatures import Second, countersigner, signing

Count = Mapping[str, int]


def cage_commission(*, casino_id: uuid.UUID, chips: Count, second: Second, command: Command) -> Answer:
    """Bring new chips into the house: from here on each of them is always somewhere.

    Raises:
        DomainError: `unknown_denomination`, `bad_count`, `nothing_to_move`, `gaming_day_closed`, and those
            of `countersigner`.
    """

    def work(cage: Cage) -> Effect:
        total = _some(check_chips(chips, cage.casino))
        running_day(cage.casino)
        witness = countersigner(
            act="cage.commission",
            actor=command.actor,
            badge=second,
            casino_id=casino_id,
            on=cage,
            subject=casino_id,
        )
        return Effect(
            kind="cage.commission",
            payload={"chips": dict(chips), "total": total, "second": str(witness.id)},
            movements=[Movement("commissioned", "vault", total)],
            write=signing(act="cage.commission", actor=command.actor, second=witness),
            body=lambda: cage_view(cage),
            status=201,
        )

    request = {"chips": dict(chips), "second": second.number}
    return execute(
        operation="cage.commission",
        command=command,
        request=request,
        lock=lambda: lock_cage(casino_id, command),
        work=work,
    )


def cage_fund(*, casino_id: uuid.UUID, amount: int, command: Command) -> Answer:
    """Bring cash (minor units) from the bankroll into the cage's drawer."""

    def work(cage: Cage) -> Effect:
        return Effect(
            kind="cage.fund",
            payload={"amount": _some(amount)},
            movements=[Movement("cash:bankroll", "cash:drawer", amount)],
            body=lambda: cage_view(cage),
            status=201,
        )

    return execute(
        operation="cage.fund",
        command=command,
        request={"amount": amount},
        lock=lambda: lock_cage(casino_id, command),
        work=work,
    )


def cage_fill(*, casino_id: uuid.UUID, table_id: uuid.UUID, chips: Count, command: Command) -> Answer:
    """Issue a fill: a slip with the next number, and its chips out of the vault.

    Raises:
        DomainError: `table_not_found`, `unknown_denomination`, `bad_count`, `nothing_to_move`,
            `floor_broken` when the vault does not hold as much.
    """

    def work(cage: Cage) -> Effect:
        if not Table.objects.filter(id=table_id, casino_id=casino_id).exists():
            raise not_found("table")
        total = _some(check_chips(chips, cage.casino))
        fill = Fill(
            casino_id=casino_id,
            table_id=table_id,
            slip_number=cage.next_fill_number,
            chips=dict(chips),
            total=total,
            issued_by_id=command.actor.staff_id,
        )
        cage.next_fill_number += 1

        def write(posted: Posted) -> None:
            fill.issued_at = posted.recorded_at
            fill.save(force_insert=True)

        return Effect(
            kind="fill.issue",
            payload={
                "fill": str(fill.id),
                "slip": fill.slip_number,
                "table": str(table_id),
                "chips": dict(chips),
                "total": total,
            },
            movements=[Movement("vault", f"table:{table_id}", total)],
            write=write,
            changed=["next_fill_number"],
            body=lambda: fill_view(fill),
            status=201,
        )

    return execute(
        operation="cage.fill",
        command=command,
        request={"table": str(table_id), "chips": dict(chips)},
        lock=lambda: lock_cage(casino_id, command),
        work=work,
    )


def fill_receive(*, table_id: uuid.UUID, fill_id: uuid.UUID, command: Command) -> Answer:
    """Take a fill into the tray; whoever issued it cannot receive it.

    Raises:
        DomainError: `fill_not_found`, `fill_received`, `same_person_signed`.
    """

    def work(table: Table) -> Effect:
        fill = Fill.objects.filter(id=fill_id, table_id=table_id).first()
        if fill is None:
            raise not_found("fill")
        if fill.status != FillStatus.ISSUED:
            raise DomainError("fill_received", f"Slip {fill.slip_number} was received before.")
        if fill.issued_by_id == command.actor.staff_id:
            raise DomainError("same_person_signed", "Who issued a fill cannot receive it.", status=403)

        def write(posted: Posted) -> None:
            fill.status, fill.received_at = FillStatus.RECEIVED, posted.recorded_at
            fill.received_by_id = command.actor.staff_id
            fill.save(update_fields=["status", "received_at", "received_by"])

        return Effect(
            kind="fill.receive",
            payload={
                "fill": str(fill.id),
                "slip": fill.slip_number,
                "session": str(table.session.id) if table.session else None,
                "chips": fill.chips,
                "total": fill.total,
            },
            movements=[Movement("cage", "tray", fill.total)],
            write=write,
            body=lambda: table_view(table) | {"fill": fill_view(fill)},
        )

    return execute(
        operation="fill.receive",
        command=command,
        request={"table": str(table_id), "fill": str(fill_id)},
        lock=lambda: lock_table(table_id, command),
        work=work,
    )


def cage_redeem(
    *, casino_id: uuid.UUID, chips: Count, player_id: uuid.UUID | None, command: Command
) -> Answer:
    """Pay a patron cash for chips.

    Args:
        player_id: who it is, a player or somebody described; None for somebody unknown.

    Raises:
        DomainError: `unknown_denomination`, `bad_count`, `nothing_to_move`, `player_not_found`,
            `person_erased`, `gaming_day_closed`, `floor_broken` when the drawer does not hold as much.
    """

    def work(cage: Cage) -> Effect:
        total = _some(check_chips(chips, cage.casino))
        person_named(casino_id, player_id)
        redemption = Redemption(
            casino=cage.casino,
            player_id=player_id,
            gaming_day=running_day(cage.casino),
            chips=dict(chips),
            total=total,
            cashier_id=command.actor.staff_id,
        )

        kept = CashKept(
            casino=cage.casino,
            person_id=player_id,
            moved=CashMoved(direction=Direction.OUT, amount=total),
            place=CAGE,
            command=command,
            kind="cage.redeem",
            day=redemption.gaming_day,
        )

        def write(posted: Posted) -> None:
            redemption.at = posted.recorded_at
            redemption.save(force_insert=True)
            kept.write(posted)

        return Effect(
            kind="cage.redeem",
            payload={
                "redemption": str(redemption.id),
                "player": str(player_id) if player_id else None,
                "gaming_day": redemption.gaming_day.isoformat(),
                "chips": dict(chips),
                "total": total,
            },
            movements=[Movement("floor", "vault", total), Movement("cash:drawer", "cash:patrons", total)],
            write=write,
            body=lambda: cage_view(cage) | {"redemption": str(redemption.id), "paid": total} | kept.told(),
            status=201,
        )

    return execute(
        operation="cage.redeem",
        command=command,
        request={"chips": dict(chips), "player": str(player_id)},
        lock=lambda: lock_cage(casino_id, command),
        work=work,
    )


def cage_sell(*, casino_id: uuid.UUID, chips: Count, player_id: uuid.UUID | None, command: Command) -> Answer:
    """Sell a patron chips for cash at the cage; no table's drop, and cash in as at a table.

    Args:
        player_id: as in `cage_redeem`.

    Raises:
        DomainError: `unknown_denomination`, `bad_count`, `nothing_to_move`, `player_not_found`,
            `person_erased`, `gaming_day_closed`, `floor_broken` when the vault does not hold as much.
    """

    def work(cage: Cage) -> Effect:
        total = _some(check_chips(chips, cage.casino))
        person_named(casino_id, player_id)
        day = running_day(cage.casino)
        kept = CashKept(
            casino=cage.casino,
            person_id=player_id,
            moved=CashMoved(direction=Direction.IN, amount=total),
            place=CAGE,
            command=command,
            kind="cage.sell",
            day=day,
        )
        return Effect(
            kind="cage.sell",
            payload={
                "player": str(player_id) if player_id else None,
                "gaming_day": day.isoformat(),
                "chips": dict(chips),
                "total": total,
            },
            movements=[Movement("vault", "floor", total), Movement("cash:patrons", "cash:drawer", total)],
            write=kept.write,
            body=lambda: cage_view(cage) | {"received": total} | kept.told(),
            status=201,
        )

    return execute(
        operation="cage.sell",
        command=command,
        request={"chips": dict(chips), "player": str(player_id)},
        lock=lambda: lock_cage(casino_id, command),
        work=work,
    )


def _some(total: int) -> int:
    if total <= 0:
        raise DomainError("nothing_to_move", "An amount above zero is needed.", status=422)
    return total
