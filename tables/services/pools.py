"""What happens at a card-room table between rounds: the draw for the deal, the pool's end, collections."""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from config.errors import DomainError
from ledger.selectors import balance, balances
from ledger.services import Movement, Posted
from tables.engine.card_room.closing import divide
from tables.engine.card_room.draw import first_ace
from tables.engine.card_room.rules import CardRoomRules
from tables.engine.card_room.state import clockwise
from tables.engine.cards import PACK
from tables.engine.places import POOL, TRAY, seat_place
from tables.engine.registry import game
from tables.engine.shoe import Shoe as Cards
from tables.models import CardSource, Round, RoundStatus, Seat, Shoe, Table, TableSession
from tables.selectors.views import is_card_room, table_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table, no_round, open_session
from tables.services.shoes import open_at, take_cards
from tables.services.signatures import Second, signed_by_two


def deal_draw(*, table_id: uuid.UUID, cards: Sequence[str], command: Command) -> Answer:
    """Draw for the first dealer: cards face up, from the lowest seat round, until the first ace.

    The pack is spent by it: shuffled again before the deal.

    Args:
        cards: what was scanned, the ace last; empty at a table that draws.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `wrong_game`, `dealer_known`, `no_shoe`,
            `shuffle_due`, `ace_came` (cards behind the first ace), those of `take_cards`, and the engine's
            (`too_few_players`, `no_ace`).
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        room_rules(table)
        if table.button is not None:
            raise DomainError("dealer_known", f"Seat {table.button} deals next.")
        shoe = fresh_pack(table)
        seats = sorted(seated(table))
        draw = first_ace(seats, _whole_pack(shoe) if shoe.source == CardSource.DRAWN and not cards else cards)
        if cards and len(cards) > len(draw.cards):
            raise DomainError("ace_came", "The draw ends with the first ace.", status=422)
        taken = take_cards(table, cards, len(draw.cards))
        table.button = draw.dealer
        said: dict[str, Any] = {
            "session": str(session.id),
            "shoe": str(shoe.id),
            "seats": seats,
            "cards": list(taken.cards),
            "dealer": table.button,
        }
        return Effect(
            kind="deal.draw",
            payload=said | ({"openings": list(taken.openings)} if taken.openings else {}),
            changed=["button", "shoe_state"],
            body=lambda: table_view(table) | {"drawn": list(taken.cards)},
            status=201,
        )

    request = {"table": str(table_id), "cards": list(cards)}
    return execute("deal.draw", command, request, lock_table, table_id, work)


def pool_divide(*, table_id: uuid.UUID, second: Second, command: Command) -> Answer:
    """The game breaks up: the pool is divided among the players still there, and the deal is drawn for anew.

    Who has played no round since sitting down has no part in it, unless nobody else is left. Chips that do
    not divide evenly go one by one to the players in playing order.

    Args:
        second: the supervisor who signs with the actor.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `wrong_game`, `pool_empty`, and those of
            `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        rules = room_rules(table)
        order = clockwise(_in_the_game(session) or seated(table), table.button or 1)
        pool = balance(table.stream, POOL)
        if not pool or not order:
            raise DomainError("pool_empty", "Nothing lies in the pool.")
        shares = divide(order, pool, rules.chip)
        witness, sign = signed_by_two("pool.divide", command, second, on=table, subject=table_id)
        table.button = None
        said = {str(seat): share for seat, share in shares.items()}
        return Effect(
            kind="pool.divide",
            payload={"session": str(session.id), "pool": pool, "shares": said, "second": str(witness.id)},
            movements=[Movement(POOL, seat_place(seat), share) for seat, share in shares.items() if share],
            write=sign,
            changed=["button"],
            body=lambda: table_view(table) | {"shares": said},
        )

    request = {"table": str(table_id), "second": second.number}
    return execute("pool.divide", command, request, lock_table, table_id, work)


def collection_take(*, table_id: uuid.UUID, command: Command) -> Answer:
    """Take the house's seat fee by time: from every player the amount, or all they have when it is less.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `wrong_game`, `no_collection` (the rules know none
            by time), `collection_too_soon` (what the last one of this session paid for is not over),
            `too_few_players` (nobody sits there).
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        fee = room_rules(table).fee
        if fee.kind != "time":
            raise DomainError("no_collection", "These rules know no collection by time.")
        last = table.collected_at
        paid_until = last and last + timedelta(minutes=fee.minutes)
        if last and paid_until and last >= session.opened_at and timezone.now() < paid_until:
            raise DomainError("collection_too_soon", f"The last one pays until {paid_until.isoformat()}.")
        seats = sorted(seated(table))
        if not seats:
            raise DomainError("too_few_players", "Nobody is seated.")
        lying = balances(table.stream)
        fees = {seat: min(fee.amount, lying[seat_place(seat)]) for seat in seats}
        said = {str(seat): amount for seat, amount in fees.items()}

        def collected(posted: Posted) -> None:
            table.collected_at = posted.recorded_at

        return Effect(
            kind="collection.take",
            payload={"session": str(session.id), "minutes": fee.minutes, "fees": said},
            movements=[Movement(seat_place(seat), TRAY, amount) for seat, amount in fees.items() if amount],
            write=collected,
            changed=["collected_at"],
            body=lambda: table_view(table) | {"fees": said},
            status=201,
        )

    return execute("collection.take", command, {"table": str(table_id)}, lock_table, table_id, work)


def room_rules(table: Table) -> CardRoomRules:
    """The rules of a card-room table.

    Raises:
        DomainError: `wrong_game` at a table whose players play against the house.
    """
    if not is_card_room(table.rules):
        raise DomainError("wrong_game", f"{table.rules.game} is not played this way.")
    rules: CardRoomRules = game(table.rules.game).decode_rules(table.rules.body)
    return rules


def fresh_pack(table: Table) -> Shoe:
    """The pack on the table, shuffled and cut: no card of it is out.

    Raises:
        DomainError: `no_shoe`, `shuffle_due`.
    """
    if table.shoe is None:
        raise DomainError("no_shoe", "There is no pack on the table.")
    if Cards.from_dict(table.shoe_state).position:
        raise DomainError("shuffle_due", "The pack is shuffled and cut before every deal.")
    return table.shoe


def seated(table: Table) -> dict[int, str | None]:
    """Who sits at a table: seat number to player id, None for somebody unknown."""
    rows = Seat.objects.filter(table=table, occupied=True).values_list("number", "player_id")
    return {number: str(player) if player else None for number, player in rows}


def _in_the_game(session: TableSession) -> set[int]:
    """The seats of those who have played a round since they sat down; a void one was none."""
    occupied = Seat.objects.filter(table=session.table_id, occupied=True)
    sits = {number: since for number, since in occupied.values_list("number", "since") if since}
    void = Q(status=RoundStatus.CANCELLED, cancelled_seq=None)
    rounds = Round.objects.filter(session=session).exclude(void).values_list("players", "started_at")
    played = ((int(seat), at) for players, at in rounds for seat in players)
    return {seat for seat, at in played if seat in sits and at > sits[seat]}


def _whole_pack(shoe: Shoe) -> tuple[str, ...]:
    return tuple(opening.card for opening in open_at(shoe, range(len(PACK))))
