"""Closing a gaming day: an entry in the office's stream under two signatures, once, in order.

A day closes when nothing of it is open any more. That may be before its roll-over hour; then nothing of
it begins from there on: what would (`running_day`) is refused until the next day begins. The worker has
the closing sealed by a checkpoint (`audit.services.closing`).

What arrives for a day that has ended is never refused for it, and never re-dated: its entry says `late`.
"""

import uuid
from collections.abc import Sequence
from datetime import date, timedelta

from django.db import connection
from django.utils import timezone

from config.errors import DomainError
from ledger.services import Posted
from tables.figures import gaming_day as day_of
from tables.figures import gaming_day_bounds
from tables.models import Casino, ClosedDay
from tables.selectors.days import Open, closed_day_record, day_figures, last_seqs, still_open
from tables.services.cash import CHECK
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office
from tables.services.signatures import Second, signed_by_two

ACT = "day.close"
SEAL = "day.seal"
NAMED = 5  # how many open things the sentence of a refusal names; the list has them all

# Closing a day locks the casino's row; whatever begins under a day shares it, and re-reads it by the lock.
_CLOSED_DAY = "SELECT closed_day FROM tables_casino WHERE id = %s FOR SHARE"


def gaming_day_close(*, casino_id: uuid.UUID, gaming_day: date, second: Second, command: Command) -> Answer:
    """Close a gaming day.

    Args:
        gaming_day: by the date it began on, in the casino's time zone.
        second: who signs with the actor.

    Raises:
        DomainError: `gaming_day_not_begun`; `gaming_day_before_house`; `gaming_day_closed`;
            `gaming_day_open` with everything that is (`open`); and those of `countersigner`.
    """

    def work(casino: Casino) -> Effect:
        now = timezone.now()
        today = day_of(now, casino.time_zone, casino.rollover_hour)
        _closable(casino, gaming_day, today)
        witness, sign = signed_by_two(ACT, command, second, on=casino, subject=casino_id)
        closed = ClosedDay(
            casino=casino,
            gaming_day=gaming_day,
            early=gaming_day == today,
            figures=day_figures(casino, gaming_day),
        )
        casino.closed_day = gaming_day

        def write(posted: Posted) -> None:
            closed.closed_at, closed.seq = posted.recorded_at, posted.seq
            closed.save(force_insert=True)
            sign(posted)

        return Effect(
            kind=ACT,
            payload={
                "day": str(closed.id),
                "gaming_day": gaming_day.isoformat(),
                "early": closed.early,
                "figures": closed.figures,
                "streams": last_seqs(casino, gaming_day, now),
                "second": str(witness.id),
            },
            write=write,
            changed=["closed_day"],
            body=lambda: closed_day_record(closed),
            outbox=[(SEAL, closed.id), (CHECK, closed.id)],
            status=201,
        )

    request = {"gaming_day": gaming_day.isoformat(), "second": second.number}
    return execute(ACT, command, request, lock_office, casino_id, work)


def _closable(casino: Casino, day: date, today: date) -> None:
    """Refuse a day that has not begun, is none of the house's, was closed, or has something open.

    The day before the house's first may be closed: it is the one its books were taken over from.
    """
    eve = date.fromisoformat(casino.profiles[0]["from"]) - timedelta(days=1)
    if day > today:
        raise DomainError("gaming_day_not_begun", f"Gaming day {day} has not begun; {today} runs.")
    if day < eve:
        raise DomainError("gaming_day_before_house", f"The house's first day was {eve + timedelta(days=1)}.")
    if casino.closed_day is not None and day <= casino.closed_day:
        raise DomainError("gaming_day_closed", f"The days up to {casino.closed_day} are closed.")
    found = still_open(casino, day)
    if found:
        raise DomainError("gaming_day_open", in_words(found), open=[each.to_dict() for each in found])


def in_words(found: Sequence[Open]) -> str:
    """What is open, in a sentence."""
    named = "; ".join(each.what for each in found[:NAMED])
    more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return f"Still open: {named}{more}."


def running_day(casino: Casino) -> date:
    """The gaming day of this moment, for what begins now: it stays open until this transaction ends.

    To be called under the lock of a table or cage, before a badge is looked up: closing a day takes its
    locks in that order.

    Raises:
        DomainError: `gaming_day_closed` with the moment the next day begins (`begins_at`).
    """
    with connection.cursor() as cursor:
        cursor.execute(_CLOSED_DAY, [casino.pk])
        (closed,) = cursor.fetchone()
    today = day_of(timezone.now(), casino.time_zone, casino.rollover_hour)
    if closed is not None and today <= closed:
        begins = gaming_day_bounds(closed, casino.time_zone, casino.rollover_hour)[1]
        raise DomainError(
            "gaming_day_closed",
            f"Gaming day {closed} was closed; nothing begins before the next one.",
            begins_at=begins.isoformat(),
        )
    return today
