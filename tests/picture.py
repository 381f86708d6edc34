"""Everything of a house that a refusal must leave alone, in one statement."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

from ledger.models import Account, Head
from tables.models import (
    Cage,
    CashTotal,
    CashTransaction,
    Casino,
    ClosedDay,
    CommandAnswer,
    Countersignature,
    DropBox,
    Marker,
    Player,
    PromoPiece,
    PromoStock,
    Redemption,
    Round,
    Seat,
    Shoe,
    Slip,
    Staff,
    Stint,
    Table,
    TableSession,
)

_OF_TABLES = "table_id = ANY(%(tables)s)"
_OF_CASINO = "casino_id = %(casino)s"
_OF_STREAMS = "stream = ANY(%(streams)s)"
_ROWS: dict[str, tuple[type[Model], str]] = {
    "heads": (Head, "stream_id IN (SELECT id FROM ledger_stream WHERE name = ANY(%(streams)s))"),
    "balances": (Account, "stream_id IN (SELECT id FROM ledger_stream WHERE name = ANY(%(streams)s))"),
    "tables": (Table, "id = ANY(%(tables)s)"),
    "seats": (Seat, _OF_TABLES),
    "rounds": (Round, _OF_TABLES),
    "sessions": (TableSession, _OF_TABLES),
    "stints": (Stint, _OF_TABLES),
    "boxes": (DropBox, _OF_TABLES),
    "shoes": (Shoe, _OF_TABLES),
    "slips": (Slip, _OF_TABLES),
    "cage": (Cage, _OF_CASINO),
    "office": (Casino, "id = %(casino)s"),
    "closed_days": (ClosedDay, _OF_CASINO),
    "redemptions": (Redemption, _OF_CASINO),
    "promos": (PromoPiece, _OF_CASINO),
    "promo_stock": (PromoStock, _OF_CASINO),
    "markers": (Marker, _OF_CASINO),
    "players": (Player, _OF_CASINO),
    "cash": (CashTransaction, _OF_CASINO),
    "cash_totals": (CashTotal, _OF_CASINO),
    "signatures": (Countersignature, _OF_STREAMS),
    "answers": (CommandAnswer, _OF_STREAMS),
    "staff": (Staff, _OF_CASINO),
}
_PART = {"staff": "to_jsonb(r.id)"}  # wrong PINs are counted in the person's row
# One statement, for it is asked before and after every refusal there is a test of.
_STATEMENT = " UNION ALL ".join(
    f"SELECT '{key}', jsonb_agg(part ORDER BY part::text)::text FROM (SELECT"  # noqa: S608 (names of our own)
    f" {_PART.get(key, 'to_jsonb(r)')} FROM {model._meta.db_table} r WHERE {where}) AS rows (part)"
    for key, (model, where) in _ROWS.items()
)


def taken(*, casino: uuid.UUID, tables: Sequence[uuid.UUID], streams: Sequence[str]) -> dict[str, Any]:
    """The rows of a casino, of its tables and of their streams: for each kind, what they are now.

    Args:
        streams: the names of the journal's streams.
    """
    places: dict[str, Any] = {"casino": casino, "tables": list(tables), "streams": list(streams)}
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, places)
        return {key: json.loads(rows or "[]") for key, rows in cursor.fetchall()}
