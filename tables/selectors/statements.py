"""Account statements as auditors read them, with what was last counted chip by chip."""

import json
import uuid
from typing import Any

from ledger.models import Entry
from ledger.statements import AccountBalance, History
from tables.models import DropBox, TableSession

TRAY = "tray"
COUNT_ROOM = {"count_room": "chips", "cash:count_room": "notes", "markers:count_room": "instruments"}
"""Accounts of what was found in drop boxes, and which part of a box's count each is."""


def account_record(row: AccountBalance) -> dict[str, Any]:
    """An account and what it holds, as plain JSON values (minor units)."""
    return {
        "stream": row.stream,
        "name": row.name,
        "asset": row.asset,
        "floor": row.floor,
        "balance": row.balance,
    }


def statement_record(page: History) -> dict[str, Any]:
    """A page of an account's history as plain JSON values, with what was last counted by denomination."""
    return {
        "stream": page.stream,
        "account": page.account,
        "asset": page.asset,
        "until": page.until,
        "opening": page.opening,
        "results": [
            {
                "seq": line.seq,
                "line": line.line,
                "entry": str(line.entry_id),
                "kind": line.kind,
                "recorded_at": line.recorded_at.isoformat(),
                "other": line.other,
                "change": line.change,
                "balance": line.balance,
            }
            for line in page.lines
        ],
        "count": last_count(page.stream, page.account, page.until),
    }


def last_count(stream: str, account: str, until: int) -> dict[str, Any] | None:
    """What was last counted by denomination up to entry `until`: value to number, and the count's entry.

    Of a table's tray the opener, the closer or a count at which one dealer relieved another; of its count
    room what a drop box had of that asset. None where nothing was counted (in any other account chips are
    wagered by value alone).
    """
    kind, _, owner = stream.partition(":")
    if kind != "table":
        return None
    if account == TRAY:
        return _tray_count(stream, uuid.UUID(owner), until)
    part = COUNT_ROOM.get(account)
    return None if part is None else _box_count(uuid.UUID(owner), part, until)


def _tray_count(stream: str, table_id: uuid.UUID, until: int) -> dict[str, Any] | None:
    session = (
        TableSession.objects.filter(table_id=table_id, opened_seq__lte=until).order_by("-opened_seq").first()
    )
    if session is None:
        return None
    if session.closed_seq is not None and session.closed_seq <= until:
        return _count("closer", session.closed_seq, session.closer or {})
    reliefs = Entry.objects.filter(
        stream__name=stream,
        kind="dealer.relieve",
        seq__gt=session.opened_seq,
        seq__lte=until,
        payload__contains='"count":{',
    )
    relief = reliefs.order_by("-seq").values_list("seq", "payload").first()
    if relief is None:
        return _count("opener", session.opened_seq, session.opener)
    return _count("relief", relief[0], json.loads(relief[1])["count"])


def _box_count(table_id: uuid.UUID, part: str, until: int) -> dict[str, Any] | None:
    boxes = DropBox.objects.filter(table_id=table_id, counted_seq__lte=until).select_related("table")
    box = boxes.order_by("-counted_seq").first()
    if box is None or box.counted is None or box.counted_seq is None:
        return None
    return _count(f"box {box.label}", box.counted_seq, box.counted[part])


def _count(what: str, seq: int, found: dict[str, int]) -> dict[str, Any]:
    total = sum(int(value) * number for value, number in found.items())
    return {"what": what, "seq": seq, "chips": found, "total": total}
