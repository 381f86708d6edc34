"""Players at a table: sitting down, buying in, leaving with their chips.

A buy-in is cash into the drop box and chips out of the tray, in one entry. Nobody is paid out at a
table: a player leaves with chips, which the cage redeems or another table plays.
"""

import uuid
from typing import Any

from config.errors import DomainError
from ledger.selectors import balances
from ledger.services import Movement, Posted
from tables.engine.card_room.state import clockwise
from tables.engine.places import DROP_BOX, PATRONS, TRAY, seat_place
from tables.jurisdiction.cash import CashMoved, Direction
from tables.models import Seat, Table
from tables.selectors.views import is_card_room, table_view
from tables.services.asked import some
from tables.services.cash import CashKept, Place, person_named
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table, no_round, open_session
from tables.services.pools import seated

OTHER_TENDER = {
    "money_play": ("money_plays_not_allowed", "Cash is bet in a round, and where the profile allows it."),
    "marker": ("markers_not_allowed", "No credit is given but on a marker, where the profile allows it."),
    "cash_out": ("cash_out_at_cage", "Nobody is paid cash at a table; the cage redeems chips."),
    "foreign_chips": ("foreign_chips_not_taken", "Only the house's own chips are played."),
}


def seat_take(
    *,
    table_id: uuid.UUID,
    seat: int,
    player_id: uuid.UUID | None,
    cash: int,
    chips: int,
    command: Command,
) -> Answer:
    """Somebody sits down, buying in with cash, bringing chips from elsewhere, or both or neither.

    Args:
        seat: the place's number.
        player_id: who it is, a player or somebody described; None for somebody unknown.
        cash: minor units put into the drop box for chips; 0 for none.
        chips: minor units of chips brought along; 0 for none.

    Raises:
        DomainError: `table_closed`, `round_in_progress` (in a card-room game people come and go between
            rounds), `seat_unknown`, `seat_taken`, `player_not_found`, `person_erased`, `floor_broken`.
    """

    def work(table: Table) -> Effect:
        open_session(table)
        if is_card_room(table.rules):
            no_round(table)
        place = _seat(table, seat)
        if seat > table.rules.body["seats"]:
            raise DomainError("seat_unknown", "These rules do not play that seat.", status=404)
        if place.occupied:
            raise DomainError("seat_taken", f"Somebody sits on seat {seat}.")
        person_named(table.casino_id, player_id)
        kept = _cash(table, seat, player_id, cash, command, "seat.take")

        def write(posted: Posted) -> None:
            place.occupied, place.player_id, place.since = True, player_id, posted.recorded_at
            place.save(update_fields=["occupied", "player", "since"])
            if cash:
                kept.write(posted)

        return Effect(
            kind="seat.take",
            payload=_payload(table, seat=seat, player=player_id and str(player_id), cash=cash, chips=chips),
            movements=[*_buy_in(seat, cash), *_brought(seat, chips)],
            write=write,
            body=lambda: table_view(table) | kept.told(),
        )

    request = {"table": str(table_id), "seat": seat, "player": str(player_id), "cash": cash, "chips": chips}
    return execute("seat.take", command, request, lock_table, table_id, work)


def seat_buy_in(
    *, table_id: uuid.UUID, seat: int, cash: int, player_id: uuid.UUID | None = None, command: Command
) -> Answer:
    """Somebody seated buys more chips for cash (minor units).

    Args:
        player_id: who it is, where that was not known when the seat was taken; None for whoever sits there.

    Raises:
        DomainError: `table_closed`, `round_in_progress` (in the card room, where chips too are bought between
            rounds), `nothing_to_move`, `seat_unknown`, `seat_empty`, `seat_of_another`, `player_not_found`,
            `person_erased`, `floor_broken`.
    """

    def work(table: Table) -> Effect:
        open_session(table)
        if is_card_room(table.rules):
            no_round(table)  # else "all he has" would be what he chose to have
        some(cash)
        place = occupied(table, seat)
        newly_known = player_id is not None and place.player_id is None
        if newly_known:
            person_named(table.casino_id, player_id)
            place.player_id = player_id
        elif player_id not in (None, place.player_id):
            raise DomainError("seat_of_another", f"Somebody else is known to sit on seat {seat}.")
        kept = _cash(table, seat, place.player_id, cash, command, "seat.buy_in")

        def write(posted: Posted) -> None:
            if newly_known:
                place.save(update_fields=["player"])
            kept.write(posted)

        return Effect(
            kind="seat.buy_in",
            payload=_payload(table, seat=seat, player=place.player_id and str(place.player_id), cash=cash),
            movements=_buy_in(seat, cash),
            write=write,
            body=lambda: table_view(table) | kept.told(),
        )

    request = {"table": str(table_id), "seat": seat, "player": str(player_id), "cash": cash}
    return execute("seat.buy_in", command, request, lock_table, table_id, work)


