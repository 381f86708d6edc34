"""A closed session reconciled from the journal: the result kept, what is not zero recorded."""

import uuid
from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from audit.codes import Found
from audit.models import SessionReconciliation
from audit.reconcile import SessionBooks, differences
from audit.selectors.books import session_books
from audit.selectors.boxes import boxes_astray
from audit.selectors.journal import entry_about, facts
from audit.selectors.reversals import reversals_astray
from audit.selectors.slips import unmatched_copies
from audit.services.findings import finding_record
from audit.services.play import session_play
from audit.services.stints import stints_astray
from tables.figures import win_standing
from tables.models import SessionStatus, TableSession
from tables.selectors.jurisdiction import profile_on


def session_reconcile(*, session_id: uuid.UUID) -> SessionReconciliation | None:
    """Work out T, B and U of a session, keep them, and record what is not zero; and what its play came to.

    May be run any number of times: it keeps one row per session, and one finding per cause.

    Returns:
        The reconciliation, or None while the session is open (or not in the journal at all, which is
        a finding).
    """
    with transaction.atomic():
        _take_turns(session_id)
        session, books, finds = _undisturbed(session_id)
        for found in finds:
            finding_record(casino_id=session.table.casino_id, found=found, gaming_day=session.gaming_day)
        if books is None:
            return None
        session_play(session=session, opened_seq=books.opened_seq)
        return _keep(session, books)


def _take_turns(session_id: uuid.UUID) -> None:
    """Let one job at a time reconcile a session, so that one which read less cannot write last.

    A lock of the audit's own (until the transaction ends): the floor never waits for it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"reconcile:{session_id}"])


def _undisturbed(session_id: uuid.UUID) -> tuple[TableSession, SessionBooks | None, list[Found]]:
    """A session's row and its books of one moment.

    The floor goes on while the journal is read: a drop may be counted, a closing cancelled. Between two
    sights of one row that are equal it did not, for whatever changes the row is in the journal with it.
    """
    session = _row(session_id)
    while True:
        books, finds = read_books(session)
        again = _row(session_id)
        if _values(again) == _values(session):
            return session, books, finds
        session = again


def _row(session_id: uuid.UUID) -> TableSession:
    return TableSession.objects.select_related("table__casino").get(id=session_id)


def _values(session: TableSession) -> list[Any]:
    return [getattr(session, field.attname) for field in session._meta.concrete_fields]


def read_books(session: TableSession) -> tuple[SessionBooks | None, list[Found]]:
    """A session's books from the journal, and everything that is wrong with them."""
    stream = session.table.stream
    opening = entry_about(stream, "session.open", session.id, hint=session.opened_seq)
    if opening is None:
        missing = Found("session_not_in_journal", {"number": session.number}, stream, session=session.id)
        return None, [missing]
    try:
        books, drop = session_books(stream, session.id, opening[0])
    except (KeyError, TypeError, ValueError) as error:
        evidence = {"kind": "session", "error": repr(error)[:200]}
        return None, [Found("entry_unreadable", evidence, stream, opening[0], session.id)]
    if books is None:
        said = _opened(opening[1], opening[0]) | {"status": "open"}
        return None, [*_projection(session, said), *boxes_astray(session, opening[0])]
    profile = profile_on(session.table.casino, books.gaming_day)
    finds = [*differences(books, profile), *unmatched_copies(session, drop)]
    finds += [*stints_astray(session, opening[0], profile), *boxes_astray(session, opening[0], books=books)]
    finds += reversals_astray(session, opening[0])
    said = _opened(opening[1], opening[0]) | _closed(stream, books, drop)
    return books, [*finds, *_projection(session, said)]


def _opened(said: dict[str, Any], seq: int) -> dict[str, Any]:
    """The part of a session's row that its opening entry decides."""
    return {
        "opened_seq": seq,
        "number": said.get("number"),
        "gaming_day": said.get("gaming_day"),
        "opener": said.get("opener"),
        "opener_total": said.get("opener_total"),
    }


def _closed(stream: str, books: SessionBooks, drop: dict[str, Any] | None) -> dict[str, Any]:
    """The part of a session's row that its closing entry and the drop count decide."""
    (fact,) = facts(stream, books.closed_seq, books.closed_seq)
    said = fact.payload
    return {
        "closed_seq": books.closed_seq,
        "closer": said.get("closer"),
        "closer_total": books.closer,
        "drop_count": drop and drop.get("notes"),
        "drop_total": books.drop,
        "status": str(SessionStatus.COUNTED if drop else SessionStatus.CLOSED),
    }


def _projection(session: TableSession, said: dict[str, Any]) -> Iterator[Found]:
    """Whether the session's row is what the journal says."""
    row = {name: getattr(session, name) for name in said}
    row["gaming_day"] = session.gaming_day.isoformat()
    wrong = {name: {"journal": said[name], "row": row[name]} for name in said if said[name] != row[name]}
    if wrong:
        yield Found("session_projection_differs", wrong, session.table.stream, session=session.id)


def _keep(session: TableSession, books: SessionBooks) -> SessionReconciliation:
    checks, win = books.checks, books.win
    kept, _ = SessionReconciliation.objects.update_or_create(
        session=session,
        defaults={
            "opened_seq": books.opened_seq,
            "closed_seq": books.closed_seq,
            "entries": books.flows.entries,
            "movements": books.flows.movements,
            "carried": books.carried,
            "opener": books.opener,
            "fills": books.flows.fills,
            "credits": books.flows.credits,
            "closer": books.closer,
            "rounds_result": books.flows.rounds_result,
            "other_tray_moves": books.flows.other_tray_moves,
            "insertions": books.flows.insertions,
            "drop": books.drop,
            "tray": checks.tray,
            "box": checks.box,
            "unexplained": checks.unexplained,
            "win": win.win,
            "win_state": win_standing(win, checks).value,
            "checked_at": timezone.now(),
        },
    )
    return kept
