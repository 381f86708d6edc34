"""The actions of a round's entries as their game reads them; no database, no Django.

Bets, raises and cards come again and again, and are read once.
"""

import marshal
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from audit.order import STATED
from tables.engine.contract import Handling, IllegalAction
from tables.engine.registry import AnyGame

ACTIONS_KEPT = 8192


class Read(NamedTuple):
    """An action as its game reads it, what it does with the pack if anything, whether it is judged by itself,
    and whether it states what somebody bets."""

    action: Any
    handling: Handling
    acts: bool
    apart: bool
    stated: bool


APART = ("void", "turn")
"""Actions before or after which something must be looked at."""
Known = dict[bytes, Read]
KNOWN: dict[tuple[str, int], Known] = {}
"""What was read before, by game and version."""


def actions_read(engine: AnyGame, actions: Sequence[dict[str, Any]], known: Known) -> list[Read]:
    """Actions as far as they can be read; the rest is found when they are applied.

    Args:
        known: of this game and version, as in `KNOWN`.
    """
    found = []
    for action in actions:
        # Not by itself: to a dictionary True would be 1, which it is not to a game.
        written = marshal.dumps(action, 2)
        read = known.get(written)
        if read is None:
            try:
                read = _read(engine, action)
            except IllegalAction:
                break
            if len(known) < ACTIONS_KEPT:
                known[written] = read
        found.append(read)
    return found


def _read(engine: AnyGame, action: Mapping[str, Any]) -> Read:
    decoded = engine.decode_action(dict(action))
    handling = engine.handling(decoded)
    kind = action["type"]
    return Read(decoded, handling, handling != Handling(), kind in APART, kind in STATED)
