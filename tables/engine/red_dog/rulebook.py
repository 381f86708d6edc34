"""The rules of casino Red Dog by identifier, and the refusal codes with the rule each one guards."""

from __future__ import annotations

from tables.engine.contract import IllegalAction

RULES: dict[str, str] = {
    "RD-RANK": "Ranks 2 to 10 count their face, J 11, Q 12, K 13, A 14: the ace is never low and"
    " suits never count.",
    "RD-BOARD": "One board for the whole table: every seat wins or loses on the same three cards.",
    "RD-BET": "A seat bets once a round, before the first card, within the table's limits and in"
    " whole steps. A late bet goes back, and so does what is above the limit.",
    "RD-DEAL": "Two cards are dealt face up once there is a bet; then the cards decide whether a"
    " third one comes.",
    "RD-CONSECUTIVE": "Consecutive ranks push at once: no raise, no third card, stakes go back.",
    "RD-PAIR": "A pair takes a third card at once, without a raise: of the same rank it pays the"
    " trips odds, otherwise the round is a push.",
    "RD-SPREAD": "Otherwise the spread is the number of ranks strictly between the two cards, 1 to"
    " 11. The dealer announces it before raises are taken; the announcement is recorded.",
    "RD-RAISE": "After the announcement and before the third card each seat with a bet may raise"
    " once, as the raise rule of the rule set says.",
    "RD-TOKE": "Beside its bet a seat may bet chips for the dealers, once a round before the first card, in"
    " whole steps and no more than its bet. It follows no raise. Won, it goes with its winnings into the"
    " toke box; lost, to the tray; on a push, back to the seat.",
    "RD-PROMO": "Beside its bet a seat may lay one promotional piece, before the first card, in whole steps"
    " and no more than its bet. It follows no raise. Won, it is paid chips at the odds on its value; won or"
    " lost, it is taken in; on a push it goes back.",
    "RD-MONEY": "Where the house takes money plays a seat may bet currency instead of chips, and may raise"
    " with currency, whatever its bet is; limits and steps are those of chips. Won, it is paid chips at the"
    " odds and the currency goes back; lost, the currency goes into the drop box; on a push it goes back.",
    "RD-WIN": "A third card strictly between wins: bet and raise are both paid the spread's odds to"
    " 1. Equal to an end or outside, both lose.",
    "RD-CAP": "A rule set may cap what one round wins. The cap is divided in proportion to what each"
    " seat would win, in whole bet steps; steps left over go one each to the largest remainders,"
    " the lower seat first.",
    "RD-SETTLE": "Lost wagers go to the tray before anything is paid out of it. A tray that cannot"
    " pay owes: the round stays in its paying phase until a fill.",
    "RD-BURN": "A card drawn after the result is known is shown, burnt and counted as seen; the"
    " result stands.",
    "RD-MISCALL": "After a wrong announcement the cards speak, and raises may be withdrawn until the"
    " third card.",
    "RD-EXPOSED": "A third card seen before the raises were closed plays: raises go back, bets stay,"
    " and the round is left out of raise tests.",
    "RD-VOID": "A void round gives every stake back. It needs a reason from the list and comes"
    " before the settlement.",
    "RD-PHYSICAL": "Where the recorded cards are not those that lay, the physical result stands: the same"
    " wagers are settled again on the real cards, and raises those do not allow count as returned.",
    "RD-COMPOSITION": "No card can come more often than there are packs in the shoe.",
    "RD-OVER": "A finished round accepts nothing.",
}

CODES: dict[str, str] = {
    "round_over": "RD-OVER",
    "unknown_seat": "RD-BET",
    "bets_closed": "RD-BET",
    "bet_exists": "RD-BET",
    "bet_below_minimum": "RD-BET",
    "bet_above_maximum": "RD-BET",
    "bet_off_step": "RD-BET",
    "no_bet": "RD-BET",
    "no_bets": "RD-DEAL",
    "board_complete": "RD-DEAL",
    "no_third_card": "RD-CONSECUTIVE",
    "no_raise_on_consecutive": "RD-CONSECUTIVE",
    "no_raise_on_pair": "RD-PAIR",
    "no_spread": "RD-SPREAD",
    "bad_spread": "RD-SPREAD",
    "not_announced": "RD-SPREAD",
    "toke_exists": "RD-TOKE",
    "toke_below_minimum": "RD-TOKE",
    "toke_above_maximum": "RD-TOKE",
    "toke_off_step": "RD-TOKE",
    "promo_exists": "RD-PROMO",
    "promo_below_minimum": "RD-PROMO",
    "promo_above_maximum": "RD-PROMO",
    "promo_off_step": "RD-PROMO",
    "raises_not_open": "RD-RAISE",
    "raises_closed": "RD-RAISE",
    "raise_exists": "RD-RAISE",
    "raise_below_minimum": "RD-RAISE",
    "raise_above_maximum": "RD-RAISE",
    "raise_off_step": "RD-RAISE",
    "no_raise": "RD-RAISE",
    "raise_stands": "RD-MISCALL",
    "not_exposable": "RD-EXPOSED",
    "not_decided": "RD-SETTLE",
    "burn_too_early": "RD-BURN",
    "bad_reason": "RD-VOID",
    "impossible_card": "RD-COMPOSITION",
}


def refuse(code: str, detail: str) -> IllegalAction:
    """The refusal ``code`` with the rule it guards; ``detail`` is for a person."""
    return IllegalAction(code, CODES[code], detail)
