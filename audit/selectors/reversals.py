"""A session's reversals: is each bound to the entry it says it takes back?"""

from collections.abc import Iterator
from uuid import UUID

from audit.codes import Found
from audit.selectors.journal import parsed
from audit.verify.reversals import NUMBERS, reversal_astray
from ledger.models import Entry
from tables.models import TableSession


def reversals_astray(session: TableSession, opened_seq: int) -> Iterator[Found]:
    """What a session's entries that take others back say of those, where it is not what they are bound to.

    Args:
        opened_seq: number of the session's opening entry.
    """
    stream = session.table.stream
    entries = Entry.objects.filter(stream__name=stream, kind__in=NUMBERS, seq__gte=opened_seq)
    rows = entries.filter(payload__contains=str(session.id)).order_by("seq")
    for seq, kind, reverses, payload in rows.values_list("seq", "kind", "reverses", "payload"):
        bound = None if reverses is None else reverses.bytes
        wrong = reversal_astray(kind, bound, parsed(payload), lambda number: _id_at(stream, number))
        if wrong is not None:
            yield Found("wrong_reversal", {"kind": kind, "wrong": wrong}, stream, seq, session.id, about="of")


def _id_at(stream: str, seq: int) -> bytes | None:
    ids: list[UUID] = list(Entry.objects.filter(stream__name=stream, seq=seq).values_list("id", flat=True))
    return ids[0].bytes if ids else None
