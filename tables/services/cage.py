"""The cage: chips commissioned, cash for the drawer, chips redeemed.

Its fills and credits stand in modules of their own.
"""

import uuid

from ledger.services import Movement, Posted
from tables.jurisdiction.cash import CashMoved, Direction
from tables.models import Cage, Redemption
from tables.selectors.views import cage_view
from tables.services.asked import some
from tables.services.cash import CAGE, CashKept, person_named
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips
from tables.services.days import running_day
from tables.services.locks import lock_cage
from tables.services.signatures import Second, signed_by_two


def cage_commission(*, casino_id: uuid.UUID, chips: Count, second: Second, command: Command) -> Answer:
    """Bring new chips into the house: from here on each of them is always somewhere.

    Raises:
        DomainError: `unknown_denomination`, `bad_count`, `nothing_to_move`, `gaming_day_closed`, and those
            of `countersigner`.
    """

    def work(cage: Cage) -> Effect:
        total = some(check_chips(chips, cage.casino))
        running_day(cage.casino)
        witness, sign = signed_by_two("cage.commission", command, second, on=cage, subject=casino_id)
        return Effect(
            kind="cage.commission",
            payload={"chips": dict(chips), "total": total, "second": str(witness.id)},
            movements=[Movement("commissioned", "vault", total)],
            write=sign,
            body=lambda: cage_view(cage),
            status=201,
        )

    request = {"chips": dict(chips), "second": second.number}
    return execute("cage.commission", command, request, lock_cage, casino_id, work)


def cage_fund(*, casino_id: uuid.UUID, amount: int, command: Command) -> Answer:
    """Bring cash (minor units) from the bankroll into the cage's drawer."""

    def work(cage: Cage) -> Effect:
        return Effect(
            kind="cage.fund",
            payload={"amount": some(amount)},
            movements=[Movement("cash:bankroll", "cash:drawer", amount)],
            body=lambda: cage_view(cage),
            status=201,
        )

    return execute("cage.fund", command, {"amount": amount}, lock_cage, casino_id, work)


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
        total = some(check_chips(chips, cage.casino))
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

    request = {"chips": dict(chips), "player": str(player_id)}
    return execute("cage.redeem", command, request, lock_cage, casino_id, work)


def cage_sell(*, casino_id: uuid.UUID, chips: Count, player_id: uuid.UUID | None, command: Command) -> Answer:
    """Sell a patron chips for cash at the cage; no table's drop, and cash in as at a table.

    Args:
        player_id: as in `cage_redeem`.

    Raises:
        DomainError: `unknown_denomination`, `bad_count`, `nothing_to_move`, `player_not_found`,
            `person_erased`, `gaming_day_closed`, `floor_broken` when the vault does not hold as much.
    """

    def work(cage: Cage) -> Effect:
        total = some(check_chips(chips, cage.casino))
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

    request = {"chips": dict(chips), "player": str(player_id)}
    return execute("cage.sell", command, request, lock_cage, casino_id, work)
