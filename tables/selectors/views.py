"""What terminals are shown of tables, sessions, rounds and the cage, as plain JSON values.

Nothing here tells how many or which cards are left in a shoe.
"""

from typing import Any

from ledger.selectors import balances
from tables.engine.card_room.game import CardRoomGame
from tables.engine.places import seat_place
from tables.engine.registry import game
from tables.engine.shoe import Shoe as Cards
from tables.models import Cage, Round, RuleSet, Seat, Table, TableSession
from tables.selectors.slips import slips_at_hand
from tables.selectors.states import state_of


def is_card_room(rules: RuleSet) -> bool:
    """Whether players play each other under these rules, so that the house holds no stake."""
    return isinstance(game(rules.game), CardRoomGame)


def shuffle_due(table: Table) -> bool:
    """Whether the shoe on a table must be shuffled before another round.

    A card-room game deals every round from a fresh pack.
    """
    cards = Cards.from_dict(table.shoe_state)
    spent = cards.position > 0 and table.round is None and is_card_room(table.rules)
    return cards.cut_reached or spent


def table_view(table: Table) -> dict[str, Any]:
    """The table as its terminal may see it."""
    rules_of_game = game(table.rules.game)
    return {
        "id": str(table.id),
        "code": table.code,
        "game": table.rules.game,
        "rules": {"id": str(table.rules_id), "name": table.rules.name, "version": table.rules.version},
        "limits": rules_of_game.limits(rules_of_game.decode_rules(table.rules.body)),
        "card_source": str(table.card_source),
        "button": table.button,
        "frozen": table.frozen or None,
        "session": session_view(table.session) if table.session else None,
        "shoe": _shoe_view(table),
        "round": round_view(table.round) if table.round else None,
    }


def table_at_hand(table: Table) -> dict[str, Any]:
    """The table with who sits where, the chips in front of them and in the pool, and the slips under way.

    What a terminal needs that starts in the middle of a day; the chips lie open on the layout.
    """
    balances_now = balances(table.stream)
    seats = Seat.objects.filter(table=table).order_by("number")
    return table_view(table) | {
        "pool": balances_now.get("pool"),
        "seats": [
            {
                "number": seat.number,
                "occupied": seat.occupied,
                "player": str(seat.player_id) if seat.player_id else None,
                "chips": balances_now[seat_place(seat.number)],
            }
            for seat in seats
        ],
        "slips": slips_at_hand(table=table),
    }


def _shoe_view(table: Table) -> dict[str, Any] | None:
    if table.shoe is None:
        return None
    return {
        "id": str(table.shoe.id),
        "number": table.shoe.number,
        "packs": table.shoe.packs,
        "root": table.shoe.root,
        "shuffle_due": shuffle_due(table),
    }


def session_view(session: TableSession) -> dict[str, Any]:
    """A session's standing; its figures are the auditors' business, not the terminal's."""
    return {
        "id": str(session.id),
        "number": session.number,
        "gaming_day": session.gaming_day.isoformat(),
        "status": str(session.status),
        "opener_total": session.opener_total,
        "closer_total": session.closer_total,
    }


def round_view(shown: Round) -> dict[str, Any]:
    """A round as everybody at the table sees it: cards, wagers, what may follow, what was paid."""
    rules_of_game = game(shown.game, shown.engine_version)
    public = rules_of_game.describe(state_of(rules_of_game, shown.state))
    return {"id": str(shown.id), "number": shown.number, "status": str(shown.status), **public}


def cage_view(cage: Cage) -> dict[str, Any]:
    """The cage as its terminal may see it."""
    return {
        "casino": str(cage.casino_id),
        "next_fill": cage.next_fill_number,
        "next_credit": cage.next_credit_number,
    }
