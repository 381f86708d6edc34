"""Sessions' stiff sheets, as many as a period has: a fixed number of statements whatever it is.

A session that was reconciled as it stands is read from what was kept then; the journal is added up only for
the others, which are open or wait for the worker.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from audit.chips import ChipCheck
from audit.master_game import DropPeriod, Sheet
from audit.models import Finding, FindingStatus, SessionPlay, SessionReconciliation
from audit.pieces import PlaySums
from audit.selectors.chips import chip_checks
from audit.selectors.papers import papers_of
from tables.engine.odds.theory import Theory
from tables.figures import NO_PAPERS, Papers, Reconciliation, WinState, final_standing
from tables.models import Casino, ClosedDay, DropBox, TableSession
from tables.selectors.drops import merged_counts
from tables.selectors.figures import SessionFigures, session_figures

PARTS = ("notes", "chips", "instruments")
KEYS: Mapping[str, str] = {"session": "s.id::text", "dealer": "p.dealer::text", "shift": "p.shift::text"}
"""What pieces of play can be summed by; the only texts that ever go into the statement."""
# A row of each key, and one for each number of packs it was played with: expectations have their own
# denominator there, so that their sums are exact.
_SUMS = """
SELECT {key}, p.ways, grouping(p.ways), count(DISTINCT p.session_id), sum(p.rounds)::bigint,
       sum(p.voided)::bigint, sum(p.handle)::bigint, sum(p.result)::bigint, sum(p.best), sum(p.actual)
  FROM audit_playpiece p
  JOIN tables_tablesession s ON s.id = p.session_id
  JOIN tables_table t ON t.id = s.table_id
 WHERE t.casino_id = %s AND s.gaming_day BETWEEN %s AND %s
 GROUP BY GROUPING SETS (({key}), ({key}, p.ways))
"""


@dataclass(slots=True)
class KeySums:
    """What the play of one dealer, shift or session came to, and in how many sessions it was."""

    sessions: int
    play: PlaySums


def play_sums(casino: Casino, first: date, last: date, *, by: str) -> dict[str | None, KeySums]:
    """The pieces of play of some gaming days, added up by `session`, `dealer` or `shift`: one statement."""
    sums: dict[str | None, KeySums] = {}
    with connection.cursor() as cursor:
        cursor.execute(_SUMS.format(key=KEYS[by]), [casino.id, first, last])
        for key, ways, whole, sessions, rounds, voided, handle, result, best, actual in cursor.fetchall():
            kept = sums.setdefault(key, KeySums(0, PlaySums()))
            if whole:
                kept.sessions = sessions
                kept.play.rounds, kept.play.voided = rounds, voided
                kept.play.handle, kept.play.result = handle, result
            elif ways is not None:
                kept.play.expect(Theory(ways, int(best), int(actual)))
    return sums


def sheets_of(casino: Casino, first: date, last: date, *, in_detail: date | None = None) -> list[Sheet]:
    """The stiff sheets of all sessions of some gaming days, by day, table and number.

    Args:
        in_detail: the gaming day whose drop boxes and T by denomination are wanted, too.
    """
    rows = TableSession.objects.filter(
        table__casino=casino, gaming_day__gte=first, gaming_day__lte=last
    ).select_related("table__pit", "table__rules", "reconciliation", "play")
    sessions = list(rows.order_by("gaming_day", "table__code", "number"))
    flows = {session.id: kept for session in sessions if (kept := _reconciled(session)) is not None}
    unknown = session_figures(session for session in sessions if session.id not in flows)
    played = play_sums(casino, first, last, by="session")
    standing = _standings(casino, rows, sessions, flows)
    boxes = _boxes(sessions, in_detail)
    papers = papers_of(casino, first, last)
    chips = {} if in_detail is None else chip_checks(one for one in sessions if one.gaming_day == in_detail)
    return [
        _sheet(
            session,
            found=flows.get(session.id) or unknown[session.id],
            play=_played(session, played.get(str(session.id))),
            standing=standing.get(session.id),
            boxes=boxes.get(session.id, []),
            papers=papers.get(session.id, NO_PAPERS),
            chips=chips.get(session.id),
        )
        for session in sessions
    ]


def _sheet(
    session: TableSession,
    *,
    found: SessionReconciliation | SessionFigures,
    play: PlaySums | None,
    standing: WinState | None,
    boxes: Sequence[DropBox],
    papers: Papers,
    chips: ChipCheck | None,
) -> Sheet:
    kept = found if isinstance(found, SessionReconciliation) else None
    checks = None if kept is None else Reconciliation(kept.tray, kept.box, kept.unexplained)
    counted = session.drop_total is not None
    sheet = Sheet(
        session=session.id,
        table=session.table_id,
        code=session.table.code,
        pit=session.table.pit.code,
        game=session.table.rules.game,
        number=session.number,
        gaming_day=session.gaming_day,
        opener=session.opener,
        opener_total=session.opener_total,
        fills=found.fills,
        credits=found.credits,
        closer=session.closer,
        closer_total=session.closer_total,
        drop_parts={part: merged_counts(boxes, part) for part in PARTS} if counted else {},
        drop=session.drop_total,
        insertions=found.insertions,
        standing=standing or WinState.PENDING,
        play=play,
        checks=checks,
        periods=drop_periods(boxes, checks),
        papers=papers,
        chips=chips,
    )
    return sheet if standing else replace(sheet, standing=sheet.win.state)


def _reconciled(session: TableSession) -> SessionReconciliation | None:
    """What was kept when a session was reconciled, if it still stands as it did then."""
    kept: SessionReconciliation | None = getattr(session, "reconciliation", None)
    if kept is None or session.closed_seq is None:
        return None
    stands = (kept.closed_seq, kept.drop) == (session.closed_seq, session.drop_total)
    return kept if stands else None


def _played(session: TableSession, sums: KeySums | None) -> PlaySums | None:
    """What a session's play came to; None where that was not worked out to where it ended."""
    play: SessionPlay | None = getattr(session, "play", None)
    if play is None or play.through < (session.closed_seq or 0):
        return None
    found = PlaySums.of_game(session.table.rules.game)
    return found if sums is None else PlaySums.together([found, sums.play])


