"""The rules of the card-room games by identifier, and the refusal codes with the rule each one guards.

``tables/RULES.md`` is the same as a page, with the reasons of what was decided here.
"""

from __future__ import annotations

from tables.engine.contract import IllegalAction

RULES: dict[str, str] = {
    "CR-PLAYERS": "Two to ten play, one pack is used, and the seats follow each other clockwise by number.",
    "CR-FIRST-ACE": "Cards are dealt round face up from the lowest seat; who gets the first ace deals first.",
    "CR-NEXT": "Deal (and bank) pass to the left after every round; a void round is dealt again by the same.",
    "CR-PACK": "One pack, shuffled and cut before every deal and after the draw for the first ace; every deal"
    " is from a whole one.",
    "CR-BETWEEN": "Players join, leave and move between rounds only; who leaves has no claim on the pool.",
    "CR-SHORT-ANTE": "Who cannot pay the ante is not dealt in; a deal that is his passes to the left.",
    "CR-ALONE": "One player alone, or a banker alone, is no game: nothing is dealt.",
    "CR-BREAK-UP": "When the game breaks up the pool is divided among those still seated, as at a limit.",
    "CR-SECRET": "Nobody but its player sees a hand until the rules show it; laid down it stays unseen.",
    "CR-ANTE": "Before every deal each player, the dealer included, pays the same ante into the pool.",
    "CR-FEE": "A collection by the deal goes from every player to the house before the first card.",
    "CR-CARDS": "Five cards each, or four; always four when more than eight hands are dealt. They go round"
    " face down from the dealer's left.",
    "CR-TURN": "Turns go clockwise from the dealer's left; the dealer is last.",
    "CR-BET": "To stay in a player bets at least the ante and at most the whole pool at that moment. The"
    " stake lies beside the pool and is no part of it.",
    "CR-SMALL-POOL": "A pool smaller than the ante makes the whole pool both the least bet and the forfeit.",
    "CR-FORFEIT": "Who does not bet pays the least bet into the pool and lays his hand down unseen; who has"
    " less than that pays all he has.",
    "CR-CARD": "The top card is turned for the player who bet, and for him alone.",
    "CR-SHOW": "A card of the same suit and a higher rank wins: he shows that one card and takes as much as"
    " his stake from the pool, or what it holds. Otherwise he shows his whole hand, and the stake joins the"
    " pool. Cards speak.",
    "CR-CARRY": "What is left in the pool stays for the next round, and everybody antes again.",
    "CR-REANTE": "A pool emptied while turns remain is anted again at once by every player of the round; who"
    " has less than the ante gives all he has and stays in.",
    "CR-LAST-TURN": "A pool emptied by the last turn is not anted again before the next deal.",
    "CR-LIMIT": "A pool that passed the agreed limit at any time in the round is divided among the players of"
    " the round at its end.",
    "CR-ODD-CHIPS": "Chips a division leaves over go one by one to the players in playing order; what is less"
    " than a chip goes to the first.",
    "CR-NO-HAND": "A player with no hand, or with too many cards, sits the round out.",
    "CR-SHORT-HAND": "A player with too few cards may bet as he is, or discard unseen, without a bet and"
    " without a forfeit. A short hand is never filled.",
    "CR-EXPOSED": "A top card exposed by accident is discarded; a stated bet stands, the next card decides.",
    "CR-STATED": "A bet once stated cannot be changed.",
    "CR-PAYMENT": "A payment that went wrong is put right until the next player's card is turned, and stands"
    " from then on. A bet paid into the pool stays there.",
    "CR-PACK-OUT": "When the pack cannot decide another bet, who is left has no turn and pays nothing; a bet"
    " stated already goes back.",
    "CR-BURN": "With burning, each card that decides a bet is preceded by one that is shown and discarded."
    " No bet, no burn; an exposed card does not take its place.",
    "CR-BANK": "The banker puts up the bank before the deal and gets no hand. There is no ante, no forfeit,"
    " no least bet but a chip, and no top-up; passing is free; the most to bet is what is in the bank.",
    "CR-BROKEN": "An emptied bank ends the hand at once: no further turns.",
    "CR-BANK-BACK": "What is left in the bank at the end goes back to the banker.",
    "CR-SETTLE": "The round is over when its last turn is; until then wrong payments can still be put right.",
    "CR-VOID": "A void round puts every seat, the pool and the fee back to where they were before it.",
    "CR-PHYSICAL": "Such a round is put right by payments, by a documented correction or by a void; it is not"
    " settled again on other cards, for its hands were never recorded.",
    "CR-COMPOSITION": "No card can come twice: there is one pack.",
    "CR-OVER": "A finished round accepts nothing.",
}

CODES: dict[str, str] = {
    "round_over": "CR-OVER",
    "unknown_seat": "CR-PLAYERS",
    "already_in": "CR-PLAYERS",
    "round_open": "CR-PLAYERS",
    "too_few_players": "CR-PLAYERS",
    "not_a_player": "CR-PLAYERS",
    "bad_cards_each": "CR-CARDS",
    "four_cards_only": "CR-CARDS",
    "bad_pool": "CR-CARRY",
    "bad_bank": "CR-BANK",
    "no_deal": "CR-CARDS",
    "not_his_hand": "CR-CARDS",
    "bad_hand": "CR-CARDS",
    "no_turn": "CR-TURN",
    "not_his_turn": "CR-TURN",
    "bet_stands": "CR-STATED",
    "bet_below_minimum": "CR-BET",
    "bet_above_maximum": "CR-BET",
    "bet_off_step": "CR-BET",
    "no_bet": "CR-CARD",
    "forfeit_below_minimum": "CR-FORFEIT",
    "forfeit_above_maximum": "CR-FORFEIT",
    "forfeit_off_step": "CR-FORFEIT",
    "hand_whole": "CR-SHORT-HAND",
    "burn_first": "CR-BURN",
    "burnt_already": "CR-BURN",
    "card_turned": "CR-CARD",
    "no_card_turned": "CR-SHOW",
    "hand_wins": "CR-SHOW",
    "show_whole_hand": "CR-SHOW",
    "not_exposable": "CR-EXPOSED",
    "pack_out": "CR-PACK-OUT",
    "no_ante_due": "CR-REANTE",
    "ante_paid": "CR-REANTE",
    "ante_below_minimum": "CR-REANTE",
    "ante_above_maximum": "CR-REANTE",
    "ante_off_step": "CR-REANTE",
    "no_play": "CR-PAYMENT",
    "bad_payment_kind": "CR-PAYMENT",
    "not_played": "CR-PAYMENT",
    "payment_below_minimum": "CR-PAYMENT",
    "payment_above_maximum": "CR-PAYMENT",
    "payment_off_step": "CR-PAYMENT",
    "no_payment": "CR-PAYMENT",
    "payment_stands": "CR-PAYMENT",
    "pool_short": "CR-PAYMENT",
    "not_decided": "CR-SETTLE",
    "bad_reason": "CR-VOID",
    "impossible_card": "CR-COMPOSITION",
    "no_physical_result": "CR-PHYSICAL",
    "no_ace": "CR-FIRST-ACE",
}


def refuse(code: str, detail: str) -> IllegalAction:
    """The refusal ``code`` with the rule it guards; ``detail`` is for a person."""
    return IllegalAction(code, CODES[code], detail)
