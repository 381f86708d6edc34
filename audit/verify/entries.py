"""A bundle's entries as the audit's pure checkers take them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import repeat
from typing import Any
from uuid import UUID

from audit.facts import Fact, Moved
from audit.verify.records import Record, Transfer

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def facts_of(stream: str, records: Sequence[Record], payloads: Sequence[dict[str, Any]]) -> list[Fact]:
    """Entries as the audit's checkers take them."""
    try:
        moments = [EPOCH + timedelta(0, 0, record.recorded) for record in records]
    except OverflowError:
        return list(map(fact_of, repeat(stream), records, payloads))
    return [
        Fact._make((stream, record.seq, record.kind, _person(record.actor), at, said, _moved(record.moves)))
        for record, said, at in zip(records, payloads, moments, strict=True)
    ]


def fact_of(stream: str, record: Record, payload: dict[str, Any]) -> Fact:
    """An entry as the audit's checkers take it; a time no calendar holds becomes the epoch."""
    try:
        at = EPOCH + timedelta(0, 0, record.recorded)  # days, seconds, microseconds: keywords take longer
    except OverflowError:
        at = EPOCH
    return Fact(stream, record.seq, record.kind, _person(record.actor), at, payload, _moved(record.moves))


# The same people do the same things all day.
@lru_cache(maxsize=4096)
def _person(actor: bytes) -> UUID:
    return UUID(bytes=actor)


@lru_cache(maxsize=16384)
def _moved(moves: tuple[Transfer, ...]) -> tuple[Moved, ...]:
    return tuple(Moved(move.source, move.target, move.amount) for move in moves)
