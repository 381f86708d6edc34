"""Exact odds of the card-room games: how likely a hand is to beat the card turned next, as fractions.

Every card nobody has shown is equally likely to be turned next, whether it lies in the pack or in another
player's hand; so the other hands do not count, and neither do cards burned unseen. Cards burned or shown
in the open are known, and change the odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from tables.engine.card_room.showdown import beaten_by, winners
from tables.engine.cards import PACK, parse_card


@dataclass(frozen=True)
class HandOdds:
    """What a hand can do against the next card.

    Args:
        wins: unseen cards it beats.
        unseen: cards that can be turned next.
    """

    hand: tuple[str, ...]
    seen: tuple[str, ...]
    wins: int
    unseen: int

    @property
    def chance(self) -> Fraction:
        """How likely the next card is one the hand beats."""
        return Fraction(self.wins, self.unseen)

    @property
    def edge(self) -> Fraction:
        """What a bet on it gains in the mean, per unit staked (a win pays 1 to 1)."""
        return 2 * self.chance - 1


def hand_odds(hand: Sequence[str], seen: Sequence[str] = ()) -> HandOdds:
    """The odds of ``hand`` against the next card.

    Args:
        seen: other cards that were burned, turned or shown in the open.

    Raises IllegalAction ``bad_card``, or ValueError: a card twice, no hand, or no card left.
    """
    left = _unseen((*hand, *seen))
    if not hand or not left:
        raise ValueError("there must be a hand, and a card it can be played against")
    wins = sum(bool(winners(hand, card)) for card in left)
    return HandOdds(tuple(hand), tuple(seen), wins, len(left))


def random_hand_chance(cards: int, seen: Sequence[str] = ()) -> Fraction:
    """How likely a hand of ``cards`` unseen cards that nobody has looked at beats the next card.

    With N cards unseen besides the one turned, k of which beat it, the hand holds none of them with
    probability C(N - k, n) / C(N, n); the mean over every card that can be turned.

    Raises IllegalAction ``bad_card``, or ValueError: a card twice, or not enough cards.
    """
    left = _unseen(seen)
    others = len(left) - 1
    if not 1 <= cards <= others:
        raise ValueError("the hand and the card it is played against must be among the unseen ones")
    misses = sum(comb(others - sum(held in left for held in beaten_by(card)), cards) for card in left)
    return 1 - Fraction(misses, len(left) * comb(others, cards))


def _unseen(known: Sequence[str]) -> tuple[str, ...]:
    """The cards of the pack without ``known``."""
    for number, card in enumerate(known):
        if parse_card(card) in known[:number]:
            raise ValueError(f"{card} is there twice")
    return tuple(card for card in PACK if card not in known)
