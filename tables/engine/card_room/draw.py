"""The draw for the first deal: the first ace decides (CR-FIRST-ACE)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tables.engine.card_room.rulebook import refuse
from tables.engine.cards import parse_card


@dataclass(frozen=True)
class Draw:
    """Who deals first, and the cards that were dealt round to decide it, the ace last."""

    dealer: int
    cards: tuple[str, ...]


def first_ace(seats: Sequence[int], cards: Sequence[str]) -> Draw:
    """The draw over ``cards`` from the top of the pack, dealt round from the lowest of ``seats``.

    Cards behind the first ace are not dealt; compare ``Draw.cards`` with what was given.

    Raises IllegalAction: ``too_few_players``, ``bad_card``, ``impossible_card`` (a card twice), ``no_ace``.
    """
    if len(set(seats)) < 2:
        raise refuse("too_few_players", "at least two play")
    order = sorted(set(seats))
    for number, card in enumerate(cards):
        if parse_card(card) in cards[:number]:
            raise refuse("impossible_card", f"{card} came already")
        if card[0] == "A":
            return Draw(order[number % len(order)], tuple(cards[: number + 1]))
    raise refuse("no_ace", "no ace has come yet")
