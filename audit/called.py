"""What a round's entries are called, by what is done in them; no database."""

from collections.abc import Mapping, Sequence
from typing import Any

BETS = frozenset({"bet", "bet_money", "bet_toke", "bet_promo"})
CALLED: Mapping[str, frozenset[str]] = {
    "round.start": BETS | {"join"},
    "round.bet": BETS | {"take_back_bet"},
    "round.deal": frozenset({"deal"}),
    "round.expose": frozenset({"expose_third"}),
    "round.announce": frozenset({"announce"}),
    "round.raise": frozenset({"raise", "raise_money", "withdraw_raise"}),
    "round.settle": frozenset({"settle"}),
    "round.void": frozenset({"void"}),
    "round.pass": frozenset({"pass", "forfeit", "short_forfeit", "discard"}),
    "round.turn": frozenset({"burn", "turn"}),
    "round.expose_top": frozenset({"expose"}),
    "round.show": frozenset({"show"}),
    "round.mispay": frozenset({"mispay"}),
    "round.put_right": frozenset({"put_right"}),
}
"""By kind of entry, what may be done first in it; what follows from that may stand in it, too."""


def is_called_right(kind: str, actions: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an entry of a running round is called after the first thing done in it, if anything is."""
    return not actions or actions[0].get("type") in CALLED.get(kind, ())
