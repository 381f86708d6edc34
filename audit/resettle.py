"""A table's rounds and shoes played again from their journal entries, and whatever differs named.

Pure: entries in, finds out; the same engine the table played with, in the version each round names. At
any time one round and one shoe are held, so memory does not grow with the day.

    round.*     actions applied; state digest, chips moved and openings compared
    round.correct   the physical cards settle the same wagers; the chips moved must be the difference
    round.cancel    a round that was over is void: what it moved goes back, all of it
    deal.*, pool.*, collection.*   a card-room table between its rounds: see `audit.room`
    cash_in     whose cash in the money plays of a settled round are, and how much: see `audit.money`
    marker.*    in their series, and redeemed as they were issued: see `audit.markers`
    in force    which rule set is, and that sets and shoes are those: see `audit.in_force`
    what else   moved the players' chips, or other amounts than it says: see `audit.moves`, `audit.amounts`;
                came out of order or unsigned: see `audit.order`
    shoe.*      every card through the composition, from the load to the retirement
"""

import marshal
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from audit.called import is_called_right
from audit.codes import Found
from audit.corrected import CANCEL, CORRECT, Changed, CorrectionCheck, LookBack
from audit.facts import Fact, Moved
from audit.in_force import NAMING, NameOf, RulesCheck, RuleSetOf
from audit.money import CASH_IN, SEATED, MoneyCheck
from audit.moves import MoveCheck
from audit.order import STOPS, OrderCheck
from audit.reading import KNOWN, Known, Read, actions_read
from audit.replayed import Beginning, Replayed, id_named
from audit.room import RULES_NAMED, RoomCheck
from audit.shoes import ShoeCheck
from audit.signals import signals
from audit.whole import Whole
from tables.engine import card_room
from tables.engine.contract import Handling, IllegalAction, Move
from tables.engine.frozen import Kept
from tables.engine.registry import AnyGame, digest, game
from tables.figures import money_lost

Report = Callable[[Found], None]
ROUNDS, SHOES, DRAW = "round.", "shoe.", "deal.draw"


