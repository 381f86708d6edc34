"""One gaming day on one page: each table's figures, every one by its single definition.

rounds        played to an end, voided ones not among them
handle        what those rounds were played for against the house (each game's `handle`)
drop, win, hold, T, B, U   the sessions' books (`tables.figures.table_win`, `reconcile`), summed;
              missing while one session's is missing
theoretical   what the house could expect to win, summed over rounds: the exact conditional
              expectation once two cards lie, given bets and raises as posted and all cards unseen
              then (`tables.engine.odds.theoretical_win`). Basis: the cards that came, not a full
              shoe; the players' actual raises, not best play. A round voided later counts, for
              leaving it out would bias the sum
entries, movements   what the day's sessions wrote in the journal
on trust      cards shown by physical hands: that they were dealt to those hands, nothing proves
verified      the table's stream verifies, and every round of the day re-settles as recorded
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from audit.codes import SIGNALS, Found
from audit.corrected import Cancelled
from audit.reconcile import SessionBooks
from audit.resettle import Replayed
from audit.selectors.books import session_books
from audit.selectors.days import SessionSpan, replay_session, rule_sets, sessions_of_day
from ledger.verify_journal import verify_journal
from tables.figures import WinState, hold_of, known_sum, least_known, win_standing
from tables.models import Casino, Table

SUMS = (
    *("sessions", "rounds", "voided", "handle", "result", "theoretical"),
    *("entries", "movements", "on_trust"),
)
KNOWN_OR_NOT = ("drop", "win", "tray", "box", "unexplained")


@dataclass(slots=True)
class Line:
    """A table's day, or all tables' together; amounts in minor units, None where something is missing."""

    code: str
    table: uuid.UUID | None = None
    packs: int | None = None
    card_source: str = ""
    sessions: int = 0
    rounds: int = 0
    voided: int = 0
    handle: int = 0
    result: int = 0
    drop: int | None = 0
    win: int | None = 0
    win_state: WinState = WinState.RECONCILED
    theoretical: Fraction = field(default_factory=Fraction)
    tray: int | None = 0
    box: int | None = 0
    unexplained: int | None = 0
    entries: int = 0
    movements: int = 0
    on_trust: int = 0
    verified: bool = True

    @property
    def hold(self) -> Fraction | None:
        """Win by drop; None where either is missing or nothing was dropped."""
        return hold_of(self.win, self.drop)

    def add_round(self, replayed: Replayed) -> None:
        """Count one round of the table."""
        self.handle += replayed.handle
        self.result += replayed.paid
        self.theoretical += replayed.theoretical
        self.on_trust += replayed.on_trust
        self.rounds += replayed.status == "complete"
        self.voided += replayed.status == "cancelled"

    def take_back(self, cancelled: Cancelled) -> None:
        """A round that was counted turned out to be void; what it was expected to win still counts."""
        self.handle -= cancelled.handle
        self.result -= cancelled.paid
        self.rounds -= 1
        self.voided += 1

    def add_books(self, books: SessionBooks | None) -> None:
        """Count one session's money; None for one that is still open, or that cannot be read."""
        if books is None:
            self.drop = self.win = self.tray = self.box = self.unexplained = None
            self.win_state = WinState.PENDING
            return
        checks, win = books.checks, books.win
        self.drop = known_sum([self.drop, books.drop])
        self.win = known_sum([self.win, win.win])
        self.tray = known_sum([self.tray, checks.tray])
        self.box = known_sum([self.box, checks.box])
        self.unexplained = known_sum([self.unexplained, checks.unexplained])
        self.win_state = least_known([self.win_state, win_standing(win, checks)])

    def to_dict(self) -> dict[str, Any]:
        """The line as JSON values; exact fractions beside their decimals."""
        return {
            "code": self.code,
            "table": self.table and str(self.table),
            "packs": self.packs,
            "card_source": self.card_source,
            "sessions": self.sessions,
            "rounds": self.rounds,
            "voided": self.voided,
            "handle": self.handle,
            "result": self.result,
            "drop": self.drop,
            "win": self.win,
            "win_state": self.win_state.value,
            "hold": self.hold if self.hold is None else decimal(self.hold, 6),
            "theoretical_win": decimal(self.theoretical, 2),
            "theoretical_win_exact": str(self.theoretical),
            "T": self.tray,
            "B": self.box,
            "U": self.unexplained,
            "entries": self.entries,
            "movements": self.movements,
            "on_trust": self.on_trust,
            "verified": self.verified,
        }


@dataclass(frozen=True, slots=True)
class DayReport:
    """A casino's gaming day: one line per table that was open, the total, and what was found."""

    casino: str
    currency: str
    gaming_day: date
    lines: Sequence[Line]
    total: Line
    finds: Sequence[Found]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "casino": self.casino,
            "currency": self.currency,
            "gaming_day": self.gaming_day.isoformat(),
            "activity": bool(self.lines),
            "tables": [line.to_dict() for line in self.lines],
            "total": self.total.to_dict(),
            "finds": [found.code for found in self.finds],
        }


def day_report(*, casino_id: uuid.UUID, gaming_day: date) -> DayReport:
    """Work out a gaming day from the journal alone; nothing is written."""
    casino = Casino.objects.get(id=casino_id)
    lines: dict[uuid.UUID, Line] = {}
    finds: list[Found] = []
    rule_set = rule_sets()
    for span in sessions_of_day(casino, gaming_day):
        line = lines.get(span.table.id) or _new_line(span.table)
        lines[span.table.id] = line
        before = len(finds)
        line.sessions += 1
        seen = replay_session(
            span,
            report=finds.append,
            played=line.add_round,
            rule_set=rule_set,
            cancelled=line.take_back,
        )
        line.entries += seen.entries
        line.movements += seen.movements
        line.verified = line.verified and all(found.code in SIGNALS for found in finds[before:])
        line.add_books(_books(span))
    shown = list(lines.values())
    return DayReport(casino.name, casino.currency, gaming_day, shown, _total(shown), finds)


def _new_line(table: Table) -> Line:
    return Line(
        code=table.code,
        table=table.id,
        packs=table.rules.body["packs"],
        card_source=str(table.card_source),
        verified=verify_journal(stream=table.stream).ok,
    )


def _books(span: SessionSpan) -> SessionBooks | None:
    try:
        return session_books(span.table.stream, span.id, span.opened_seq)[0]
    except (KeyError, TypeError, ValueError):
        return None


def _total(lines: Iterable[Line]) -> Line:
    total = Line(code="all")
    for line in lines:
        for name in SUMS:
            setattr(total, name, getattr(total, name) + getattr(line, name))
        for name in KNOWN_OR_NOT:
            setattr(total, name, known_sum([getattr(total, name), getattr(line, name)]))
        total.win_state = least_known([total.win_state, line.win_state])
        total.verified = total.verified and line.verified
    return total


def decimal(value: Fraction, places: int) -> str:
    """A fraction as a decimal number, rounded half to even; no float is involved."""
    scaled = round(value * 10**places)
    digits = f"{abs(scaled):0{places + 1}d}"
    return f"{'-' if scaled < 0 else ''}{digits[:-places]}.{digits[-places:]}"
