"""A gaming day re-settled: every round played again, every row compared, every difference a finding."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from django.conf import settings

from audit.codes import Found
from audit.corrected import CANCEL, CORRECT
from audit.facts import Fact
from audit.pieces import Piece
from audit.play import Play
from audit.resettle import Replayed
from audit.selectors.days import NOBODY, SessionSpan, replay_session, rule_sets, sessions_of_day
from audit.selectors.journal import fact_at, uuid_in
from audit.selectors.projections import round_rows, shoe_rows
from audit.services.findings import finding_record
from audit.services.helpers import resettled_by
from audit.services.play import play_keep
from tables.engine.registry import digest
from tables.models import Casino, Round, RoundStatus, TableSession

LONG_DAY = 20_000
"""Rounds beyond which a gaming day is re-settled by several processes."""
AT_ONCE = 200
"""Rounds that are compared with their rows in one statement."""
LOADED, RETIRED = "shoe.load", "shoe.retire"


@dataclass(slots=True)
class Resettled:
    """How much was looked at, how much of it was wrong, and how many shown cards were taken on trust.

    On trust is a card shown from a physical hand: that it was dealt to that hand, nothing proves.
    """

    sessions: int = 0
    rounds: int = 0
    findings: int = 0
    on_trust: int = 0

    def add(self, other: "Resettled") -> None:
        """Count another part of the same."""
        self.sessions += other.sessions
        self.rounds += other.rounds
        self.findings += other.findings
        self.on_trust += other.on_trust


def gaming_day_resettle(*, casino_id: uuid.UUID, gaming_day: date, processes: int | None = None) -> Resettled:
    """Re-settle every round of a gaming day from its recorded actions and record what differs.

    May be run any number of times. What each round came to is kept (`audit.services.play`); memory grows by
    that much with a session, and not with the day.

    Args:
        processes: how many work at it; when None, this one alone at a day of ordinary length, and as many as
            the audit has workers at a longer one.
    """
    casino = Casino.objects.get(id=casino_id)
    done, rule_set = Resettled(), rule_sets()
    spans = sessions_of_day(casino, gaming_day)
    many = _processes(casino, gaming_day) if processes is None else processes
    if many > 1:
        for answered in resettled_by(many, spans, casino_id=casino_id, gaming_day=gaming_day):
            done.add(Resettled(**answered))
        return done
    for span in spans:
        done.add(day_session_resettle(span, casino_id=casino_id, gaming_day=gaming_day, rule_set=rule_set))
    return done


def _processes(casino: Casino, gaming_day: date) -> int:
    """How many processes a day's rounds are worth, by their rows; to start one takes as long as thousands."""
    rows = Round.objects.filter(session__table__casino=casino, session__gaming_day=gaming_day)
    return settings.CELERY_WORKER_CONCURRENCY if rows.count() > LONG_DAY else 1


def day_session_resettle(
    span: SessionSpan, *, casino_id: uuid.UUID, gaming_day: date, rule_set: Any
) -> Resettled:
    """Re-settle one session of a gaming day and record what differs."""
    done = Resettled(sessions=1)

    def report(found: Found) -> None:
        done.findings += 1
        finding_record(casino_id=casino_id, found=found, gaming_day=gaming_day)

    done.rounds, done.on_trust = resettle_session(span, report=report, rule_set=rule_set)
    return done


def resettle_session(span: SessionSpan, *, report: Callable[[Found], None], rule_set: Any) -> tuple[int, int]:
    """Re-settle one session; answers how many rounds the journal has of it, and the cards taken on trust."""
    settling = _Settling(span, report)
    seen = replay_session(
        span,
        report=report,
        played=settling.played,
        rule_set=rule_set,
        watch=settling.watch,
        changed=settling.play.changed,
    )
    settling.compare()
    if seen.closed:
        _strays(span, settling.rounds, report)
    row = TableSession.objects.select_related("table__casino").filter(id=span.id).first()
    if row is not None:
        for found in play_keep(session=row, pieces=settling.pieces, through=settling.play.through):
            report(found)
    return settling.rounds, settling.on_trust


