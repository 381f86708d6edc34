"""A state's canonical JSON, put together of what was written before: each entry of a round has its digest.

``record.encode_state`` says what stands in it; here is only how fast it can be written. Of a round's actions,
cards and players few are new after an entry, and each keeps its own text. Names are in order, so it is the
text whose digest an entry carries (``tables.engine.codec.digest``).
"""

from __future__ import annotations

from tables.engine.card_room import record
from tables.engine.card_room.state import Player, State
from tables.engine.codec import canonical_text

KEPT = ("board", "log", "results", "rules")
"""What is put together, by name and in order; it stands where the rest is written with this (`HERE`)."""
HERE = "?"


def state_text(state: State) -> str:
    """The JSON of ``encode_state(state)``, names in order, without spaces."""
    rest = canonical_text(record.brief(state) | dict.fromkeys(KEPT, HERE)).split(f'"{HERE}"')
    board = ",".join([face.text for face in state.faces])
    log = ",".join([action.text for action in state.log])
    players = sorted(state.players, key=_name)
    results = ",".join([f'"{player.seat}":{_result(state, player)}' for player in players])
    before_board, before_log, before_results, before_rules, end = rest
    return (
        f"{before_board}[{board}]{before_log}[{log}]{before_results}{{{results}}}"
        f"{before_rules}{state.rules.text}{end}"
    )


def _name(player: Player) -> str:
    """Seats in the order of their names, in which 10 comes before 2."""
    return str(player.seat)


def _result(state: State, player: Player) -> str:
    return canonical_text(record.result(state, player)) if state.outcome == "void" else player.text
