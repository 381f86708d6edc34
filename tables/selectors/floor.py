"""What is going on at tables right now, for whoever watches the floor: a few statements for any number."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from ledger.models import Account, Entry
from tables.models import Casino, Countersignature, Seat, SignIn, Staff, Table

CHANGES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class TableNow:
    """A table at this moment.

    Args:
        tray: chips in the tray, minor units.
        dealer: who is signed in at the table's terminal, None when nobody is.
        occupied: how many seats are taken.
        last_kind: kind of the last journal entry of the table.
        last_seq: its number in the table's stream.
        last_at: when it was recorded.
    """

    tray: int
    dealer: Staff | None
    occupied: int
    last_kind: str
    last_seq: int
    last_at: datetime


def floor_tables(casino: Casino) -> list[Table]:
    """A casino's tables with everything that goes on there, by pit and code: one statement."""
    rows = Table.objects.filter(casino=casino).order_by("pit__code", "code")
    return list(rows.select_related("casino", "pit", "rules", "session", "round"))


def tables_now(tables: Iterable[Table]) -> dict[uuid.UUID, TableNow]:
    """The present of each of these tables, by id: four statements however many there are."""
    ids = {table.stream: table.id for table in tables}
    trays = _trays(list(ids))
    dealers = _dealers(list(ids.values()))
    taken = _taken_seats(list(ids.values()))
    last = {
        entry.stream.name: entry
        for entry in Entry.objects.filter(stream__name__in=ids, stream__head__seq=F("seq")).select_related(
            "stream"
        )
    }
    return {
        table_id: TableNow(
            tray=trays[stream],
            dealer=dealers.get(table_id),
            occupied=taken.get(table_id, 0),
            last_kind=last[stream].kind,
            last_seq=last[stream].seq,
            last_at=last[stream].recorded_at,
        )
        for stream, table_id in ids.items()
    }


def _trays(streams: Sequence[str]) -> dict[str, int]:
    rows = Account.objects.filter(stream__name__in=streams, name="tray").order_by()
    return dict(rows.values_list("stream__name", "balance"))


def _dealers(tables: Sequence[uuid.UUID]) -> dict[uuid.UUID, Staff]:
    rows = SignIn.objects.filter(terminal__table__in=tables, ended_at=None).order_by("started_at")
    signed_in = ((row.terminal.table_id, row.staff) for row in rows.select_related("staff", "terminal"))
    return {table_id: person for table_id, person in signed_in if table_id is not None}


def _taken_seats(tables: Sequence[uuid.UUID]) -> dict[uuid.UUID, int]:
    taken: dict[uuid.UUID, int] = {}
    for table_id in Seat.objects.filter(table__in=tables, occupied=True).values_list("table_id", flat=True):
        taken[table_id] = taken.get(table_id, 0) + 1
    return taken


@dataclass(frozen=True, slots=True)
class RulesChanged:
    """A table that went over to another rule set.

    Attributes:
        before, after: name and version of the rule sets.
        first, second: who signed it.
    """

    at: datetime
    before: str
    after: str
    first: Staff
    second: Staff
    reason: str


def rules_changed(table: Table) -> list[RulesChanged]:
    """A table's newest changes of its rule set, newest first.

    Found by their signatures, of which a table has few; its entries are many.
    """
    signed = Countersignature.objects.filter(stream=table.stream, act="table.rules")
    rows = list(signed.select_related("first", "second").order_by("-seq")[:CHANGES_SHOWN])
    of_table = Entry.objects.filter(stream__name=table.stream, seq__in=[row.seq for row in rows])
    payloads = dict(of_table.values_list("seq", "payload")) if rows else {}
    found = []
    for row in rows:
        said = json.loads(payloads[row.seq])
        before, after = (f"{said[name]['name']} v{said[name]['version']}" for name in ("before", "after"))
        found.append(RulesChanged(row.signed_at, before, after, row.first, row.second, said["reason"]))
    return found
