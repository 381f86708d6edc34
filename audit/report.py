"""One gaming day on one page: each table's figures, every one by its single definition.

rounds        played to an end, voided ones not among them
handle        what those rounds were played for against the house (each game's `handle`)
drop, win, hold, T, B, U   the sessions' books (`tables.figures.table_win`, `reconcile`), summed;
              missing while one session's is missing
result        R: what was paid, corrections and collections among it (`audit.pieces`)
theoretical   what the house could expect to win before the cards came (`tables.engine.odds.theory`): a
              full shoe, the bets as they lay, and the decisions as they were taken, or the best ones; of
              the rounds that count. Not applicable, and so missing, where it does not bank the game
given cards   what it could expect once two cards lay, given the wagers as posted and all cards unseen then
              (`tables.engine.odds.theoretical_win`): how the luck after those cards went. A round voided
              later counts, for leaving it out would bias the sum. Not applicable where theoretical is not
entries, movements   what the day's sessions wrote in the journal
on trust      cards shown by physical hands: that they were dealt to those hands, nothing proves
verified      the table's stream verifies, and every round of the day re-settles as recorded
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from audit.codes import SIGNALS, Found
from audit.pieces import BANKED, PlaySums, theory_dict
from audit.play import Play
from audit.reconcile import SessionBooks
from audit.resettle import Replayed
from audit.selectors.books import session_books
from audit.selectors.days import SessionSpan, replay_session, rule_sets, sessions_of_day
from ledger.verify_journal import verify_journal
from tables.figures import (
    WinState,
    applicable_sum,
    decimal,
    hold_of,
    known_sum,
    least_known,
    win_standing,
)
from tables.models import Casino, Table

SUMS = ("sessions", "entries", "movements", "on_trust")
KNOWN_OR_NOT = ("drop", "win", "tray", "box", "unexplained")


@dataclass(slots=True)
class Line:
    """A table's day, or all tables' together; amounts in minor units, None where something is missing.

    `given_cards` is None where the house banks no game.
    """

    code: str
    table: uuid.UUID | None = None
    packs: int | None = None
    card_source: str = ""
    sessions: int = 0
    play: PlaySums = field(default_factory=PlaySums)
    drop: int | None = 0
    win: int | None = 0
    win_state: WinState = WinState.RECONCILED
    given_cards: Fraction | None = None
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

    @property
    def rounds(self) -> int:
        """Rounds that count."""
        return self.play.rounds

    @property
    def voided(self) -> int:
        """Rounds that do not."""
        return self.play.voided

    @property
    def handle(self) -> int:
        """What was played for against the house."""
        return self.play.handle

    def add_round(self, replayed: Replayed) -> None:
        """Count what only the replay of a round tells."""
        if self.given_cards is not None:
            self.given_cards += replayed.given_cards
        self.on_trust += replayed.on_trust

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
            "result": self.play.result,
            "drop": self.drop,
            "win": self.win,
            "win_state": self.win_state.value,
            "hold": self.hold if self.hold is None else decimal(self.hold, 6),
            **theory_dict(self.play.best, self.play.actual),
            "given_cards_win": None if self.given_cards is None else decimal(self.given_cards, 2),
            "given_cards_win_exact": None if self.given_cards is None else str(self.given_cards),
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
        play = Play(line.play.add)
        seen = replay_session(
            span,
            report=finds.append,
            played=_both(line.add_round, play.played),
            rule_set=rule_set,
            watch=play.see,
            changed=play.changed,
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
        play=PlaySums.of_game(table.rules.game),
        given_cards=Fraction() if table.rules.game in BANKED else None,
        table=table.id,
        packs=table.rules.body["packs"],
        card_source=str(table.card_source),
        verified=verify_journal(stream=table.stream).ok,
    )


def _both(one: Callable[[Replayed], None], other: Callable[[Replayed], None]) -> Callable[[Replayed], None]:
    def do(replayed: Replayed) -> None:
        one(replayed)
        other(replayed)

    return do


def _books(span: SessionSpan) -> SessionBooks | None:
    try:
        return session_books(span.table.stream, span.id, span.opened_seq)[0]
    except (KeyError, TypeError, ValueError):
        return None


def _total(lines: Iterable[Line]) -> Line:
    lines = list(lines)
    total = Line(
        code="all",
        play=PlaySums.together(line.play for line in lines),
        given_cards=applicable_sum(line.given_cards for line in lines),
    )
    for line in lines:
        for name in SUMS:
            setattr(total, name, getattr(total, name) + getattr(line, name))
        for name in KNOWN_OR_NOT:
            setattr(total, name, known_sum([getattr(total, name), getattr(line, name)]))
        total.win_state = least_known([total.win_state, line.win_state])
        total.verified = total.verified and line.verified
    return total
