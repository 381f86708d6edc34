"""Wrong payments, the end of a round, and the round that does not count."""

from __future__ import annotations

from tables.engine.card_room import bounds
from tables.engine.card_room.actions import PAYMENT_KINDS, VOID_REASONS, Mispay, PutRight, Settle, Void
from tables.engine.card_room.change import (
    check_amount,
    from_middle,
    move,
    stake_back,
    to_middle,
    with_player,
)
from tables.engine.card_room.rulebook import refuse
from tables.engine.card_room.state import Payment, Player, State
from tables.engine.contract import Move, Step
from tables.engine.frozen import changed
from tables.engine.places import TRAY, seat_place


def _hand(state: State, seat: int) -> Player:
    """The player on ``seat``, who must have been dealt in, while payments can go wrong."""
    if state.phase not in ("turns", "reante", "closing"):
        raise refuse("no_play", "payments go wrong once the hands are dealt")
    if seat not in state.order:
        raise refuse("not_a_player", f"seat {seat} plays no hand of this round")
    return state.player(seat)


def mispay(state: State, action: Mispay) -> Step[State]:
    """Chips that went wrong, as they went (CR-PAYMENT)."""
    player = _hand(state, action.seat)
    if action.kind not in PAYMENT_KINDS:
        raise refuse("bad_payment_kind", f"a payment goes wrong as one of {', '.join(PAYMENT_KINDS)}")
    if action.kind != "bet_into_pool" and not bounds.has_played(player):
        raise refuse("not_played", f"seat {action.seat} has not been paid or taken from yet")
    check_amount("payment", action.amount, bounds.payment_bounds(state, player, action.kind))
    payment = Payment(action.seat, action.kind, action.amount)
    gained = bounds.gain(payment)
    after = with_player(state, action.seat, mispaid=player.mispaid + gained)
    return Step(changed(after, payments=(*state.payments, payment)), _transfer(state, action.seat, gained))


def _transfer(state: State, seat: int, gained: int) -> tuple[Move, ...]:
    """The move that gives ``seat`` what it gained of the pool, negative where it pays."""
    return from_middle(state, seat, gained) if gained > 0 else to_middle(state, seat, -gained)


def put_right(state: State, action: PutRight) -> Step[State]:
    """Everything that went wrong with the seat goes back (CR-PAYMENT)."""
    player = _hand(state, action.seat)
    wrong = bounds.open_payments(state, player)
    if not wrong:
        raise refuse("no_payment", f"nothing went wrong with seat {action.seat}")
    if not bounds.still_open(state, player):
        raise refuse("payment_stands", "the next player's card has been turned")
    gained = sum(map(bounds.gain, wrong))
    if -gained > state.pool:
        raise refuse("pool_short", f"only {state.pool} lies there")
    after = with_player(state, action.seat, mispaid=player.mispaid - gained)
    payments = tuple(changed(p, corrected=p.corrected or p in wrong) for p in state.payments)
    return Step(changed(after, payments=payments), _transfer(state, action.seat, -gained))


def settle(state: State, action: Settle) -> Step[State]:
    """The end: a bank goes back to its banker, a pool that passed its limit is divided."""
    if state.phase != "closing":
        raise refuse("not_decided", "turns are still due")
    after = changed(state, settled=True)
    moves: list[Move] = []
    for seat, amount in _shares(state).items():
        after = with_player(after, seat, share=amount)
        moves.extend(from_middle(state, seat, amount))
    return Step(after, tuple(moves))


def _shares(state: State) -> dict[int, int]:
    """Who gets what of the pool or bank at the end; nobody where the pool stays (CR-CARRY)."""
    if state.banking:
        return {seat: state.pool for seat in (state.dealer,) if seat is not None}
    return divide(state.order, state.pool, state.rules.chip) if state.limit_passed else {}


def divide(order: tuple[int, ...], amount: int, chip: int) -> dict[int, int]:
    """``amount`` in equal shares of whole chips, those left over one by one in ``order`` (CR-ODD-CHIPS).

    Args:
        order: the seats, in playing order; at least one.
        amount: minor units; what of it is no whole chip, as a round that is voided after the chip was changed
            may leave it between rounds, goes to the first.
    """
    each, over = divmod(amount // chip, len(order))
    shares = {seat: (each + (number < over)) * chip for number, seat in enumerate(order)}
    return shares | {order[0]: shares[order[0]] + amount % chip}


def void(state: State, action: Void) -> Step[State]:
    """Everything back to where it lay before the round (CR-VOID)."""
    if action.reason not in VOID_REASONS:
        raise refuse("bad_reason", f"the reason is one of {', '.join(VOID_REASONS)}")
    players = state.players
    stakes = [back for player in players for back in stake_back(player)]
    fees = [back for player in players for back in move(TRAY, seat_place(player.seat), player.fee)]
    gains = [back for p in players if p.from_pool > 0 for back in to_middle(state, p.seat, p.from_pool)]
    losses = [back for p in players if p.from_pool < 0 for back in from_middle(state, p.seat, -p.from_pool)]
    return Step(changed(state, void_reason=action.reason), (*stakes, *fees, *gains, *losses))
