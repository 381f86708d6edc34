"""Every released version of every game. A version that was ever dealt stays here for ever."""

from __future__ import annotations

from typing import Any

from tables.engine.card_room import BANKING, BURNING_CARD, HIGH_CARD_POOL
from tables.engine.codec import digest
from tables.engine.contract import Game, IllegalAction
from tables.engine.red_dog import RED_DOG, RED_DOG_2

AnyGame = Game[Any, Any, Any]

RELEASED: tuple[AnyGame, ...] = (RED_DOG, RED_DOG_2, HIGH_CARD_POOL, BURNING_CARD, BANKING)
GAMES: dict[tuple[str, int], AnyGame] = {(entry.name, entry.version): entry for entry in RELEASED}


def game(name: str, version: int | None = None) -> AnyGame:
    """The game ``name`` in ``version``, by default the newest; IllegalAction ``unknown_game``."""
    wanted = max((v for n, v in GAMES if n == name), default=0) if version is None else version
    if (name, wanted) not in GAMES:
        raise IllegalAction("unknown_game", "GAME-1", f"no game {name!r} in version {version}")
    return GAMES[name, wanted]


__all__ = ["GAMES", "AnyGame", "digest", "game"]
