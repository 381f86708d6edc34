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


@dataclass(frozen=True)
class BetToke(Action):
    """Seat ``seat`` bets ``amount`` minor units for the dealers, beside its own bet (version 2)."""

    type: ClassVar[str] = "bet_toke"
    seat: int
    amount: int


@dataclass(frozen=True)
class BetPromo(Action):
    """A promotional piece worth ``amount`` minor units beside the bet of ``seat`` (version 2)."""

    type: ClassVar[str] = "bet_promo"
    seat: int
    amount: int


@dataclass(frozen=True)
class BetMoney(Action):
    """Seat ``seat`` bets ``amount`` minor units of currency instead of chips (version 2)."""

    type: ClassVar[str] = "bet_money"
    seat: int
    amount: int


@dataclass(frozen=True)
class RaiseMoney(Action):
    """Seat ``seat`` raises by ``amount`` minor units of currency instead of chips (version 2)."""

    type: ClassVar[str] = "raise_money"
    seat: int
    amount: int


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

SIDE_KINDS: dict[str, type[Action]] = KINDS | {
    kind.type: kind for kind in (BetToke, BetPromo, BetMoney, RaiseMoney)
}
"""What can happen in version 2."""

__all__ = [
    "KINDS",
    "SIDE_KINDS",
    "VOID_REASONS",
    "Announce",
    "Bet",
    "BetMoney",
    "BetPromo",
    "BetToke",
    "Burn",
    "Deal",
    "ExposeThird",
    "Raise",
    "RaiseMoney",
    "Settle",
    "TakeBackBet",
    "Void",
    "WithdrawRaise",
]
