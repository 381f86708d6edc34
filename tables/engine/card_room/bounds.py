"""The amounts and cards each action may name: one definition for what is accepted and what is offered."""

from __future__ import annotations

from tables.engine.card_room.rules import (
    FEWEST,
    HAND_SIZES,
    HIGHEST,
    MOST_HANDS_OF_FIVE,
    BankRules,
    PoolRules,
)
from tables.engine.card_room.showdown import beaten_by
from tables.engine.card_room.state import Payment, Player, State
from tables.engine.cards import PACK
from tables.engine.contract import AnyCard, IntRange, Numbers, ShownCards

LARGEST_HAND = 10
"""More cards than that are no mistake in dealing one hand."""


def least_bet(state: State) -> int:
    """The least bet, which is the forfeit too: the ante, or the pool where that is less (CR-SMALL-POOL)."""
    return min(state.rules.ante, state.pool) if isinstance(state.rules, PoolRules) else state.rules.chip


def bet_bounds(state: State) -> IntRange:
    """The bets the player in turn may state (CR-BET, CR-BANK)."""
    return IntRange(least_bet(state), state.pool, state.rules.chip)


def short_forfeit_bounds(state: State) -> IntRange:
    """What a player pays who has less than the forfeit (CR-FORFEIT)."""
    return IntRange(0, least_bet(state) - state.rules.chip, state.rules.chip)


def ante_bounds(rules: PoolRules) -> IntRange:
    """What a player pays when an emptied pool is anted again (CR-REANTE)."""
    return IntRange(0, rules.ante, rules.chip)


def hand_sizes(state: State) -> Numbers:
    """How many cards a hand may hold (CR-CARDS)."""
    hands = len(state.players) - state.banking
    return Numbers(HAND_SIZES if hands <= MOST_HANDS_OF_FIVE else HAND_SIZES[:1])


def middle_bounds(state: State) -> IntRange:
    """What may lie in the pool from before (CR-CARRY), or be put up as the bank (CR-BANK)."""
    rules, chip = state.rules, state.rules.chip
    if isinstance(rules, BankRules):
        return IntRange(chip, rules.max_bank or HIGHEST // chip * chip, chip)
    return IntRange(0, HIGHEST // chip * chip, chip)


def can_open(state: State) -> bool:
    """Whether enough have joined (CR-PLAYERS)."""
    return len(state.players) >= FEWEST


def hand_bounds(state: State) -> IntRange:
    """How many cards the next hand may have been dealt (CR-NO-HAND, CR-SHORT-HAND)."""
    return IntRange(0, min(LARGEST_HAND, state.pack_left))


def top_card(state: State) -> AnyCard:
    """The cards the top card can be (CR-COMPOSITION)."""
    return AnyCard(PACK, tuple(sorted(state.seen)))


def shown_cards(state: State, card: str) -> ShownCards:
    """What the player in turn may show for the turned ``card`` (CR-SHOW)."""
    count = state.player(state.order[state.at]).cards or 0
    return ShownCards(PACK, beaten_by(card), count, tuple(sorted(state.seen)))


def payment_bounds(state: State, player: Player, kind: str) -> IntRange:
    """How much can have gone wrong between ``player`` and the pool (CR-PAYMENT); empty where nothing can."""
    chip = state.rules.chip
    if kind == "taken":
        return IntRange(chip, state.pool, chip)
    if kind == "short":
        shorts = (p.amount for p in open_payments(state, player) if p.kind == "short")
        return IntRange(chip, player.won - sum(shorts), chip)
    return IntRange(chip, HIGHEST // chip * chip - state.pool, chip)


def open_payments(state: State, player: Player) -> tuple[Payment, ...]:
    """What went wrong with ``player`` and was not put right; what he paid into the pool stays there."""
    return tuple(
        payment
        for payment in state.payments
        if payment.seat == player.seat and payment.kind != "bet_into_pool" and not payment.corrected
    )


def has_played(player: Player) -> bool:
    """Whether the player has had a turn, so that chips can have gone wrong when it was settled."""
    return player.end not in (None, "sits_out")


def still_open(state: State, player: Player) -> bool:
    """Whether no card was turned for anybody since the player's turn ended (CR-PAYMENT)."""
    return player.turned == state.turned


def gain(payment: Payment) -> int:
    """What a wrong payment gave its seat; negative where it took."""
    return payment.amount if payment.kind == "taken" else -payment.amount


def can_put_right(state: State, player: Player) -> bool:
    """Whether something went wrong with ``player`` that can still be put right (CR-PAYMENT)."""
    wrong = open_payments(state, player)
    return bool(wrong) and still_open(state, player) and state.pool + sum(map(gain, wrong)) >= 0
