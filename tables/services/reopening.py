"""A closing that was a mistake, cancelled under authority: the session goes on as if it had never closed."""

import json
import uuid

from config.errors import DomainError
from ledger.models import Entry
from ledger.services import Posted
from tables.models import BoxStatus, DropBox, SessionStatus, Stint, Table, TableSession
from tables.selectors.views import session_view, table_view
from tables.services.asked import why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import to_count
from tables.services.locks import lock_table_of_session
from tables.services.signatures import Second, signed_by_two

CLOSING = ("status", "closer", "closer_total", "closed_at", "closed_seq")


def session_reopen(*, session_id: uuid.UUID, reason: str, second: Second, command: Command) -> Answer:
    """Cancel the closing of a table's last session, while nobody has touched its drop.

    What the closer moved to or from `over_short` goes back; the closer stays on record in both entries.
    Nobody deals until somebody signs on; a card-room table draws for the deal anew.

    Args:
        reason: why, in a sentence.
        second: who signs with the pit boss.

    Raises:
        DomainError: `session_not_found`, `session_open`, `drop_counted`, `table_open` and `session_not_last`
            (it was opened anew since), `gaming_day_closed`, `box_not_on_table` (it was taken off since),
            `reason_missing`, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = _closed_by_mistake(table, session_id)
        told = why(reason)
        table.session = session
        witness, sign = signed_by_two(
            "session.reopen", command, second, on=table, subject=session_id, reason=told
        )
        assert session.closed_seq is not None, "it is closed"
        closing = Entry.objects.get(stream__name=table.stream, seq=session.closed_seq)
        said = json.loads(closing.payload)
        session.status = SessionStatus.OPEN
        session.closer = session.closer_total = session.closed_at = session.closed_seq = None

        def write(posted: Posted) -> None:
            session.save(update_fields=CLOSING)
            Stint.objects.filter(session=session, ended_seq=closing.seq).update(ended_total=None)
            sign(posted)

        return Effect(
            kind="session.reopen",
            payload={
                "session": str(session.id),
                "closed_seq": closing.seq,
                "closer": said["closer"],
                "closer_total": said["closer_total"],
                "variance": said["variance"],
                "reason": told,
                "second": str(witness.id),
            },
            movements=to_count("tray", "over_short", -said["variance"]),
            write=write,
            changed=["session"],
            body=lambda: {"table": table_view(table), "session": session_view(session)},
            reverses=closing.id,
        )

    request = {"session": str(session_id), "reason": reason, "second": second.number}
    return execute("session.reopen", command, request, lock_table_of_session, session_id, work)


def _closed_by_mistake(table: Table, session_id: uuid.UUID) -> TableSession:
    """The table's last session, closed, its drop not touched and its gaming day still open."""
    session = TableSession.objects.get(id=session_id)
    if session.status != SessionStatus.CLOSED:
        code = "session_open" if session.status == SessionStatus.OPEN else "drop_counted"
        raise DomainError(code, "Only a closing whose drop nobody has touched is cancelled.")
    if table.session is not None:
        raise DomainError("table_open", "The table was opened anew since.")
    if session.number != table.sessions_opened:
        raise DomainError("session_not_last", "Another session came after it.")
    last = table.casino.closed_day
    if last is not None and session.gaming_day <= last:
        raise DomainError("gaming_day_closed", "Its gaming day is closed.")
    if not DropBox.objects.filter(session=session, status=BoxStatus.ON_TABLE).exists():
        raise DomainError("box_not_on_table", "Its drop box was taken off the table.")
    return session
