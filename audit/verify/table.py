"""One table's entries judged: every shoe dealt again, every round settled again, every session added up.

The judgements are the audit's own pure ones, with the very engine and formulas; what is new here is only what
a bundle adds: counts against balances, and a session whose opening or whose count lies outside the bundle.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from audit.blind import KINDS, WHOLE, BlindCheck
from audit.chips import Count, counted
from audit.codes import Found
from audit.corrected import Changed
from audit.facts import Fact
from audit.in_force import NameOf, RuleSetOf
from audit.present import COUNTED, NAMING, PresenceCheck
from audit.reconcile import Flows, Left, SessionBooks, carried_over, chips_astray
from audit.resettle import Replayed, TableCheck
from audit.verify.chain import StreamWalk
from audit.verify.dealers import DealerCheck, is_of_dealers
from audit.verify.report import Findings
from audit.verify.rounds import in_turn
from audit.whole import Whole
from tables.figures import WinState, win_standing

OPENING, CLOSING, REOPENED = "session.open", "session.close", "session.reopen"
OF_SESSIONS = (OPENING, CLOSING, REOPENED, WHOLE)
READING = (OPENING, CLOSING)
"""Kinds of entries whose judgement looks at what accounts hold: nothing is walked beyond one before that."""
ON_THE_LAYOUT = ("seat:", "wager:", "toke:", "promo_wager:", "money:", "pool", "bank")
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)


@dataclass(slots=True)
class Session:
    """A session as the bundle has it; `books` while it is closed, `rounds` without those that are void."""

    id: UUID
    number: int | None
    gaming_day: date
    opened_seq: int
    opened_at: datetime
    opener: int
    carried: int
    opener_chips: Count | None = None
    left_chips: Count | None = None
    flows: Flows = field(default_factory=Flows)
    rounds: int = 0
    voided: int = 0
    books: SessionBooks | None = None

    def close(self, stream: str, seq: int, closer: int, chips: Count | None) -> None:
        """Its books as they stand with the closing entry."""
        self.books = SessionBooks(
            session=self.id,
            stream=stream,
            gaming_day=self.gaming_day,
            opened_seq=self.opened_seq,
            closed_seq=seq,
            carried=self.carried,
            opener=self.opener,
            closer=closer,
            drop=None,
            flows=self.flows,
            opener_chips=self.opener_chips,
            closer_chips=chips,
            left_chips=self.left_chips,
        )

    def as_dict(self, stream: str) -> dict[str, Any]:
        """The session's figures as JSON; amounts in minor units, null where not known yet."""
        said: dict[str, Any] = {
            "session": str(self.id),
            "stream": stream,
            "gaming_day": self.gaming_day.isoformat(),
            "opened_seq": self.opened_seq,
            "rounds": self.rounds,
            "voided": self.voided,
            "opener": self.opener,
            "fills": self.flows.fills,
            "credits": self.flows.credits,
            "rounds_result": self.flows.rounds_result,
            "insertions": self.flows.insertions,
        }
        if self.books is None:
            unknown = dict.fromkeys(("closed_seq", "closer", "drop", "win", "T", "B", "U", "chips"))
            return said | unknown | {"win_state": WinState.PENDING.value}
        checks, win = self.books.checks, self.books.win
        return said | {
            "closed_seq": self.books.closed_seq,
            "closer": self.books.closer,
            "drop": self.books.drop,
            "win": win.win,
            "win_state": win_standing(win, checks).value,
            "T": checks.tray,
            "B": checks.box,
            "U": checks.unexplained,
            "chips": self.books.chips.to_dict(),
        }


@dataclass(slots=True)
class Told:
    """What a table's entries come to.

    Attributes:
        sessions: by id.
        last_round: id of the one the last entry of any round was about.
        proved_by: number of the entry with the first opening count that the movements bear out.
        taken_back: cash that was: numbers of the entries, the days they say, and the moments it was brought.
    """

    sessions: dict[str, Session] = field(default_factory=dict)
    shoes: int = 0
    rounds: int = 0
    last_round: str = ""
    proved_by: int | None = None
    taken_back: list[tuple[int, str, datetime]] = field(default_factory=list)


