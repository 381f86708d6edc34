"""Exactly the actions that would be accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tables.engine.card_room import bounds
from tables.engine.card_room.actions import PAYMENT_KINDS, VOID_REASONS
from tables.engine.card_room.rules import PoolRules
from tables.engine.card_room.state import Phase, State
from tables.engine.contract import Domain, IntRange, LegalAction, Numbers, OneOf


def legal_actions(state: State) -> tuple[LegalAction, ...]:
    """What ``apply`` would accept now; nothing once the round is over."""
    if state.phase == "over":
        return ()
    void = LegalAction("void", None, (("reason", OneOf(VOID_REASONS)),))
    return (*BY_PHASE[state.phase](state), void)


def _amount(kind: str, seat: int, allowed: IntRange) -> Iterator[LegalAction]:
    """An action with an amount, unless no amount is allowed."""
    if allowed.minimum <= allowed.maximum:
        yield LegalAction(kind, seat, (("amount", allowed),))


def _gathering(state: State) -> Iterator[LegalAction]:
    for seat in range(1, state.rules.seats + 1):
        if seat not in state.seats:
            yield LegalAction("join", seat)
    if bounds.can_open(state):
        who, what = ("banker", "bank") if state.banking else ("dealer", "carried")
        fields: tuple[tuple[str, Domain], ...] = (
            (who, Numbers(state.seats)),
            ("cards_each", bounds.hand_sizes(state)),
            (what, bounds.middle_bounds(state)),
        )
        yield LegalAction("open", None, fields)


def _dealing(state: State) -> Iterator[LegalAction]:
    yield LegalAction("hand", state.next_hand, (("cards", bounds.hand_bounds(state)),))


def _turns(state: State) -> Iterator[LegalAction]:
    seat = state.order[state.at]
    if state.stage == "bet":
        yield from _choices(state, seat)
    elif state.card is not None:
        yield LegalAction("show", seat, (("cards", bounds.shown_cards(state, state.card)),))
    else:
        yield LegalAction(state.stage, None, (("card", bounds.top_card(state)),))
    if state.pack_left:
        yield LegalAction("expose", None, (("card", bounds.top_card(state)),))
    yield from _meanwhile(state)


def _choices(state: State, seat: int) -> Iterator[LegalAction]:
    yield from _amount("bet", seat, bounds.bet_bounds(state))
    if state.banking:
        yield LegalAction("pass", seat)
    else:
        yield LegalAction("forfeit", seat)
        yield from _amount("short_forfeit", seat, bounds.short_forfeit_bounds(state))
    if state.player(seat).cards != state.cards_each:
        yield LegalAction("discard", seat)


def _reante(state: State) -> Iterator[LegalAction]:
    if isinstance(state.rules, PoolRules):
        for seat in state.seats:
            if seat not in state.anted:
                yield from _amount("ante", seat, bounds.ante_bounds(state.rules))
    yield from _meanwhile(state)


def _closing(state: State) -> Iterator[LegalAction]:
    yield LegalAction("settle")
    yield from _meanwhile(state)


def _meanwhile(state: State) -> Iterator[LegalAction]:
    """What can go wrong at any time once the hands are dealt."""
    for seat in state.order:
        yield from _payments(state, seat)


def _payments(state: State, seat: int) -> Iterator[LegalAction]:
    player = state.player(seat)
    for kind in PAYMENT_KINDS:
        allowed = bounds.payment_bounds(state, player, kind)
        open_to_him = kind == "bet_into_pool" or bounds.has_played(player)
        if open_to_him and allowed.minimum <= allowed.maximum:
            yield LegalAction("mispay", seat, (("kind", OneOf((kind,))), ("amount", allowed)))
    if bounds.can_put_right(state, player):
        yield LegalAction("put_right", seat)


BY_PHASE: dict[Phase, Callable[[State], Iterator[LegalAction]]] = {
    "gathering": _gathering,
    "dealing": _dealing,
    "turns": _turns,
    "reante": _reante,
    "closing": _closing,
}
