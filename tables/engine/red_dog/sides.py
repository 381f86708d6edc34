"""What version 2 knows beside the seats' own wagers: bets for the dealers, and promotional stakes; and
wagers that are currency.

The first two lie beside a bet of the seat's own, no larger than it, and follow no raise. A toke bet is chips,
won by the dealers; a promotional stake is no chips, and what it wins is. A bet, and a raise for itself, is
all chips or all currency (a money play); either way it is the seat's wager, and what it wins is chips.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from tables.engine.codec import MAX_INT, is_object, same_json
from tables.engine.contract import IllegalAction, IntRange, JsonObject
from tables.engine.frozen import changed
from tables.engine.places import DEALERS
from tables.engine.red_dog import state as states
from tables.engine.red_dog.board import Outcome, Result, Wager, divide_cap, won_by
from tables.engine.red_dog.state import State
from tables.engine.rules import RuleSet, bad_rules

WON: tuple[Outcome, ...] = ("win", "trips")
DECIDED: tuple[Outcome, ...] = (*WON, "lose")
KINDS_OF_STAKE = 3  # a seat's own, the dealers' and a promotional one
MONEY_KEYS = ("money", "money_raises")
"""What of the bets and raises is currency; both stand in a state only where some is."""


@dataclass(frozen=True)
class SideResult(Result):
    """What a round does to a seat with what lies beside its bet; ``paid`` and ``net`` count all of it.

    The dealers' own result (seat ``DEALERS``) is what their toke box gains.

    Args:
        toke: bet for the dealers; gone from the seat unless it was a push.
        tipped: what that bet won for them.
        promo: promotional stake; what it wins is part of ``paid``.
    """

    toke: int = 0
    tipped: int = 0
    promo: int = 0


@dataclass(frozen=True)
class SideState(State):
    """A round of version 2.

    Args:
        tokes: bets for the dealers, seat and minor units, by seat number.
        promos: promotional stakes in the same way; their value is what they win with.
        money: the seats whose bet is currency, in order.
        money_raises: the seats whose raise is.
    """

    tokes: tuple[tuple[int, int], ...] = ()
    promos: tuple[tuple[int, int], ...] = ()
    money: tuple[int, ...] = ()
    money_raises: tuple[int, ...] = ()

    @property
    def beside(self) -> bool:
        """Whether anything lies beside the bets."""
        return bool(self.tokes or self.promos)

    @property
    def plain(self) -> bool:
        """Whether all that lies there are chips of the seats' own: then the round is one of version 1."""
        return not (self.tokes or self.promos or self.money or self.money_raises)

    @property
    def side_results(self) -> tuple[SideResult, ...]:
        """What each seat is owed or was paid, where more lies there than chips of the seats' own."""
        return tuple(each for each in self.results if isinstance(each, SideResult) and each.seat)

    @property
    def money_bet(self) -> dict[int, int]:
        """The bets that are currency, by seat, minor units."""
        return {wager.seat: wager.bet for wager in self.wagers if wager.seat in self.money}

    @property
    def money_raised(self) -> dict[int, int]:
        """The raises that are currency, by seat, minor units."""
        return {wager.seat: wager.raised for wager in self.wagers if wager.seat in self.money_raises}

    @property
    def money_staked(self) -> dict[int, int]:
        """All currency at stake, by seat, minor units."""
        if not (self.money or self.money_raises):
            return {}
        bet, raised = self.money_bet, self.money_raised
        return {seat: bet.get(seat, 0) + raised.get(seat, 0) for seat in sorted(bet.keys() | raised.keys())}

    def results_with(
        self, wagers: Sequence[Wager], outcome: Outcome, spread: int | None
    ) -> tuple[Result, ...]:
        """What ``outcome`` does to each seat, and to the dealers where somebody bet for them."""
        if self.plain:
            return super().results_with(wagers, outcome, spread)
        tokes, promos = dict(self.tokes), dict(self.promos)
        stakes = [
            stake
            for wager in wagers
            for stake in (wager.stake, tokes.get(wager.seat, 0), promos.get(wager.seat, 0))
        ]
        odds = won_by(self.rules, outcome, spread)
        won = divide_cap([odds * stake for stake in stakes], self.rules.round_cap, self.rules.bet_step)
        results = [
            _result(wager, outcome, tokes.get(wager.seat, 0), promos.get(wager.seat, 0), own, tipped, extra)
            for wager, own, tipped, extra in zip(wagers, won[::3], won[1::3], won[2::3], strict=True)
        ]
        return (*([_dealers(results, outcome)] if tokes else []), *results)


