"""What the master game report is made of, read from the floor's rows and the journal."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import Sum

from audit.master_game import Adjustment, MasterGame, Sheet
from audit.models import Finding, FindingStatus, SessionReconciliation
from audit.selectors.journal import parsed
from ledger.models import Entry, Movement
from tables.engine.registry import game
from tables.figures import WinState, final_standing, known_sum
from tables.models import Casino, ClosedDay, DropBox, Round, RoundStatus, TableSession
from tables.selectors.drops import merged_counts
from tables.selectors.figures import SessionFigures, session_figures
from tables.selectors.jurisdiction import profile_on

CORRECTIONS = ("correction.post", "round.correct", "round.cancel", "entry.reverse")
PARTS = ("notes", "chips", "instruments")


def master_game(casino: Casino, day: date) -> MasterGame:
    """The master game report of a gaming day as it is known now; nothing is written."""
    year = _sheets(casino, day.replace(month=1, day=1), day)
    today = [sheet for sheet in year if sheet.gaming_day == day]
    closed = ClosedDay.objects.filter(casino=casino, gaming_day=day).first()
    return MasterGame(
        casino=casino.name,
        currency=casino.currency,
        gaming_day=day,
        profile=profile_on(casino, day),
        sheets=today,
        month=[sheet for sheet in year if sheet.gaming_day.month == day.month],
        year=year,
        adjustments=_adjustments(today),
        closed=closed.figures if closed else None,
    )


def _sheets(casino: Casino, first: date, last: date) -> list[Sheet]:
    """The stiff sheets of all sessions of some gaming days, by day, table and number."""
    rows = TableSession.objects.filter(
        table__casino=casino, gaming_day__gte=first, gaming_day__lte=last
    ).select_related("table__pit", "table__rules")
    sessions = list(rows.order_by("gaming_day", "table__code", "number"))
    figures, standing = session_figures(sessions), _standings(casino, sessions)
    boxes: dict[UUID, list[DropBox]] = {}
    for box in DropBox.objects.filter(session__in=[session.id for session in sessions]):
        boxes.setdefault(box.session_id, []).append(box)
    handles = _handles([session.id for session in sessions if session.gaming_day == last])
    return [
        _sheet(
            session,
            figures[session.id],
            boxes.get(session.id, []),
            standing.get(session.id),
            handles.get(session.id),
        )
        for session in sessions
    ]


def _sheet(
    session: TableSession,
    figures: SessionFigures,
    boxes: Sequence[DropBox],
    standing: WinState | None,
    handle: int | None,
) -> Sheet:
    counted = session.drop_total is not None
    return Sheet(
        session=session.id,
        table=session.table_id,
        code=session.table.code,
        pit=session.table.pit.code,
        game=session.table.rules.game,
        number=session.number,
        gaming_day=session.gaming_day,
        opener=session.opener,
        opener_total=session.opener_total,
        fills=figures.fills,
        credits=figures.credits,
        closer=session.closer,
        closer_total=session.closer_total,
        drop_parts={part: merged_counts(boxes, part) for part in PARTS} if counted else {},
        drop=session.drop_total,
        insertions=figures.insertions,
        standing=max(standing or figures.win.state, figures.win.state, key=list(WinState).index),
        handle=handle,
    )


def _standings(casino: Casino, sessions: Iterable[TableSession]) -> dict[UUID, WinState]:
    """How much of each session's win is known, as far as it was reconciled."""
    days = {session.id: session.gaming_day for session in sessions}
    closed = set(ClosedDay.objects.filter(casino=casino).values_list("gaming_day", flat=True))
    findings = Finding.objects.filter(session_id__in=days).exclude(status=FindingStatus.RESOLVED)
    troubled = set(findings.values_list("session_id", flat=True))
    kept = SessionReconciliation.objects.filter(session__in=days).values_list("session", "win_state")
    return {
        session: final_standing(
            WinState(state), day_closed=days[session] in closed, nothing_open=session not in troubled
        )
        for session, state in kept
    }


def _handles(sessions: Sequence[UUID]) -> dict[UUID, int | None]:
    """What the rounds of each session were played for against the house; missing while one is running."""
    handles: dict[UUID, list[int | None]] = {session: [] for session in sessions}
    rows = Round.objects.filter(session__in=sessions).exclude(status=RoundStatus.CANCELLED)
    for played in rows.iterator():
        rules = game(played.game, played.engine_version)
        over = played.status == RoundStatus.COMPLETE
        handles[played.session_id].append(rules.handle(rules.decode_state(played.state)) if over else None)
    return {session: known_sum(parts) for session, parts in handles.items()}


def _adjustments(sheets: Iterable[Sheet]) -> list[Adjustment]:
    """The corrections that were made while the sessions of these sheets were open, in order."""
    spans = TableSession.objects.filter(id__in=[sheet.session for sheet in sheets])
    found = []
    for session in spans.select_related("table").order_by("table__code", "number"):
        rows = Entry.objects.filter(stream__name=session.table.stream, kind__in=CORRECTIONS)
        rows = rows.filter(seq__gt=session.opened_seq)
        if session.closed_seq is not None:
            rows = rows.filter(seq__lt=session.closed_seq)
        found += [_adjustment(session.table.stream, entry) for entry in rows.order_by("seq")]
    return found


def _adjustment(stream: str, entry: Entry) -> Adjustment:
    said: dict[str, Any] = parsed(entry.payload)
    moved = Movement.objects.filter(stream_id=entry.stream_id, seq=entry.seq).aggregate(sum=Sum("amount"))
    return Adjustment(
        stream=stream,
        seq=entry.seq,
        kind=entry.kind,
        amount=int(moved["sum"] or 0),
        reason=str(said.get("reason", "")),
        note=str(said.get("note", "")),
    )
