"""Small changes of a state that several actions share, and the checks they share."""

from __future__ import annotations

from typing import Any

from tables.engine.card_room.rulebook import refuse
from tables.engine.card_room.state import End, Face, Handled, Player, State
from tables.engine.contract import IntRange, Move
from tables.engine.frozen import changed
from tables.engine.places import seat_place, wager_place


def with_player(state: State, seat: int, **changes: Any) -> State:
    """The state with one player changed."""
    players = (changed(p, **changes) if p.seat == seat else p for p in state.players)
    return changed(state, players=tuple(players))


def with_face(state: State, card: str, how: Handled) -> State:
    """The state after ``card`` left the pack face up (CR-COMPOSITION, CR-PACK-OUT)."""
    if not state.pack_left:
        raise refuse("pack_out", "no card is left in the pack")
    if card in state.seen:
        raise refuse("impossible_card", f"{card} came already")
    return changed(state, faces=(*state.faces, Face(card, how, state.due)))


def ended(state: State, end: End, **changes: Any) -> State:
    """The state after the turn in play ended as ``end``; the next hand that plays is due."""
    seat = state.order[state.at]
    after = with_player(state, seat, end=end, turned=state.turned, **changes)
    return onward(changed(after, at=state.at + 1, stage="bet"))


def onward(state: State) -> State:
    """The state past every hand that sits the round out (CR-NO-HAND)."""
    at = state.at
    while at < len(state.order) and state.player(state.order[at]).end == "sits_out":
        at += 1
    return changed(state, at=at)


def move(source: str, target: str, amount: int) -> tuple[Move, ...]:
    """The move of ``amount``; none of nothing."""
    return (Move(source, target, amount),) if amount else ()


def to_middle(state: State, seat: int, amount: int) -> tuple[Move, ...]:
    """Chips of ``seat`` into the pool or bank."""
    return move(seat_place(seat), state.place, amount)


def from_middle(state: State, seat: int, amount: int) -> tuple[Move, ...]:
    """Chips out of the pool or bank to ``seat``."""
    return move(state.place, seat_place(seat), amount)


def stake_back(player: Player) -> tuple[Move, ...]:
    """The stake at risk back to its player."""
    return move(wager_place(player.seat), seat_place(player.seat), player.at_stake)


def check_amount(prefix: str, amount: int, allowed: IntRange) -> None:
    """Refuse an amount outside ``allowed`` with the code for it."""
    if amount < allowed.minimum:
        raise refuse(f"{prefix}_below_minimum", f"the least is {allowed.minimum}")
    if amount > allowed.maximum:
        raise refuse(f"{prefix}_above_maximum", f"the most is {max(allowed.maximum, 0)}")
    if not allowed.admits(amount):
        raise refuse(f"{prefix}_off_step", f"from {allowed.minimum} in steps of {allowed.step}")


def in_turn(state: State, seat: int) -> Player:
    """The player on ``seat``, whose turn it must be (CR-TURN)."""
    if state.due is None:
        raise refuse("no_turn", "no player's turn is due")
    if seat != state.due:
        raise refuse("not_his_turn", f"it is the turn of seat {state.due}")
    return state.player(seat)


def undecided(state: State, seat: int) -> Player:
    """The player on ``seat``, whose turn it must be and who has not stated a bet yet (CR-STATED)."""
    player = in_turn(state, seat)
    if state.stage != "bet":
        raise refuse("bet_stands", "a bet once stated cannot be changed")
    return player