def _result(
    wager: Wager, outcome: Outcome, toke: int, promo: int, own: int, tipped: int, extra: int
) -> SideResult:
    """What a seat wins with its own stake and the promotional one, less what it loses and gives away."""
    lost = wager.stake if outcome == "lose" else 0
    given = toke if outcome in DECIDED else 0
    return SideResult(
        wager.seat, wager.bet, wager.raised, own + extra, own + extra - lost - given, toke, tipped, promo
    )


def _dealers(results: Sequence[SideResult], outcome: Outcome) -> SideResult:
    """What the dealers' box gains: what was bet for them, and what it won."""
    tipped = sum(result.tipped for result in results)
    stakes = sum(result.toke for result in results) if outcome in WON else 0
    return SideResult(DEALERS, 0, 0, tipped, stakes + tipped)


def side_bounds(rules: RuleSet, bet: int) -> IntRange:
    """What may lie beside a bet, for the dealers or as a promotional stake (RD-TOKE, RD-PROMO)."""
    return IntRange(rules.bet_step, bet, rules.bet_step)


def checked_rules(rules: RuleSet) -> RuleSet:
    """The rule set, if a whole table at the limit, all stakes of a seat raised, stays an exact integer."""
    best = 1 + max(*rules.pay_table.spreads, rules.pay_table.trips)
    worst = rules.seats * rules.max_bet * (rules.raise_rule.max_multiple + KINDS_OF_STAKE) * best
    if worst > MAX_INT:
        raise bad_rules(f"a round could pay {worst}, more than {MAX_INT}")
    return rules


def encode_state(state: SideState) -> JsonObject:
    """The state as JSON, with what follows from it for whoever reads it."""
    encoded = states.encode_state(state) | {
        "tokes": _by_name(state.tokes),
        "promos": _by_name(state.promos),
    }
    if state.money or state.money_raises:
        encoded["money"] = _by_name(state.money_bet.items())
        encoded["money_raises"] = _by_name(state.money_raised.items())
    return encoded


def _by_name(sides: Iterable[tuple[int, int]]) -> JsonObject:
    return {str(seat): amount for seat, amount in sides}


def decode_state(data: object) -> SideState:
    """The inverse of ``encode_state``, refusing what no round can reach (code ``bad_state``)."""
    keys = (*states.ENCODED_KEYS, "tokes", "promos")
    if not is_object(data, keys) and not is_object(data, (*keys, *MONEY_KEYS)):
        raise states.bad_state("it has other keys than a state")
    try:
        state = _build(data)
        if same_json(encode_state(state), dict(data)):
            return state
    except (TypeError, ValueError, IllegalAction) as error:
        raise states.bad_state(str(error)) from error
    raise states.bad_state("what it says does not follow from what it holds")


def _build(data: Mapping[str, Any]) -> SideState:
    own = states.build(data)
    tokes, promos = (tuple(sorted(states.by_seat(data[name]).items())) for name in ("tokes", "promos"))
    money, money_raises = (tuple(sorted(states.by_seat(data.get(name, {})))) for name in MONEY_KEYS)
    state = SideState(
        **{field.name: getattr(own, field.name) for field in fields(State)},
        tokes=tokes,
        promos=promos,
        money=money,
        money_raises=money_raises,
    )
    if not (own.bets.keys() >= set(money) and own.raises.keys() >= set(money_raises)):
        raise ValueError("currency at stake without a wager")
    if not all(_possible(state, seat, amount) for seat, amount in (*tokes, *promos)):
        raise ValueError("something beside a bet outside the rules")
    return state


def _possible(state: SideState, seat: int, amount: int) -> bool:
    wager = state.wager(seat)
    return wager is not None and side_bounds(state.rules, wager.bet).admits(amount)


def judged(state: SideState) -> SideState:
    """The round on other cards: a raise those returned is no currency at stake any more (RD-PHYSICAL)."""
    raised = state.raises
    return changed(state, money_raises=tuple(seat for seat in state.money_raises if seat in raised))
