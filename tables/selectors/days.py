"""A gaming day as a whole: what of it is still open, what it came to, where it ends in each stream."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Count, Max, QuerySet, Sum

from ledger.models import Account, Head
from ledger.statements import seq_at
from tables.figures import gaming_day, gaming_day_bounds, known_sum, least_known
from tables.models import (
    IN_TRANSIT,
    Casino,
    ClosedDay,
    Redemption,
    Round,
    RoundStatus,
    SessionStatus,
    Slip,
    Table,
    TableSession,
)
from tables.selectors.figures import SessionFigures, session_figures

POOLS = ("pool", "bank")
"""Accounts of a card-room table that hold the players' own chips while a game lasts."""
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Open:
    """One thing that keeps a gaming day from being closed.

    Args:
        code: what kind of thing, stable.
        what: the thing in words.
        table, session, round, slip, gaming_day: which one; those that apply.
    """

    code: str
    what: str
    table: uuid.UUID | None = None
    session: uuid.UUID | None = None
    round: uuid.UUID | None = None
    slip: uuid.UUID | None = None
    gaming_day: date | None = None

    def to_dict(self) -> dict[str, str]:
        """As JSON values, without what does not apply."""
        return {f.name: str(value) for f in fields(self) if (value := getattr(self, f.name)) is not None}


def still_open(casino: Casino, day: date) -> list[Open]:
    """Everything of a gaming day that is not at its end, and the earlier days that were not closed."""
    sessions = list(_sessions(casino, day).order_by("table__code", "number"))
    ends = gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)[1]
    return [
        *_earlier_days(casino, day),
        *_unfinished(sessions),
        *_running(sessions),
        *_on_their_way(casino, ends),
        *_pools({session.table for session in sessions}),
    ]


def _sessions(casino: Casino, day: date) -> QuerySet[TableSession]:
    return TableSession.objects.filter(table__casino=casino, gaming_day=day).select_related("table")


def _earlier_days(casino: Casino, day: date) -> Iterator[Open]:
    for earlier in sorted(days_with_business(casino)):
        if earlier < day:
            yield Open("day_not_closed", f"gaming day {earlier} was not closed", gaming_day=earlier)


def days_with_business(casino: Casino) -> set[date]:
    """The gaming days after the last closed one that had a session or a redemption."""
    sessions = TableSession.objects.filter(table__casino=casino)
    redemptions = Redemption.objects.filter(casino=casino)
    if casino.closed_day is not None:
        sessions = sessions.filter(gaming_day__gt=casino.closed_day)
        redemptions = redemptions.filter(gaming_day__gt=casino.closed_day)
    days = set(sessions.values_list("gaming_day", flat=True).distinct())
    return days | set(redemptions.values_list("gaming_day", flat=True).distinct())


def day_to_close(casino: Casino, now: datetime) -> date:
    """The gaming day that is to be closed next: the oldest with business, else the one that runs."""
    today = gaming_day(now, casino.time_zone, casino.rollover_hour)
    return min(days_with_business(casino), default=today)


def _unfinished(sessions: Iterable[TableSession]) -> Iterator[Open]:
    for session in sessions:
        name = f"table {session.table.code}, session {session.number}"
        if session.status == SessionStatus.OPEN:
            yield Open("session_open", f"{name} is open", session.table_id, session.id)
        elif session.status == SessionStatus.CLOSED:
            yield Open("drop_not_counted", f"{name}: its drop is not counted", session.table_id, session.id)


def _running(sessions: Sequence[TableSession]) -> Iterator[Open]:
    rounds = Round.objects.filter(session__in=sessions, status=RoundStatus.IN_PROGRESS)
    for running in rounds.select_related("table").order_by("table__code"):
        yield Open(
            "round_in_progress",
            f"table {running.table.code}, round {running.number} is in progress",
            table=running.table_id,
            session=running.session_id,
            round=running.id,
        )


