"""The engine's states of rounds, read once: a command and its answer look at the same one several times.

Reading a state refuses what no round can reach; in a card-room game that means playing the whole round
again. A state follows from its JSON alone and is never changed, so what was read of one text is what would be
read of it again, whoever wrote it meanwhile.
"""

from collections.abc import Mapping
from typing import Any

from tables.engine.codec import canonical_text
from tables.engine.registry import AnyGame

KEPT = 512  # states of a few kilobytes each
_states: dict[tuple[str, int, str], Any] = {}


def state_of(rules_of_game: AnyGame, encoded: Mapping[str, Any]) -> Any:
    """The state that an encoded one stands for; raises IllegalAction ``bad_state``."""
    key = _key(rules_of_game, encoded)
    state = _states.get(key)
    if state is None:
        state = rules_of_game.decode_state(encoded)
        _keep(key, state)
    return state


def remember(rules_of_game: AnyGame, encoded: Mapping[str, Any], state: Any) -> None:
    """Keep a state that was just encoded, for whoever reads it next."""
    _keep(_key(rules_of_game, encoded), state)


def _key(rules_of_game: AnyGame, encoded: Mapping[str, Any]) -> tuple[str, int, str]:
    return rules_of_game.name, rules_of_game.version, canonical_text(encoded)


def _keep(key: tuple[str, int, str], state: Any) -> None:
    if len(_states) >= KEPT:
        _states.clear()
    _states[key] = state
