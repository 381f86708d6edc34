"""What can happen in a round of casino Red Dog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tables.engine.actions import VOID_REASONS, Action, Settle, Void


@dataclass(frozen=True)
class Bet(Action):
    """Seat ``seat`` bets ``amount`` minor units before the first card."""

    type: ClassVar[str] = "bet"
    seat: int
    amount: int


@dataclass(frozen=True)
class TakeBackBet(Action):
    """Seat ``seat`` takes its whole bet back before the first card."""

    type: ClassVar[str] = "take_back_bet"
    seat: int


@dataclass(frozen=True)
class Deal(Action):
    """The next card of the board: first, second or third, as the phase says."""

    type: ClassVar[str] = "deal"
    card: str


@dataclass(frozen=True)
class Announce(Action):
    """The dealer announces ``spread`` (1 to 11); a wrong one is recorded as it was said."""

    type: ClassVar[str] = "announce"
    spread: int


@dataclass(frozen=True)
class Raise(Action):
    """Seat ``seat`` adds ``amount`` minor units to its bet."""

    type: ClassVar[str] = "raise"
    seat: int
    amount: int


@dataclass(frozen=True)
class WithdrawRaise(Action):
    """Seat ``seat`` takes its raise back after a wrong announcement."""

    type: ClassVar[str] = "withdraw_raise"
    seat: int


@dataclass(frozen=True)
class Burn(Action):
    """A card seen after the result was known, as the third card drawn on consecutives."""

    type: ClassVar[str] = "burn"
    card: str


@dataclass(frozen=True)
class ExposeThird(Action):
    """The third card was seen before the raises were closed."""

    type: ClassVar[str] = "expose_third"
    card: str


KINDS: dict[str, type[Action]] = {
    kind.type: kind
    for kind in (
        Bet,
        TakeBackBet,
        Deal,
        Announce,
        Raise,
        WithdrawRaise,
        Burn,
        ExposeThird,
        Settle,
        Void,
    )
}

__all__ = [
    "KINDS",
    "VOID_REASONS",
    "Announce",
    "Bet",
    "Burn",
    "Deal",
    "ExposeThird",
    "Raise",
    "Settle",
    "TakeBackBet",
    "Void",
    "WithdrawRaise",
]
