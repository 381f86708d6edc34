"""The journal as the audit reads it: entry by entry with what each moved, streamed."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from datetime import date, datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import connection

from audit.facts import Fact, Moved
from ledger.models import Entry, Head
from tables.engine.frozen import Kept


def facts(stream: str, first: int, last: int | None = None) -> Generator[Fact]:
    """The entries `first` to `last` of a stream (to its end when None) in order, in constant memory.

    A reader that stops early closes it (`contextlib.closing`).
    """
    named = _rows("SELECT id FROM ledger_stream WHERE name = %s", stream)
    if not named:
        return
    stream_id = named[0][0]
    end = head_seq(stream) if last is None else last
    names = dict(_rows("SELECT id, name FROM ledger_account WHERE stream_id = %s", stream_id))
    moved = Kept(lambda source, target, amount: Moved(names.get(source, "?"), names.get(target, "?"), amount))
    # Block by block, each a statement of its own, so that nothing stays open while the reader works; what
    # is posted is there for good.
    while first <= end and (entries := _rows(_ENTRIES, stream_id, first, end)):
        last_here = entries[-1][0]
        movements = groupby(_rows(_MOVEMENTS, stream_id, first, last_here), _FIRST)
        moves = {seq: tuple([moved[move[1:]] for move in of_entry]) for seq, of_entry in movements}
        for seq, kind, actor, at, payload in entries:
            yield Fact(stream, seq, kind, _id(actor), moment(at), parsed(payload), moves.get(seq, ()))
        first = last_here + 1


# The same few people act all day.
_id = lru_cache(maxsize=1024)(UUID)


_FIRST = itemgetter(0)
# Times and ids as text: the driver takes ten times as long to read them.
_ENTRIES = """
SELECT seq, kind, actor::text, recorded_at::text, payload
  FROM ledger_entry WHERE stream_id = %s AND seq BETWEEN %s AND %s ORDER BY seq LIMIT 1000
"""
_MOVEMENTS = """
SELECT seq, source_id, target_id, amount
  FROM ledger_movement WHERE stream_id = %s AND seq BETWEEN %s AND %s ORDER BY seq, line
"""


moment = datetime.fromisoformat
"""A time as PostgreSQL writes it for who asks in UTC."""


def _rows(statement: str, *arguments: int | str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def fact_at(stream: str, seq: int) -> Fact | None:
    """One entry of a stream by its number, None when there is none."""
    with closing(facts(stream, seq, seq)) as found:
        return next(found, None)


def parsed(payload: str) -> dict[str, Any]:
    """The payload as an object, empty when it is none."""
    try:
        value, end = _scanned(payload, 0) if payload.startswith("{") else (None, 0)
        if end < len(payload):
            value = json.loads(payload)
    except (StopIteration, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _scanner() -> Callable[[str, int], tuple[Any, int]]:
    """What `json.loads` calls, which takes as long again to look for spaces before and behind."""
    decoder: Any = json.JSONDecoder()
    scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once
    return scan


_scanned = _scanner()


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
