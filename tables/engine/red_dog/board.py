"""What the cards say and what they pay: pure functions of cards, wagers and pay table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tables.engine.cards import rank
from tables.engine.rules import RuleSet

Outcome = Literal["consecutive", "pair_push", "trips", "win", "lose", "void"]
Shape = Literal["consecutive", "pair", "spread"]


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


@dataclass(frozen=True)
class Result:
    """What the round does to a seat: ``paid`` is won beyond the stake, ``net`` its gain."""

    seat: int
    bet: int
    raised: int
    paid: int
    net: int


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


class Board(NamedTuple):
    """What up to three cards say together."""

    shape: Shape | None
    spread: int | None
    outcome: Outcome | None


_BOARDS: dict[str, Board] = {}


def board_of(cards: Sequence[str]) -> Board:
    """What cards of a round say, worked out once for their ranks, for suits never count (RD-RANK)."""
    ranks = "".join([card[0] for card in cards])
    board = _BOARDS.get(ranks)
    if board is None:
        two = len(cards) >= 2
        board = Board(
            shape_of(cards[0], cards[1]) if two else None,
            spread_of(cards[0], cards[1]) if two else None,
            outcome_of(cards),
        )
        _BOARDS[ranks] = board
    return board


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
    odds = won_by(rules, outcome, spread)
    winnings = divide_cap(
        [odds * wager.stake for wager in wagers],
        rules.round_cap,
        rules.bet_step,
    )
    return tuple(
        Result(w.seat, w.bet, w.raised, paid, -w.stake if outcome == "lose" else paid)
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
