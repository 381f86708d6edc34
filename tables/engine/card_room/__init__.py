"""The card-room games: High Card Pool, its burning-card variant, and banking Red Dog.

``rulebook`` names the rules, ``rules`` what a table agrees on, ``actions`` what can happen, ``state`` what a
round remembers, ``bounds`` which amounts and cards are allowed, ``dealing``, ``turns`` and ``closing`` what
each action does, ``legal`` what is offered, ``record`` how a state is written, ``game`` the contract.
"""

from tables.engine.card_room.bounds import least_bet
from tables.engine.card_room.closing import divide
from tables.engine.card_room.draw import Draw, first_ace
from tables.engine.card_room.game import BANKING, BURNING_CARD, HIGH_CARD_POOL, CardRoomGame
from tables.engine.card_room.record import antes_due, turn_of
from tables.engine.card_room.rules import BankRules, Fee, PoolRules
from tables.engine.card_room.showdown import positions, winners
from tables.engine.card_room.state import State, clockwise


def hand_positions(state: State) -> dict[int, tuple[int, ...]]:
    """Where each hand's cards lay in the pack, from 0, by seat in playing order; needs the hands dealt."""
    return positions({seat: state.player(seat).cards or 0 for seat in state.order})


__all__ = [
    "BANKING",
    "BURNING_CARD",
    "HIGH_CARD_POOL",
    "BankRules",
    "CardRoomGame",
    "Draw",
    "Fee",
    "PoolRules",
    "State",
    "antes_due",
    "clockwise",
    "divide",
    "first_ace",
    "hand_positions",
    "least_bet",
    "turn_of",
    "winners",
]
