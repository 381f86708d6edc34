"""The names of the places chips lie on, for every game (see ``tables.engine.contract``)."""

from __future__ import annotations

TRAY = "tray"
POOL = "pool"
BANK = "bank"
TOKE_BOX = "toke_box"
PROMO = "promo"
"""Promotional pieces in players' hands, an asset of its own; PROMO_BOX: those a table has taken in."""
PROMO_BOX = "promo_box"
PATRONS = "cash:patrons"
"""Currency in the hands of patrons, another asset than chips; DROP_BOX: what a table has taken of it."""
DROP_BOX = "cash:drop_box"
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


def seat_of(place: str) -> int | None:
    """The inverse of ``purse_of``; None for any other place."""
    if place == TOKE_BOX:
        return DEALERS
    kind, _, seat = place.partition(":")
    return int(seat) if kind == "seat" and seat.isdecimal() else None


def toke_place(seat: int) -> str:
    """Where what is bet for the dealers at ``seat`` lies."""
    return f"toke:{seat}"


def promo_place(seat: int) -> str:
    """Where the promotional stake of ``seat`` lies."""
    return f"promo_wager:{seat}"


def money_place(seat: int) -> str:
    """Where the currency lies that ``seat`` has at stake."""
    return f"money:{seat}"
