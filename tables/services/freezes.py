"""A table that is frozen: from the freeze to its release nothing happens there but a void.

For what must be looked into before anybody touches chips or cards again, as a card seen twice in one pack.
Anybody who deals may freeze; two people release. Answers given before are still repeated to whoever asks
again, and the count of an earlier session's box, which is not at the table any more, goes on.
"""

import uuid

from config.errors import DomainError
from tables.models import Table
from tables.selectors.views import table_view
from tables.services.asked import why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table, open_session
from tables.services.signatures import Second, signed_by_two


def table_freeze(*, table_id: uuid.UUID, reason: str, command: Command) -> Answer:
    """Freeze an open table.

    Args:
        reason: why, in a sentence; the table shows it.

    Raises:
        DomainError: `table_closed`, `reason_missing`, `table_frozen`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        table.frozen = why(reason)
        return Effect(
            kind="table.freeze",
            payload={"session": str(session.id), "reason": table.frozen},
            changed=["frozen"],
            body=lambda: table_view(table),
            status=201,
        )

    request = {"table": str(table_id), "reason": reason}
    return execute("table.freeze", command, request, lock_table, table_id, work)


def table_release(*, table_id: uuid.UUID, second: Second, reason: str, command: Command) -> Answer:
    """Let a frozen table go on; two people sign.

    Args:
        second: the supervisor who signs with the actor.
        reason: what was found, in a sentence.

    Raises:
        DomainError: `table_closed`, `not_frozen`, `reason_missing`, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        if not table.frozen:
            raise DomainError("not_frozen", "The table is not frozen.")
        said = why(reason)
        witness, sign = signed_by_two(
            "table.release", command, second, on=table, subject=table_id, reason=said
        )
        table.frozen = ""
        return Effect(
            kind="table.release",
            payload={"session": str(session.id), "reason": said, "second": str(witness.id)},
            write=sign,
            changed=["frozen"],
            body=lambda: table_view(table),
        )

    request = {"table": str(table_id), "reason": reason, "second": second.number}
    return execute("table.release", command, request, lock_table, table_id, work)
