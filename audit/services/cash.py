"""The cash of a gaming day looked through: is it kept as the journal has it, and does it look arranged?"""

import uuid
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta

from django.utils import timezone

from audit.codes import Found
from audit.selectors.cash import CashRead, Known, cash_between, who_is_who
from audit.services.findings import finding_record
from tables.figures import gaming_day
from tables.jurisdiction.cash import Key, Pattern, cash_totals, minimal_play, structuring
from tables.jurisdiction.profile import CashReporting
from tables.models import CashTotal, CashTransaction, Casino, ClosedDay
from tables.selectors.cash import reports_of
from tables.selectors.jurisdiction import profile_on

_DAY = timedelta(days=1)


def closed_day_cash(*, day_id: uuid.UUID) -> None:
    """Look through the cash of a gaming day that was closed."""
    closed = ClosedDay.objects.select_related("casino").get(id=day_id)
    for found in cash_astray(closed.casino, closed.gaming_day):
        finding_record(casino_id=closed.casino_id, found=found, gaming_day=closed.gaming_day)


def cash_astray(casino: Casino, day: date, *, now: datetime | None = None) -> Iterator[Found]:
    """Everything about the cash of a gaming day, and of the one before beside it, that somebody must see.

    Args:
        now: the moment by which a report is overdue, the clock's when None.
    """
    known = who_is_who(casino)
    read = cash_between(casino, day - _DAY, day, known)
    totals = cash_totals(read.transactions, known.same)
    yield from _kept_otherwise(casino, day, read, totals)
    yield from _patterns(casino, day, read, totals, known)
    yield from _overdue(casino, now or timezone.now())


def _kept_otherwise(casino: Casino, day: date, read: CashRead, totals: dict[Key, int]) -> Iterator[Found]:
    """Transactions and totals whose rows are not what the journal says."""
    rows = CashTransaction.objects.filter(casino=casino, gaming_day=day)
    kept = {
        (row.stream, row.seq, (row.seat or 0) if row.is_money_play else 0): (
            row.direction,
            row.amount,
            row.person_id,
        )
        for row in rows
    }
    made = {
        (each.stream, each.seq, each.seat or 0): (str(each.direction), each.amount, each.person)
        for each in read.transactions
        if each.gaming_day == day
    }
    for which in sorted(kept.keys() | made.keys()):
        if kept.get(which) != made.get(which):
            said, row = _plain(made.get(which)), _plain(kept.get(which))
            stream, seq, seat = which
            about = f"seat {seat}" if seat else ""
            evidence = {"journal": said, "row": row}
            yield Found("cash_projection_differs", evidence, stream=stream, seq=seq, about=about)
    sums = CashTotal.objects.filter(casino=casino, gaming_day=day)
    have = {row[:2]: row[2] for row in sums.values_list("person", "direction", "total")}
    due = {(who, str(way)): total for (who, on, way), total in totals.items() if on == day}
    for who, way in sorted(have.keys() | due.keys(), key=str):
        if have.get((who, way), 0) != due.get((who, way), 0):
            sums_to = {"journal": due.get((who, way), 0), "row": have.get((who, way), 0)}
            yield Found("cash_projection_differs", sums_to, about=f"{who}:{way}:{day}")


def _plain(row: tuple[object, ...] | None) -> list[str] | None:
    return None if row is None else [str(part) for part in row]


def _patterns(
    casino: Casino, day: date, read: CashRead, totals: dict[Key, int], known: Known
) -> Iterator[Found]:
    def cash_on(when: date) -> CashReporting:
        return profile_on(casino, when).cash

    staked: Mapping[uuid.UUID, int] = read.staked.get(day, {})
    of_day = {key: total for key, total in totals.items() if key[1] == day}
    for pattern in (
        *structuring(read.transactions, known.same, cash_on),
        *minimal_play(of_day, staked, cash_on),
    ):
        if pattern.last_day == day:  # what ended the day before was that day's
            yield _found(pattern)


def _found(pattern: Pattern) -> Found:
    about = f"{pattern.person}:{pattern.direction}:{pattern.first_day}:{pattern.last_day}"
    return Found(pattern.code, pattern.evidence, about=about)


def _overdue(casino: Casino, now: datetime) -> Iterator[Found]:
    """Reports nobody has filed by the day they were due."""
    today = gaming_day(now, casino.time_zone, casino.rollover_hour)
    for row in reports_of(casino.id, open_only=True).filter(due_on__lt=today).order_by("due_on", "id"):
        evidence = {"report": str(row.id), "due_on": str(row.due_on), "gaming_day": str(row.gaming_day)}
        yield Found("cash_report_overdue", evidence, about=str(row.id))
