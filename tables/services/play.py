"""Engine actions as one journal entry: what every command in a round, of whatever game, comes down to.

The engine's moves are the entry's movements, its state's digest stands in the payload beside the actions,
and the round's projection is written with it.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.engine.contract import Move
from tables.engine.registry import AnyGame, digest, game
from tables.models import Round, RoundStatus, Shoe, Table, TableSession
from tables.selectors.states import remember, state_of
from tables.selectors.views import round_view, table_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table_of_round, running_round
from tables.services.money import MoneySettled, money_plays
from tables.services.pieces import ending
from tables.services.shoes import NOTHING_TAKEN, Taken

Action = dict[str, Any]


def begin(
    table: Table,
    session: TableSession,
    shoe: Shoe,
    players: Mapping[str, str | None],
    command: Command,
) -> tuple[Round, dict[str, Any]]:
    """A new round on a locked table, and what the entry that begins it says besides its actions.

    Args:
        players: seat number to player id, None for somebody unknown.
    """
    rules = table.rules
    rules_of_game = game(rules.game)
    new = Round(
        table=table,
        session=session,
        shoe=shoe,
        rules=rules,
        dealer_id=table.stint.dealer_id if table.stint else command.actor.staff_id,
        number=table.rounds_begun + 1,
        game=rules_of_game.name,
        engine_version=rules_of_game.version,
        players=dict(players),
    )
    new.state = rules_of_game.encode_state(rules_of_game.new_round(rules_of_game.decode_rules(rules.body)))
    table.round, table.rounds_begun = new, new.number
    beginning = {
        "session": str(session.id),
        "shoe": str(shoe.id),
        "number": new.number,
        "players": new.players,
        "rules": {"id": str(rules.id), "digest": rules.digest},
        "engine": {"game": new.game, "version": new.engine_version},
        **({"dealer": str(new.dealer_id)} if table.stint else {}),
    }
    return new, beginning


def act(
    operation: str,
    round_id: uuid.UUID,
    command: Command,
    request: Mapping[str, Any],
    actions: Callable[[Table, Round], list[Action]],
    *,
    more: Mapping[str, Any] | None = None,
    also: Callable[[Table, Round, Posted], None] = lambda table, running, posted: None,
) -> Answer:
    """Run a command that is nothing but engine actions on the running round.

    Args:
        more: what its entry says besides.
        also: a further write, once it is posted.
    """

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        wanted = actions(table, running)
        if not wanted:
            raise DomainError("nothing_to_do", "The command names no action.", status=422)
        return effect(
            table,
            running,
            operation,
            wanted,
            command=command,
            more=more,
            also=lambda posted: also(table, running, posted),
        )

    content = {"round": str(round_id), **request}
    return execute(operation, command, content, lock_table_of_round, round_id, work)


def apply(
    rules_of_game: AnyGame, encoded: Mapping[str, Any], actions: Iterable[Action]
) -> tuple[Any, list[Move]]:
    """The engine's state after `actions` and all the moves they made, in order."""
    state = state_of(rules_of_game, encoded)
    moves: list[Move] = []
    for action in actions:
        step = rules_of_game.apply(state, rules_of_game.decode_action(action))
        state = step.state
        moves.extend(step.moves)
    return state, moves


def effect(
    table: Table,
    running: Round,
    kind: str,
    actions: list[Action],
    *,
    command: Command | None = None,
    more: Mapping[str, Any] | None = None,
    taken: Taken = NOTHING_TAKEN,
    also: Callable[[Posted], None] = lambda posted: None,
    otherwise: Callable[[], Effect] | None = None,
    status: int = 200,
) -> Effect:
    """The effect of engine actions on a round: its entry, its movements, its projections.

    Args:
        command: who acts, where that may settle currency that was bet.
    """
    rules_of_game = game(running.game, running.engine_version)
    state, moves = apply(rules_of_game, running.state, actions)
    running.state = rules_of_game.encode_state(state)
    remember(rules_of_game, running.state, state)
    over, money = rules_of_game.is_over(state), MoneySettled()
    if over:
        voided = any(action["type"] == "void" for action in actions)
        if command is not None:
            money = money_plays(table, running, kind, command)
        running.status = RoundStatus.CANCELLED if voided else RoundStatus.COMPLETE
        table.round = None
        table.button = running.state.get("next_dealer") or table.button
    end_pieces = ending(running) if over else None

    def write(posted: Posted) -> None:
        _keep(running, posted, over=over)
        also(posted)
        if end_pieces is not None:
            end_pieces(posted)
        money.write(posted)

    payload = {
        "round": str(running.id),
        "actions": actions,
        "state": digest(running.state),
        **({"openings": list(taken.openings)} if taken.openings else {}),
        **(more or {}),
        **money.said,
    }
    return Effect(
        kind=kind,
        payload=payload,
        movements=[Movement(move.source, move.target, move.amount) for move in moves],
        write=write,
        changed=["round", "rounds_begun", "shoe_state", "button"],
        body=lambda: {"round": round_view(running), "table": table_view(table)} | money.told(),
        status=status,
        otherwise=otherwise,
        otherwise_if_short="tray",
    )


def _keep(running: Round, posted: Posted, *, over: bool) -> None:
    """Write the round as the entry leaves it."""
    running.last_seq = posted.seq
    if over:
        running.ended_at = posted.recorded_at
    if running._state.adding:
        running.started_at, running.first_seq = posted.recorded_at, posted.seq
        running.save(force_insert=True)
    else:
        running.save(update_fields=["state", "status", "ended_at", "last_seq"])
