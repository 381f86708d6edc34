"""What a played day came to, and everything about it that does not add up. Pure data and functions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from audit.report import DayReport, Line
from tables.simulation.card_room import SHOWN
from tables.simulation.world import Attempt


@dataclass(frozen=True, slots=True)
class Pair:
    """The same thing from two sides: as the books have it, and as it was counted or done by hand."""

    books: int
    hands: int


@dataclass(frozen=True, slots=True)
class Closing:
    """How a gaming day was closed.

    Attributes:
        checkpoint: entries under the checkpoint that seals the closing, None while none does.
        refused: why it could not be closed; empty when it was.
    """

    checkpoint: int | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle of a gaming day.

    Attributes:
        path: where it lies.
        is_verified: whether the offline verifier found everything in order.
        said: the verifier's last line.
    """

    path: Path
    is_verified: bool
    said: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A played day, as all who looked at it saw it.

    Attributes:
        wanted: rounds that were to be played at least, by table.
        games: what is played at each table.
        reports: the gaming days the sessions belong to; two when the play ran into a roll-over.
        pairs: by name, what books and hands must agree on.
        missing_chips: commissioned less accounted for, minor units.
        unbalanced: what else the conservation found, by code.
        attempts: what had to be refused or replayed.
        happened: how often everything happened that was to happen.
        unreconciled: pieces of queued work the worker did not do in time.
        journal_findings: how many the verifier has.
        findings: codes of the audit's findings; what it shows of staged irregularities is among them.
        rounds_resettled: how many rounds were played again from the journal.
        exported: rounds in the exports, by format.
        closings: how each gaming day was closed.
        bundles: what an auditor takes home of each gaming day.
    """

    wanted: Mapping[str, int]
    games: Mapping[str, str]
    reports: Sequence[DayReport]
    pairs: Mapping[str, Pair]
    missing_chips: int
    unbalanced: Sequence[str]
    attempts: Sequence[Attempt]
    happened: Mapping[str, int]
    unreconciled: int
    journal_findings: int
    findings: Sequence[str]
    rounds_resettled: int
    exported: Mapping[str, int]
    closings: Mapping[date, Closing]
    bundles: Mapping[date, Bundle]

    @property
    def lines(self) -> list[Line]:
        """The tables' days."""
        return [line for report in self.reports for line in report.lines]

    @property
    def rounds(self) -> int:
        """Rounds of all tables, the voided ones among them."""
        return sum(line.rounds + line.voided for line in self.lines)


MUST_HAPPEN = (
    "buy-ins",
    "redemptions",
    "fills",
    "credits",
    "void slips",
    "shoe changes",
    "rounds paid after a fill",
    "voided rounds",
    "tokes",
    "bets for the dealers",
    "tokes collected",
    "promotional pieces given",
    "promotional pieces played",
    "promotional pieces cancelled",
    "cash bet",
    "sessions closed",
    "drops counted",
    "gaming days closed",
    "first deals drawn",
    "collections",
    "players without the ante",
    "hands missing",
    "hands too large",
    "short hands played",
    "short hands discarded",
    "cards exposed",
    "forfeits",
    "passes",
    "pools anted again",
    "pools divided at their limit",
    "pools divided at the end",
    "bets paid into the pool",
    "payments put right",
    "wrong payments that stand",
    "banks broken early",
    "banks returned",
    "tables frozen and released",
)


def shortcomings(outcome: Outcome) -> list[str]:
    """Everything that is not as it must be, in words; empty when every chip is accounted for."""
    return [
        *_of_chips(outcome),
        *_of_tables(outcome),
        *_of_play(outcome),
        *_of_audit(outcome),
        *_of_bundles(outcome),
    ]


def _of_chips(outcome: Outcome) -> Iterator[str]:
    if outcome.missing_chips:
        yield f"chips worth {outcome.missing_chips} minor units are unaccounted for"
    for code in outcome.unbalanced:
        yield f"the house does not add up: {code}"
    for name, pair in outcome.pairs.items():
        if pair.books != pair.hands:
            yield f"{name}: {pair.books} by the books, {pair.hands} by hand"


def _of_tables(outcome: Outcome) -> Iterator[str]:
    closed, reported = outcome.happened.get("sessions closed"), sum(line.sessions for line in outcome.lines)
    if closed != reported:
        yield f"{closed} sessions were closed and {reported} are reported"
    for line in outcome.lines:
        checks = {"T": line.tray, "B": line.box, "U": line.unexplained}
        for name, value in checks.items():
            if value != 0:
                yield f"{line.code}: {name} is {'missing' if value is None else value}"
        if line.win is None or line.drop is None:
            yield f"{line.code}: the win is not known"
        if not line.verified:
            yield f"{line.code}: its journal or its rounds do not verify"


def _of_play(outcome: Outcome) -> Iterator[str]:
    for code, wanted in outcome.wanted.items():
        played = sum(line.rounds + line.voided for line in outcome.lines if line.code == code)
        if played < wanted:
            yield f"{code}: {played} rounds were played, not {wanted}"
    for name in MUST_HAPPEN:
        if not outcome.happened.get(name):
            yield f"there were no {name}"
    for attempt in outcome.attempts:
        if not attempt.as_expected:
            effect = "" if attempt.unchanged else ", and the table changed"
            yield f"{attempt.table}: {attempt.kind}: expected {attempt.expected}, got {attempt.got}{effect}"
    if not outcome.attempts:
        yield "nothing was refused"


def _of_audit(outcome: Outcome) -> Iterator[str]:
    if outcome.unreconciled:
        yield f"{outcome.unreconciled} pieces of queued work were not done in time"
    if outcome.journal_findings:
        yield f"the journal does not verify: {outcome.journal_findings} findings"
    yield from _of_findings(outcome)
    if outcome.rounds_resettled != outcome.rounds:
        yield f"{outcome.rounds_resettled} of {outcome.rounds} rounds were re-settled"
    for day, closing in outcome.closings.items():
        if closing.checkpoint is None:
            yield f"gaming day {day} is not {'closed: ' + closing.refused if closing.refused else 'sealed'}"
    for name, rows in outcome.exported.items():
        if rows != outcome.rounds:
            yield f"the {name} export has {rows} rounds of {outcome.rounds}"


def _of_findings(outcome: Outcome) -> Iterator[str]:
    """Irregularities that were staged must each be shown, once; nothing else may be found."""
    found = Counter(outcome.findings)
    for code, name in SHOWN.items():
        due, shown = outcome.happened.get(name, 0), found.pop(code, 0)
        if due != shown:
            yield f"{code}: {shown} findings for {due} {name}"
    for code in found.elements():
        yield f"finding: {code}"


def _of_bundles(outcome: Outcome) -> Iterator[str]:
    for day, bundle in outcome.bundles.items():
        if not bundle.is_verified:
            yield f"the bundle of gaming day {day}: {bundle.said}"
