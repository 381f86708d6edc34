"""Promotional pieces as rounds move them: laid beside a bet, taken back, taken in at the end."""

import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from config.errors import DomainError
from ledger.services import Posted
from tables.models import PromoPiece, PromoStatus, Round, Table

NOWHERE: dict[str, Any] = {"status": PromoStatus.ISSUED, "table": None, "round": None, "seat": None}
PLAYED = ("win", "trips", "lose")


def pieces_held(casino_id: uuid.UUID, coupons: Mapping[int, str]) -> dict[int, PromoPiece]:
    """The pieces of these numbers, held, each good to be played; by seat.

    Args:
        coupons: seat number to the piece's number.

    Raises:
        DomainError: `coupon_not_good` for one nobody has issued, at stake somewhere, or played before.
    """
    if not coupons:
        return {}
    # Only what is good is held: a round that gives pieces back holds those it has and wants others.
    good = {
        piece.serial: piece
        for piece in PromoPiece.objects.select_for_update(no_key=True)
        .filter(casino_id=casino_id, serial__in=coupons.values(), status=PromoStatus.ISSUED)
        .order_by("serial")
    }
    if len(good) < len(coupons):
        raise DomainError("coupon_not_good", "There is no such piece to be played, or it is named twice.")
    return {seat: good[serial] for seat, serial in coupons.items()}


def staking(table: Table, running: Round, pieces: Mapping[int, PromoPiece]) -> Callable[[Posted], None]:
    """A write that lays pieces beside the bets of a round."""

    def write(posted: Posted) -> None:
        for seat, piece in pieces.items():
            PromoPiece.objects.filter(id=piece.id).update(
                status=PromoStatus.STAKED, table=table, round=running, seat=seat
            )

    return write


def given_back(running: Round, seats: Iterable[int]) -> None:
    """The pieces of seats that took their bets back are their players' again."""
    staked = PromoPiece.objects.filter(round=running, status=PromoStatus.STAKED)
    staked.filter(seat__in=list(seats)).update(**NOWHERE)


def ending(running: Round) -> Callable[[Posted], None]:
    """A write that says where a round's pieces are once it is over: taken in if they played."""
    if not running.state.get("promos"):
        return lambda posted: None
    after = {"status": PromoStatus.TAKEN} if running.state["outcome"] in PLAYED else NOWHERE

    def write(posted: Posted) -> None:
        PromoPiece.objects.filter(round=running, status=PromoStatus.STAKED).update(**after)

    return write
