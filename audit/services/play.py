"""What sessions' play came to, worked out from the journal, kept piece by piece and compared each night."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from audit.codes import Found
from audit.models import PlayPiece, SessionPlay
from audit.pieces import Piece
from audit.play import Play
from audit.selectors.days import SessionSpan, replay_session, rule_sets
from audit.selectors.journal import head_seq
from audit.selectors.kept import pieces_are_kept
from audit.services.findings import finding_record
from tables.engine.odds.theory import Theory
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
    if kept is not None and kept in (session.closed_seq, head_seq(session.table.stream)):
        SessionPlay.objects.filter(session=session).update(worked_out_at=timezone.now())
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
    casino_id, day = session.table.casino_id, session.gaming_day
    for found in play_keep(session=session, pieces=pieces, through=play.through):
        finding_record(casino_id=casino_id, found=found, gaming_day=day)


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
    with transaction.atomic():
        _take_turns(session.id)
        known = SessionPlay.objects.filter(session=session).first()
        if known is not None and known.through == through and pieces_are_kept(session, pieces):
            SessionPlay.objects.filter(session=session).update(worked_out_at=timezone.now())
            return
        rows = _rows(session, pieces)
        since = 0 if known is None else min(known.through, through)
        kept = _kept(session)
        differs = _differences(
            {seq: row for seq, row in kept.items() if seq <= since},
            {seq: row for seq, row in rows.items() if seq <= since},
        )
        if differs:
            PlayPiece.objects.filter(session=session.id).delete()
            kept = {}
        reached = through if differs or known is None else max(known.through, through)
        SessionPlay.objects.update_or_create(
            session=session, defaults={"through": reached, "worked_out_at": timezone.now()}
        )
        new = [
            PlayPiece(session_id=session.id, **dict(zip(COMPARED, row, strict=True)))
            for seq, row in rows.items()
            if seq not in kept
        ]
        PlayPiece.objects.bulk_create(new, batch_size=500)
    if differs:
        yield Found("play_differs", differs, session.table.stream, session=session.id)


def _take_turns(session_id: uuid.UUID) -> None:
    """Let one job at a time keep a session's pieces (until the transaction ends)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"play:{session_id}"])


Row = tuple[Any, ...]
"""A piece's columns in the order of `COMPARED`."""


def _rows(session: TableSession, pieces: Sequence[Piece]) -> dict[int, Row]:
    """The rows that pieces are, by the entry that decided each."""
    casino = session.table.casino
    return {
        piece.seq: (
            *(piece.seq, piece.at, shift_of(piece.at, casino.time_zone, casino.rollover_hour)),
            *(piece.dealer, piece.round, piece.rounds, piece.voided, piece.handle, piece.result),
            *_theory(piece.theory),
        )
        for piece in pieces
    }


def _theory(theory: Theory | None) -> tuple[int | None, int | None, int | None]:
    return (None, None, None) if theory is None else (theory.ways, theory.best, theory.actual)


def _kept(session: TableSession) -> dict[int, Row]:
    """The rows there are, by the entry that decided each."""
    rows = PlayPiece.objects.filter(session=session.id).order_by("seq").values_list(*COMPARED)
    return {row[0]: row for row in rows.iterator(chunk_size=500)}


def _differences(was: Mapping[int, Row], is_: Mapping[int, Row]) -> dict[str, Any]:
    """What is kept otherwise than the journal gives it, as evidence; empty where nothing is."""
    if was == is_:
        return {}
    wrong = sorted(seq for seq in was.keys() | is_.keys() if was.get(seq) != is_.get(seq))
    first = wrong[0]
    return {"entries": wrong[:20], "kept": _plain(was.get(first)), "journal": _plain(is_.get(first))}


def _plain(row: Row | None) -> dict[str, str] | None:
    return None if row is None else dict(zip(COMPARED, map(str, row), strict=True))
