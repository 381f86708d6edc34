"""Casino Red Dog, version 2: as version 1, with bets for the dealers and promotional stakes beside a bet, and
with bets and raises of currency (money plays).

Where none of it lies on the layout a round moves the very chips it moves in version 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tables.engine import actions as codec
from tables.engine.codec import digest_of_text
from tables.engine.contract import JsonObject, LegalAction, Move, Step
from tables.engine.frozen import changed
from tables.engine.places import (
    DROP_BOX,
    PATRONS,
    PROMO,
    PROMO_BOX,
    TOKE_BOX,
    TRAY,
    money_place,
    promo_place,
    seat_of,
    seat_place,
    toke_place,
    wager_place,
)
from tables.engine.red_dog import sides
from tables.engine.red_dog.actions import (
    SIDE_KINDS,
    Bet,
    BetMoney,
    BetPromo,
    BetToke,
    ExposeThird,
    Raise,
    RaiseMoney,
    Settle,
    TakeBackBet,
    Void,
    WithdrawRaise,
)
from tables.engine.red_dog.board import Outcome
from tables.engine.red_dog.game import HANDLERS, RedDog, check_amount, seat_wager
from tables.engine.red_dog.rulebook import refuse
from tables.engine.red_dog.sides import SideResult, SideState, side_bounds
from tables.engine.red_dog.state import State
from tables.engine.red_dog.text import side_text
from tables.engine.rules import RuleSet

Beside = Literal["toke", "promo"]
IN_MONEY = {"bet": "bet_money", "raise": "raise_money"}
"""What a seat may do with chips, and the same with currency."""


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
        if state.phase not in ("betting", "raising"):
            return legal
        beside = _legal_beside(_side(state)) if state.phase == "betting" else ()
        chips = [one for one in legal if one.type in IN_MONEY]
        money = [LegalAction(IN_MONEY[one.type], one.seat, one.fields) for one in chips]
        return (*legal[:-1], *beside, *money, *legal[-1:])

    def places(self, state: State) -> dict[str, int]:
        """What lies on the layout; nothing once the round is over."""
        if state.phase == "over":
            return {}
        side = _side(state)
        if side.plain:
            return super().places(state)
        money = side.money_staked
        chips = {wager.seat: wager.stake - money.get(wager.seat, 0) for wager in side.wagers}
        return (
            {wager_place(seat): amount for seat, amount in chips.items() if amount}
            | {toke_place(seat): amount for seat, amount in side.tokes}
            | {promo_place(seat): amount for seat, amount in side.promos}
            | {money_place(seat): amount for seat, amount in money.items()}
        )

    def handle(self, state: State) -> int:
        """Every bet and raise and toke bet that is played for; a promotional stake is no chips."""
        if state.outcome in (None, "void"):
            return 0
        return super().handle(state) + sum(amount for _, amount in _side(state).tokes)

    def describe(self, state: State) -> JsonObject:
        """What the table may see: all of it is face up in this game, and what may come next.

        Money plays are left out of what may come: whether the house takes any is not the game's to tell, and
        their bounds are those of chips.
        """
        public = super().describe(state) | self.encode_state(state)
        public["legal"] = [legal for legal in public["legal"] if legal["type"] not in IN_MONEY.values()]
        del public["rules"]
        return public

    def judged_on(self, state: State, cards: Sequence[str]) -> State:
        """The settled round as these cards would have decided it (RD-PHYSICAL)."""
        return sides.judged(_side(super().judged_on(state, cards)))

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


def _bet_money(state: State, action: BetMoney) -> Step[State]:
    side = _side(HANDLERS[Bet](state, Bet(action.seat, action.amount)).state)
    laid = changed(side, money=tuple(sorted((*side.money, action.seat))))
    return Step(laid, (Move(PATRONS, money_place(action.seat), action.amount),))


def _raise_money(state: State, action: RaiseMoney) -> Step[State]:
    side = _side(HANDLERS[Raise](state, Raise(action.seat, action.amount)).state)
    laid = changed(side, money_raises=tuple(sorted((*side.money_raises, action.seat))))
    return Step(laid, (Move(PATRONS, money_place(action.seat), action.amount),))


def _withdraw_raise(state: State, action: WithdrawRaise) -> Step[State]:
    return _raises_back(_side(state), HANDLERS[WithdrawRaise](state, action))


def _expose_third(state: State, action: ExposeThird) -> Step[State]:
    return _raises_back(_side(state), HANDLERS[ExposeThird](state, action))


def _raises_back(before: SideState, step: Step[State]) -> Step[State]:
    """A step that gives raises back, of which those in currency go back as currency."""
    if not before.money_raises:
        return step
    return Step(sides.judged(_side(step.state)), _split(step.moves, before.money_raised))


def _split(moves: Sequence[Move], money: Mapping[int, int]) -> tuple[Move, ...]:
    """Moves that give wagers back to seats, so much of each of which is currency."""
    back: list[Move] = []
    for move in moves:
        seat = seat_of(move.target)
        currency = 0 if seat is None else money.get(seat, 0)
        if move.amount > currency:
            back.append(Move(move.source, move.target, move.amount - currency))
        if seat is not None and currency:
            back.append(Move(money_place(seat), PATRONS, currency))
    return tuple(back)


def _take_back_bet(state: State, action: TakeBackBet) -> Step[State]:
    """A seat takes its bet back, and all that lies beside it."""
    step = HANDLERS[TakeBackBet](state, action)
    side, moves = _side(step.state), _split(step.moves, _side(state).money_bet)
    tokes = [each for each in side.tokes if each[0] == action.seat]
    promos = [each for each in side.promos if each[0] == action.seat]
    rest = changed(
        side,
        tokes=tuple(each for each in side.tokes if each not in tokes),
        promos=tuple(each for each in side.promos if each not in promos),
        money=tuple(seat for seat in side.money if seat != action.seat),
    )
    return Step(rest, (*moves, *_back(tokes, promos)))


def _back(tokes: Sequence[tuple[int, int]], promos: Sequence[tuple[int, int]]) -> list[Move]:
    """What lay beside bets goes back to where it came from."""
    chips = [Move(toke_place(seat), seat_place(seat), amount) for seat, amount in tokes]
    return chips + [Move(promo_place(seat), PROMO, amount) for seat, amount in promos]


def _settle(state: State, action: Settle) -> Step[State]:
    """Lost first, then paid, then back; a promotional stake that played is taken in (RD-SETTLE)."""
    if state.phase != "paying":
        raise refuse("not_decided", "the cards have not decided yet")
    side, outcome = _side(state), state.outcome
    if side.plain:
        return HANDLERS[Settle](state, action)
    money = side.money_staked
    lost: list[Move] = []
    paid: list[Move] = []
    back: list[Move] = []
    for each in side.side_results:
        (lost if outcome == "lose" else back).extend(_wager_goes(each, money.get(each.seat, 0), outcome))
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


def _wager_goes(result: SideResult, currency: int, outcome: Outcome | None) -> list[Move]:
    """A wager that is taken in, or goes back with what it won; so much of it is currency (RD-MONEY)."""
    lost, seat = outcome == "lose", result.seat
    chips = result.bet + result.raised - currency + (0 if lost else result.paid)
    moves = [Move(wager_place(seat), TRAY if lost else seat_place(seat), chips)] if chips else []
    if currency:
        moves.append(Move(money_place(seat), DROP_BOX if lost else PATRONS, currency))
    return moves


def _void(state: State, action: Void) -> Step[State]:
    step = HANDLERS[Void](state, action)
    side = _side(state)
    moves = _split(step.moves, side.money_staked) if side.money or side.money_raises else step.moves
    return Step(step.state, (*moves, *_back(side.tokes, side.promos)))


SIDE_HANDLERS: dict[type[Any], Callable[[State, Any], Step[State]]] = {
    BetToke: _bet_toke,
    BetPromo: _bet_promo,
    BetMoney: _bet_money,
    RaiseMoney: _raise_money,
    TakeBackBet: _take_back_bet,
    WithdrawRaise: _withdraw_raise,
    ExposeThird: _expose_third,
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
