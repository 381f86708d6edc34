"""What sessions' play came to, worked out from the journal, kept piece by piece and compared each night."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from audit.codes import Found
from audit.models import PlayPiece, SessionPlay
from audit.play import Piece, Play
from audit.selectors.days import SessionSpan, replay_session, rule_sets
from tables.figures import shift_of
from tables.models import SessionStatus, TableSession

COMPARED = (
    *("seq", "at", "shift", "dealer", "round", "rounds", "voided"),
    *("handle", "result", "ways", "best", "actual"),
)


def session_play(*, session: TableSession, opened_seq: int) -> None:
    """Work out what a session's play came to so far, unless that was done, and keep it.

    Args:
        opened_seq: number of the session's opening entry.
    """
    kept = SessionPlay.objects.filter(session=session).values_list("through", flat=True).first()
    if kept is not None and kept == session.closed_seq:
        return
    pieces: list[Piece] = []
    play = Play(pieces.append)
    replay_session(
        SessionSpan(session.id, session.table, opened_seq),
        report=lambda found: None,
        played=play.played,
        rule_set=rule_sets(),
        watch=play.see,
        changed=play.changed,
    )
    for _ in play_keep(session=session, pieces=pieces, through=play.through):
        pass  # what was kept of it before is compared each night, where it is told


def open_sessions_play() -> int:
    """Work out what the play of every open session came to so far; how many there are."""
    sessions = TableSession.objects.filter(status=SessionStatus.OPEN).select_related("table__casino")
    for session in sessions:
        session_play(session=session, opened_seq=session.opened_seq)
    return len(sessions)


def play_keep(*, session: TableSession, pieces: Sequence[Piece], through: int) -> Iterator[Found]:
    """Keep a session's pieces; whatever was kept of the same entries and differs is told, and replaced.

    Args:
        pieces: all of the session, as the journal gives them now.
        through: number of the last entry they are made of.
    """
    rows = [_row(session, piece) for piece in pieces]
    with transaction.atomic():
        _take_turns(session.id)
        known = SessionPlay.objects.filter(session=session).first()
        since = 0 if known is None else min(known.through, through)
        kept = list(PlayPiece.objects.filter(session=session.id).order_by("seq"))
        differs = _differences(
            [row for row in kept if row.seq <= since], [row for row in rows if row.seq <= since]
        )
        if differs:
            PlayPiece.objects.filter(session=session.id).delete()
            kept = []
        reached = through if differs or known is None else max(known.through, through)
        SessionPlay.objects.update_or_create(
            session=session, defaults={"through": reached, "worked_out_at": timezone.now()}
        )
        there = {row.seq for row in kept}
        PlayPiece.objects.bulk_create([row for row in rows if row.seq not in there], batch_size=500)
    if differs:
        yield Found("play_differs", differs, session.table.stream, session=session.id)


def _take_turns(session_id: uuid.UUID) -> None:
    """Let one job at a time keep a session's pieces (until the transaction ends)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"play:{session_id}"])


def _row(session: TableSession, piece: Piece) -> PlayPiece:
    casino, theory = session.table.casino, piece.theory
    return PlayPiece(
        session_id=session.id,
        seq=piece.seq,
        at=piece.at,
        shift=shift_of(piece.at, casino.time_zone, casino.rollover_hour),
        dealer=piece.dealer,
        round=piece.round,
        rounds=piece.rounds,
        voided=piece.voided,
        handle=piece.handle,
        result=piece.result,
        ways=None if theory is None else theory.ways,
        best=None if theory is None else theory.best,
        actual=None if theory is None else theory.actual,
    )


def _differences(kept: Sequence[PlayPiece], derived: Sequence[PlayPiece]) -> dict[str, Any]:
    """What is kept otherwise than the journal gives it, as evidence; empty where nothing is."""
    was = {row.seq: _plain(row) for row in kept}
    is_ = {row.seq: _plain(row) for row in derived}
    wrong = sorted(seq for seq in was.keys() | is_.keys() if was.get(seq) != is_.get(seq))
    if not wrong:
        return {}
    first = wrong[0]
    return {"entries": wrong[:20], "kept": was.get(first), "journal": is_.get(first)}


def _plain(row: PlayPiece) -> dict[str, str]:
    return {name: str(getattr(row, name)) for name in COMPARED}
