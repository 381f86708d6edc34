"""What lies where, as the ledger has it (minor units)."""

from django.db.models import Q, Sum

from ledger.models import Movement
from ledger.selectors import balance
from tables.figures import INSERTIONS
from tables.models import Table, TableSession


def tray_chips(table: Table) -> int:
    """Chips in the table's tray."""
    return balance(table.stream, "tray")


def inserted_cash(session: TableSession) -> int:
    """Cash and markers recorded as put into the drop box during a session, closed or still open, less what
    was taken out again: entered wrongly and reversed, or redeemed."""
    rows = Movement.objects.filter(stream__name=session.table.stream, seq__gt=session.opened_seq)
    if session.closed_seq is not None:
        rows = rows.filter(seq__lt=session.closed_seq)
    # Ends of two pairs never meet: nothing moves from one asset to another.
    outside, boxes = ({pair[end] for pair in INSERTIONS} for end in (0, 1))
    put_in = Q(source__name__in=outside, target__name__in=boxes)
    taken_back = Q(source__name__in=boxes, target__name__in=outside)
    sums = rows.filter(put_in | taken_back).aggregate(
        put_in=Sum("amount", filter=put_in), taken_back=Sum("amount", filter=taken_back)
    )
    return (sums["put_in"] or 0) - (sums["taken_back"] or 0)
