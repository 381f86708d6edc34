"""Cards as two characters, rank then suit: ``8S``, ``TD``, ``AH``."""

from __future__ import annotations

from collections.abc import Sequence

from tables.engine.contract import IllegalAction

RANKS = "23456789TJQKA"
SUITS = "SHDC"
PACK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
RANK_OF: dict[str, int] = {card: RANKS.index(card[0]) + 2 for card in PACK}
RULE = "CARD-1"


def pack() -> tuple[str, ...]:
    """The 52 cards of one pack in fixed order: suit by suit, each from 2 up to the ace."""
    return PACK


def parse_card(value: object) -> str:
    """``value`` if it is a card, else IllegalAction ``bad_card`` (rule CARD-1)."""
    if isinstance(value, str) and value in RANK_OF:
        return value
    raise IllegalAction("bad_card", RULE, "a card is a rank 2-9 T J Q K A and a suit S H D C")


def rank(card: str) -> int:
    """The rank of ``card``, 2 to 14: the ace is always high and suits never count."""
    try:
        return RANK_OF[card]
    except (KeyError, TypeError):
        return RANK_OF[parse_card(card)]


def exhausted(seen: Sequence[str], packs: int) -> tuple[str, ...]:
    """The cards that ``seen`` holds as often as ``packs`` packs do: none can come again."""
    return tuple(sorted({card for card in seen if seen.count(card) >= packs}))
