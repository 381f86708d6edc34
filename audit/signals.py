"""What the rules allow in a card-room round and somebody must see all the same: one of a kind a round."""

from collections.abc import Iterator
from typing import Any

from tables.engine.card_room import State


def signals(state: State, *, drawn: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a round that is over shows: code and evidence.

    Args:
        drawn: whether the server dealt the hands, so that nobody can have miscounted them.
    """
    standing = [payment for payment in state.payments if not payment.corrected]
    if standing and state.settled:
        told = [{"seat": one.seat, "kind": one.kind, "amount": one.amount} for one in standing]
        yield "payment_stands", {"payments": told}
    exposed = [face.card for face in state.faces if face.how == "exposed"]
    if len(exposed) > 1:
        yield "cards_exposed_often", {"cards": exposed}
    counts = {str(one.seat): one.cards for one in state.players if one.cards not in (None, state.cards_each)}
    if counts and drawn:
        yield "hand_miscounted", {"each": state.cards_each, "hands": counts}
