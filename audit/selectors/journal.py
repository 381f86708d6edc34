"""The journal as the audit reads it: entry by entry with what each moved, streamed."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from datetime import date, datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import QuerySet

from audit.facts import Fact, Moved
from ledger.models import Account, Entry, Head, Movement, Stream

CHUNK = 500  # rows fetched at a time
T = TypeVar("T")


def facts(stream: str, first: int, last: int | None = None) -> Generator[Fact]:
    """The entries `first` to `last` of a stream (to its end when None) in order, in constant memory.

    A reader that stops early closes it (`contextlib.closing`).
    """
    stream_id = Stream.objects.filter(name=stream).values_list("id", flat=True).first()
    if stream_id is None:
        return
    end = head_seq(stream) if last is None else last
    names = dict(Account.objects.filter(stream_id=stream_id).values_list("id", "name"))
    within = {"stream_id": stream_id, "seq__gte": first, "seq__lte": end}
    entries = Entry.objects.filter(**within).order_by("seq")
    movements = Movement.objects.filter(**within).order_by("seq", "line")
    columns = ("seq", "kind", "actor", "recorded_at", "payload")
    # closed here and now when the reader stops early, not whenever the collector comes round
    with (
        closing(_streamed(entries.values_list(*columns))) as rows,
        closing(_streamed(movements.values_list("seq", "source_id", "target_id", "amount"))) as lines,
    ):
        line = next(lines, None)
        for seq, kind, actor, at, payload in rows:
            moves: list[Moved] = []
            while line is not None and line[0] <= seq:
                if line[0] == seq:
                    moves.append(Moved(names.get(line[1], "?"), names.get(line[2], "?"), line[3]))
                line = next(lines, None)
            yield Fact(stream, seq, kind, actor, at, parsed(payload), tuple(moves))


def fact_at(stream: str, seq: int) -> Fact | None:
    """One entry of a stream by its number, None when there is none."""
    with closing(facts(stream, seq, seq)) as found:
        return next(found, None)


def _streamed(rows: QuerySet[Any, T]) -> Generator[T]:
    """Rows by a server-side cursor; closing the generator closes it."""
    yield from rows.iterator(chunk_size=CHUNK)


def parsed(payload: str) -> dict[str, Any]:
    """The payload as an object, empty when it is none."""
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def uuid_in(said: Mapping[str, Any], key: str) -> UUID | None:
    """The id a payload names, None when it names none."""
    try:
        return UUID(said[key])
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def date_in(said: Mapping[str, Any], key: str) -> date | None:
    """The day a payload names, None when it names none."""
    try:
        return date.fromisoformat(said[key])
    except (KeyError, ValueError, TypeError):
        return None


def head_seq(stream: str) -> int:
    """The number of the last entry of a stream, 0 when there is none."""
    return Head.objects.filter(stream__name=stream).values_list("seq", flat=True).first() or 0


def last_of_kind(stream: str, kind: str, *, before: int) -> tuple[int, dict[str, Any]] | None:
    """Number and payload of the last entry of a kind before number `before`."""
    row = (
        Entry.objects.filter(stream__name=stream, kind=kind, seq__lt=before)
        .order_by("-seq")
        .values_list("seq", "payload")
        .first()
    )
    return row and (row[0], parsed(row[1]))


def entry_about(
    stream: str, kind: str, subject: UUID, *, after: int = 0, hint: int | None = None
) -> tuple[int, dict[str, Any]] | None:
    """Number and payload of the first entry of a kind whose payload names the session `subject`.

    Args:
        after: only entries numbered above are searched.
        hint: where it probably is; looked at first, so that the usual case is one row.
    """
    rows = Entry.objects.filter(stream__name=stream, kind=kind, seq__gt=after).order_by("seq")
    searched = [rows.filter(payload__contains=str(subject))]
    if hint is not None:
        searched.insert(0, rows.filter(seq=hint))
    for found in searched:
        for seq, payload in found.values_list("seq", "payload"):
            said = parsed(payload)
            if said.get("session") == str(subject):
                return seq, said
    return None


def openings_between(stream: str, since: datetime, until: datetime) -> Iterator[tuple[int, dict[str, Any]]]:
    """The session openings of a stream recorded within a time, in order."""
    rows = Entry.objects.filter(
        stream__name=stream, kind="session.open", recorded_at__gte=since, recorded_at__lte=until
    ).order_by("seq")
    for seq, payload in rows.values_list("seq", "payload"):
        yield seq, parsed(payload)
