"""A table's session: opener, closer and counted drop.

The chips of a closed table stay in its locked tray, so a session opens with what the previous closer
left; the first chips a table ever gets come as a fill. A count is physical and wins over the books:
where they differ, the difference moves to `over_short` with the count, and both stay visible.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import date

from django.utils import timezone

from config.errors import DomainError
from ledger.selectors import balances
from ledger.services import Movement, Posted
from tables.figures import gaming_day, is_late
from tables.models import Casino, Seat, SessionStatus, Table, TableSession
from tables.selectors.balances import inserted_cash, tray_chips
from tables.selectors.views import session_view, table_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import check_chips, check_pieces, to_count
from tables.services.days import running_day
from tables.services.locks import lock_table, lock_table_of_session, no_round, open_session
from tables.services.signatures import Second, countersigner, signing
from tables.services.stints import end_stint, opening_stint

Count = Mapping[str, int]


def session_open(*, table_id: uuid.UUID, opener: Count, second: Second, command: Command) -> Answer:
    """Open a table with a joint count of its tray.

    Args:
        opener: chip value to number of chips.
        second: the supervisor who verifies the count and signs with the dealer.

    Raises:
        DomainError: `table_open`, `unknown_denomination`, `bad_count`, `gaming_day_closed`, and those of
            `countersigner`.
    """

    def work(table: Table) -> Effect:
        if table.session is not None:
            raise DomainError("table_open", "The table is open already.")
        total = check_chips(opener, table.casino)
        day = running_day(table.casino)
        witness = countersigner(
            act="session.open",
            actor=command.actor,
            badge=second,
            casino_id=table.casino_id,
            on=table,
            subject=table_id,
        )
        session = _new_session(table, day, opener, total)
        variance = total - tray_chips(table)
        sign = signing(act="session.open", actor=command.actor, second=witness)
        table.session = session
        on_duty, begin = opening_stint(table, session, total, command.actor)

        def write(posted: Posted) -> None:
            session.opened_at, session.opened_seq = posted.recorded_at, posted.seq
            session.save(force_insert=True)
            begin(posted)
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
                "second": str(witness.id),
                **on_duty,
            },
            movements=to_count("tray", "over_short", variance),
            write=write,
            changed=["session", "sessions_opened", "rounds_begun", "stint"],
            body=lambda: table_view(table),
            status=201,
        )

    request = {"table": str(table_id), "opener": dict(opener), "second": second.number}
    return execute(
        operation="session.open",
        command=command,
        request=request,
        lock=lambda: lock_table(table_id, command),
        work=work,
    )


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
        witness = countersigner(
            act="session.close",
            actor=command.actor,
            badge=second,
            casino_id=table.casino_id,
            on=table,
            subject=session_id,
        )
        variance = total - lying["tray"]
        sign = signing(act="session.close", actor=command.actor, second=witness)
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
    return execute(
        operation="session.close",
        command=command,
        request=request,
        lock=lambda: lock_table_of_session(session_id, command),
        work=work,
    )


def session_count_drop(
    *,
    session_id: uuid.UUID,
    notes: Count,
    second: Second,
    slips: Sequence[str] | None = None,
    command: Command,
) -> Answer:
    """Count a closed session's drop box, and queue the reconciliation that now knows the win.

    A count that comes after the session's gaming day has ended says so (`late`), and stays that day's.

    Args:
        notes: banknote or coin value (minor units) to number of pieces.
        slips: labels of the slip copies found in the box; the audit matches them. None: nobody has looked.

    Raises:
        DomainError: `session_open`, `drop_counted`, `bad_count`, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = TableSession.objects.get(id=session_id)
        if session.status != SessionStatus.CLOSED:
            code = "session_open" if session.status == SessionStatus.OPEN else "drop_counted"
            raise DomainError(code, "The drop is counted once, after the table has closed.")
        total = check_pieces(notes)
        witness = countersigner(
            act="session.count_drop",
            actor=command.actor,
            badge=second,
            casino_id=table.casino_id,
            on=table,
            subject=session_id,
        )
        variance = total - inserted_cash(session)
        sign = signing(act="session.count_drop", actor=command.actor, second=witness)
        session.status, session.drop_count, session.drop_total = SessionStatus.COUNTED, dict(notes), total

        def write(posted: Posted) -> None:
            session.counted_at = posted.recorded_at
            session.save(update_fields=["status", "drop_count", "drop_total", "counted_at"])
            sign(posted)

        counted = [Movement("cash:drop_box", "cash:count_room", total)] if total else []
        return Effect(
            kind="session.count_drop",
            payload={
                "session": str(session.id),
                "notes": dict(notes),
                "drop_total": total,
                "variance": variance,
                "late": _comes_late(session, table.casino),
                "slips": None if slips is None else sorted(slips),
                "second": str(witness.id),
            },
            movements=[*to_count("cash:drop_box", "cash:over_short", variance), *counted],
            write=write,
            body=lambda: {"session": session_view(session)},
            outbox=[("session.reconcile", session.id)],
        )

    request = {
        "session": str(session_id),
        "notes": dict(notes),
        "slips": None if slips is None else list(slips),
        "second": second.number,
    }
    return execute(
        operation="session.count_drop",
        command=command,
        request=request,
        lock=lambda: lock_table_of_session(session_id, command),
        work=work,
    )


def _new_session(table: Table, day: date, opener: Count, total: int) -> TableSession:
    return TableSession(
        table=table,
        number=table.sessions_opened + 1,
        gaming_day=day,
        opener=dict(opener),
        opener_total=total,
    )


def _comes_late(session: TableSession, casino: Casino) -> bool:
    today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
    return is_late(session.gaming_day, today=today, closed=casino.closed_day)


def _this_session(table: Table, session_id: uuid.UUID) -> TableSession:
    if table.session is None or table.session.id != session_id:
        raise DomainError("session_over", "This session is closed.")
    return open_session(table)
