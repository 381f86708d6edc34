"""A state written as JSON and read again, and what the table may see of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tables.engine import actions as codec
from tables.engine.card_room import bounds
from tables.engine.card_room.state import Payment, Player, State
from tables.engine.codec import same_json
from tables.engine.contract import IllegalAction, JsonObject

Rebuild = Callable[[object, Iterable[object]], State]


def encode_state(state: State) -> JsonObject:
    """The state as JSON: the rules and the log it follows from, and everything that follows."""
    log = [codec.encode(action) for action in state.log]
    return {"rules": state.rules.to_dict(), "log": log} | facts(state)


def decode_state(data: object, rebuild: Rebuild) -> State:
    """The inverse of ``encode_state``, refusing what no round can reach (code ``bad_state``).

    Args:
        rebuild: plays a log of encoded actions under encoded rules.
    """
    if not isinstance(data, dict) or not isinstance(data.get("log"), list):
        raise _bad_state("it has no log")
    try:
        state = rebuild(data.get("rules"), data["log"])
    except IllegalAction as refusal:
        raise _bad_state(str(refusal)) from refusal
    if not same_json(encode_state(state), dict(data)):
        raise _bad_state("what it says does not follow from its log")
    return state


def _bad_state(detail: str) -> IllegalAction:
    return IllegalAction("bad_state", "STATE-1", f"not a state of this game: {detail}")


def facts(state: State) -> JsonObject:
    """What a round shows to everybody at the table, and nothing it hides; amounts in minor units."""
    return brief(state) | {
        "board": [face.said for face in state.faces],
        "results": {str(player.seat): result(state, player) for player in state.players},
    }


def brief(state: State) -> JsonObject:
    """The same without what its cards and its players have of their own."""
    return {
        "phase": state.phase,
        "dealer": state.dealer,
        "players": list(state.seats),
        "order": list(state.order),
        "cards_each": state.cards_each,
        "carried": state.carried,
        state.place: state.pool,
        "turn": turn_of(state),
        "antes_due": list(antes_due(state)),
        "stakes": {str(seat): stake for seat, stake in state.stakes.items()},
        "hands": {str(player.seat): player.cards for player in state.players if player.cards is not None},
        "cards": [face.card for face in state.faces],
        "burnt": [face.card for face in state.faces if face.how != "turned"],
        "shown": {str(player.seat): list(player.shown) for player in state.players if player.shown},
        "payments": [_payment(state, payment) for payment in state.payments],
        "limit_passed": state.limit_passed,
        "outcome": state.outcome,
        "void_reason": state.void_reason,
        "settled": state.settled,
        "next_dealer": state.next_dealer,
    }


def _payment(state: State, payment: Payment) -> JsonObject:
    player = state.player(payment.seat)
    correctable = payment in bounds.open_payments(state, player) and bounds.still_open(state, player)
    return {
        "seat": payment.seat,
        "kind": payment.kind,
        "amount": payment.amount,
        "corrected": payment.corrected,
        "open": correctable and state.outcome is None,
    }


def result(state: State, player: Player) -> JsonObject:
    """What moved for one player so far, minor units.

    What a void round gave back stays on record here, and its ``net`` is zero.
    """
    return player.result | {"net": net(state, player)}


def net(state: State, player: Player) -> int:
    """What the player's own chips gained so far, minor units; zero in a void round."""
    return 0 if state.outcome == "void" else player.net


def turn_of(state: State) -> JsonObject | None:
    """Whose turn it is and what it waits for; None where no turn is due.

    ``due`` is ``bet``, ``burn``, ``turn`` or ``show``; ``minimum`` (the forfeit too), ``maximum`` and
    ``step`` bound the bet and are null once it is stated; ``card`` is the one that lies for it.
    """
    if state.due is None:
        return None
    player = state.player(state.due)
    allowed = bounds.bet_bounds(state) if state.stage == "bet" else None
    return {
        "seat": player.seat,
        "due": state.stage,
        "cards": player.cards,
        "short": player.cards != state.cards_each,
        "stake": player.at_stake,
        "minimum": allowed.minimum if allowed else None,
        "maximum": allowed.maximum if allowed else None,
        "step": allowed.step if allowed else None,
        "card": state.card,
    }


def antes_due(state: State) -> tuple[int, ...]:
    """The seats that must still ante again (CR-REANTE)."""
    return tuple(seat for seat in state.seats if seat not in state.anted) if state.phase == "reante" else ()