class TableJudge:
    """Judges a table's entries one after the other, beside the walk over its stream.

    Attributes:
        told: what they come to.

    Args:
        walk: over the same entries; its balances are read.
        rule_set, name: look rule sets up.
        source: whether the table's cards are scanned or drawn, None where nothing tells.
        look_back: reads an earlier entry of the stream, for corrections.
        findings: takes what is wrong.
        played: called with each round.
        changed: called with each round that was corrected, or voided after it was over.
    """

    def __init__(
        self,
        walk: StreamWalk,
        *,
        rule_set: RuleSetOf,
        name: NameOf,
        source: str | None,
        look_back: Callable[[int], Fact | None],
        findings: Findings,
        played: Callable[[Replayed], None],
        changed: Callable[[Changed], None] = lambda changed: None,
    ) -> None:
        self.told = Told()
        self._walk, self._findings, self._played = walk, findings, played
        self._open: Session | None = None
        self._tray_before = 0
        self._between: list[Fact] = []  # since the last closing, in case it is cancelled
        self._closer: Count | None = (
            {} if walk.first == 1 else None
        )  # before a stream's first session: nothing
        self._blind = BlindCheck(walk.name, findings.found)
        self._present = PresenceCheck(walk.name, findings.found, whole=walk.first == 1)
        self._dealers: DealerCheck | None = None  # those of the session at hand, or of the last one
        self._check = TableCheck(
            stream=walk.name,
            rule_set=rule_set,
            report=findings.found,
            played=self._take,
            look_back=look_back,
            changed=self._changed,
            name=name,
            source=source,
        )
        self._note_changed, self._look_back = changed, look_back

    def tray(self) -> int:
        """What lies in the tray by the books, minor units."""
        tray = self._walk.accounts.get("tray")
        return 0 if tray is None else tray.balance

    def opens(self, tray_before: int) -> None:
        """A session is opened next, before whose movements this lay in the tray, minor units."""
        self._tray_before = tray_before

    def in_turn(self, facts: Sequence[Fact]) -> Iterator[tuple[Fact, bool]]:
        """Each of the next entries, and whether its round is settled already (`checks_of`)."""
        return in_turn(facts, self._check.beginning, self._settle)

    def checks_of(self, is_settled: bool, kind: str, *fields: str) -> Iterator[Callable[[Fact], None]]:
        """What may have anything to say of an entry of a kind that says these fields, in order.

        Each of them judges entries whose movements the walk has made already.

        Args:
            is_settled: whether it is one of a round that was settled as a whole.
        """
        if not is_settled:
            yield self._table
        if kind in COUNTED or kind in NAMING or "session" in fields:
            yield self._present.see
        if kind == "shoe.load":
            yield self._loaded
        if kind.startswith("round."):
            yield self._named
        if kind == "entry.reverse" and "gaming_day" in fields:
            yield self._taken_back
        is_more = kind in OF_SESSIONS or kind in KINDS or is_of_dealers(kind, fields)
        yield self._session if is_more else self._passed

    def finish(self) -> None:
        """Judge what must be judged at the end: a round still running, and the money of every session."""
        try:
            self._check.finish()
            if self._open is None:
                self._while_closed()
        except Exception as exc:
            self._cannot_be_judged(exc, self._walk.last)
        if self._dealers is not None:
            self._dealers.finish()
        for session in self.told.sessions.values():
            if session.books is not None:
                for found in differences(session.books):
                    self._findings.found(found)

    def _settle(self, whole: Whole) -> bool:
        is_taken = self._check.take(whole)
        if is_taken:
            self._take(whole.replayed)
        return is_taken

    def _table(self, fact: Fact) -> None:
        try:
            self._check.see(fact)
        except Exception as exc:
            self._cannot_be_judged(exc, fact.seq)

    def _loaded(self, fact: Fact) -> None:
        self.told.shoes += 1

    def _named(self, fact: Fact) -> None:
        self.told.last_round = str(fact.payload.get("round"))

    def _cannot_be_judged(self, exc: Exception, seq: int) -> None:
        """Whatever a forged entry makes of the audit's check is a finding and stops nothing."""
        self._findings.add("record_unreadable", f"it cannot be judged: {exc!r}"[:200], self._walk.name, seq)

    def _taken_back(self, fact: Fact) -> None:
        """Cash is taken back, of the day it was brought on; a reversal taken back has that day already."""
        seq = fact.payload.get("seq")
        made = self._look_back(seq) if isinstance(seq, int) else None
        if made is not None and "gaming_day" not in made.payload:
            self.told.taken_back.append((fact.seq, str(fact.payload["gaming_day"]), made.recorded_at))

    def _passed(self, fact: Fact) -> None:
        """What passed the tray and the box."""
        try:
            if self._open is not None:
                self._open.flows.add(fact)
            else:
                self._between.append(fact)
        except UNREADABLE:
            self._unreadable(fact)

    def _session(self, fact: Fact) -> None:
        """The same of an entry of which a session is to be told more."""
        try:
            self._of_session(fact)
        except UNREADABLE:
            self._unreadable(fact)

    def _unreadable(self, fact: Fact) -> None:
        detail = f"an entry of kind {fact.kind} does not say what it must"
        self._findings.add("record_unreadable", detail, fact.stream, fact.seq)

    def _of_session(self, fact: Fact) -> None:
        if fact.kind == OPENING:
            self._begin(fact, self._tray_before)
        elif self._open is not None:
            self._open.flows.add(fact)
        else:
            self._between.append(fact)
        if self._open is not None and self._dealers is not None:
            self._dealers.see(fact, self._open.flows)
        if fact.kind == CLOSING:
            self._end(fact)
        elif fact.kind == REOPENED:
            self._go_on(fact)
        elif fact.kind == WHOLE:
            self._count(fact)
        # A count may come while the next session is open; of one opened before the bundle not all is here.
        if fact.kind in KINDS and fact.payload.get("session") in self.told.sessions:
            self._blind.see(fact)

    def _begin(self, fact: Fact, tray_before: int) -> None:
        said = fact.payload
        self._while_closed()
        session = Session(
            id=UUID(said["session"]),
            number=said.get("number"),
            gaming_day=date.fromisoformat(said["gaming_day"]),
            opened_seq=fact.seq,
            opened_at=fact.recorded_at,
            opener=said["opener_total"],
            carried=tray_before,
            opener_chips=counted(said.get("opener")),
            left_chips=carried_over(Left(tray_before, self._closer), self._between).chips,
        )
        session.flows.add(fact)
        self._open = self.told.sessions[said["session"]] = session
        if self._dealers is not None:
            self._dealers.finish()
        self._dealers = DealerCheck(fact.stream, session.id, self._findings.found)
        if self._counted(fact, session.opener) and self.told.proved_by is None:
            self.told.proved_by = fact.seq

    def _while_closed(self) -> None:
        """What entered or left the tray of a closed table for no listed reason."""
        between = Flows()
        for each in self._between:
            between.add(each)
        for seq, move in between.unlisted:
            self._findings.found(Found("tray_move_not_listed", move._asdict(), self._walk.name, seq))

    def _end(self, fact: Fact) -> None:
        closer = fact.payload["closer_total"]
        self._counted(fact, closer)
        session = self.told.sessions.get(fact.payload["session"])
        self._closer = counted(fact.payload.get("closer"))
        if session is not None:
            session.close(fact.stream, fact.seq, closer, self._closer)
        self._open, self._between = None, []

    def _go_on(self, fact: Fact) -> None:
        """A closing was cancelled: what came since belongs to the session, too."""
        session = self._open = self.told.sessions.get(fact.payload["session"])
        if session is not None:
            session.books = None
            if self._dealers is not None:
                self._dealers.go_on()
            for each in self._between:
                session.flows.add(each)

    def _count(self, fact: Fact) -> None:
        """The drop of a session, which may be counted while the next one is open."""
        session = self.told.sessions.get(fact.payload["session"])
        if session is not None and session.books is not None:
            session.books = replace(session.books, drop=fact.payload["drop_total"])

    def _counted(self, fact: Fact, total: int) -> bool:
        """Whether the tray holds what was counted, and nothing lies on the layout."""
        assert fact.kind in READING, "at any other entry the walk may be ahead"
        left = {
            name: account.balance
            for name, account in self._walk.accounts.items()
            if account.balance and name.startswith(ON_THE_LAYOUT)
        }
        if self.tray() != total:
            detail = f"{total} were counted, the movements leave {self.tray()}"
            self._findings.add("count_differs", detail, fact.stream, fact.seq)
        if left:
            self._findings.add("seats_not_empty", f"{left}", fact.stream, fact.seq)
        return self.tray() == total and not left

    def _take(self, played: Replayed) -> None:
        self.told.rounds += 1
        session = self.told.sessions.get(str(played.session))
        if session is not None:
            is_void = played.status == "cancelled"
            session.rounds += not is_void
            session.voided += is_void
        self._played(played)

    def _changed(self, changed: Changed) -> None:
        """A round that is voided when it was over is taken off the session of that moment, as in results."""
        if self._open is not None and changed.voided:
            self._open.rounds -= 1
            self._open.voided += 1
        self._note_changed(changed)


def differences(books: SessionBooks) -> Iterator[Found]:
    """What is not zero and should be; how grave a profile holds it is not the verifier's question."""
    checks = books.checks
    for code, difference in (
        ("tray_difference", checks.tray),
        ("box_difference", checks.box),
        ("unexplained_difference", checks.unexplained),
    ):
        if difference:
            evidence: dict[str, Any] = {"T": checks.tray, "B": checks.box, "U": checks.unexplained}
            evidence["chips"] = books.chips.to_dict()
            yield Found(code, evidence, books.stream, books.closed_seq, books.session)
    if books.opener != books.carried:
        evidence = {"opener": books.opener, "left_by_closer": books.carried}
        yield Found("opener_not_from_closer", evidence, books.stream, books.opened_seq, books.session)
    yield from chips_astray(books)
    for seq, move in books.flows.unlisted:
        yield Found("tray_move_not_listed", move._asdict(), books.stream, seq, books.session)
