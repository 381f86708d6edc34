"""What a settled round of any game owes once it is cancelled: all it moved, the other way round."""

from __future__ import annotations

from typing import Any

from tables.engine.places import BANK, POOL, TRAY
from tables.engine.registry import AnyGame

Dues = dict[str, dict[int, int]]
"""By tray, pool or bank: what it owes each seat, minor units; negative where the seat owes it."""


def dues_of(rules_of_game: AnyGame, state: Any) -> Dues:
    """What brings every seat, the tray and the pool to where they would be without the round.

    In a card-room game a seat's fee comes back from the tray, and the rest of what it gained or lost is
    between it and the pool or bank.
    """
    nets, encoded = rules_of_game.nets(state), rules_of_game.encode_state(state)
    middle = next((place for place in (POOL, BANK) if place in encoded), None)
    if middle is None:
        return {TRAY: {seat: -net for seat, net in nets.items()}}
    fees = {seat: encoded["results"][str(seat)]["fee"] for seat in nets}
    return {middle: {seat: -net - fees[seat] for seat, net in nets.items()}, TRAY: fees}
