"""What the rows of a session's drop boxes should say, from the table's entries alone; no database.

A row says who counted a box when, what was found and what was booked; every bit of it follows from the
entries that put it on, took it off and counted it. Clients' addresses do not, and are kept in rows alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from audit.blind import COUNTED, DIFFERS, FIRST, REMOVED, WHOLE, Booked
from audit.blind import KINDS as BLIND
from audit.facts import Fact

PUT = "session.open"
KINDS = (PUT, *BLIND)
EMPTY: Mapping[str, Any] = {
    **dict.fromkeys(("removed_at", "removed_seq", "booked")),
    **dict.fromkeys(("first_counter", "first_terminal", "first_counted_at")),
    **dict.fromkeys(("first_count", "second_counter", "second_counted_at", "second_count")),
    **dict.fromkeys(("counted", "slips", "total", "counted_at", "counted_seq")),
    "status": "on_table",
    "booked_instruments": 0,
    "commitment": "",
    "late": False,
}
"""A box that was just put on its table, besides its number, its session and the moment."""

Row = dict[str, Any]


def box_rows(about: Iterable[Fact], terminals: Mapping[int, UUID | None]) -> dict[str, Row]:
    """The rows of boxes by their ids, fields by name; people, devices and sessions by ids as texts.

    Args:
        about: the entries of `KINDS` about one session, in order.
        terminals: the devices they were made at, by number of entry.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: an entry does not say what entries of its kind say.
    """
    rows: dict[str, Row] = {}
    for fact in about:
        said = fact.payload
        if fact.kind == PUT:
            _put(rows, fact, said["box"])
            continue
        row = rows.setdefault(said["box"], {})
        row["session"], row["number"] = said["session"], said["number"]
        if fact.kind == REMOVED:
            row |= _removed(fact)
            if said["next"] is not None:
                _put(rows, fact, said["next"])
            continue
        row["late"] = said["late"]
        if fact.kind == FIRST:
            row |= {"status": "first_counted", "commitment": said["commitment"]}
            row |= {"first_counter": str(fact.actor), "first_counted_at": fact.recorded_at}
            device = terminals.get(fact.seq)
            row["first_terminal"] = device and str(device)
        else:
            row |= _counted(fact)
    return rows


def _put(rows: dict[str, Row], fact: Fact, box: Mapping[str, Any]) -> None:
    fresh = {"session": fact.payload["session"], "number": box["number"], "put_at": fact.recorded_at}
    rows[box["box"]] = {**EMPTY, **fresh}


def _removed(fact: Fact) -> Row:
    """What was booked as put into it goes with it."""
    booked = Booked.of(fact.moves)
    return {
        "status": "removed",
        "removed_at": fact.recorded_at,
        "removed_seq": fact.seq,
        "booked": booked.cash + booked.markers,
        "booked_instruments": booked.markers,
    }


def _counted(fact: Fact) -> Row:
    """What the second count, or the recount, makes of a box."""
    said, row = fact.payload, dict[str, Any]()
    if "first" in said:
        row |= {"first_count": said["first"]["counted"], "second_counter": str(fact.actor)}
        row["second_counted_at"] = fact.recorded_at
        row["second_count"] = said["second_count"] if fact.kind == DIFFERS else said["counted"]
    row["slips"] = said["box_slips"] if fact.kind == WHOLE else said["slips"]
    if fact.kind in COUNTED:
        row |= {"status": "counted", "counted": said["counted"], "total": said["total"]}
        return row | {"counted_at": fact.recorded_at, "counted_seq": fact.seq}
    return row | {"status": "differs"}
