"""What can happen in a round of the card-room games. Players are seats; cards are face down or shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tables.engine.actions import VOID_REASONS, Action, Settle, Void

PAYMENT_KINDS = ("taken", "short", "bet_into_pool")


@dataclass(frozen=True)
class Join(Action):
    """``seat`` plays this round."""

    type: ClassVar[str] = "join"
    seat: int


@dataclass(frozen=True)
class OpenPool(Action):
    """Everybody antes and the deal begins.

    Args:
        dealer: the seat that deals, one of the players.
        cards_each: 5 or 4, what each player should be dealt.
        carried: what lies in the pool from the rounds before, minor units.
    """

    type: ClassVar[str] = "open"
    dealer: int
    cards_each: int
    carried: int


@dataclass(frozen=True)
class OpenBank(Action):
    """The banker puts up the bank and the deal begins.

    Args:
        banker: the seat that banks and deals, one of the players; it gets no hand.
        cards_each: 5 or 4, what each other player should be dealt.
        bank: what the banker puts up, minor units.
    """

    type: ClassVar[str] = "open"
    banker: int
    cards_each: int
    bank: int


@dataclass(frozen=True)
class Hand(Action):
    """``seat`` was dealt ``cards`` cards face down: none, too few, as many as it should, or too many."""

    type: ClassVar[str] = "hand"
    seat: int
    cards: int


@dataclass(frozen=True)
class Bet(Action):
    """``seat`` states its bet of ``amount`` minor units; the stake lies beside the pool."""

    type: ClassVar[str] = "bet"
    seat: int
    amount: int


@dataclass(frozen=True)
class Forfeit(Action):
    """``seat`` does not bet: it pays the forfeit and lays its hand down unseen."""

    type: ClassVar[str] = "forfeit"
    seat: int


@dataclass(frozen=True)
class ShortForfeit(Action):
    """``seat`` has less than the forfeit: it pays ``amount`` (0 or more), all it has, and lays down."""

    type: ClassVar[str] = "short_forfeit"
    seat: int
    amount: int


@dataclass(frozen=True)
class Pass(Action):
    """``seat`` does not bet against the bank; it costs nothing."""

    type: ClassVar[str] = "pass"
    seat: int


@dataclass(frozen=True)
class Discard(Action):
    """``seat`` lays a hand with too few cards down unseen: no bet and no forfeit."""

    type: ClassVar[str] = "discard"
    seat: int


@dataclass(frozen=True)
class Burn(Action):
    """The top card is shown to everybody and discarded before the card that decides."""

    type: ClassVar[str] = "burn"
    card: str


@dataclass(frozen=True)
class Turn(Action):
    """The top card is turned for the player who bet."""

    type: ClassVar[str] = "turn"
    card: str


@dataclass(frozen=True)
class Expose(Action):
    """The top card was exposed by accident: it is discarded."""

    type: ClassVar[str] = "expose"
    card: str


@dataclass(frozen=True)
class Show(Action):
    """``seat`` shows ONE card that beats the turned one, or its whole hand, which does not."""

    type: ClassVar[str] = "show"
    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Ante(Action):
    """``seat`` antes again because the pool was emptied: the ante, or all it has when that is less."""

    type: ClassVar[str] = "ante"
    seat: int
    amount: int


@dataclass(frozen=True)
class Mispay(Action):
    """Chips went wrong between ``seat`` and the pool or bank.

    Args:
        kind: ``taken`` (the seat took what is not its own), ``short`` (it took less than it won), or
            ``bet_into_pool`` (it paid into the pool; that stays there).
        amount: minor units.
    """

    type: ClassVar[str] = "mispay"
    seat: int
    kind: str
    amount: int


@dataclass(frozen=True)
class PutRight(Action):
    """What ``seat`` took too much goes back, and what it took too little is given to it."""

    type: ClassVar[str] = "put_right"
    seat: int


COMMON = (Join, Hand, Bet, Discard, Turn, Expose, Show, Mispay, PutRight, Settle, Void)
POOL = (*COMMON, OpenPool, Forfeit, ShortForfeit, Ante)
POOL_KINDS: dict[str, type[Action]] = {kind.type: kind for kind in POOL}
BURNING_KINDS: dict[str, type[Action]] = {kind.type: kind for kind in (*POOL, Burn)}
BANKING_KINDS: dict[str, type[Action]] = {kind.type: kind for kind in (*COMMON, OpenBank, Pass)}

__all__ = [
    "BANKING_KINDS",
    "BURNING_KINDS",
    "PAYMENT_KINDS",
    "POOL_KINDS",
    "VOID_REASONS",
    "Ante",
    "Bet",
    "Burn",
    "Discard",
    "Expose",
    "Forfeit",
    "Hand",
    "Join",
    "Mispay",
    "OpenBank",
    "OpenPool",
    "Pass",
    "PutRight",
    "Settle",
    "ShortForfeit",
    "Show",
    "Turn",
    "Void",
]