class _Settling:
    """One session while it is re-settled: its rounds counted, and compared with their rows many at a time."""

    def __init__(self, span: SessionSpan, report: Callable[[Found], None]) -> None:
        self.rounds = self.on_trust = 0
        self.pieces: list[Piece] = []
        self.play = Play(self.pieces.append)
        self._span, self._report = span, report
        self._waiting: list[Replayed] = []
        self._shoes: list[Fact] = []  # what changed the rows of shoes

    def played(self, replayed: Replayed) -> None:
        """Take the next round of the session."""
        span = self._span
        self.play.played(replayed)
        self.rounds += 1
        self.on_trust += replayed.on_trust
        if replayed.number != self.rounds:
            evidence: dict[str, Any] = {"number": replayed.number, "due": self.rounds}
            self._report(_about(span, replayed, "round_out_of_order", evidence))
        if replayed.session != span.id:
            evidence = {"session": str(replayed.session), "open": str(span.id)}
            self._report(_about(span, replayed, "round_out_of_order", evidence))
        self._waiting.append(replayed)
        if len(self._waiting) == AT_ONCE:
            self.compare()

    def watch(self, fact: Fact) -> None:
        """Take the next entry of the session, after what it made of a round."""
        self.play.see(fact)
        if fact.kind in (LOADED, RETIRED):
            self._shoes.append(fact)
        for found in _correction_projection(self._span, fact):
            self._report(found)

    def compare(self) -> None:
        """Compare the rounds and shoes that wait for it with their rows."""
        for replayed in self._differing():
            for found in _projection(self._span, replayed):
                self._report(found)
        for found in _shoe_projections(self._span, self._shoes):
            self._report(found)
        self._waiting.clear()
        self._shoes.clear()

    def _differing(self) -> Iterator[Replayed]:
        """The rounds whose rows seem not to be what their entries make them, or to be numbered otherwise."""
        waiting, last = self._waiting, self.rounds
        rows = round_rows(self._span.id, last - len(waiting) + 1, last) if waiting else {}
        for replayed in waiting:
            row = rows.get(replayed.named)
            if row is None or not row.says(_as_derived(self._span, replayed), replayed):
                yield replayed


def _as_derived(span: SessionSpan, replayed: Replayed) -> tuple[Any, ...]:
    """The plain columns of a round's row where nobody corrected it."""
    return (
        *(_text(span.table.id), _text(replayed.session), _text(replayed.shoe), _text(replayed.rules)),
        *(_text(replayed.dealer), replayed.number, replayed.game.name, replayed.game.version),
        *(replayed.status, replayed.first_seq, replayed.last_seq, None, None),
    )


# The same table, shoe and people are named by one round after the other.
_text: Callable[[uuid.UUID], str] = lru_cache(maxsize=1024)(str)


def _projection(span: SessionSpan, replayed: Replayed) -> Iterator[Found]:
    """Whether a round's row is what its entries make it, and if not, in what."""
    row = Round.objects.filter(id=replayed.id).first()
    if row is None:
        yield _about(span, replayed, "round_projection_missing", {"number": replayed.number})
        return
    derived = {
        "table": str(span.table.id),
        "session": str(replayed.session),
        "shoe": str(replayed.shoe),
        "rules": str(replayed.rules),
        "dealer": str(replayed.dealer),
        "number": replayed.number,
        "game": replayed.game.name,
        "engine_version": replayed.game.version,
        "players": replayed.players,
        "status": _status(span, row, replayed),
        "state": digest(replayed.encoded),
        "first_seq": replayed.first_seq,
        "last_seq": replayed.last_seq,
        "started_at": replayed.started_at.isoformat(),
        "ended_at": replayed.ended_at and replayed.ended_at.isoformat(),
    }
    kept = _as_kept(row)
    wrong = {
        name: {"journal": derived[name], "row": kept[name]} for name in kept if kept[name] != derived[name]
    }
    wrong |= _correction_kept(span, row)
    if wrong:
        yield _about(span, replayed, "round_projection_differs", wrong)


def _status(span: SessionSpan, row: Round, replayed: Replayed) -> str:
    """What a round's row should say of it: cancelled, too, where a later entry that it names did that."""
    fact = None if row.cancelled_seq is None else fact_at(span.table.stream, row.cancelled_seq)
    if fact is not None and fact.kind == CANCEL and fact.payload.get("round") == str(row.id):
        return str(RoundStatus.CANCELLED)
    return replayed.status