class TableCheck:
    """Checks a table's entries one after the other.

    Args:
        stream: name of the table's stream.
        rule_set: looks rule sets up.
        report: called with each find.
        played: called with each round once it is over, or left unfinished.
        look_back: reads the entries a correction or a reversal names.
        changed: called with each round that was corrected, or voided after it was over, perhaps sessions ago.
        name: looks up what rule sets are called.
        source: whether the table's cards are scanned or drawn; None where that is not known.
    """

    def __init__(
        self,
        *,
        stream: str,
        rule_set: RuleSetOf,
        report: Report,
        played: Callable[[Replayed], None],
        look_back: LookBack = lambda seq: None,
        changed: Callable[[Changed], None] = lambda changed: None,
        name: NameOf = lambda rules: None,
        source: str | None = None,
    ) -> None:
        self.stream = stream
        self._changed = changed
        self.rounds = 0
        self._rule_set = rule_set
        self._report = report
        self._played = played
        self._round: Replayed | None = None
        self._over: Any = None  # the state of the round that the entry at hand ended
        self._digests: dict[UUID, str] = {}  # of the rule sets seen, as their bodies give them
        self._beginnings: dict[bytes, Beginning] = {}
        self._known: Known = {}  # those of the round at hand
        self._rules_said = RulesCheck(stream, rule_set, report, name=name, source=source)
        self._shoe = ShoeCheck(stream, report)
        self._moves = MoveCheck(stream, report, look_back)
        self._order = OrderCheck(stream, report)
        self._money = MoneyCheck(stream, report)
        self._room = RoomCheck(stream, rule_set, report)
        self._corrections = CorrectionCheck(stream, report, look_back)
        self._checks = Kept(self._checks_of)

    def see(self, fact: Fact) -> None:
        """Check the next entry."""
        self._over = None
        try:
            for check in self._checks[fact.kind, *fact.payload]:
                check(fact)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._found("entry_unreadable", fact, {"kind": fact.kind, "error": repr(error)[:200]})
            self._shoe.shown = 0
            self._drop_round(fact)

    def _checks_of(self, kind: str, *fields: str) -> list[Callable[[Fact], None]]:
        """What may have anything to say of an entry of a kind that says these fields, in order."""
        of_round = kind.startswith(ROUNDS)
        of_cards = of_round or kind.startswith(SHOES) or kind == DRAW
        checks: list[Callable[[Fact], None]] = [self._moves.see]
        if self._order.concerns(kind, hands=self._room.hands):
            checks.append(self._stop if kind in STOPS else self._in_order)
        if kind in RULES_NAMED:
            checks.append(self._play)
        elif self._room.hands:
            checks.append(self._room.see)
        if kind in NAMING:
            checks.append(self._rules_said.see)
        if of_cards:
            checks.append(self._dealing_of(kind))
        if kind in SEATED:
            checks.append(self._money.follow)
        if of_round or CASH_IN in fields:
            checks.append(self._cash)
        if of_cards or "openings" in fields:
            checks.append(self._shoe.surplus)
        return checks

    def _dealing_of(self, kind: str) -> Callable[[Fact], None]:
        """What follows the cards of an entry of a kind, and what is decided by them."""
        if kind == "round.start":
            return self._begin
        if kind in (CORRECT, CANCEL):
            return self._correct
        if kind.startswith(ROUNDS):
            return self._continue
        return self._handle_shoe if kind.startswith(SHOES) else self._shoe.drawn

    def take(self, whole: Whole) -> bool:
        """Take a round that was judged as a whole; False, and nothing done, where its entries are to be seen.

        Whatever `see` has to say of the entries of a plain round is to be looked at here, too.
        """
        if self._round is not None or self._order.frozen or self._room.hands:
            return False
        if self._rules_said.in_force not in (None, whole.rules):
            return False
        if not self._shoe.deal(whole.replayed, whole.cards, whole.openings):
            return False
        self._moves.won(whole.nets)
        self._money.over()
        self.rounds += 1
        return True

    def finish(self) -> None:
        """Say what must be said when nothing more comes: a round still running."""
        if self._round is not None:
            self._end(self._round)
        self._round = None

    def _in_order(self, fact: Fact) -> None:
        self._order.see(fact, running=self._round is not None, hands=self._room.hands)

    def _stop(self, fact: Fact) -> None:
        """The table is frozen or released, from where on other checks may be for it."""
        self._checks.clear()
        self._in_order(fact)

    def _correct(self, fact: Fact) -> None:
        changed = self._corrections.see(fact)
        if changed is not None:
            self._changed(changed)

    def _handle_shoe(self, fact: Fact) -> None:
        self._shoe.see(fact, hands=self._room.hands)

    def _play(self, fact: Fact) -> None:
        """What is played from here on, which other checks may be for."""
        self._checks.clear()
        self._room.see(fact)

    def _cash(self, fact: Fact) -> None:
        if self._over is not None or CASH_IN in fact.payload:
            self._money.see(fact, self._over)

    def _begin(self, fact: Fact) -> None:
        if self._round is not None:
            self._found("round_not_finished", fact, {}, self._round.id)
            self._end(self._round)
        self._round, said = None, fact.payload
        round_id = UUID(said["round"])
        in_force = self._rules_said.in_force
        if in_force not in (None, said["rules"]["id"]):
            evidence = {"named": said["rules"]["id"], "in_force": in_force}
            self._found("rules_not_in_force", fact, evidence, round_id)
        new = self.beginning(said) or self._beginning(fact, round_id)
        if new is None:
            return
        self._known = new.known
        self._round = Replayed.begun(fact, round_id, new)
        self._apply(self._round, fact)

    def beginning(self, said: Mapping[str, Any]) -> Beginning | None:
        """How a round of the rule set and the engine it names begins, if one of them began before."""
        return self._beginnings.get(_beginning_of(said))

    def _beginning(self, fact: Fact, round_id: UUID) -> Beginning | None:
        """The same the first time: looked up once for all of them."""
        body, played = self._rules(fact, round_id), self._engine(fact, round_id)
        if body is None or played is None:
            return None
        state = played.new_round(played.decode_rules(body))
        known = KNOWN.setdefault((played.name, played.version), {})
        new = Beginning(id_named(fact.payload["rules"]["id"]), played, state, known)
        self._beginnings[_beginning_of(fact.payload)] = new
        return new

    def _rules(self, fact: Fact, round_id: UUID) -> dict[str, Any] | None:
        """The body of the rule set a round names, if it is still the one that was named."""
        named = fact.payload["rules"]
        rules_id = id_named(named["id"])
        kept = self._rule_set(rules_id)
        if kept is not None and rules_id not in self._digests:
            self._digests[rules_id] = digest(kept[0])
        if kept is not None and named["digest"] == kept[1] == self._digests[rules_id]:
            return kept[0]
        evidence = {"named": named, "kept": self._digests.get(rules_id)}
        self._found("rule_set_differs", fact, evidence, round_id)
        return None

    def _engine(self, fact: Fact, round_id: UUID) -> AnyGame | None:
        named = fact.payload["engine"]
        try:
            return game(named["game"], named["version"])
        except IllegalAction:
            self._found("engine_unknown", fact, {"named": named}, round_id)
            return None

    def _continue(self, fact: Fact) -> None:
        running = self._round
        if running is None or fact.payload["round"] != running.named:
            self._found("round_out_of_order", fact, {"kind": fact.kind, "round": fact.payload["round"]})
            cards = [action["card"] for action in fact.payload["actions"] if "card" in action]
            self._shoe.handled(fact, [Handling(face_up=tuple(cards))])
            return
        self._apply(running, fact)

    def _apply(self, running: Replayed, fact: Fact) -> None:
        """Apply an entry's actions, and compare what they do with what was recorded."""
        actions: Sequence[dict[str, Any]] = fact.payload["actions"]
        if not is_called_right(fact.kind, actions):
            evidence = {"kind": fact.kind, "done": actions[0].get("type")}
            self._found("kind_differs", fact, evidence, running.id)
        read = actions_read(running.game, actions, self._known)
        handled = [each.handling for each in read if each.acts]
        if handled:
            self._shoe.handled(fact, handled, running, _hand(running, actions))
        moves = self._at_once(running, read) if len(read) == len(actions) else None
        if moves is None:
            moves = self._one_by_one(running, fact, actions, read)
        self._compare(running, fact, [move.plain for move in moves])
        running.last_seq = fact.seq
        if running.game.is_over(running.state):
            running.ended_at = fact.recorded_at
            self._end(running)
            self._round = None

    def _at_once(self, running: Replayed, read: Sequence[Read]) -> Sequence[Move] | None:
        """Apply actions that need no look between them; None, and nothing done, where one is refused."""
        actions = [each.action for each in read if not each.apart]
        if len(actions) < len(read):
            return None
        try:
            running.state, moves = running.game.run(running.state, actions)
        except IllegalAction:
            return None
        return moves

    def _one_by_one(
        self, running: Replayed, fact: Fact, actions: Sequence[Mapping[str, Any]], read: Sequence[Read]
    ) -> Sequence[Move]:
        """Apply actions as far as they are allowed, and say what must be said of them; what they move."""
        moves: list[Move] = []
        for number, action in enumerate(actions):
            if action["type"] == "void" and _decided(running):
                self._found("void_after_decision", fact, _voided(running, fact), running.id)
            try:
                if number == len(read):
                    running.game.decode_action(dict(action))  # refused as before, and said here
                step = running.game.apply(running.state, read[number].action)
            except IllegalAction as illegal:
                evidence = {"action": dict(action), "code": illegal.code, "rule": illegal.rule}
                self._found("illegal_action", fact, evidence, running.id)
                break
            running.state = step.state
            running.turned = running.turned or action["type"] == "turn"
            moves += step.moves
        return moves

    def _compare(self, running: Replayed, fact: Fact, expected: Sequence[tuple[str, str, int]]) -> None:
        recorded = list(fact.moves)
        if recorded != expected:
            paying = any(action["type"] in ("settle", "void") for action in fact.payload["actions"])
            evidence = {
                "rules_give": [list(move) for move in expected],
                "recorded": [list(move) for move in recorded],
                "house_should_win": sum(_won(Moved(*move)) for move in expected),
                "house_won": sum(map(_won, recorded)),
                "cards": running.encoded["cards"],
            }
            self._found("wrong_payout" if paying else "moves_differ", fact, evidence, running.id)
        state = running.game.digest(running.state)
        if fact.payload["state"] != state:
            evidence = {"recorded": fact.payload["state"], "actions_give": state}
            self._found("state_differs", fact, evidence, running.id)

    def _end(self, ended: Replayed) -> None:
        self._room.over(ended.state)
        self._over = ended.state
        if isinstance(ended.state, card_room.State):
            for code, evidence in signals(ended.state, drawn=self._shoe.committed):
                found = Found(code, evidence, self.stream, ended.last_seq, ended.session, ended.id)
                self._report(found)
        self.rounds += 1
        self._played(ended)

    def _drop_round(self, fact: Fact) -> None:
        """After an unreadable entry the round at hand cannot be followed any further."""
        if self._round is not None and fact.kind.startswith(ROUNDS) and fact.kind not in (CORRECT, CANCEL):
            self.finish()

    def _found(
        self, code: str, fact: Fact, evidence: Mapping[str, Any], round_id: UUID | None = None
    ) -> None:
        session = None if self._round is None else self._round.session
        self._report(Found(code, evidence, stream=self.stream, seq=fact.seq, session=session, round=round_id))