def _standings(
    casino: Casino,
    rows: QuerySet[TableSession],
    sessions: Iterable[TableSession],
    kept: Mapping[UUID, SessionReconciliation],
) -> dict[UUID, WinState]:
    """How much of each reconciled session's win is known, all considered."""
    closed = set(ClosedDay.objects.filter(casino=casino).values_list("gaming_day", flat=True))
    findings = Finding.objects.filter(session_id__in=rows.order_by().values("id"))
    open_ones = findings.filter(~Q(status=FindingStatus.RESOLVED)).values_list("session_id", flat=True)
    troubled = set(open_ones)
    days = {session.id: session.gaming_day for session in sessions}
    return {
        key: final_standing(
            WinState(row.win_state), day_closed=days[key] in closed, nothing_open=key not in troubled
        )
        for key, row in kept.items()
    }


def _boxes(sessions: Iterable[TableSession], day: date | None) -> dict[UUID, list[DropBox]]:
    """The drop boxes of one gaming day's sessions, in the order they were put on."""
    wanted = [session.id for session in sessions if session.gaming_day == day]
    boxes: dict[UUID, list[DropBox]] = {}
    for box in DropBox.objects.filter(session__in=wanted).order_by("put_at") if wanted else ():
        boxes.setdefault(box.session_id, []).append(box)
    return boxes


def drop_periods(boxes: Sequence[DropBox], checks: Reconciliation | None) -> list[DropPeriod]:
    """A session's drop periods; its own T and U are those of a box that was its only one."""
    alone = checks if len(boxes) == 1 else None
    return [
        DropPeriod(
            number=box.number,
            put_at=box.put_at,
            removed_at=box.removed_at,
            booked=box.booked,
            total=box.total,
            tray=None if alone is None else alone.tray,
            unexplained=None if alone is None else alone.unexplained,
        )
        for box in boxes
    ]
