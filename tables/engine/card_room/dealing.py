"""Up to the first turn: who plays, what is put up, and how many cards each hand was dealt."""

from __future__ import annotations

from tables.engine.card_room import bounds
from tables.engine.card_room.actions import Hand, Join, OpenBank, OpenPool
from tables.engine.card_room.change import move, onward, to_middle, with_player
from tables.engine.card_room.rulebook import refuse
from tables.engine.card_room.rules import HAND_SIZES, PoolRules
from tables.engine.card_room.state import Player, State, playing_order
from tables.engine.contract import Move, Step
from tables.engine.frozen import changed
from tables.engine.places import TRAY, seat_place


def join(state: State, action: Join) -> Step[State]:
    """One more player (CR-PLAYERS)."""
    _gathering(state)
    if not 1 <= action.seat <= state.rules.seats:
        raise refuse("unknown_seat", f"seats are numbered 1 to {state.rules.seats}")
    if action.seat in state.seats:
        raise refuse("already_in", f"seat {action.seat} plays already")
    players = sorted((*state.players, Player(action.seat)), key=lambda player: player.seat)
    return Step(changed(state, players=tuple(players)))


def _gathering(state: State) -> None:
    if state.phase != "gathering":
        raise refuse("round_open", "players join and leave between rounds")


def _check_open(state: State, dealer: int, cards_each: int) -> None:
    _gathering(state)
    if not bounds.can_open(state):
        raise refuse("too_few_players", "at least two play")
    if dealer not in state.seats:
        raise refuse("not_a_player", f"seat {dealer} does not play this round")
    if not bounds.hand_sizes(state).admits(cards_each):
        code = "four_cards_only" if cards_each in HAND_SIZES else "bad_cards_each"
        raise refuse(code, "five cards each or four, and four when more than eight hands are dealt")


def open_pool(state: State, action: OpenPool) -> Step[State]:
    """Antes and fees (CR-ANTE, CR-FEE)."""
    _check_open(state, action.dealer, action.cards_each)
    if not bounds.middle_bounds(state).admits(action.carried):
        raise refuse("bad_pool", "a pool holds whole chips and is not below zero")
    assert isinstance(state.rules, PoolRules)
    ante = state.rules.ante
    opened = changed(
        state,
        players=tuple(changed(player, ante=ante) for player in state.players),
        dealer=action.dealer,
        order=playing_order(state.seats, action.dealer),
        cards_each=action.cards_each,
        carried=action.carried,
        pool=action.carried,
    )
    antes = [put for seat in opened.order for put in to_middle(opened, seat, ante)]
    return _with_fees(opened, tuple(antes))


def open_bank(state: State, action: OpenBank) -> Step[State]:
    """The bank and the fees (CR-BANK, CR-FEE)."""
    _check_open(state, action.banker, action.cards_each)
    if not bounds.middle_bounds(state).admits(action.bank):
        most = bounds.middle_bounds(state).maximum
        raise refuse("bad_bank", f"a bank is {state.rules.chip} to {most} in whole chips")
    opened = changed(
        with_player(state, action.banker, ante=action.bank),
        dealer=action.banker,
        order=playing_order(state.seats, action.banker)[:-1],
        cards_each=action.cards_each,
    )
    return _with_fees(opened, to_middle(opened, action.banker, action.bank))


def _with_fees(state: State, moves: tuple[Move, ...]) -> Step[State]:
    """Each player's collection to the house, where it goes by the deal (CR-FEE)."""
    fee = state.rules.fee.amount if state.rules.fee.kind == "deal" else 0
    fees = [paid for seat in state.seats for paid in move(seat_place(seat), TRAY, fee)]
    players = tuple(changed(player, fee=fee) for player in state.players)
    return Step(changed(state, players=players), (*moves, *fees))


def hand(state: State, action: Hand) -> Step[State]:
    """How many cards the next hand was dealt (CR-CARDS, CR-NO-HAND, CR-SHORT-HAND)."""
    if state.phase != "dealing":
        raise refuse("no_deal", "no hand is to be dealt now")
    if action.seat != state.next_hand:
        raise refuse("not_his_hand", f"the next hand is that of seat {state.next_hand}")
    allowed = bounds.hand_bounds(state)
    if not allowed.admits(action.cards):
        raise refuse("bad_hand", f"a hand is dealt {allowed.minimum} to {allowed.maximum} cards")
    plays = 1 <= action.cards <= state.cards_each
    held = with_player(state, action.seat, cards=action.cards, end=None if plays else "sits_out")
    dealt = changed(held, hands=state.hands + 1)
    return Step(dealt if dealt.next_hand is not None else onward(dealt))