def _correction_kept(span: SessionSpan, row: Round) -> dict[str, Any]:
    """What is wrong with the correction a round's row names, if it names one."""
    if row.corrected_seq is None:
        return {}
    fact = fact_at(span.table.stream, row.corrected_seq)
    said = fact.payload if fact is not None and fact.kind == CORRECT else {}
    kept = {"round": str(row.id), "state": digest(row.corrected_state or {})}
    if all(said.get(name) == value for name, value in kept.items()):
        return {}
    return {"corrected_seq": {"journal": said.get("state"), "row": row.corrected_seq}}


def _correction_projection(span: SessionSpan, fact: Fact) -> Iterator[Found]:
    """Whether the row of a corrected or cancelled round knows of it, or of a later correction."""
    if fact.kind not in (CORRECT, CANCEL):
        return
    field = "corrected_seq" if fact.kind == CORRECT else "cancelled_seq"
    round_id = uuid_in(fact.payload, "round") or NOBODY
    row = Round.objects.filter(id=round_id).first()
    kept = getattr(row, field, None)
    if kept is None or kept < fact.seq:
        evidence = {field: {"journal": fact.seq, "row": kept}}
        yield Found(
            "round_projection_differs",
            evidence,
            stream=span.table.stream,
            seq=fact.seq,
            session=span.id,
            round=round_id,
        )


def _as_kept(row: Round) -> dict[str, Any]:
    """A round's row in the terms of the journal."""
    return {
        "table": str(row.table_id),
        "session": str(row.session_id),
        "shoe": str(row.shoe_id),
        "rules": str(row.rules_id),
        "dealer": str(row.dealer_id),
        "number": row.number,
        "game": row.game,
        "engine_version": row.engine_version,
        "players": row.players,
        "status": str(row.status),
        "state": digest(row.state),
        "first_seq": row.first_seq,
        "last_seq": row.last_seq,
        "started_at": row.started_at.isoformat(),
        "ended_at": row.ended_at and row.ended_at.isoformat(),
    }


def _shoe_projections(span: SessionSpan, changes: Sequence[Fact]) -> Iterator[Found]:
    """Whether the rows of shoes are what their loads and retirements say."""
    named = [uuid_in(fact.payload, "shoe") or NOBODY for fact in changes]
    rows = shoe_rows(named) if named else {}
    for shoe_id, fact in zip(named, changes, strict=True):
        yield from _shoe_projection(span, fact, rows.get(shoe_id, {}))


def _shoe_projection(span: SessionSpan, fact: Fact, row: Mapping[str, Any]) -> Iterator[Found]:
    """Whether a shoe's row is what its load or its retirement says."""
    said = fact.payload
    if fact.kind == LOADED:
        derived = {
            "table_id": span.table.id,
            "number": said.get("number"),
            "packs": said.get("packs"),
            "source": said.get("source"),
            "root": said.get("root", ""),
            "loaded_at": fact.recorded_at,
        }
    else:
        derived = {"final_state": said.get("cards"), "retired_at": fact.recorded_at}
    wrong = {
        name: {"journal": _plain(due), "row": _plain(row.get(name))}
        for name, due in derived.items()
        if row.get(name) != due
    }
    if wrong:
        yield Found("shoe_projection_differs", wrong, stream=span.table.stream, seq=fact.seq, session=span.id)


def _plain(value: Any) -> Any:
    """A value as evidence can carry it."""
    return value if isinstance(value, dict | int | None) else str(value)


def _strays(span: SessionSpan, numbers: int, report: Callable[[Found], None]) -> None:
    """Rounds that have a row in this session and no entry in the journal: their numbers are left over."""
    strays = Round.objects.filter(session_id=span.id).exclude(number__range=(1, numbers))
    for round_id, number in strays.values_list("id", "number").iterator(chunk_size=500):
        report(
            Found(
                "round_not_in_journal",
                {"number": number},
                stream=span.table.stream,
                session=span.id,
                round=round_id,
            )
        )


def _about(span: SessionSpan, replayed: Replayed, code: str, evidence: dict[str, Any]) -> Found:
    return Found(
        code,
        evidence,
        stream=span.table.stream,
        seq=replayed.first_seq,
        session=span.id,
        round=replayed.id,
    )
