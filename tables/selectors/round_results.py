"""What a round was to the house, from its row: one definition for every page and list."""

from tables.models import Round, RoundStatus
from tables.selectors.views import is_card_room


def staked(played: Round) -> int:
    """All bets, raises and toke bets (card room: bets against the pool or the bank), minor units."""
    if is_card_room(played.rules):
        return _sum_of(played, "bet")
    state = played.state
    return sum((*state["bets"].values(), *state["raises"].values(), *state.get("tokes", {}).values()))


def house_result(played: Round) -> int | None:
    """What the house won by a round as it was recorded (negative: lost), minor units.

    None until it was settled; nothing of a void one, whatever its cards would have given. In the card room
    the house wins its collections.
    """
    if played.status == RoundStatus.IN_PROGRESS:
        return None
    if played.status == RoundStatus.CANCELLED:
        return 0
    return _sum_of(played, "fee") if is_card_room(played.rules) else -_sum_of(played, "net")


def _sum_of(played: Round, name: str) -> int:
    """One amount of each seat's result, added up."""
    return sum(int(result[name]) for result in played.state["results"].values())
