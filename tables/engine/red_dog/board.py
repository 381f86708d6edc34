"""What the cards say and what they pay: pure functions of cards, wagers and pay table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tables.engine.cards import SUITS, rank
from tables.engine.contract import Move
from tables.engine.frozen import Kept, derived
from tables.engine.places import TRAY, seat_place, wager_place
from tables.engine.rules import RuleSet

Outcome = Literal["consecutive", "pair_push", "trips", "win", "lose", "void"]
Shape = Literal["consecutive", "pair", "spread"]
Phase = Literal["betting", "first_card", "third_card", "raising", "paying", "over"]


@dataclass(frozen=True)
class Wager:
    """What seat ``seat`` has at stake, minor units."""

    seat: int
    bet: int
    raised: int = 0

    @property
    def stake(self) -> int:
        """Bet and raise together."""
        return self.bet + self.raised

    @derived
    def texts(self) -> tuple[str, str]:
        """Bet and raise as members of JSON objects, by the seat; no raise is none."""
        return f'"{self.seat}":{self.bet}', f'"{self.seat}":{self.raised}' if self.raised else ""

    @derived
    def stored(self) -> tuple[str, str]:
        """The same as PostgreSQL's jsonb writes it."""
        bet, raised = self.texts
        return bet.replace(":", ": "), raised.replace(":", ": ")

    @derived
    def results(self) -> Kept[Result]:
        """What it comes to without a cap, by the odds it wins at and whether it is lost."""
        return Kept(self._result, 64)

    def _result(self, odds: int, lost: bool) -> Result:
        paid = odds * self.stake
        return Result(self.seat, self.bet, self.raised, paid, -self.stake if lost else paid)


@dataclass(frozen=True)
class Result:
    """What the round does to a seat: ``paid`` is won beyond the stake, ``net`` its gain."""

    seat: int
    bet: int
    raised: int
    paid: int
    net: int

    @derived
    def text(self) -> str:
        """It as a member of a JSON object, by the seat."""
        amounts = f'"bet":{self.bet},"net":{self.net},"paid":{self.paid},"raise":{self.raised}'
        return f'"{self.seat}":{{{amounts}}}'

    @derived
    def stored(self) -> str:
        """The same as PostgreSQL's jsonb writes it."""
        return self.text.replace(",", ", ").replace(":", ": ")

    @derived
    def moves(self) -> tuple[tuple[Move, ...], tuple[Move, ...], tuple[Move, ...]]:
        """What is lost, what is paid and what goes back when it is settled in chips (RD-SETTLE)."""
        wager, back = wager_place(self.seat), self.bet + self.raised + self.paid
        return (
            (Move(wager, TRAY, -self.net),) if self.net < 0 else (),
            (Move(TRAY, wager, self.paid),) if self.paid > 0 else (),
            (Move(wager, seat_place(self.seat), back),) if self.net >= 0 else (),
        )


def wager_texts(wagers: Sequence[Wager]) -> tuple[str, str]:
    """Bets and raises as members of JSON objects, in this order."""
    texts = [wager.texts for wager in wagers]
    return ",".join([bet for bet, _ in texts]), ",".join([raised for _, raised in texts if raised])


WAGERS: Kept[Wager] = Kept(Wager)
"""Wagers by their fields: the same people bet the same amounts all day."""


def shape_of(first: str, second: str) -> Shape:
    """Whether two cards are a pair, consecutive, or have a spread (RD-CONSECUTIVE, RD-PAIR)."""
    distance = abs(rank(first) - rank(second))
    if distance == 0:
        return "pair"
    return "consecutive" if distance == 1 else "spread"


def spread_of(first: str, second: str) -> int | None:
    """The number of ranks strictly between, 1 to 11; None on pairs and consecutives (RD-SPREAD)."""
    if shape_of(first, second) != "spread":
        return None
    return abs(rank(first) - rank(second)) - 1


class Standing(NamedTuple):
    """What follows from the cards of a round, and from whether it has ended."""

    phase: Phase
    shape: Shape | None
    spread: int | None
    outcome: Outcome | None


def standing_of(cards: Sequence[str], *, settled: bool = False, void: bool = False) -> Standing:
    """Where a round stands, worked out once for the cards' ranks, for suits never count (RD-RANK)."""
    return _STANDINGS["".join([card[0] for card in cards]), settled, void]


def _standing(ranks: str, settled: bool, void: bool) -> Standing:
    cards = [rank + SUITS[0] for rank in ranks]
    two = len(cards) >= 2
    shape, outcome = (shape_of(cards[0], cards[1]) if two else None), outcome_of(cards)
    phase: Phase = "third_card" if shape == "pair" else "raising"
    if settled or void:
        phase = "over"
    elif not two:
        phase = "first_card" if cards else "betting"
    elif outcome is not None:
        phase = "paying"
    spread = spread_of(cards[0], cards[1]) if two else None
    return Standing(phase, shape, spread, "void" if void else outcome)


_STANDINGS: Kept[Standing] = Kept(_standing)


def outcome_of(cards: Sequence[str]) -> Outcome | None:
    """What up to three cards decide; None while another card is due (RD-WIN)."""
    if len(cards) < 2:
        return None
    first, second = cards[0], cards[1]
    shape = shape_of(first, second)
    if shape == "consecutive":
        return "consecutive"
    if len(cards) < 3:
        return None
    third = rank(cards[2])
    if shape == "pair":
        return "trips" if third == rank(first) else "pair_push"
    low, high = sorted((rank(first), rank(second)))
    return "win" if low < third < high else "lose"


def results_of(
    rules: RuleSet, wagers: Sequence[Wager], outcome: Outcome, spread: int | None
) -> tuple[Result, ...]:
    """What ``outcome`` does to every wager, the round's cap applied (RD-WIN, RD-CAP)."""
    odds, lost = won_by(rules, outcome, spread), outcome == "lose"
    if rules.round_cap is None:
        return tuple([wager.results[odds, lost] for wager in wagers])
    winnings = divide_cap([odds * wager.stake for wager in wagers], rules.round_cap, rules.bet_step)
    return tuple(
        Result(w.seat, w.bet, w.raised, paid, -w.stake if lost else paid)
        for w, paid in zip(wagers, winnings, strict=True)
    )


def won_by(rules: RuleSet, outcome: Outcome, spread: int | None) -> int:
    """How many times its stake a wager wins by ``outcome``; 0 where it wins nothing."""
    if outcome == "trips":
        return rules.pay_table.trips
    if outcome == "win" and spread is not None:
        return rules.pay_table.spread(spread)
    return 0


def divide_cap(winnings: Sequence[int], cap: int | None, step: int) -> tuple[int, ...]:
    """``winnings`` in seat order, cut down to ``cap`` in all and losing no chip (RD-CAP).

    Each share is proportional and in whole ``step``; the steps left over go one each to the
    largest remainders, the earlier seat first. No share exceeds what was won. All amounts and
    the cap are multiples of ``step``.
    """
    total = sum(winnings)
    if cap is None or total <= cap:
        return tuple(winnings)
    units = cap // step
    shares = [won * units // total for won in winnings]
    remainders = [won * units % total for won in winnings]
    by_remainder = sorted(range(len(winnings)), key=lambda seat: (-remainders[seat], seat))
    for seat in by_remainder[: units - sum(shares)]:
        shares[seat] += 1
    return tuple(share * step for share in shares)
