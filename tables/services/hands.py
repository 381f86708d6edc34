"""Hands dealt face down from a drawn pack: positions of its commitment, opened only as the rules show them.

Nothing here writes a card anywhere but what is shown. A hand that is looked at is opened for that one
look: the journal says who looked and why, never what they saw, and no answer keeps it.
"""

import uuid
from collections.abc import Sequence

from config.errors import DomainError
from tables.engine.card_room.showdown import positions, winners
from tables.engine.card_room.state import State
from tables.engine.cards import rank
from tables.engine.commitment import Opening
from tables.engine.registry import game
from tables.models import CardSource, Casino, Round, RoundStatus, Shoe
from tables.selectors.views import is_card_room
from tables.services.asked import why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found
from tables.services.shoes import open_at


def open_hand(shoe: Shoe, state: State, seat: int) -> tuple[Opening, ...]:
    """The cards a seat was dealt in a round from a drawn pack; none for somebody without a hand."""
    counts = {player: state.player(player).cards or 0 for player in state.order}
    return open_at(shoe, positions(counts).get(seat, ()))


def to_be_shown(hand: Sequence[Opening], turned: str, named: Sequence[str]) -> tuple[Opening, ...]:
    """What a bettor must show of a hand: one card that beats the turned one, or the whole hand.

    Args:
        named: the card he chose to show. One that does not win (or that he does not hold) is passed over for
            his lowest that does: to refuse it would tell what the hand is not.
    """
    winning = set(winners([held.card for held in hand], turned))
    if not winning:
        return tuple(hand)
    chosen = next((card for card in named if card in winning), min(winning, key=rank))
    return tuple(held for held in hand if held.card == chosen)


def hand_look(
    *, casino_id: uuid.UUID, round_id: uuid.UUID, seat: int, reason: str, command: Command
) -> tuple[Answer, tuple[str, ...]]:
    """Look at a hand of a finished round at a table that draws its cards; the look itself is journalled.

    It stands in the office's stream, so that nobody at the table is told of it.

    Returns:
        What was written down, and the cards; a command sent again gets none: each look is one entry.

    Raises:
        DomainError: `round_not_found`, `wrong_game`, `round_in_progress`, `hand_not_recorded` (physical cards
            that nobody saw), `no_hand`, `reason_missing`.
    """

    def work(casino: Casino) -> Effect:
        played = _finished(casino_id, round_id)
        told = why(reason)
        if not _hand(played, seat):
            raise DomainError("no_hand", f"Seat {seat} was dealt no hand in this round.", status=404)
        said = {"round": str(played.id), "seat": seat, "reason": told}
        return Effect(kind="hand.look", payload=said, body=lambda: said, status=201)

    request = {"round": str(round_id), "seat": seat, "reason": reason}
    answer = execute("hand.look", command, request, lock_office, casino_id, work)
    if answer.replayed:
        return answer, ()
    return answer, tuple(held.card for held in _hand(_finished(casino_id, round_id), seat))


def _finished(casino_id: uuid.UUID, round_id: uuid.UUID) -> Round:
    """A finished card-room round of the house, whose cards were drawn."""
    rounds = Round.objects.select_related("shoe", "rules").filter(table__casino=casino_id)
    played = rounds.filter(id=round_id).first()
    if played is None:
        raise not_found("round")
    if not is_card_room(played.rules):
        raise DomainError("wrong_game", f"{played.game} has no hands.")
    if played.status == RoundStatus.IN_PROGRESS:
        raise DomainError("round_in_progress", "Nobody looks at a hand that is still played.")
    if played.shoe.source != CardSource.DRAWN:
        raise DomainError("hand_not_recorded", "The cards were physical: what nobody showed nobody knows.")
    return played


def _hand(played: Round, seat: int) -> tuple[Opening, ...]:
    state: State = game(played.game, played.engine_version).decode_state(played.state)
    return open_hand(played.shoe, state, seat)
