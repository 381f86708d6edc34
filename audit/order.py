"""When a table's entries may come, who must have signed them, and that a bet comes before its card.

A round that runs, a frozen table and a missing signature are seen from a table's entries alone; what began
before the first entry at hand is not judged.
"""

from collections.abc import Callable, Mapping
from typing import Any

from audit import signed
from audit.codes import Found
from audit.facts import Fact

BETWEEN_ROUNDS = frozenset(
    {
        *("seat.leave", "shoe.load", "shoe.burn", "shoe.retire", "table.rules"),
        *("deal.draw", "pool.divide", "collection.take"),
        *("correction.post", "entry.reverse", "round.correct", "round.cancel"),
    }
)
"""What no round may run for, at any table."""
BETWEEN_HANDS = frozenset({"seat.take", "seat.buy_in", "toke.give", "marker.issue", "marker.redeem"})
"""What else comes between rounds only where players hold hands."""
WHILE_FROZEN = (
    *("table.release", "round.void", "box.", "drop.", "session.count_drop"),
    *("ledger.rebuild", "rows.rebuild"),
)
"""What a frozen table still takes, or how it begins: its end, the round's, what becomes of its boxes, and
that what is kept beside the journal was derived again."""
SIGNED = signed.SIGNED[signed.TABLE]
NAMES_SESSION = frozenset({"toke.collect", "promo.collect", "chips.reject"})
"""What also comes while a table is closed, and says then that no session is open."""
OPENS, CLOSES, CHANGES_BOX = ("session.open", "session.reopen"), "session.close", "box.remove"
FREEZES, RELEASES, ROUNDS = "table.freeze", "table.release", "round."
STOPS = (FREEZES, RELEASES)
FOLLOWED = NAMES_SESSION | {*OPENS, CLOSES, CHANGES_BOX, *STOPS}
"""What besides a round's entries something follows from for those that come later."""

STATED = frozenset({"bet", "bet_money", "bet_toke", "bet_promo", "raise", "raise_money"})
DECIDING = frozenset({"deal", "burn", "turn", "expose", "expose_third"})


class OrderCheck:
    """Follows a table's entries in order.

    Args:
        stream: name of the table's stream.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self.stream = stream
        self._report = report
        self._frozen: int | None = None
        self._open: tuple[str | None] | None = None  # the session; None while it is not known which
        self._boxes: dict[str, str] = {}  # the session of each box

    @property
    def frozen(self) -> bool:
        """Whether the table is frozen."""
        return self._frozen is not None

    def concerns(self, kind: str, *, hands: bool) -> bool:
        """Whether it may have anything to say of an entry of a kind; no other does while a table is frozen.

        Args:
            hands: whether the table's game is one of the card room.
        """
        between = kind in BETWEEN_ROUNDS or (hands and kind in BETWEEN_HANDS)
        return self.frozen or between or kind in SIGNED or kind in FOLLOWED or kind.startswith(ROUNDS)

    def see(self, fact: Fact, *, running: bool, hands: bool) -> None:
        """Judge the next entry.

        Args:
            running: whether a round runs when it comes.
            hands: whether the table's game is one of the card room.
        """
        kind = fact.kind
        if self._frozen is not None and not kind.startswith(WHILE_FROZEN):
            self._found("out_of_order", fact, {"frozen_since": self._frozen}, "frozen")
        if running and (kind in BETWEEN_ROUNDS or (hands and kind in BETWEEN_HANDS)):
            self._found("out_of_order", fact, {"round_runs": True}, "round")
        if kind in SIGNED and signed.signed_by_one(fact):
            evidence = {"actor": str(fact.actor), "second": fact.payload.get("second")}
            self._found("signature_missing", fact, evidence)
        if kind.startswith(ROUNDS):
            self._one_thing(fact)
        elif kind in FOLLOWED:
            self._between(fact)

    def _between(self, fact: Fact) -> None:
        """An entry that is none of a round: what names a session, and what opens, closes or stops a table."""
        if fact.kind in NAMES_SESSION:
            self._of_session(fact)
        if fact.kind in (*OPENS, CLOSES, CHANGES_BOX):
            self._sessions(fact)
        if fact.kind == FREEZES:
            self._frozen = fact.seq
        elif fact.kind == RELEASES:
            # One that is frozen is not opened, so what it is is known from there on.
            if self._frozen is None and self._open is not None:
                self._found("out_of_order", fact, {"frozen_since": None}, "frozen")
            self._frozen = None

    def _one_thing(self, fact: Fact) -> None:
        """A bet is stated in one entry, its card lies in a later one, and the hand is shown in a third."""
        kinds = {action.get("type") for action in fact.payload.get("actions", ())}
        if len(kinds) < 2:
            return
        if (kinds & STATED and kinds & (DECIDING | {"show"})) or (kinds & DECIDING and "show" in kinds):
            self._found("bet_not_before_card", fact, {"actions": sorted(map(str, kinds))})

    def _sessions(self, fact: Fact) -> None:
        """Which session is open from here on, and which box it has."""
        session = fact.payload.get("session")
        if fact.kind != CHANGES_BOX:
            self._open = (None if fact.kind == CLOSES else session,)
        for box in (fact.payload.get("box"), fact.payload.get("next")):
            if isinstance(box, dict):
                self._boxes[str(box.get("box"))] = str(session)

    def _of_session(self, fact: Fact) -> None:
        """What names a session names the one that is open, or the one its box belongs to."""
        said, due = fact.payload, self._open
        if said.get("where") == "box":
            known = self._boxes.get(str(said.get("box")))
            due = None if known is None else (known,)
        if due is not None and said.get("session") != due[0]:
            self._found("session_misnamed", fact, {"named": said.get("session"), "open": due[0]})

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any], about: str = "") -> None:
        told = {"kind": fact.kind, **evidence}
        self._report(Found(code, told, stream=self.stream, seq=fact.seq, about=about))
