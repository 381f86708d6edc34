"""Short ways to set up rounds of the card-room games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tables.engine.card_room import BANKING, BURNING_CARD, HIGH_CARD_POOL, CardRoomGame, State
from tables.engine.contract import Move
from tests.engine.helpers import act

GAMES = {game.name: game for game in (HIGH_CARD_POOL, BURNING_CARD, BANKING)}


def rules(game: str = "high_card_pool", **changes: Any) -> dict[str, Any]:
    """Ten seats, an ante of 10, no limit, no fee."""
    usual: dict[str, Any] = {
        "game": game,
        "packs": 1,
        "cut_card": 0,
        "seats": 10,
        "chip": 1,
        "cards_each": 5,
        "fee": {"kind": "none", "amount": 0, "minutes": 0},
    }
    usual |= {"max_bank": None} if game == "banking" else {"ante": 10, "pool_limit": None}
    return usual | changes


def game_of(state: State) -> CardRoomGame:
    """The game a round is of."""
    return GAMES[state.rules.game]


def play(state: State, *actions: Mapping[str, Any]) -> tuple[State, list[Move]]:
    """The state after ``actions`` and all their moves in order."""
    moves: list[Move] = []
    for action in actions:
        step = game_of(state).apply(state, game_of(state).decode_action(action))
        state = step.state
        moves.extend(step.moves)
    return state, moves


def new(game: str = "high_card_pool", **changes: Any) -> State:
    """A round before its first action."""
    return GAMES[game].new_round(GAMES[game].decode_rules(rules(game, **changes)))


def opening(
    seats: tuple[int, ...],
    game: str = "high_card_pool",
    *,
    dealer: int | None = None,
    middle: int = 0,
    cards_each: int = 5,
) -> list[dict[str, Any]]:
    """The actions that open a round; by default the highest seat deals (and banks).

    Args:
        middle: what the pool carries, or what the banker puts up.
    """
    first = seats[-1] if dealer is None else dealer
    joins = [act("join", seat=seat) for seat in seats]
    if game == "banking":
        return [*joins, act("open", banker=first, cards_each=cards_each, bank=middle)]
    return [*joins, act("open", dealer=first, cards_each=cards_each, carried=middle)]
