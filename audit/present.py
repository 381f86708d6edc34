"""What entries say of who is at a table, held against the table's other entries; no database.

    session.*     one at a time, by the next number; a count says by how much the tray was brought to it
    round.start   the next number in its session, and in casino Red Dog who bets, and that they sit there
    seat.*        who sits there; a buy-in may tell it of somebody who was unknown
    session.reopen   cancels the last closing, and says again what that said
    what else     names a session: the one that is open, or none while none is

Which session boxes and what is collected later belong to is `audit.blind`'s and `audit.order`'s, who deals
`audit.stints`', who is dealt in at a card-room table `audit.room`'s. What began before the first opening at
hand is not judged.
"""

from collections.abc import Callable, Mapping
from typing import Any

from audit.codes import Found
from audit.facts import Fact

START, OPENING, CLOSING, REOPENED = "round.start", "session.open", "session.close", "session.reopen"
RELIEF = "dealer.relieve"
LATER = (
    *("box.", "drop.", "session.count_drop", "rows.rebuild"),
    *("toke.collect", "promo.collect", "chips.reject"),
)
"""Entries that may be of a session that is closed."""
SITS_DOWN, BUYS_IN, LEAVES = "seat.take", "seat.buy_in", "seat.leave"
SEATS = (SITS_DOWN, BUYS_IN, LEAVES)
NAMING = frozenset(
    {
        *(START, "round.correct", "round.cancel", "correction.post", "entry.reverse", *SEATS),
        *("seat.change", "seat.other_tender", "deal.draw", "pool.divide", "collection.take"),
        *("dealer.sign_on", "dealer.sign_off", RELIEF, "table.freeze", "table.release", "table.rules"),
        *("toke.give", "toke.collect", "promo.collect", "chips.reject", "marker.issue", "marker.redeem"),
        *("box.remove", "drop.count_first", "drop.count_differs", "drop.count", "session.count_drop"),
        *("fill.request", "fill.receive", "credit.request", "credit.send"),
    }
)
"""Entries that name a session, be it none."""
CLOSED_WITH = ("closer", "closer_total", "variance")
"""What a reopening says again of the closing it cancels."""
SESSIONS = (OPENING, CLOSING, REOPENED)
COUNTED = frozenset({*SESSIONS, RELIEF})
RED_DOG, BETS = "red_dog", ("bet", "bet_money")
TRAY = "tray"


class PresenceCheck:
    """Follows who sits at a table, and the numbers of its rounds, from an opening on.

    Args:
        stream: name of the table's stream.
        report: called with each find.
        whole: whether the stream's first entry is among them, so that all of its sessions are at hand.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], *, whole: bool = False) -> None:
        self.stream = stream
        self._report = report
        self._begun = whole
        self._open: str | None = None  # the session
        self._last: str | None = None  # the one that was opened last, and its number
        self._number: int | None = 0 if whole else None
        self._closing: Fact | None = None  # the last one
        self._rounds = 0
        self._sitting: dict[int, str | None] = {}

    def see(self, fact: Fact) -> None:
        """Judge the next entry."""
        kind = fact.kind
        try:
            if kind == OPENING or self._begun:
                self._named(fact, fact.payload)
            if kind in COUNTED:
                self._counted(fact, fact.payload)
            if kind in SESSIONS:
                self._session(fact, fact.payload)
            elif self._begun and kind == START:
                self._round(fact, fact.payload)
            elif self._begun and kind in SEATS:
                self._seat(fact, fact.payload)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._found("entry_unreadable", fact, {"error": repr(error)[:200]}, "present")

    def _named(self, fact: Fact, said: Mapping[str, Any]) -> None:
        """What names a session names the one that is open; one is opened where none is, or the last again."""
        if fact.kind in (OPENING, REOPENED):
            if self._open is not None:
                self._found("out_of_order", fact, {"open": self._open}, "session")
            if fact.kind == REOPENED and said["session"] != self._last:
                self._found("session_misnamed", fact, {"named": said["session"], "last": self._last})
        elif "session" not in said:
            if fact.kind in NAMING:
                self._found("session_misnamed", fact, {"named": "nothing", "open": self._open})
        elif said["session"] != self._open and not fact.kind.startswith(LATER):
            self._found("session_misnamed", fact, {"named": said["session"], "open": self._open})

    def _counted(self, fact: Fact, said: Mapping[str, Any]) -> None:
        """By how much a count brings the tray to what was counted is what it moves; a reopening undoes it."""
        moved = sum(amount if target == TRAY else -amount for _, target, amount in fact.moves)
        due = -said["variance"] if fact.kind == REOPENED else said.get("variance", 0)
        if moved != due:
            self._found("amount_differs", fact, {"variance": said.get("variance"), "moved": moved})

    def _session(self, fact: Fact, said: Mapping[str, Any]) -> None:
        """Nobody sits at a table that opens, closes, or is opened again."""
        self._sitting = {}
        if fact.kind == REOPENED and self._closing is not None:
            self._again(fact, self._closing)
        self._closing = fact if fact.kind == CLOSING else None
        self._open = None if fact.kind == CLOSING else said["session"]
        if fact.kind == OPENING:
            number = said["number"]
            if self._number is not None and number != self._number + 1:
                self._found("out_of_order", fact, {"number": number, "last": self._number}, "number")
            self._begun, self._rounds, self._last, self._number = True, 0, said["session"], number

    def _again(self, fact: Fact, closing: Fact) -> None:
        """A reopening names the closing it cancels, and what that said."""
        said = {"closed_seq": fact.payload.get("closed_seq")}
        said |= {name: fact.payload.get(name) for name in CLOSED_WITH}
        due = {"closed_seq": closing.seq} | {name: closing.payload.get(name) for name in CLOSED_WITH}
        if said != due:
            self._found("reopening_differs", fact, {"said": said, "closed_with": due})

    def _round(self, fact: Fact, said: Mapping[str, Any]) -> None:
        self._rounds += 1
        if said["number"] != self._rounds:
            self._found("round_out_of_order", fact, {"number": said["number"], "due": self._rounds})
        if said["engine"]["game"] == RED_DOG:
            betting = {action["seat"] for action in said["actions"] if action["type"] in BETS}
            due = {str(seat): self._sitting[seat] for seat in sorted(betting) if seat in self._sitting}
            if said["players"] != due:
                self._found("player_not_seated", fact, {"named": said["players"], "sit_there": due})

    def _seat(self, fact: Fact, said: Mapping[str, Any]) -> None:
        seat, player = said["seat"], said["player"]
        known, sits = self._sitting.get(seat), seat in self._sitting
        tells = fact.kind == BUYS_IN and known is None
        if sits == (fact.kind == SITS_DOWN) or (sits and player != known and not tells):
            evidence = {"seat": seat, "named": player, "sits_there": known, "somebody_sits": sits}
            self._found("player_not_seated", fact, evidence, str(seat))
        if fact.kind == LEAVES:
            self._sitting.pop(seat, None)
        else:
            self._sitting[seat] = player

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any], about: str = "") -> None:
        told = {"kind": fact.kind, **evidence}
        self._report(Found(code, told, stream=self.stream, seq=fact.seq, about=about))