def _decided(running: Replayed) -> bool:
    """Whether a card has decided the round, or some stake in it, so that a void takes a result away."""
    return running.turned or any(legal.type == "settle" for legal in running.game.legal(running.state))


def _voided(running: Replayed, fact: Fact) -> dict[str, Any]:
    """What a void took back: the cards that had decided, who signed, and why."""
    said = fact.payload
    return {
        "cards": running.encoded["cards"],
        "reason": [action.get("reason") for action in said["actions"]],
        "actor": str(fact.actor),
        "second": said.get("second"),
        "note": said.get("note", ""),
    }


def _beginning_of(said: Mapping[str, Any]) -> bytes:
    """What tells one rule set and engine from another, whatever an entry names as them."""
    return marshal.dumps((said["rules"], said.get("engine")), 2)


def _hand(running: Replayed, actions: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Where the cards of the hand lay that these actions show: a card-room game's, none in another."""
    if not isinstance(running.state, card_room.State):
        return ()
    shown = next((action for action in actions if action.get("type") == "show"), None)
    if shown is None:
        return ()
    return card_room.hand_positions(running.state).get(shown["seat"], ())


def _won(move: Moved) -> int:
    """What a movement of a round brings the house, minor units: into the tray, of currency into the box."""
    if move.target == "tray":
        return move.amount
    return -move.amount if move.source == "tray" else money_lost(*move)


__all__ = ["Replayed", "Report", "RuleSetOf", "TableCheck"]
