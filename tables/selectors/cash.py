"""Cash that is reported: a gaming day's totals by person, reports that are due, the log of transactions."""

import uuid
from datetime import date
from typing import Any

from django.db.models import F, Q, QuerySet

from tables.jurisdiction.cash import report_near
from tables.models import CashTotal, CashTransaction, Casino, Player
from tables.selectors.jurisdiction import profile_on


def totals_watched(casino: Casino, day: date) -> list[dict[str, Any]]:
    """Whose cash of a gaming day has passed the report's threshold, or soon may; the most first.

    With what the person is known by, for those who run the floor and the cage; no answer keeps it.
    """
    cash = profile_on(casino, day).cash
    rows = CashTotal.objects.filter(casino=casino, gaming_day=day, total__gt=0).select_related("person")
    return [
        report_record(row) | {"known_as": str(row.person)}
        for row in rows.order_by("-total", "id")
        if report_near(row.total, cash)
    ]


def reports_of(casino_id: uuid.UUID | None, *, open_only: bool = False) -> QuerySet[CashTotal]:
    """Totals that are to be reported, or were; `open_only` for those nobody has filed as they are now."""
    rows = CashTotal.objects.filter(casino=casino_id).filter(
        Q(due_on__isnull=False) | Q(filed_at__isnull=False)
    )
    if open_only:
        rows = rows.filter(due_on__isnull=False).filter(
            Q(filed_total__isnull=True) | ~Q(filed_total=F("total"))
        )
    return rows


def report_record(row: CashTotal) -> dict[str, Any]:
    """A report as JSON values; the person by id alone."""
    return {
        "id": str(row.id),
        "player": str(row.person_id),
        "gaming_day": row.gaming_day.isoformat(),
        "direction": row.direction,
        "total": row.total,
        "due_on": row.due_on and row.due_on.isoformat(),
        "is_due": row.is_due,
        "filed_total": row.filed_total,
        "filed_at": row.filed_at and row.filed_at.isoformat(),
        "filed_by": str(row.filed_by_id) if row.filed_by_id else None,
        "reference": row.filing_reference,
    }


def log_of(casino_id: uuid.UUID | None, day: date | None) -> QuerySet[CashTransaction]:
    """The multiple-transaction log: transactions from the house's threshold on, of a gaming day or of all."""
    rows = CashTransaction.objects.filter(casino=casino_id, logged=True)
    return rows.filter(gaming_day=day) if day else rows


def log_record(row: CashTransaction) -> dict[str, Any]:
    """A line of the log as JSON values; nobody's `player` is somebody still to be described."""
    return {
        "id": str(row.id),
        "player": str(row.person_id) if row.person_id else None,
        "direction": row.direction,
        "amount": row.amount,
        "gaming_day": row.gaming_day.isoformat(),
        "at": row.at.isoformat(),
        "table": str(row.table_id) if row.table_id else None,
        "seat": row.seat,
        "staff": str(row.staff_id),
        "stream": row.stream,
        "seq": row.seq,
    }


def totals_of(person: Player) -> QuerySet[CashTotal]:
    """A person's totals by gaming day, latest first; those of whoever it was found to be."""
    return CashTotal.objects.filter(person=person.same_as_id or person.id).order_by(
        "-gaming_day", "direction"
    )
