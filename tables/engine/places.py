"""The names of the places chips lie on, for every game (see ``tables.engine.contract``)."""

from __future__ import annotations

TRAY = "tray"
POOL = "pool"
BANK = "bank"
TOKE_BOX = "toke_box"
DEALERS = 0
"""What stands for the dealers where places go by the numbers of seats."""


def seat_place(seat: int) -> str:
    """Where the chips in front of ``seat`` lie."""
    return f"seat:{seat}"


def wager_place(seat: int) -> str:
    """Where what ``seat`` has at stake lies."""
    return f"wager:{seat}"


def purse_of(seat: int) -> str:
    """Where what ``seat`` wins goes: before the seat, or into the dealers' toke box."""
    return TOKE_BOX if seat == DEALERS else seat_place(seat)


def toke_place(seat: int) -> str:
    """Where what is bet for the dealers at ``seat`` lies."""
    return f"toke:{seat}"
