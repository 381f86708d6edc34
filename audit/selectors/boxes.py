"""A session's drop boxes as the journal has them: are their counts sound, and are the rows what it says?"""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from audit.blind import KINDS as BLIND
from audit.blind import REMOVED, BlindCheck
from audit.boxes import KINDS, Row, box_rows
from audit.codes import Found
from audit.facts import Fact, Moved
from audit.reconcile import SessionBooks
from audit.selectors.journal import parsed
from ledger.models import Entry, Movement
from tables.models import DropBox, TableSession

IDS = ("session_id", "first_counter_id", "first_terminal_id", "second_counter_id")
COLUMNS = (
    *("number", "status", "put_at", "removed_at", "removed_seq", "booked", "booked_instruments"),
    *("commitment", "first_counted_at", "first_count", "second_counted_at", "second_count", "counted"),
    *("slips", "total", "late", "counted_at", "counted_seq", *IDS),
)


def boxes_astray(
    session: TableSession, opened_seq: int, *, books: SessionBooks | None = None
) -> Iterator[Found]:
    """What is wrong with a session's boxes, whenever they were counted.

    Args:
        opened_seq: number of the session's opening entry.
        books: the session's, once it is closed: what was put in must have left with its boxes.
    """
    rows, about = _of_one_moment(session, opened_seq)
    finds: list[Found] = []
    check = BlindCheck(session.table.stream, finds.append)
    for fact in about:
        if fact.kind in BLIND:
            check.see(fact)
    yield from finds
    try:
        said = box_rows(about, _terminals(session.table.stream, about))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        evidence: dict[str, Any] = {"kind": "boxes", "error": repr(error)[:200]}
        yield Found("entry_unreadable", evidence, session.table.stream, opened_seq, session.id, about="boxes")
        return
    booked = [row["booked"] for row in said.values() if "booked" in row]
    if books is not None and None not in booked and sum(booked) != books.flows.insertions:
        evidence = {"kind": REMOVED, "put_in": books.flows.insertions, "taken_off": sum(booked)}
        yield Found("amount_differs", evidence, session.table.stream, session=session.id, about="boxes")
    for key in sorted(rows.keys() | said.keys()):
        wrong = _differences(rows.get(key), said.get(key))
        if wrong:
            yield Found("box_projection_differs", wrong, session.table.stream, session=session.id, about=key)


def _of_one_moment(session: TableSession, opened_seq: int) -> tuple[dict[str, Row], list[Fact]]:
    """Rows and entries of one moment: whatever changes a row is in the journal with it."""
    rows = _rows(session)
    while True:
        about = list(_about(session, opened_seq))
        again = _rows(session)
        if again == rows:
            return rows, about
        rows = again


def _rows(session: TableSession) -> dict[str, Row]:
    found = DropBox.objects.filter(session=session).values("id", *COLUMNS)
    return {str(row.pop("id")): _named(row) for row in found}


def _named(row: dict[str, Any]) -> Row:
    """A row in the terms of the journal: people, devices and sessions by ids as texts."""
    ids = {name.removesuffix("_id"): row.pop(name) for name in IDS}
    return row | {name: None if one is None else str(one) for name, one in ids.items()}


def _about(session: TableSession, opened_seq: int) -> Iterator[Fact]:
    """The entries about a session's boxes, in order."""
    stream, session_id = session.table.stream, str(session.id)
    entries = Entry.objects.filter(stream__name=stream, kind__in=KINDS, seq__gte=opened_seq)
    found = list(
        entries.filter(payload__contains=session_id)
        .order_by("seq")
        .values_list("seq", "kind", "actor", "recorded_at", "payload")
    )
    moved: dict[int, list[Moved]] = {}
    lines = Movement.objects.filter(stream__name=stream, seq__in=[row[0] for row in found])
    columns = ("seq", "source__name", "target__name", "amount")
    for seq, source, target, amount in lines.order_by("seq", "line").values_list(*columns):
        moved.setdefault(seq, []).append(Moved(source, target, amount))
    for seq, kind, actor, at, payload in found:
        said = parsed(payload)
        if said.get("session") == session_id:
            yield Fact(stream, seq, kind, actor, at, said, tuple(moved.get(seq, ())))


def _terminals(stream: str, about: Iterable[Fact]) -> dict[int, UUID | None]:
    """The devices at which entries of a table were made, by their numbers."""
    entries = Entry.objects.filter(stream__name=stream, seq__in=[fact.seq for fact in about])
    return dict(entries.values_list("seq", "terminal"))


def _differences(row: Row | None, said: Row | None) -> dict[str, Any]:
    """The fields in which a row is not what the journal says, with both."""
    if row is None or said is None:
        return {"missing": "row" if row is None else "journal"}
    names = sorted(row.keys() | said.keys())
    return {
        name: {"journal": _plain(said.get(name)), "row": _plain(row.get(name))}
        for name in names
        if row.get(name) != said.get(name)
    }


def _plain(value: Any) -> Any:
    """A value as evidence can carry it."""
    return value if isinstance(value, dict | list | int | None) else str(value)
