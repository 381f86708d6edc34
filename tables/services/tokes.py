"""Tokes: chips players give the dealers, in a locked box at the table that is nobody's but the dealers'.

They are none of the house's: they never lie in the tray, so neither the win nor any of its checks knows them.
What is collected goes from the box to the dealers, who redeem it at the cage as anybody redeems chips; until
then the house owes it, as it owes all chips that are out.
"""

import uuid

from config.errors import DomainError
from ledger.selectors import balance
from ledger.services import Movement
from tables.engine.places import TOKE_BOX, seat_place
from tables.models import Table
from tables.selectors.views import is_card_room, table_view
from tables.services.asked import some
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, to_count
from tables.services.locks import lock_table, no_round, open_session
from tables.services.seats import occupied
from tables.services.signatures import Second, signed_by_two

COLLECT = "toke.collect"


def toke_give(*, table_id: uuid.UUID, seat: int, amount: int, command: Command) -> Answer:
    """A player gives the dealers chips (minor units) of the seat, at any time they are not at stake.

    Raises:
        DomainError: `table_closed`, `round_in_progress` (where hands are held: a player's chips say there
            what he can pay), `nothing_to_move`, `seat_unknown`, `seat_empty`, `floor_broken`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        if is_card_room(table.rules):
            no_round(table)
        some(amount)
        occupied(table, seat)
        return Effect(
            kind="toke.give",
            payload={"session": str(session.id), "seat": seat, "amount": amount},
            movements=[Movement(seat_place(seat), TOKE_BOX, amount)],
            body=lambda: table_view(table),
        )

    request = {"table": str(table_id), "seat": seat, "amount": amount}
    return execute("toke.give", command, request, lock_table, table_id, work)


def toke_collect(*, table_id: uuid.UUID, chips: Count, second: Second, command: Command) -> Answer:
    """Empty the table's toke box on a joint count; the chips leave the table with the dealers.

    What the books had otherwise is over or short, and the entry keeps both figures.

    Args:
        chips: what was found, chip value to number of chips.
        second: who counts and signs with the actor.

    Raises:
        DomainError: `unknown_denomination`, `bad_count`, `nothing_to_move` (nothing there or found), and
            those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        found, booked = check_chips(chips, table.casino), balance(table.stream, TOKE_BOX)
        if not found and not booked:
            raise DomainError("nothing_to_move", "The toke box is empty.", status=422)
        witness, sign = signed_by_two(COLLECT, command, second, on=table, subject=table_id)
        taken = [Movement(TOKE_BOX, "floor", found)] if found else []
        return Effect(
            kind=COLLECT,
            payload={
                "session": str(table.session.id) if table.session else None,
                "chips": dict(chips),
                "total": found,
                "variance": found - booked,
                "second": str(witness.id),
            },
            movements=[*to_count(TOKE_BOX, "over_short", found - booked), *taken],
            write=sign,
            body=lambda: table_view(table) | {"collected": found, "variance": found - booked},
        )

    request = {"table": str(table_id), "chips": dict(chips), "second": second.number}
    return execute(COLLECT, command, request, lock_table, table_id, work)
