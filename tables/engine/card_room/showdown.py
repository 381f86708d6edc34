"""What a turned card and a hand say to each other, and where the cards of a hand lay in the pack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tables.engine.cards import PACK, rank


def winners(hand: Sequence[str], card: str) -> tuple[str, ...]:
    """The cards of ``hand`` that beat the turned ``card``: same suit, higher rank (CR-SHOW)."""
    return tuple(held for held in hand if held[1] == card[1] and rank(held) > rank(card))


def beaten_by(card: str) -> tuple[str, ...]:
    """Every card of the pack that beats ``card``, lowest first."""
    return winners(PACK, card)


def positions(counts: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    """Where each hand's cards lay in the pack, from 0 (CR-CARDS).

    Args:
        counts: cards dealt to each seat, in playing order. They go round: pass j gives one card to every
            seat that has j or more of them.
    """
    dealt: dict[int, list[int]] = {seat: [] for seat in counts}
    position = 0
    for deal in range(1, max(counts.values(), default=0) + 1):
        for seat, count in counts.items():
            if count >= deal:
                dealt[seat].append(position)
                position += 1
    return {seat: tuple(places) for seat, places in dealt.items()}
