"""Journal entries as the audit's pure checkers take them, wherever they were read from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID


class Moved(NamedTuple):
    """`amount` minor units that went from one account to another."""

    source: str
    target: str
    amount: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One entry with its movements; an unreadable payload is empty here, the verifier names it."""

    stream: str
    seq: int
    kind: str
    actor: UUID
    recorded_at: datetime
    payload: dict[str, Any]
    moves: tuple[Moved, ...]
