"""What may come next in each phase of a round of casino Red Dog: what ``game`` accepts, but a void."""

from __future__ import annotations

from collections.abc import Callable

from tables.engine.cards import PACK, exhausted
from tables.engine.contract import AnyCard, IntRange, LegalAction
from tables.engine.red_dog.state import State, bet_bounds, raise_bounds
from tables.engine.rules import SPREADS


def _card(kind: str, state: State) -> LegalAction:
    domain = AnyCard(PACK, exhausted(state.seen, state.rules.packs))
    return LegalAction(kind, None, (("card", domain),))


def _legal_betting(state: State) -> tuple[LegalAction, ...]:
    amount = (("amount", bet_bounds(state.rules)),)
    seats = range(1, state.rules.seats + 1)
    bets = [LegalAction("bet", seat, amount) for seat in seats if state.wager(seat) is None]
    backs = [LegalAction("take_back_bet", wager.seat) for wager in state.wagers]
    return (*bets, *backs, *([_card("deal", state)] if state.wagers else []))


def _legal_raising(state: State) -> tuple[LegalAction, ...]:
    announce = LegalAction("announce", None, (("spread", IntRange(SPREADS[0], SPREADS[-1])),))
    always = (announce, _card("expose_third", state))
    if state.announced is None:
        return always
    raises = [
        LegalAction("raise", w.seat, (("amount", raise_bounds(state.rules, w.bet)),))
        for w in state.wagers
        if not w.raised
    ]
    withdrawals = [
        LegalAction("withdraw_raise", w.seat) for w in state.wagers if w.raised and state.misannounced
    ]
    return (*always, *raises, *withdrawals, _card("deal", state))


LEGAL: dict[str, Callable[[State], tuple[LegalAction, ...]]] = {
    "betting": _legal_betting,
    "first_card": lambda state: (_card("deal", state),),
    "third_card": lambda state: (_card("deal", state),),
    "raising": _legal_raising,
    "paying": lambda state: (LegalAction("settle"), _card("burn", state)),
}
