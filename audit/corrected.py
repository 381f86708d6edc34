"""Corrected and cancelled rounds judged again: the same wagers on the physical cards, or no round at all,
and what had to move for it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact, Moved
from tables.engine.cancelled import Dues, dues_of
from tables.engine.contract import IllegalAction
from tables.engine.odds.theory import Theory, theory_of
from tables.engine.places import TRAY, seat_of
from tables.engine.red_dog import State
from tables.engine.registry import AnyGame, digest, game

CORRECT, CANCEL = "round.correct", "round.cancel"
LookBack = Callable[[int], Fact | None]
"""Reads an earlier entry of the stream by its number; None when there is none."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What a round counts for differently since a correction, or since it was voided after it was over.

    Attributes:
        voided: whether it does not count any more.
        seq: number of the entry that says so.
        state: the round on the cards that really lay, encoded; None where it is voided.
        handle: what is to be added to the handle, minor units.
        theory: the same of what the house could expect; None where that is nothing.
    """

    id: UUID
    voided: bool
    seq: int
    state: Mapping[str, Any] | None
    handle: int
    theory: Theory | None


def theory_in(state: Any) -> Theory | None:
    """What the house could expect of a round; None in a game it does not bank, and of one that is void."""
    return theory_of(state) if isinstance(state, State) else None


class CorrectionCheck:
    """The corrections of a table's rounds, and those that were cancelled after they were over, in order.

    Args:
        stream: name of the table's stream.
        report: called with each find.
        look_back: how the entries a correction names are read; they may lie sessions back.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], look_back: LookBack) -> None:
        self.stream = stream
        self._report = report
        self._look_back = look_back
        self._last: dict[str, int] = {}  # of each round corrected before, the last correction
        self._cancelled: set[str] = set()

    def see(self, fact: Fact) -> Changed | None:
        """Check one correction against the round it corrects and against the rules.

        Returns:
            What the round counts for differently; None where the correction cannot be followed.
        """
        said = fact.payload
        engine = self._engine(said)
        if engine is None or not self._is_of_round(said):
            self._found("correction_without_round", fact, {"round": said["round"]})
            return None
        try:
            recorded = engine.decode_state(said["recorded"])
            before = self._before(engine, recorded, said)
            if fact.kind == CANCEL:
                self._cancel(fact, engine, before)
                theory = theory_in(before)
                return Changed(
                    UUID(said["round"]), True, fact.seq, None, -engine.handle(before), theory and -theory
                )
            after = engine.judged_on(recorded, said["cards"])
        except IllegalAction as illegal:
            self._found("illegal_action", fact, {"code": illegal.code, "rule": illegal.rule})
            return None
        self._last[said["round"]] = fact.seq
        encoded = engine.encode_state(after)
        if said["state"] != digest(encoded) or said["results"] != encoded["results"]:
            evidence = {"recorded": said["state"], "cards_give": digest(encoded)}
            self._found("state_differs", fact, evidence)
        was, is_ = engine.nets(before), engine.nets(after)
        self._moved(fact, {TRAY: {seat: is_[seat] - was[seat] for seat in is_}})
        handle = engine.handle(after) - engine.handle(before)
        return Changed(UUID(said["round"]), False, fact.seq, encoded, handle, _difference(before, after))

    def _cancel(self, fact: Fact, engine: AnyGame, before: Any) -> None:
        """A round that was over does not count any more: all it moved goes back, or is in dispute."""
        said = fact.payload
        self._cancelled.add(said["round"])
        evidence = {
            "cards": said["recorded"]["cards"],
            "reason": [said["reason"]],
            "actor": str(fact.actor),
            "second": said["second"],
            "note": said["note"],
        }
        self._found("void_after_decision", fact, evidence)
        if said["state"] != digest(said["recorded"]):
            self._found("state_differs", fact, {"recorded": said["state"]})
        self._moved(fact, dues_of(engine, before))

    def _moved(self, fact: Fact, dues: Dues) -> None:
        if not moved_as_due(fact.moves, dues):
            due = {middle: {str(seat): owed for seat, owed in by.items()} for middle, by in dues.items()}
            evidence = {"due": due, "recorded": [list(move) for move in fact.moves]}
            self._found("wrong_correction", fact, evidence)

    def _engine(self, said: Mapping[str, Any]) -> AnyGame | None:
        """The engine the round was begun with, if the entry named as its beginning is that."""
        start = self._look_back(said["first_seq"])
        if start is None or start.kind != "round.start" or start.payload.get("round") != said["round"]:
            return None
        named = start.payload["engine"]
        return game(named["game"], named["version"])

    def _is_of_round(self, said: Mapping[str, Any]) -> bool:
        """Whether the state it corrects is the one the round ended with, and no correction was skipped."""
        last = self._look_back(said["last_seq"])
        if last is None or last.payload.get("round") != said["round"] or last.kind in (CORRECT, CANCEL):
            return False
        if said["round"] in self._cancelled:
            return False
        skipped = self._last.get(said["round"], said["before_seq"]) != said["before_seq"]
        return last.payload.get("state") == digest(said["recorded"]) and not skipped

    def _before(self, engine: AnyGame, recorded: Any, said: Mapping[str, Any]) -> Any:
        """The round as it stood: as recorded, or as its last correction left it."""
        if said["before_seq"] == said["last_seq"]:
            return recorded
        previous = self._look_back(said["before_seq"])
        if previous is None or previous.kind != CORRECT or previous.payload.get("round") != said["round"]:
            raise IllegalAction("not_settled", "RD-PHYSICAL", "no such correction came before")
        return engine.judged_on(recorded, previous.payload["cards"])

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any]) -> None:
        round_id, session = UUID(fact.payload["round"]), UUID(fact.payload["session"])
        self._report(Found(code, evidence, stream=self.stream, seq=fact.seq, session=session, round=round_id))


def _difference(before: Any, after: Any) -> Theory | None:
    """What the house could expect of the physical cards, less what it could of those recorded."""
    was, is_ = theory_in(before), theory_in(after)
    return None if was is None or is_ is None else is_.less(was)


def moved_as_due(moves: Iterable[Moved], dues: Dues) -> bool:
    """Whether a correction's movements bring each seat what it is due (negative: it owes).

    Whoever owes pays into the tray (or the pool), and what is short is claimed (``floor -> disputed``);
    whoever is due is paid from there, or it is set aside (``tray -> disputed``), or owed
    (``disputed -> floor``).
    """
    owing = {(middle, s): -amount for middle, due in dues.items() for s, amount in due.items() if amount < 0}
    owed = {(middle, s): amount for middle, due in dues.items() for s, amount in due.items() if amount > 0}
    claimed = paid = 0
    for source, target, amount in moves:
        giver, taker = seat_of(source), seat_of(target)
        if target in dues and giver is not None:
            owing[target, giver] = owing.get((target, giver), 0) - amount
        elif source in dues and taker is not None:
            owed[source, taker] = owed.get((source, taker), 0) - amount
        elif (source, target) == ("floor", "disputed"):
            claimed += amount
        elif (source in dues and target == "disputed") or (source, target) == ("disputed", "floor"):
            paid += amount
        else:
            return False
    nobody_beyond = min([0, *owing.values(), *owed.values()]) == 0
    return nobody_beyond and sum(owing.values()) == claimed and sum(owed.values()) == paid
