"""A settled round judged again on the cards that really lay: what it should have paid for its wagers."""

from __future__ import annotations

from collections.abc import Sequence

from tables.engine.cards import parse_card
from tables.engine.contract import IllegalAction
from tables.engine.frozen import changed
from tables.engine.red_dog.board import outcome_of, shape_of
from tables.engine.red_dog.state import State

RULE = "RD-PHYSICAL"


def with_cards(state: State, cards: Sequence[str]) -> State:
    """The settled round as ``cards`` decide it, for the same wagers (RD-PHYSICAL).

    Raises that the real cards do not allow (a pair, consecutives) count as returned. Where the real
    cards have a spread and the recorded ones had none, nobody could raise: the bets play alone, and the
    round is left out of raise tests. A spread announced for other cards counts as a wrong announcement.

    Raises IllegalAction: ``not_settled``, ``bad_card``, ``board_undecided``, ``impossible_card``.
    """
    if not state.settled:
        raise IllegalAction("not_settled", RULE, "only what was settled can be corrected")
    board = tuple(parse_card(card) for card in cards)
    shape = shape_of(board[0], board[1]) if len(board) >= 2 else None
    if outcome_of(board) is None or len(board) != (2 if shape == "consecutive" else 3):
        raise IllegalAction("board_undecided", RULE, "two consecutive cards, or three that decide the round")
    if any(board.count(card) > state.rules.packs for card in board):
        raise IllegalAction("impossible_card", RULE, "a card lies more often than there are packs")
    judged = changed(state, cards=board, burnt=())
    if shape != "spread":
        bare = tuple(changed(wager, raised=0) for wager in state.wagers)
        return changed(judged, wagers=bare, announced=None, misannounced=False, raise_test_excluded=False)
    if state.announced is None:
        return changed(judged, raise_test_excluded=True)
    return changed(judged, misannounced=state.misannounced or state.announced != judged.spread)
