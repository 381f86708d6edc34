"""Rows of rounds as the re-settlement compares them with the journal, many at a time."""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from audit.resettle import Replayed
from audit.selectors.journal import moment
from tables.engine.red_dog.state import State
from tables.engine.red_dog.text import stored_text
from tables.engine.registry import digest


class RoundRow(NamedTuple):
    """What a round's row says.

    Attributes:
        plain: table, session, shoe, rules, dealer; number, game, engine's version, status; first and last
            entry; the entries that corrected and cancelled it.
        players: by seat, as it is stored.
        state: as it is stored.
        begun, ended: as they are stored; None while it runs.
    """

    plain: tuple[Any, ...]
    players: str
    state: str
    begun: str
    ended: str | None

    def says(self, plain: tuple[Any, ...], replayed: Replayed) -> bool:
        """Whether it says what it should: `plain`, and the round's times, players and state."""
        return (
            self.plain == plain
            and moment(self.begun) == replayed.started_at
            and (self.ended and moment(self.ended)) == replayed.ended_at
            and _players(self.players) == replayed.players
            and _is_state(self.state, replayed)
        )


# Times, ids and JSON as text: read by the driver they take several times as long.
_ROUNDS = """
SELECT id::text, players::text, state::text, started_at::text, ended_at::text,
       table_id::text, session_id::text, shoe_id::text, rules_id::text, dealer_id::text,
       number, game, engine_version, status, first_seq, last_seq,
       corrected_seq, cancelled_seq
  FROM tables_round WHERE session_id = %s AND number BETWEEN %s AND %s
"""


def round_rows(session: UUID, first: int, last: int) -> dict[str, RoundRow]:
    """The rows of a session's rounds of these numbers by id.

    By number, and not by ids, of which there would be as many to look up.
    """
    with connection.cursor() as cursor:
        cursor.execute(_ROUNDS, [session, first, last])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return {row[0]: RoundRow(row[5:], *row[1:5]) for row in rows}


_SHOES = """
SELECT id, table_id, number, packs, source, root, loaded_at, retired_at, final_state
  FROM tables_shoe WHERE id = ANY(%s)
"""


def shoe_rows(ids: Iterable[UUID]) -> dict[UUID, dict[str, Any]]:
    """What the rows of these shoes say by id; one that is not there is left out."""
    with connection.cursor() as cursor:
        cursor.execute(_SHOES, [list(ids)])
        names = [column.name for column in cursor.description]
        rows = [(*plain, state and json.loads(state)) for *plain, state in cursor.fetchall()]
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


# The same people sit there round after round.
@lru_cache(maxsize=1024)
def _players(text: str) -> Any:
    return json.loads(text)


def _is_state(text: str, replayed: Replayed) -> bool:
    """Whether a stored state is that of a round: to the letter, or else as JSON."""
    state = replayed.state
    if isinstance(state, State) and text == stored_text(state, stored_rules(state.rules.text)):
        return True
    return digest(json.loads(text)) == replayed.game.digest(state)


@lru_cache(maxsize=256)
def stored_rules(text: str) -> str:
    """A rule set's canonical JSON as PostgreSQL's jsonb writes it."""
    return _stored(json.loads(text))


def _stored(value: Any) -> str:
    """JSON as PostgreSQL's jsonb writes it."""
    if not isinstance(value, dict):
        return json.dumps(value)
    names = sorted(value, key=lambda name: (len(name), name))
    return "{" + ", ".join([f"{json.dumps(name)}: {_stored(value[name])}" for name in names]) + "}"
