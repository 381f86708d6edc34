"""The card-room games, version 1: the contract around the actions. Their behaviour never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tables.engine import actions as codec
from tables.engine.actions import Action
from tables.engine.card_room import closing, dealing, record, turns
from tables.engine.card_room.actions import (
    BANKING_KINDS,
    BURNING_KINDS,
    POOL_KINDS,
    Ante,
    Bet,
    Burn,
    Discard,
    Expose,
    Forfeit,
    Hand,
    Join,
    Mispay,
    OpenBank,
    OpenPool,
    Pass,
    PutRight,
    Settle,
    ShortForfeit,
    Show,
    Turn,
    Void,
)
from tables.engine.card_room.legal import legal_actions
from tables.engine.card_room.rulebook import refuse
from tables.engine.card_room.rules import BankRules, PoolRules, Rules
from tables.engine.card_room.state import State
from tables.engine.card_room.text import state_text
from tables.engine.codec import digest_of_text
from tables.engine.contract import Handling, JsonObject, LegalAction, Move, Step
from tables.engine.frozen import changed
from tables.engine.places import wager_place
from tables.engine.replay import in_turn
from tables.engine.rules import bad_rules

HANDLERS: dict[type[Action], Callable[[State, Any], Step[State]]] = {
    Join: dealing.join,
    OpenPool: dealing.open_pool,
    OpenBank: dealing.open_bank,
    Hand: dealing.hand,
    Bet: turns.bet,
    Forfeit: turns.forfeit,
    ShortForfeit: turns.short_forfeit,
    Pass: turns.pass_,
    Discard: turns.discard,
    Burn: turns.burn,
    Turn: turns.turn,
    Expose: turns.expose,
    Show: turns.show,
    Ante: turns.ante,
    Mispay: closing.mispay,
    PutRight: closing.put_right,
    Settle: closing.settle,
    Void: closing.void,
}
KINDS: dict[str, dict[str, type[Action]]] = {
    "high_card_pool": POOL_KINDS,
    "burning_card": BURNING_KINDS,
    "banking": BANKING_KINDS,
}


@dataclass(frozen=True)
class CardRoomGame:
    """One of the three games as the contract wants it (see ``tables.engine.contract.Game``)."""

    name: str
    version: int = 1

    def decode_rules(self, data: object) -> Rules:
        """The rule set that ``data`` stands for."""
        rules = BankRules.from_dict(data) if self.name == "banking" else PoolRules.from_dict(data)
        if rules.game != self.name:
            raise bad_rules(f"these are rules of {rules.game}")
        return rules

    def encode_rules(self, rules: Rules) -> JsonObject:
        """The rule set as JSON."""
        return rules.to_dict()

    def new_round(self, rules: Rules) -> State:
        """A round that waits for its players."""
        return State(rules)

    def apply(self, state: State, action: Action) -> Step[State]:
        """The step ``action`` makes, or IllegalAction with a code of the rulebook."""
        if type(action) not in KINDS[self.name].values():
            raise codec.bad_action("not an action of this game")
        if state.phase == "over":
            raise refuse("round_over", "the round is finished")
        step = HANDLERS[type(action)](state, action)
        return Step(_booked(step.state, action, step.moves), step.moves)

    def run(self, state: State, actions: Sequence[Action]) -> Step[State]:
        """What ``actions`` do, one after the other."""
        return in_turn(self, state, actions)

    def legal(self, state: State) -> tuple[LegalAction, ...]:
        """Exactly what ``apply`` would accept."""
        return legal_actions(state)

    def is_over(self, state: State) -> bool:
        """Whether the round was settled or voided."""
        return state.phase == "over"

    def places(self, state: State) -> dict[str, int]:
        """The stake at risk, and what lies in the pool or bank; a pool stays there after the round."""
        stakes = {wager_place(seat): stake for seat, stake in state.stakes.items()}
        return stakes | ({state.place: state.pool} if state.pool else {})

    def carried(self, state: State) -> dict[str, int]:
        """What lay in the pool before the round; a bank is empty then."""
        return {state.place: state.carried} if state.carried else {}

    def handling(self, action: Action) -> Handling:
        """Hands leave the pack face down, deciding and discarded cards face up; shown ones were hidden."""
        if isinstance(action, Hand):
            return Handling(face_down=action.cards)
        if isinstance(action, Show):
            return Handling(revealed=action.cards)
        return Handling((action.card,)) if isinstance(action, Burn | Turn | Expose) else Handling()

    def limits(self, rules: Rules) -> JsonObject:
        """Ante, pool limit or greatest bank, chip, seats, size of a hand and fee."""
        return rules.limits()

    def handle(self, state: State) -> int:
        """Nothing: players play each other, and the house only collects."""
        return 0

    def describe(self, state: State) -> JsonObject:
        """What the table may see: hands only as numbers of cards, until the rules show them."""
        return record.facts(state) | {
            "game": self.name,
            "engine_version": self.version,
            "over": self.is_over(state),
            "tray_need": 0,
            "legal": [legal.as_dict() for legal in self.legal(state)],
        }

    def judged_on(self, state: State, cards: Sequence[str]) -> State:
        """Refused: there is no board that decided for all (CR-PHYSICAL)."""
        raise refuse("no_physical_result", "a payment, a documented correction or a void puts it right")

    def nets(self, state: State) -> dict[int, int]:
        """What the round so far gained each seat's own chips."""
        return {player.seat: record.net(state, player) for player in state.players}

    def encode_state(self, state: State) -> JsonObject:
        """The state as JSON."""
        return record.encode_state(state)

    def digest(self, state: State) -> str:
        """The digest of the encoded state."""
        return digest_of_text(state_text(state))

    def decode_state(self, data: object) -> State:
        """The state that ``data`` stands for."""
        return record.decode_state(data, self._replayed)

    def _replayed(self, rules: object, log: Iterable[object]) -> State:
        state = self.new_round(self.decode_rules(rules))
        for entry in log:
            state = self.apply(state, self.decode_action(entry)).state
        return state

    def encode_action(self, action: Action) -> JsonObject:
        """The action as JSON with its type."""
        return codec.encode(action)

    def decode_action(self, data: object) -> Action:
        """The action that ``data`` stands for."""
        return codec.decode(KINDS[self.name], data)


def _booked(state: State, action: Action, moves: Sequence[Move]) -> State:
    """The state with the action on its log and the moves in its pool; a pool anted anew plays on."""
    into = sum(move.amount for move in moves if move.target == state.place)
    out_of = sum(move.amount for move in moves if move.source == state.place)
    pool = state.pool + into - out_of
    complete = bool(pool) and len(state.anted) == len(state.players)
    return changed(
        state,
        log=(*state.log, action),
        pool=pool,
        peak=max(state.peak, pool),
        anted=() if complete else state.anted,
    )


HIGH_CARD_POOL = CardRoomGame("high_card_pool")
BURNING_CARD = CardRoomGame("burning_card")
BANKING = CardRoomGame("banking")