def _on_their_way(casino: Casino, before: datetime) -> Iterator[Open]:
    slips = Slip.objects.filter(casino=casino, status__in=IN_TRANSIT, issued_at__lt=before)
    for slip in slips.select_related("table").order_by("issued_at"):
        what = f"chips of {slip.kind} {slip.label} are between the cage and table {slip.table.code}"
        yield Open(f"{slip.kind}_in_transit", what, table=slip.table_id, slip=slip.id)


def _pools(tables: Iterable[Table]) -> Iterator[Open]:
    by_stream = {table.stream: table for table in tables}
    pools = Account.objects.filter(stream__name__in=by_stream, name__in=POOLS).exclude(balance=0)
    found = [(by_stream[stream], name) for stream, name in pools.values_list("stream__name", "name")]
    for table, name in sorted(found, key=lambda each: (each[0].code, each[1])):
        yield Open("pool_not_empty", f"table {table.code}: chips are in the {name}", table=table.id)


def day_figures(casino: Casino, day: date) -> dict[str, Any]:
    """What a gaming day came to, as far as it is known: JSON values, amounts in minor units.

    Each table's figures are those of its sessions (`session_figures`), summed; what is missing in one
    is missing in the sum, never zero.
    """
    sessions = list(_sessions(casino, day).order_by("table__code", "number"))
    figures = session_figures(sessions)
    by_table: dict[Table, list[TableSession]] = {}
    for session in sessions:
        by_table.setdefault(session.table, []).append(session)
    redeemed = Redemption.objects.filter(casino=casino, gaming_day=day).aggregate(
        number=Count("id"), paid=Sum("total")
    )
    return {
        "tables": [
            {"table": str(table.id), "code": table.code, **_summed(theirs, figures)}
            for table, theirs in by_table.items()
        ],
        "total": _summed(sessions, figures),
        "redemptions": {"number": redeemed["number"], "paid": int(redeemed["paid"] or 0)},
    }


def _summed(
    sessions: Sequence[TableSession], figures: dict[uuid.UUID, SessionFigures]
) -> dict[str, int | str | None]:
    found = [figures[session.id] for session in sessions]
    return {
        "sessions": len(sessions),
        "fills": sum(each.fills for each in found),
        "credits": sum(each.credits for each in found),
        "drop": known_sum(session.drop_total for session in sessions),
        "win": known_sum(each.win.win for each in found),
        "win_state": least_known(each.win.state for each in found).value,
    }


def last_seqs(casino: Casino, day: date, now: datetime) -> dict[str, int]:
    """By stream, the number of the last entry that belongs to a gaming day.

    That is the last one recorded before the day ended (or until now), at a table the closer of the
    day's last session if it came later. What is recorded for the day beyond it is marked late.
    """
    ends = gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)[1]
    streams = {casino.stream, casino.cage_stream}
    streams |= {f"table:{key}" for key in Table.objects.filter(casino=casino).values_list("id", flat=True)}
    if now < ends:
        heads = Head.objects.filter(stream__name__in=streams)
        return dict(heads.values_list("stream__name", "seq"))
    closers = _sessions(casino, day).order_by("table").values_list("table").annotate(Max("closed_seq"))
    closed = {f"table:{table}": seq for table, seq in closers}
    return {name: max(seq_at(name, ends - _INSTANT), closed.get(name, 0)) for name in sorted(streams)}


def closed_days_of(casino_id: uuid.UUID | None) -> QuerySet[ClosedDay]:
    """The closed gaming days of a casino, without the bytes of their timestamps."""
    return ClosedDay.objects.filter(casino=casino_id).defer("timestamp")


def closed_day_record(closed: ClosedDay) -> dict[str, Any]:
    """A closed gaming day as plain JSON values."""
    return {
        "id": str(closed.id),
        "gaming_day": closed.gaming_day.isoformat(),
        "closed_at": closed.closed_at.astimezone(UTC).isoformat(),
        "seq": closed.seq,
        "early": closed.early,
        "figures": closed.figures,
        "checkpoint": closed.checkpoint,
        "timestamped_at": closed.timestamped_at and closed.timestamped_at.astimezone(UTC).isoformat(),
    }
