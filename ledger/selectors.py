"""Reading the journal."""

from collections.abc import Iterator
from uuid import UUID

from ledger.errors import StreamUnknown, UnknownAccount
from ledger.models import Account, Entry, Movement, Stream


def balances(stream: str) -> dict[str, int]:
    """Every account of ``stream`` with its balance in minor units, by name.

    Raises:
        StreamUnknown: when there is no such stream.
    """
    found = dict(Account.objects.filter(stream__name=stream).order_by("name").values_list("name", "balance"))
    if not found and not Stream.objects.filter(name=stream).exists():
        raise StreamUnknown("no stream of this name", stream=stream)
    return found


def balance(stream: str, account: str) -> int:
    """The balance of one account in minor units.

    Raises:
        UnknownAccount: when the stream or the account does not exist.
    """
    found = Account.objects.filter(stream__name=stream, name=account).values_list("balance", flat=True)
    for value in found:
        return value
    raise UnknownAccount("no account of this name in this stream", stream=stream, account=account)


def entries(stream: str, *, after: int = 0, limit: int | None = None) -> Iterator[Entry]:
    """The entries of ``stream`` numbered above ``after``, in order, streamed from the server."""
    found = Entry.objects.filter(stream__name=stream, seq__gt=after).order_by("seq")
    yield from (found if limit is None else found[:limit]).iterator(chunk_size=1000)


def entry_of(stream: str, entry_id: UUID) -> Entry | None:
    """The entry of this id, if it is one of ``stream``."""
    return Entry.objects.filter(stream__name=stream, id=entry_id).first()


def movements(entry: Entry) -> list[Movement]:
    """The movements of ``entry`` with their accounts, in order."""
    return list(
        Movement.objects.filter(stream_id=entry.stream_id, seq=entry.seq)
        .select_related("source", "target")
        .order_by("line")
    )
