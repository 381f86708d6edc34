"""Short ways to set up rounds of the card-room games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tables.engine.card_room import (
    BANKING,
    BURNING_CARD,
    HIGH_CARD_POOL,
    CardRoomGame,
    State,
    hand_positions,
    winners,
)
from tables.engine.card_room.rulebook import CODES
from tables.engine.contract import Move
from tests.engine.helpers import act, refused_by

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


def dealt(
    hands: Mapping[int, int],
    game: str = "high_card_pool",
    *,
    dealer: int | None = None,
    middle: int = 0,
    cards_each: int = 5,
    **changes: Any,
) -> State:
    """A round whose hands were dealt.

    Args:
        hands: cards of each seat; every other argument as in ``opening``, a banker added to the players.
        changes: to the usual rules.
    """
    last = max(hands) + 1 if game == "banking" else max(hands)
    first = last if dealer is None else dealer
    seats = tuple(sorted({*hands, first}))
    state, _ = play(
        new(game, **changes), *opening(seats, game, dealer=first, middle=middle, cards_each=cards_each)
    )
    return play(state, *(act("hand", seat=seat, cards=hands[seat]) for seat in state.order))[0]


def bet(seat: int, amount: int) -> dict[str, Any]:
    return act("bet", seat=seat, amount=amount)


def turn(card: str) -> dict[str, Any]:
    return act("turn", card=card)


def show(seat: int, *cards: str) -> dict[str, Any]:
    return act("show", seat=seat, cards=list(cards))


def mispay(seat: int, how: str, amount: int) -> dict[str, Any]:
    return {"type": "mispay", "seat": seat, "kind": how, "amount": amount}


def put_right(seat: int) -> dict[str, Any]:
    return act("put_right", seat=seat)


def bet_and_cards(state: State, deck: Sequence[str], amount: int) -> list[dict[str, Any]]:
    """The actions of the turn that is due when it bets, with the cards of ``deck`` from its top."""
    assert state.due is not None
    top = state.dealt + len(state.faces) + state.burning
    hand = [deck[place] for place in hand_positions(state)[state.due]]
    wins = winners(hand, deck[top])
    burned = [act("burn", card=deck[top - 1])] if state.burning else []
    return [bet(state.due, amount), *burned, turn(deck[top]), show(state.due, *(wins[:1] or hand))]


def refused(state: State, action: Mapping[str, Any], code: str) -> None:
    """Assert that ``action`` is refused with ``code``, for its rule, and that nothing changed."""
    refused_by(game_of(state), state, action, code, CODES[code])
