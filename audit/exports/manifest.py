"""The manifest beside an export, and the note that signs it (``audit/FORMAT.md``, 7)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from audit.exports.columns import COLUMNS, NO_ACTIVITY, SUMMED
from audit.exports.filters import RoundFilter
from audit.exports.parts import Tally
from audit.exports.scope import Part
from audit.verify.rounds_manifest import SCHEMA, SCHEMA_VERSION, note_text
from ledger.checkpoints.note import SignerKey
from ledger.models import Checkpoint
from tables.models import Casino, RuleSet


def manifest_of(
    wanted: RoundFilter,
    form: str,
    parts: Sequence[tuple[Part, Tally]],
    total: Tally,
    checkpoint: Checkpoint | None,
) -> Mapping[str, Any]:
    """What an export is, but for its file; nothing in it tells who asked or when.

    Args:
        parts: its gaming days with what each adds up to.
        total: what all of it adds up to.
        checkpoint: the log's last one as the export was begun.
    """
    casino = Casino.objects.get(id=wanted.casino)
    unsealed = sum(session.unsealed for part, _ in parts for session in part.sessions)
    return {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "format": form,
        "filter": wanted.as_dict,
        "casino": _casino(casino),
        "columns": [_column(name) for name in COLUMNS],
        "counts": {"rounds": total.rounds, "rows": total.rows, "unsealed": unsealed},
        "sums": {casino.currency: {name: total.sums.get(name, 0) for name in SUMMED}},
        "gaming_days": [part.day.isoformat() for part, tally in parts if tally.rows],
        "rule_sets": _rule_sets(total.rules),
        "streams": streams_of([part for part, _ in parts]),
        "checkpoint": None if checkpoint is None else _checkpoint(checkpoint),
        "activity": None if total.rows else NO_ACTIVITY,
    }


def note_of(manifest: bytes, signer: SignerKey, asked_by: str) -> bytes:
    """The signed note of a manifest, with who asked for the export and the time of now.

    Raises:
        ledger.checkpoints.note.NoteError: nobody can be called so.
    """
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return signer.sign(note_text(manifest, by=asked_by, at=at)).encode()


def _casino(casino: Casino) -> Mapping[str, Any]:
    said = {"id": str(casino.id), "code": casino.code, "currency": casino.currency}
    return said | {"time_zone": casino.time_zone, "rollover_hour": casino.rollover_hour}


def _column(name: str) -> Mapping[str, str]:
    column = COLUMNS[name]
    return {"name": name, "values": column.kind.value, "meaning": column.text}


def _rule_sets(ids: set[str]) -> list[Mapping[str, Any]]:
    rows = RuleSet.objects.filter(id__in=ids).order_by("id")
    return [
        {"id": str(row.id), "name": row.name, "version": row.version, "digest": row.digest} for row in rows
    ]


def streams_of(parts: Sequence[Part]) -> list[Mapping[str, Any]]:
    """How far the tables' streams went: the last entry about any round that was looked through."""
    last: dict[str, int] = {}
    for part in parts:
        for session in part.sessions:
            last[session.stream] = max(session.last, last.get(session.stream, 0))
    return [{"stream": stream, "last": seq} for stream, seq in sorted(last.items())]


def _checkpoint(checkpoint: Checkpoint) -> Mapping[str, Any]:
    return {"origin": checkpoint.origin, "size": checkpoint.size, "root": bytes(checkpoint.root).hex()}
