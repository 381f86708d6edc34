"""Casino Red Dog, version 1: the state machine. Released: its behaviour never changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tables.engine import actions as codec
from tables.engine.codec import digest_of_text
from tables.engine.contract import (
    Handling,
    IllegalAction,
    IntRange,
    JsonObject,
    LegalAction,
    Move,
    OneOf,
    Step,
)
from tables.engine.frozen import Kept, changed
from tables.engine.places import seat_place, wager_place
from tables.engine.red_dog import state as states
from tables.engine.red_dog.actions import (
    KINDS,
    VOID_REASONS,
    Announce,
    Bet,
    Burn,
    Deal,
    ExposeThird,
    Raise,
    Settle,
    TakeBackBet,
    Void,
    WithdrawRaise,
)
from tables.engine.red_dog.board import WAGERS, Phase, Wager, standing_of
from tables.engine.red_dog.legal import LEGAL
from tables.engine.red_dog.physical import with_cards
from tables.engine.red_dog.rulebook import refuse
from tables.engine.red_dog.state import State, bet_bounds, raise_bounds
from tables.engine.red_dog.text import state_text
from tables.engine.rules import SPREADS, RuleSet


@dataclass(frozen=True)
class RedDog:
    """The game as the contract wants it (see ``tables.engine.contract.Game``)."""

    name: str = "red_dog"
    version: int = 1

    def decode_rules(self, data: object) -> RuleSet:
        """The rule set that ``data`` stands for."""
        return RuleSet.from_dict(data)

    def encode_rules(self, rules: RuleSet) -> JsonObject:
        """The rule set as JSON."""
        return rules.to_dict()

    def new_round(self, rules: RuleSet) -> State:
        """A round that waits for bets."""
        return State(rules)

    def apply(self, state: State, action: codec.Action) -> Step[State]:
        """The step ``action`` makes, or IllegalAction with a code of the rulebook."""
        handler = HANDLERS.get(type(action))
        if handler is None:
            raise codec.bad_action("not an action of this game")
        if self.is_over(state):
            raise refuse("round_over", "the round is finished")
        return handler(state, action)

    def run(self, state: State, actions: Sequence[codec.Action]) -> Step[State]:
        """What ``actions`` do, one after the other; many bets, cards or raises at once."""
        if len(actions) == 1:
            return self.apply(state, actions[0])
        moves: list[Move] = []
        for kind, group in groupby(actions, type):
            together = TOGETHER.get(kind)
            if together is not None and state.phase in together[0]:
                state, made = together[1](state, tuple(group))
                moves += made
                continue
            for action in group:
                state, made = self.apply(state, action)
                moves += made
        return Step(state, tuple(moves))

    def legal(self, state: State) -> tuple[LegalAction, ...]:
        """Exactly what ``apply`` would accept, bets and raises with their bounds per seat."""
        if state.phase == "over":
            return ()
        void = LegalAction("void", None, (("reason", OneOf(VOID_REASONS)),))
        return (*LEGAL[state.phase](state), void)

    def is_over(self, state: State) -> bool:
        """Whether the round was settled or voided."""
        return state.settled or state.void_reason is not None

    def places(self, state: State) -> dict[str, int]:
        """What lies on the wagers; nothing once the round is over."""
        if state.phase == "over":
            return {}
        return {wager_place(wager.seat): wager.stake for wager in state.wagers}

    def carried(self, state: State) -> dict[str, int]:
        """Nothing: the wagers are empty between rounds."""
        return {}

    def handling(self, action: codec.Action) -> Handling:
        """Every card of this game comes face up."""
        return Handling((action.card,)) if isinstance(action, Deal | Burn | ExposeThird) else Handling()

    def limits(self, rules: RuleSet) -> JsonObject:
        """The limits of a bet, its step, and the seats."""
        return {key: getattr(rules, key) for key in ("min_bet", "max_bet", "bet_step", "seats")}

    def handle(self, state: State) -> int:
        """Every bet and raise that is played for; none while undecided or void."""
        if state.outcome in (None, "void"):
            return 0
        return sum(wager.stake for wager in state.wagers)

    def describe(self, state: State) -> JsonObject:
        """What the table may see: all of it is face up in this game, and what may come next."""
        public = states.encode_state(state)
        del public["rules"]
        return public | {
            "game": self.name,
            "engine_version": self.version,
            "over": self.is_over(state),
            "tray_need": tray_need(state),
            "legal": [legal.as_dict() for legal in self.legal(state)],
        }

    def judged_on(self, state: State, cards: Sequence[str]) -> State:
        """The settled round as these cards would have decided it (RD-PHYSICAL)."""
        return with_cards(state, cards)

    def nets(self, state: State) -> dict[int, int]:
        """What the decided round gained each seat."""
        return {result.seat: result.net for result in state.results}

    def encode_state(self, state: State) -> JsonObject:
        """The state as JSON."""
        return states.encode_state(state)

    def digest(self, state: State) -> str:
        """The digest of the encoded state."""
        return digest_of_text(state_text(state))

    def decode_state(self, data: object) -> State:
        """The state that ``data`` stands for."""
        return states.decode_state(data)

    def encode_action(self, action: codec.Action) -> JsonObject:
        """The action as JSON with its type."""
        return codec.encode(action)

    def decode_action(self, data: object) -> codec.Action:
        """The action that ``data`` stands for."""
        return codec.decode(KINDS, data)


def tray_need(state: State) -> int:
    """Minor units the tray must hold for ``settle`` to go through (RD-SETTLE); else a fill is due."""
    if state.phase != "paying":
        return 0
    return max(0, sum(result.net for result in state.results))


def seat_wager(state: State, seat: int) -> Wager | None:
    """What ``seat`` has at stake, if anything; IllegalAction ``unknown_seat`` where there is no such seat."""
    if not 1 <= seat <= state.rules.seats:
        raise no_such_seat(state.rules)
    return state.wager(seat)


def no_such_seat(rules: RuleSet) -> IllegalAction:
    """The refusal of a seat the table has not got."""
    return refuse("unknown_seat", f"seats are numbered 1 to {rules.seats}")


def check_amount(prefix: str, amount: int, bounds: IntRange) -> None:
    """Refuse an amount outside its bounds, by a code that begins with ``prefix``."""
    if amount in bounds.values:
        return
    if amount < bounds.minimum:
        raise refuse(f"{prefix}_below_minimum", f"the least is {bounds.minimum}")
    if amount > bounds.maximum:
        raise refuse(f"{prefix}_above_maximum", f"the most is {bounds.maximum}; the excess goes back")
    raise refuse(f"{prefix}_off_step", f"from {bounds.minimum} in steps of {bounds.step}")


def _with_wager(state: State, wager: Wager) -> State:
    return _with_wagers(state, {other.seat: other for other in state.wagers} | {wager.seat: wager})


def _with_wagers(state: State, by_seat: Mapping[int, Wager]) -> State:
    return changed(state, wagers=tuple([by_seat[seat] for seat in sorted(by_seat)]))


def _check_possible(state: State, card: str, *dealt: str) -> None:
    times = state.cards.count(card) + state.burnt.count(card) + dealt.count(card)
    if times >= state.rules.packs:
        raise refuse("impossible_card", f"{card} came already as often as there are packs")


STAKED = Kept(lambda seat, amount: Move(seat_place(seat), wager_place(seat), amount))
BACK = Kept(lambda seat, amount: Move(wager_place(seat), seat_place(seat), amount))
"""Moves by seat and amount."""


def _bet(state: State, action: Bet) -> Step[State]:
    if state.phase != "betting":
        raise refuse("bets_closed", "a late bet goes back, win or lose")
    return _bets(state, (action,))


def _bets(state: State, actions: Sequence[Bet]) -> Step[State]:
    """Bets of several seats, each judged as if those before it had been made."""
    bounds = bet_bounds(state.rules)
    seats, allowed, moves = state.rules.seats, bounds.values, []
    wagers = {wager.seat: wager for wager in state.wagers}
    for action in actions:
        seat, amount = action.seat, action.amount
        if not 1 <= seat <= seats:
            raise no_such_seat(state.rules)
        if seat in wagers:
            raise refuse("bet_exists", f"seat {seat} has bet already")
        if amount not in allowed:
            check_amount("bet", amount, bounds)
        wagers[seat] = WAGERS[seat, amount, 0]
        moves.append(STAKED[seat, amount])
    return Step(_with_wagers(state, wagers), tuple(moves))


def _take_back_bet(state: State, action: TakeBackBet) -> Step[State]:
    if state.phase != "betting":
        raise refuse("bets_closed", "a bet stands from the first card on")
    wager = seat_wager(state, action.seat)
    if wager is None:
        raise refuse("no_bet", f"seat {action.seat} has no bet")
    rest = tuple(other for other in state.wagers if other != wager)
    return Step(changed(state, wagers=rest), (_back(wager.seat, wager.bet),))


def _back(seat: int, amount: int) -> Move:
    return BACK[seat, amount]


def _deal(state: State, action: Deal) -> Step[State]:
    return _deals(state, (action,))


def _deals(state: State, actions: Sequence[Deal]) -> Step[State]:
    """Cards of the board, each judged as if those before it lay."""
    cards, lying = state.cards, state.standing
    for action in actions:
        if lying.phase == "betting" and not state.wagers:
            raise refuse("no_bets", "no seat has bet")
        if lying.phase == "paying":
            if lying.outcome == "consecutive":
                raise refuse("no_third_card", "consecutive cards push; a card drawn is burnt")
            raise refuse("board_complete", "three cards lie; a card drawn is burnt")
        if lying.phase == "raising" and state.announced is None:
            raise refuse("not_announced", "the spread is announced before the third card")
        _check_possible(state, action.card, *cards[len(state.cards) :])
        cards = (*cards, action.card)
        lying = standing_of(cards)
    return Step(changed(state, cards=cards))


def _announce(state: State, action: Announce) -> Step[State]:
    if state.phase != "raising":
        raise refuse("no_spread", "there is no spread to announce now")
    if action.spread not in SPREADS:
        raise refuse("bad_spread", "a spread is 1 to 11")
    wrong = action.spread != state.spread
    return Step(changed(state, announced=action.spread, misannounced=state.misannounced or wrong))


def _raise_window(state: State) -> None:
    """Why no raise can be made or withdrawn now, if so (RD-RAISE, RD-PAIR, RD-CONSECUTIVE)."""
    if state.shape is None:
        raise refuse("raises_not_open", "raises follow the announcement of the spread")
    if state.shape == "consecutive":
        raise refuse("no_raise_on_consecutive", "consecutive cards push at once")
    if state.shape == "pair":
        raise refuse("no_raise_on_pair", "a pair takes its third card without a raise")
    if state.phase != "raising":
        raise refuse("raises_closed", "the third card lies; a late raise goes back")


def _raise(state: State, action: Raise) -> Step[State]:
    _raise_window(state)
    return _raises(state, (action,))


def _raises(state: State, actions: Sequence[Raise]) -> Step[State]:
    """Raises of several seats while they are open, each judged as if those before it had been made."""
    if state.announced is None:
        raise refuse("not_announced", "raises follow the announcement of the spread")
    rules, wagers = state.rules, {wager.seat: wager for wager in state.wagers}
    moves = []
    for action in actions:
        seat, amount = action.seat, action.amount
        if not 1 <= seat <= rules.seats:
            raise no_such_seat(rules)
        wager = wagers.get(seat)
        if wager is None:
            raise refuse("no_bet", f"seat {seat} has no bet to raise")
        if wager.raised:
            raise refuse("raise_exists", f"seat {seat} has raised already")
        check_amount("raise", amount, raise_bounds(rules, wager.bet))
        wagers[seat] = WAGERS[seat, wager.bet, amount]
        moves.append(STAKED[seat, amount])
    return Step(_with_wagers(state, wagers), tuple(moves))


def _withdraw_raise(state: State, action: WithdrawRaise) -> Step[State]:
    _raise_window(state)
    wager = seat_wager(state, action.seat)
    if wager is None or not wager.raised:
        raise refuse("no_raise", f"seat {action.seat} has no raise")
    if not state.misannounced:
        raise refuse("raise_stands", "the spread was announced right, so the raise stands")
    return Step(_with_wager(state, changed(wager, raised=0)), (_back(wager.seat, wager.raised),))


def _expose_third(state: State, action: ExposeThird) -> Step[State]:
    if state.phase != "raising":
        raise refuse("not_exposable", "only a third card due after raises can be seen too early")
    _check_possible(state, action.card)
    moves = tuple(_back(wager.seat, wager.raised) for wager in state.wagers if wager.raised)
    seen = changed(
        state,
        wagers=tuple(changed(wager, raised=0) for wager in state.wagers),
        cards=(*state.cards, action.card),
        raise_test_excluded=True,
    )
    return Step(seen, moves)


def _burn(state: State, action: Burn) -> Step[State]:
    if state.phase != "paying":
        raise refuse("burn_too_early", "the next card plays while the round is undecided")
    _check_possible(state, action.card)
    return Step(changed(state, burnt=(*state.burnt, action.card)))


def _settle(state: State, action: Settle) -> Step[State]:
    if state.phase != "paying":
        raise refuse("not_decided", "the cards have not decided yet")
    lost: list[Move] = []
    paid: list[Move] = []
    back: list[Move] = []
    for result in state.results:
        of_seat = result.moves
        lost += of_seat[0]
        paid += of_seat[1]
        back += of_seat[2]
    return Step(changed(state, settled=True), (*lost, *paid, *back))


def _void(state: State, action: Void) -> Step[State]:
    if action.reason not in VOID_REASONS:
        raise refuse("bad_reason", f"the reason is one of {', '.join(VOID_REASONS)}")
    moves = tuple(_back(wager.seat, wager.stake) for wager in state.wagers)
    return Step(changed(state, void_reason=action.reason), moves)


HANDLERS: dict[type[Any], Callable[[State, Any], Step[State]]] = {
    Bet: _bet,
    TakeBackBet: _take_back_bet,
    Deal: _deal,
    Announce: _announce,
    Raise: _raise,
    WithdrawRaise: _withdraw_raise,
    Burn: _burn,
    ExposeThird: _expose_third,
    Settle: _settle,
    Void: _void,
}

TOGETHER: dict[type[Any], tuple[tuple[Phase, ...], Callable[[State, Any], Step[State]]]] = {
    Bet: (("betting",), _bets),
    Deal: (("betting", "first_card", "third_card", "raising", "paying"), _deals),
    Raise: (("raising",), _raises),
}
"""What may be done several times at once, and the phases in which it is not refused as a whole."""
