"""What auditors read: rounds, sessions and journal entries of their own casino, as plain JSON values."""

import uuid
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.db.models import QuerySet

from ledger.models import Entry, Movement, Stream
from tables.models import Round, Table, TableSession
from tables.selectors.views import round_view


def rounds_of(
    *, casino_id: uuid.UUID | None, gaming_day: date | None = None, table: uuid.UUID | None = None
) -> QuerySet[Round]:
    """The rounds of a casino, of one gaming day and one table where given."""
    rows = Round.objects.filter(table__casino=casino_id).select_related("session")
    if gaming_day is not None:
        rows = rows.filter(session__gaming_day=gaming_day)
    return rows if table is None else rows.filter(table=table)


def sessions_of(
    *, casino_id: uuid.UUID | None, gaming_day: date | None = None, table: uuid.UUID | None = None
) -> QuerySet[TableSession]:
    """The sessions of a casino, of one gaming day and one table where given."""
    rows = TableSession.objects.filter(table__casino=casino_id)
    if gaming_day is not None:
        rows = rows.filter(gaming_day=gaming_day)
    return rows if table is None else rows.filter(table=table)


def is_stream_of(name: str, *, casino_id: uuid.UUID | None) -> bool:
    """Whether a journal stream belongs to a casino: its office's, its cage's, or one of its tables'."""
    kind, _, owner = name.partition(":")
    if kind != "table":
        return name in (f"office:{casino_id}", f"cage:{casino_id}")
    try:
        table_id = uuid.UUID(owner)
    except ValueError:
        return False
    return Table.objects.filter(id=table_id, casino=casino_id).exists()


def entries_of(stream: str) -> QuerySet[Entry]:
    """The entries of a stream."""
    return Entry.objects.filter(stream__name=stream).select_related("stream")


def entry_by_id(entry_id: uuid.UUID) -> Entry | None:
    """An entry of whatever stream, with its stream."""
    return Entry.objects.filter(id=entry_id).select_related("stream").first()


def round_record(kept: Round) -> dict[str, Any]:
    """A round with all that is kept of it; its session must be at hand.

    `dealer` and `players` are people here; the seat that dealt a card-room round is its `dealing_seat`.
    """
    shown = round_view(kept)
    by_game = {"dealing_seat": shown["dealer"]} if "dealer" in shown else {"correction": _correction(kept)}
    return shown | {
        "table": str(kept.table_id),
        "session": str(kept.session_id),
        "gaming_day": kept.session.gaming_day.isoformat(),
        "shoe": str(kept.shoe_id),
        "rules": str(kept.rules_id),
        "dealer": str(kept.dealer_id),
        "players": kept.players,
        "started_at": kept.started_at.isoformat(),
        "ended_at": _time(kept.ended_at),
        "first_seq": kept.first_seq,
        "last_seq": kept.last_seq,
        "cancelled_seq": kept.cancelled_seq,
        **by_game,
    }


def _correction(kept: Round) -> dict[str, Any] | None:
    """The round as its physical cards decide it, where they are not those recorded."""
    if kept.corrected_state is None:
        return None
    said = {name: kept.corrected_state[name] for name in ("cards", "spread", "outcome", "results")}
    return {"seq": kept.corrected_seq, **said}


def session_record(kept: TableSession) -> dict[str, Any]:
    """A session with its counts."""
    return {
        "id": str(kept.id),
        "table": str(kept.table_id),
        "number": kept.number,
        "gaming_day": kept.gaming_day.isoformat(),
        "status": str(kept.status),
        "opener": kept.opener,
        "opener_total": kept.opener_total,
        "opened_at": kept.opened_at.isoformat(),
        "opened_seq": kept.opened_seq,
        "closer": kept.closer,
        "closer_total": kept.closer_total,
        "closed_at": _time(kept.closed_at),
        "closed_seq": kept.closed_seq,
        "drop_count": kept.drop_count,
        "drop_total": kept.drop_total,
        "counted_at": _time(kept.counted_at),
    }


def entry_records(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Entries of one stream with their movements, which are read in one go."""
    kept = list(entries)
    moved: dict[int, list[dict[str, Any]]] = {entry.seq: [] for entry in kept}
    rows = Movement.objects.filter(seq__in=moved, stream_id__in={entry.stream_id for entry in kept})
    for row in rows.select_related("source", "target").order_by("seq", "line"):
        moved[row.seq].append(
            {
                "source": row.source.name,
                "target": row.target.name,
                "asset": row.source.asset,
                "amount": row.amount,
            }
        )
    return [_entry_record(entry, moved[entry.seq]) for entry in kept]


def _entry_record(entry: Entry, moved: list[dict[str, Any]]) -> dict[str, Any]:
    stream: Stream = entry.stream
    return {
        "id": str(entry.id),
        "stream": stream.name,
        "seq": entry.seq,
        "kind": entry.kind,
        "command": str(entry.command_id),
        "actor": str(entry.actor),
        "terminal": str(entry.terminal) if entry.terminal else None,
        "recorded_at": entry.recorded_at.isoformat(),
        "occurred_at": entry.occurred_at.isoformat(),
        "payload_text": entry.payload,
        "payload_digest": bytes(entry.payload_digest).hex(),
        "reverses": str(entry.reverses) if entry.reverses else None,
        "previous_hash": bytes(entry.previous_hash).hex(),
        "hash": bytes(entry.hash).hex(),
        "hash_version": entry.hash_version,
        "movements": moved,
    }


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
