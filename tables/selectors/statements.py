"""Account statements as auditors read them, with what was last counted chip by chip."""

import uuid
from typing import Any

from ledger.statements import AccountBalance, History
from tables.models import TableSession

TRAY = "tray"


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
    """A page of an account's history as plain JSON values; for a tray, with its last count."""
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
    """The last count of a table's tray up to entry `until`: chip value to number, and its entry.

    None where nothing was counted by denomination (any other account: chips are wagered by value alone).
    """
    kind, _, owner = stream.partition(":")
    if kind != "table" or account != TRAY:
        return None
    session = (
        TableSession.objects.filter(table_id=uuid.UUID(owner), opened_seq__lte=until)
        .order_by("-opened_seq")
        .first()
    )
    if session is None:
        return None
    closed = session.closed_seq is not None and session.closed_seq <= until
    return {
        "what": "closer" if closed else "opener",
        "seq": session.closed_seq if closed else session.opened_seq,
        "chips": session.closer if closed else session.opener,
        "total": session.closer_total if closed else session.opener_total,
    }
