"""The names of the places chips lie on, for every game (see ``tables.engine.contract``)."""

from __future__ import annotations

TRAY = "tray"
POOL = "pool"
BANK = "bank"


def seat_place(seat: int) -> str:
    """Where the chips in front of ``seat`` lie."""
    return f"seat:{seat}"


def wager_place(seat: int) -> str:
    """Where what ``seat`` has at stake lies."""
    return f"wager:{seat}"
