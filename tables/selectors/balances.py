"""What lies where, as the ledger has it (minor units)."""

from django.db.models import Sum

from ledger.models import Movement
from ledger.selectors import balance
from tables.models import Table, TableSession


def tray_chips(table: Table) -> int:
    """Chips in the table's tray."""
    return balance(table.stream, "tray")


def seat_chips(table: Table, seat: int) -> int:
    """Chips in front of a seat."""
    return balance(table.stream, f"seat:{seat}")


def inserted_cash(session: TableSession) -> int:
    """Cash recorded as put into the drop box during a session, closed or still open."""
    rows = Movement.objects.filter(
        stream__name=session.table.stream,
        source__name="cash:patrons",
        target__name="cash:drop_box",
        seq__gt=session.opened_seq,
    )
    if session.closed_seq is not None:
        rows = rows.filter(seq__lt=session.closed_seq)
    return rows.aggregate(total=Sum("amount"))["total"] or 0