def seat_leave(*, table_id: uuid.UUID, seat: int, command: Command) -> Answer:
    """Somebody leaves between rounds, with all the chips of the seat.

    Whoever leaves gives up any claim on a pool; the last one does not leave it behind.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `seat_unknown`, `seat_empty`, `pool_not_empty`.
    """

    def work(table: Table) -> Effect:
        open_session(table)
        no_round(table)
        place = occupied(table, seat)
        player, lying = place.player_id, balances(table.stream)
        chips = lying[seat_place(seat)]
        stay = [number for number in seated(table) if number != seat] if is_card_room(table.rules) else []
        if lying.get("pool") and not stay:
            raise DomainError("pool_not_empty", "The last player divides the pool before leaving.")
        if table.button == seat and stay:
            table.button = clockwise(stay, seat)[0]

        def write(posted: Posted) -> None:
            place.occupied, place.player, place.since = False, None, None
            place.save(update_fields=["occupied", "player", "since"])

        return Effect(
            kind="seat.leave",
            payload=_payload(table, seat=seat, player=player and str(player), chips=chips),
            movements=[Movement(seat_place(seat), "floor", chips)] if chips else [],
            write=write,
            changed=["button"],
            body=lambda: table_view(table) | {"chips": chips},
        )

    request = {"table": str(table_id), "seat": seat}
    return execute("seat.leave", command, request, lock_table, table_id, work)


def seat_other_tender(*, table_id: uuid.UUID, seat: int, kind: str, amount: int, command: Command) -> Answer:
    """Something else than chips bought for cash: refused, whatever it is, and kept as a refusal.

    Where the profile allows them a marker has requests of its own (`tables.services.markers`), and currency
    is bet by those of a round (`tables.services.money`).

    Args:
        kind: one of `OTHER_TENDER`.
        amount: minor units.

    Raises:
        DomainError: `table_closed`, `seat_unknown`, and always one of `money_plays_not_allowed`,
            `markers_not_allowed`, `cash_out_at_cage`, `foreign_chips_not_taken`.
    """

    def work(table: Table) -> Effect:
        open_session(table)
        _seat(table, seat)
        code, why = OTHER_TENDER[kind]
        raise DomainError(code, why)

    request = {"table": str(table_id), "seat": seat, "kind": kind, "amount": amount}
    return execute("seat.other_tender", command, request, lock_table, table_id, work)


def _payload(table: Table, **content: Any) -> dict[str, Any]:
    return {"session": str(open_session(table).id), **content}


def _cash(
    table: Table, seat: int, person: uuid.UUID | None, amount: int, command: Command, kind: str
) -> CashKept:
    """The cash of a buy-in, as it is kept for the reports."""
    return CashKept(
        casino=table.casino,
        person_id=person,
        moved=CashMoved(direction=Direction.IN, amount=amount),
        place=Place(table_id=table.id, seat=seat),
        command=command,
        kind=kind,
    )


def _buy_in(seat: int, cash: int) -> list[Movement]:
    if not cash:
        return []
    return [Movement(PATRONS, DROP_BOX, cash), Movement(TRAY, seat_place(seat), cash)]


def _brought(seat: int, chips: int) -> list[Movement]:
    return [Movement("floor", seat_place(seat), chips)] if chips else []


def _seat(table: Table, number: int) -> Seat:
    seat = Seat.objects.filter(table=table, number=number).first()
    if seat is None:
        raise DomainError("seat_unknown", f"The table has no seat {number}.", status=404)
    return seat


def occupied(table: Table, number: int) -> Seat:
    """The place of somebody who sits at a table.

    Raises:
        DomainError: `seat_unknown`, `seat_empty`.
    """
    seat = _seat(table, number)
    if not seat.occupied:
        raise DomainError("seat_empty", f"Nobody sits on seat {number}.")
    return seat
