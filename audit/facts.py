"""Journal entries as the audit's pure checkers take them, wherever they were read from."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID


class Moved(NamedTuple):
    """`amount` minor units that went from one account to another."""

    source: str
    target: str
    amount: int


class Fact(NamedTuple):
    """One entry with its movements; an unreadable payload is empty here, the verifier names it."""

    stream: str
    seq: int
    kind: str
    actor: UUID
    recorded_at: datetime
    payload: dict[str, Any]
    moves: tuple[Moved, ...]


def until_closed(during: Iterable[Fact], session: str) -> Iterator[Fact]:
    """A session's entries from its opening one to the closing one that stands.

    A closing may be cancelled (`session.reopen`): then what came since belongs to the session, and another
    closing follows. So what follows a closing is held back until it is known.

    Args:
        during: the entries from the session's opening one on; read as far as the next opening.
    """
    held: list[Fact] | None = None
    for number, fact in enumerate(during):
        if number and fact.kind == "session.open":
            return
        named = fact.payload.get("session") == session
        if held is None:
            yield fact
        elif fact.kind == "session.reopen" and named:
            yield from (*held, fact)
            held = None
        else:
            held.append(fact)
        if fact.kind == "session.close" and named:
            held = []
