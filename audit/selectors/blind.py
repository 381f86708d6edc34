"""The counts of a session's drop boxes as the journal has them."""

from collections.abc import Iterator

from audit.blind import KINDS, BlindCheck
from audit.codes import Found
from audit.selectors.journal import parsed
from ledger.models import Entry
from tables.models import TableSession


def blind_counts_astray(session: TableSession, opened_seq: int) -> Iterator[Found]:
    """What is wrong with the counts of a session's boxes, whenever they were made.

    Args:
        opened_seq: number of the session's opening entry.
    """
    finds: list[Found] = []
    check = BlindCheck(session.table.stream, finds.append)
    rows = Entry.objects.filter(stream__name=session.table.stream, kind__in=KINDS, seq__gt=opened_seq)
    about = rows.filter(payload__contains=str(session.id)).order_by("seq")
    for kind, seq, payload in about.values_list("kind", "seq", "payload"):
        check.see(kind, seq, parsed(payload))
    yield from finds
