"""A table's session: opener and closer. Its drop is `tables.services.drops`' business.

The chips of a closed table stay in its locked tray, so a session opens with what the previous closer
left; the first chips a table ever gets come as a fill. A count is physical and wins over the books:
where they differ, the difference moves to `over_short` with the count, and both stay visible.
"""

import uuid
from datetime import date

from config.errors import DomainError
from ledger.selectors import balances
from ledger.services import Posted
from tables.models import Seat, SessionStatus, Table, TableSession
from tables.selectors.balances import tray_chips
from tables.selectors.views import session_view, table_view
from tables.services.boxes import box_for
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, to_count
from tables.services.days import running_day
from tables.services.locks import lock_table, lock_table_of_session, no_round, open_session
from tables.services.signatures import Second, signed_by_two
from tables.services.stints import end_stint, opening_stint


def session_open(
    *, table_id: uuid.UUID, opener: Count, second: Second, command: Command, box: int | None = None
) -> Answer:
    """Open a table with a joint count of its tray, and put an empty drop box on it.

    Args:
        opener: chip value to number of chips.
        second: the supervisor who verifies the count and signs with the dealer.
        box: the number of the box; None for the first that is free.

    Raises:
        DomainError: `table_open`, `unknown_denomination`, `bad_count`, `gaming_day_closed`, and those of
            `box_for` and `countersigner`.
    """

    def work(table: Table) -> Effect:
        if table.session is not None:
            raise DomainError("table_open", "The table is open already.")
        total = check_chips(opener, table.casino)
        put_on = box_for(table, box)
        day = running_day(table.casino)
        witness, sign = signed_by_two("session.open", command, second, on=table, subject=table_id)
        session = _new_session(table, day, opener, total)
        variance = total - tray_chips(table)
        table.session = session
        on_duty, begin = opening_stint(table, session, total, command.actor)

        def write(posted: Posted) -> None:
            session.opened_at, session.opened_seq = posted.recorded_at, posted.seq
            session.save(force_insert=True)
            begin(posted)
            put_on.session, put_on.put_at = session, posted.recorded_at
            put_on.save(force_insert=True)
            sign(posted)

        table.sessions_opened, table.rounds_begun = session.number, 0
        return Effect(
            kind="session.open",
            payload={
                "session": str(session.id),
                "number": session.number,
                "gaming_day": session.gaming_day.isoformat(),
                "opener": dict(opener),
                "opener_total": total,
                "variance": variance,
                "rules": str(table.rules_id),
                "box": {"box": str(put_on.id), "number": put_on.number},
                "second": str(witness.id),
                **on_duty,
            },
            movements=to_count("tray", "over_short", variance),
            write=write,
            changed=["session", "sessions_opened", "rounds_begun", "stint"],
            body=lambda: table_view(table),
            status=201,
        )

    request = {"table": str(table_id), "opener": dict(opener), "box": box, "second": second.number}
    return execute("session.open", command, request, lock_table, table_id, work)


def session_close(*, session_id: uuid.UUID, closer: Count, second: Second, command: Command) -> Answer:
    """Close a table between rounds, with everybody gone, on a joint count of its tray.

    Its reconciliation is queued with the very same transaction. The next session draws for its first deal.

    Raises:
        DomainError: `session_over`, `round_in_progress`, `seats_occupied`, `pool_not_empty`,
            `unknown_denomination`, `bad_count`, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = _this_session(table, session_id)
        no_round(table)
        lying = balances(table.stream)
        if lying.get("pool"):
            raise DomainError("pool_not_empty", "The pool is divided before the closer.")
        if Seat.objects.filter(table=table, occupied=True).exists():
            raise DomainError("seats_occupied", "Players must leave with their chips before the closer.")
        total = check_chips(closer, table.casino)
        witness, sign = signed_by_two("session.close", command, second, on=table, subject=session_id)
        variance = total - lying["tray"]
        session.status, session.closer, session.closer_total = SessionStatus.CLOSED, dict(closer), total
        ended, ending = end_stint(table, total)

        def write(posted: Posted) -> None:
            session.closed_at, session.closed_seq = posted.recorded_at, posted.seq
            session.save(update_fields=["status", "closer", "closer_total", "closed_at", "closed_seq"])
            ending(posted)
            sign(posted)

        table.session, table.button = None, None
        return Effect(
            kind="session.close",
            payload={
                "session": str(session.id),
                "closer": dict(closer),
                "closer_total": total,
                "variance": variance,
                "second": str(witness.id),
                **ended,
            },
            movements=to_count("tray", "over_short", variance),
            write=write,
            changed=["session", "button", "stint"],
            body=lambda: {"table": table_view(table), "session": session_view(session)},
            outbox=[("session.reconcile", session.id)],
        )

    request = {"session": str(session_id), "closer": dict(closer), "second": second.number}
    return execute("session.close", command, request, lock_table_of_session, session_id, work)


def _new_session(table: Table, day: date, opener: Count, total: int) -> TableSession:
    return TableSession(
        table=table,
        number=table.sessions_opened + 1,
        gaming_day=day,
        opener=dict(opener),
        opener_total=total,
    )


def _this_session(table: Table, session_id: uuid.UUID) -> TableSession:
    if table.session is None or table.session.id != session_id:
        raise DomainError("session_over", "This session is closed.")
    return open_session(table)
