"""A session's books, added up from its stream."""

import uuid
from contextlib import closing
from typing import Any

from audit.chips import counted
from audit.models import SessionReconciliation
from audit.reconcile import Left, SessionBooks, books_of, carried_over
from audit.selectors.journal import entry_about, facts, last_of_kind


def session_books(
    stream: str, session_id: uuid.UUID, opened_seq: int
) -> tuple[SessionBooks | None, dict[str, Any] | None]:
    """The books of a session (None while it is open), and what its drop count says if there is one.

    Args:
        stream: name of the table's stream.
        opened_seq: number of the session's opening entry.

    Raises:
        KeyError, TypeError, ValueError: an entry does not say what entries of its kind say.
    """
    last_closer = last_of_kind(stream, "session.close", before=opened_seq)
    since, closer = last_closer[0] if last_closer else 0, Left(0, {})
    if last_closer is not None:
        closer = Left(last_closer[1]["closer_total"], counted(last_closer[1].get("closer")))
    carried = carried_over(closer, facts(stream, since + 1, opened_seq - 1))
    count = entry_about(stream, "session.count_drop", session_id, after=opened_seq)
    drop = count[1] if count else None
    total = drop["drop_total"] if drop else None
    with closing(facts(stream, opened_seq)) as during:
        return books_of(session_id, during, carried=carried, drop=total), drop


def money_won(kept: SessionReconciliation) -> int:
    """The part of R that money plays brought the box and not the tray, minor units: T leaves it out."""
    through_tray = kept.closer + kept.credits - kept.opener - kept.fills - kept.tray
    return kept.rounds_result + kept.other_tray_moves - through_tray
