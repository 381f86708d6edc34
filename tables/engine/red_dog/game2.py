"""Casino Red Dog, version 2: as version 1, with bets for the dealers and promotional stakes beside a bet.

Where neither lies on the layout a round moves the very chips it moves in version 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tables.engine import actions as codec
from tables.engine.codec import digest_of_text
from tables.engine.contract import JsonObject, LegalAction, Move, Step
from tables.engine.frozen import changed
from tables.engine.places import (
    PROMO,
    PROMO_BOX,
    TOKE_BOX,
    TRAY,
    promo_place,
    seat_place,
    toke_place,
    wager_place,
)
from tables.engine.red_dog import sides
from tables.engine.red_dog.actions import SIDE_KINDS, BetPromo, BetToke, Settle, TakeBackBet, Void
from tables.engine.red_dog.game import HANDLERS, RedDog, check_amount, seat_wager
from tables.engine.red_dog.rulebook import refuse
from tables.engine.red_dog.sides import SideResult, SideState, side_bounds
from tables.engine.red_dog.state import State
from tables.engine.red_dog.text import side_text
from tables.engine.rules import RuleSet

Beside = Literal["toke", "promo"]


@dataclass(frozen=True)
class RedDogSides(RedDog):
    """Version 2 of the game, as the contract wants it."""

    version: int = 2

    def decode_rules(self, data: object) -> RuleSet:
        """The rule set that ``data`` stands for."""
        return sides.checked_rules(super().decode_rules(data))

    def new_round(self, rules: RuleSet) -> SideState:
        """A round that waits for bets."""
        return SideState(rules)

    def apply(self, state: State, action: codec.Action) -> Step[State]:
        """The step ``action`` makes, or IllegalAction with a code of the rulebook."""
        handler = SIDE_HANDLERS.get(type(action))
        if handler is None:
            return super().apply(state, action)
        if state.phase == "over":
            raise refuse("round_over", "the round is finished")
        return handler(state, action)

    def legal(self, state: State) -> tuple[LegalAction, ...]:
        """Exactly what ``apply`` would accept."""
        legal = super().legal(state)
        return (*legal[:-1], *_legal_beside(_side(state)), *legal[-1:]) if state.phase == "betting" else legal

    def places(self, state: State) -> dict[str, int]:
        """What lies on the layout; nothing once the round is over."""
        if state.phase == "over":
            return {}
        side = _side(state)
        tokes = {toke_place(seat): amount for seat, amount in side.tokes}
        return super().places(state) | tokes | {promo_place(seat): amount for seat, amount in side.promos}

    def handle(self, state: State) -> int:
        """Every bet and raise and toke bet that is played for; a promotional stake is no chips."""
        if state.outcome in (None, "void"):
            return 0
        return super().handle(state) + sum(amount for _, amount in _side(state).tokes)

    def describe(self, state: State) -> JsonObject:
        """What the table may see: all of it is face up in this game, and what may come next."""
        public = super().describe(state) | self.encode_state(state)
        del public["rules"]
        return public

    def encode_state(self, state: State) -> JsonObject:
        """The state as JSON."""
        return sides.encode_state(_side(state))

    def digest(self, state: State) -> str:
        """The digest of the encoded state."""
        return digest_of_text(side_text(_side(state)))

    def decode_state(self, data: object) -> SideState:
        """The state that ``data`` stands for."""
        return sides.decode_state(data)

    def decode_action(self, data: object) -> codec.Action:
        """The action that ``data`` stands for."""
        return codec.decode(SIDE_KINDS, data)


def _side(state: State) -> SideState:
    assert isinstance(state, SideState), "a state of this version"
    return state


def _bet_toke(state: State, action: BetToke) -> Step[State]:
    side = _laid(_side(state), "toke", action.seat, action.amount)
    return Step(side, (Move(seat_place(action.seat), toke_place(action.seat), action.amount),))


def _bet_promo(state: State, action: BetPromo) -> Step[State]:
    side = _laid(_side(state), "promo", action.seat, action.amount)
    return Step(side, (Move(PROMO, promo_place(action.seat), action.amount),))


def _laid(state: SideState, kind: Beside, seat: int, amount: int) -> SideState:
    """The round with something laid beside the bet of a seat, once, before the first card."""
    if state.phase != "betting":
        raise refuse("bets_closed", "a late bet goes back, win or lose")
    wager = seat_wager(state, seat)
    if wager is None:
        raise refuse("no_bet", f"seat {seat} has no bet of its own")
    lying = state.tokes if kind == "toke" else state.promos
    if seat in dict(lying):
        raise refuse(f"{kind}_exists", f"there is one beside the bet of seat {seat} already")
    check_amount(kind, amount, side_bounds(state.rules, wager.bet))
    laid = tuple(sorted((*lying, (seat, amount))))
    return changed(state, tokes=laid) if kind == "toke" else changed(state, promos=laid)


def _take_back_bet(state: State, action: TakeBackBet) -> Step[State]:
    """A seat takes its bet back, and all that lies beside it."""
    step = HANDLERS[TakeBackBet](state, action)
    side = _side(step.state)
    tokes = [each for each in side.tokes if each[0] == action.seat]
    promos = [each for each in side.promos if each[0] == action.seat]
    rest = changed(
        side,
        tokes=tuple(each for each in side.tokes if each not in tokes),
        promos=tuple(each for each in side.promos if each not in promos),
    )
    return Step(rest, (*step.moves, *_back(tokes, promos)))


def _back(tokes: Sequence[tuple[int, int]], promos: Sequence[tuple[int, int]]) -> list[Move]:
    """What lay beside bets goes back to where it came from."""
    chips = [Move(toke_place(seat), seat_place(seat), amount) for seat, amount in tokes]
    return chips + [Move(promo_place(seat), PROMO, amount) for seat, amount in promos]


def _settle(state: State, action: Settle) -> Step[State]:
    """Lost first, then paid, then back; a promotional stake that played is taken in (RD-SETTLE)."""
    if state.phase != "paying":
        raise refuse("not_decided", "the cards have not decided yet")
    side, outcome = _side(state), state.outcome
    if not side.beside:
        return HANDLERS[Settle](state, action)
    results = [each for each in state.results if isinstance(each, SideResult) and each.seat]
    lost, paid, back = [], [], []
    for each in results:
        stake = each.bet + each.raised
        if outcome == "lose":
            lost.append(Move(wager_place(each.seat), TRAY, stake))
        else:
            back.append(Move(wager_place(each.seat), seat_place(each.seat), stake + each.paid))
        if each.paid:
            paid.append(Move(TRAY, wager_place(each.seat), each.paid))
        if each.toke and outcome == "lose":
            lost.append(Move(toke_place(each.seat), TRAY, each.toke))
        elif each.toke and outcome in sides.WON:
            paid += [Move(TRAY, toke_place(each.seat), each.tipped)] if each.tipped else []
            back.append(Move(toke_place(each.seat), TOKE_BOX, each.toke + each.tipped))
        if each.promo and outcome in sides.DECIDED:
            back.append(Move(promo_place(each.seat), PROMO_BOX, each.promo))
    if outcome not in sides.DECIDED:
        back += _back(side.tokes, side.promos)
    return Step(changed(state, settled=True), (*lost, *paid, *back))


def _void(state: State, action: Void) -> Step[State]:
    step = HANDLERS[Void](state, action)
    side = _side(state)
    return Step(step.state, (*step.moves, *_back(side.tokes, side.promos)))


SIDE_HANDLERS: dict[type[Any], Callable[[State, Any], Step[State]]] = {
    BetToke: _bet_toke,
    BetPromo: _bet_promo,
    TakeBackBet: _take_back_bet,
    Settle: _settle,
    Void: _void,
}


def _legal_beside(state: SideState) -> list[LegalAction]:
    """What may be laid beside each bet while bets are open."""
    legal = []
    for kind, lying in (("bet_toke", dict(state.tokes)), ("bet_promo", dict(state.promos))):
        for wager in state.wagers:
            if wager.seat not in lying:
                bounds = (("amount", side_bounds(state.rules, wager.bet)),)
                legal.append(LegalAction(kind, wager.seat, bounds))
    return legal
