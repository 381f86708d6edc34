"""Journal entries as the records of a bundle, read back in constant memory."""

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, NamedTuple, TypeVar

from django.db.models import QuerySet

from audit.selectors.journal import parsed
from audit.verify.records import joined
from ledger.models import Account, Entry, Movement, Stream
from ledger.verify import EntryRow, HashedMovement, entry_bytes

CHUNK = 500  # rows fetched at a time
T = TypeVar("T")

_COLUMNS = (
    *("seq", "id", "command_id", "kind", "actor", "terminal", "recorded_at", "occurred_at"),
    *("payload", "payload_digest", "reverses", "previous_hash", "hash", "hash_version"),
)


class Sealed(NamedTuple):
    """An entry on its way into a bundle.

    Attributes:
        record: as a bundle holds it.
        hash: as the journal stores it, and as it was sealed.
    """

    stream: str
    seq: int
    kind: str
    record: bytes
    hash: bytes
    reverses: Any
    payload: str

    @property
    def said(self) -> dict[str, Any]:
        """The payload's object, empty when it is none; the verifier names that."""
        return parsed(self.payload)


def sealed_entries(stream: str, **chosen: Any) -> Iterator[Sealed]:
    """The entries of a stream that a filter on their numbers chooses, in order.

    Args:
        chosen: of ``seq``, as Django writes it: ``seq__gte``, ``seq__in``.
    """
    stream_id = Stream.objects.values_list("id", flat=True).get(name=stream)
    named = {row.id: (row.name, row.asset) for row in Account.objects.filter(stream_id=stream_id)}
    entries = Entry.objects.filter(stream_id=stream_id, **chosen).order_by("seq")
    moves = Movement.objects.filter(stream_id=stream_id, **chosen).order_by("seq", "line")
    columns = moves.values_list("seq", "source_id", "target_id", "amount")
    with closing(_streamed(entries.values_list(*_COLUMNS))) as rows, closing(_streamed(columns)) as lines:
        line = next(lines, None)
        for row in rows:
            seq, hashed = row[0], []
            while line is not None and line[0] <= seq:
                if line[0] == seq:
                    (source, asset), (target, _) = named[line[1]], named[line[2]]
                    hashed.append(HashedMovement(source, target, asset, line[3]))
                line = next(lines, None)
            entry = EntryRow._make(bytes(one) if isinstance(one, memoryview) else one for one in row)
            record = joined(entry_bytes(stream, entry, hashed), entry.payload.encode())
            yield Sealed(stream, seq, entry.kind, record, entry.hash, entry.reverses, entry.payload)


def _streamed(rows: QuerySet[Any, T]) -> Generator[T]:
    yield from rows.iterator(chunk_size=CHUNK)
