"""The turns: a bet or none, the card that decides it, what the hand shows, and the pool anted again."""

from __future__ import annotations

from tables.engine.card_room import bounds
from tables.engine.card_room.actions import (
    Ante,
    Bet,
    Burn,
    Discard,
    Expose,
    Forfeit,
    Pass,
    ShortForfeit,
    Show,
    Turn,
)
from tables.engine.card_room.change import (
    check_amount,
    ended,
    from_middle,
    in_turn,
    move,
    stake_back,
    to_middle,
    undecided,
    with_face,
    with_player,
)
from tables.engine.card_room.rulebook import refuse
from tables.engine.card_room.rules import PoolRules
from tables.engine.card_room.showdown import winners
from tables.engine.card_room.state import State
from tables.engine.contract import Step
from tables.engine.frozen import changed
from tables.engine.places import seat_place, wager_place


def bet(state: State, action: Bet) -> Step[State]:
    """The stake is laid beside the pool (CR-BET)."""
    undecided(state, action.seat)
    check_amount("bet", action.amount, bounds.bet_bounds(state))
    stated = changed(
        with_player(state, action.seat, bet=action.amount), stage="burn" if state.burning else "turn"
    )
    return Step(stated, move(seat_place(action.seat), wager_place(action.seat), action.amount))


def forfeit(state: State, action: Forfeit) -> Step[State]:
    """No bet: the forfeit joins the pool, the hand is laid down unseen (CR-FORFEIT)."""
    undecided(state, action.seat)
    return _forfeited(state, action.seat, bounds.least_bet(state))


def short_forfeit(state: State, action: ShortForfeit) -> Step[State]:
    """No bet, and less than the forfeit to pay it with (CR-FORFEIT)."""
    undecided(state, action.seat)
    check_amount("forfeit", action.amount, bounds.short_forfeit_bounds(state))
    return _forfeited(state, action.seat, action.amount)


def _forfeited(state: State, seat: int, amount: int) -> Step[State]:
    return Step(ended(state, "forfeit", forfeit=amount), to_middle(state, seat, amount))


def pass_(state: State, action: Pass) -> Step[State]:
    """No bet against the bank (CR-BANK)."""
    undecided(state, action.seat)
    return Step(ended(state, "pass"))


def discard(state: State, action: Discard) -> Step[State]:
    """A short hand laid down unseen (CR-SHORT-HAND)."""
    player = undecided(state, action.seat)
    if player.cards == state.cards_each:
        raise refuse("hand_whole", "only a hand with too few cards is discarded without a forfeit")
    return Step(ended(state, "discard"))


def _bet_stated(state: State) -> None:
    if state.due is None:
        raise refuse("no_turn", "no player's turn is due")
    if state.stage == "bet":
        raise refuse("no_bet", "no bet is stated")
    if state.stage == "show":
        raise refuse("card_turned", "the card that decides lies already")


def burn(state: State, action: Burn) -> Step[State]:
    """The card before the one that decides (CR-BURN)."""
    _bet_stated(state)
    if state.stage == "turn":
        raise refuse("burnt_already", "one card is burned for a bet")
    return Step(changed(with_face(state, action.card, "burned"), stage="turn"))


def turn(state: State, action: Turn) -> Step[State]:
    """The card that decides (CR-CARD)."""
    _bet_stated(state)
    if state.stage == "burn":
        raise refuse("burn_first", "a card is burned before the one that decides")
    return Step(changed(with_face(state, action.card, "turned"), stage="show"))


def expose(state: State, action: Expose) -> Step[State]:
    """A top card seen by accident (CR-EXPOSED); where it was the last that could decide, CR-PACK-OUT."""
    if state.phase != "turns":
        raise refuse("not_exposable", "the top card plays while a turn is due, and stays covered otherwise")
    seen = with_face(state, action.card, "exposed")
    if seen.stage == "bet" or not seen.pack_out:
        return Step(seen)
    return Step(ended(seen, "returned"), stake_back(state.player(state.order[state.at])))


def show(state: State, action: Show) -> Step[State]:
    """One winning card, or the whole hand without one (CR-SHOW)."""
    player = in_turn(state, action.seat)
    if state.card is None:
        raise refuse("no_card_turned", "a hand is shown for a card that was turned")
    _check_cards(state, action.cards)
    won = winners(action.cards, state.card)
    if won and len(action.cards) > 1:
        raise refuse("hand_wins", "the hand wins: one card that does is shown alone")
    if not won and len(action.cards) != player.cards:
        raise refuse("show_whole_hand", f"one winning card is shown, or all {player.cards}")
    stake = player.at_stake
    if not won:
        lost = move(wager_place(action.seat), state.place, stake)
        return Step(ended(state, "lost", shown=action.cards), lost)
    paid = min(stake, state.pool)
    moves = (*stake_back(player), *from_middle(state, action.seat, paid))
    return Step(ended(state, "won", shown=action.cards, won=paid), moves)


def _check_cards(state: State, cards: tuple[str, ...]) -> None:
    """No card twice, and none the round has seen (CR-COMPOSITION)."""
    for card in cards:
        if card in state.seen:
            raise refuse("impossible_card", f"{card} came already")
        if cards.count(card) > 1:
            raise refuse("impossible_card", "a card is there twice")


def ante(state: State, action: Ante) -> Step[State]:
    """One player's ante into the emptied pool (CR-REANTE)."""
    if state.phase != "reante":
        raise refuse("no_ante_due", "the pool is not to be anted again")
    if action.seat not in state.seats:
        raise refuse("not_a_player", f"seat {action.seat} does not play this round")
    if action.seat in state.anted:
        raise refuse("ante_paid", f"seat {action.seat} has anted again already")
    assert isinstance(state.rules, PoolRules)
    check_amount("ante", action.amount, bounds.ante_bounds(state.rules))
    paid = state.player(action.seat).ante + action.amount
    after = changed(with_player(state, action.seat, ante=paid), anted=(*state.anted, action.seat))
    return Step(after, to_middle(state, action.seat, action.amount))
