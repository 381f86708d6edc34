"""Rounds: every action goes through the engine, and the engine's moves are the journal's movements.

The third card and its settlement are one entry. When the tray cannot cover what the round won, the
entry holds the card alone: the round waits, owed, until a fill has come and `round_settle` pays.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.engine.contract import Move
from tables.engine.registry import AnyGame, digest, game
from tables.engine.shoe import Shoe as Cards
from tables.models import Round, RoundStatus, Seat, Table
from tables.selectors.views import round_view, table_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table, lock_table_of_round, no_round, open_session, running_round
from tables.services.shoes import Taken, take_cards
from tables.services.signatures import Badge, countersigner, signing

Action = dict[str, Any]
SETTLE: Action = {"type": "settle"}
NOTHING_TAKEN = Taken((), ())


def round_start(*, table_id: uuid.UUID, bets: Mapping[int, int], command: Command) -> Answer:
    """Begin a round with the bets that lie on the layout.

    Args:
        bets: seat number to minor units.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `no_shoe`, `shuffle_due`, `no_bets`,
            `seat_empty`, `floor_broken` (a seat bets more than it has), and the engine's refusals.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        if table.shoe is None:
            raise DomainError("no_shoe", "There is no shoe on the table.")
        if Cards.from_dict(table.shoe_state).cut_reached:
            raise DomainError("shuffle_due", "The cut card is out: this shoe is finished.")
        if not bets:
            raise DomainError("no_bets", "A round begins with at least one bet.", status=422)
        rules = table.rules
        rules_of_game = game(rules.game)
        new = Round(
            table=table,
            session=session,
            shoe=table.shoe,
            rules=rules,
            dealer_id=command.actor.staff_id,
            number=table.rounds_begun + 1,
            game=rules_of_game.name,
            engine_version=rules_of_game.version,
            players=_players(table, bets),
        )
        new.state = rules_of_game.encode_state(
            rules_of_game.new_round(rules_of_game.decode_rules(rules.body))
        )
        table.round, table.rounds_begun = new, new.number
        beginning = {
            "session": str(session.id),
            "shoe": str(table.shoe.id),
            "number": new.number,
            "players": new.players,
            "rules": {"id": str(rules.id), "digest": rules.digest},
            "engine": {"game": new.game, "version": new.engine_version},
        }
        actions = [{"type": "bet", "seat": seat, "amount": amount} for seat, amount in sorted(bets.items())]
        return _effect(table, new, "round.start", actions, more=beginning, status=201)

    return execute(
        operation="round.start",
        command=command,
        request={"table": str(table_id), "bets": _as_json(bets)},
        lock=lambda: lock_table(table_id, command),
        work=work,
    )


def round_bet(
    *, round_id: uuid.UUID, bets: Mapping[int, int], take_back: Sequence[int], command: Command
) -> Answer:
    """Change the bets before the first card: first bets taken back, then new ones placed."""

    def actions(table: Table, running: Round) -> list[Action]:
        _check_seated(table, bets)
        placed = [{"type": "bet", "seat": seat, "amount": amount} for seat, amount in sorted(bets.items())]
        return [*({"type": "take_back_bet", "seat": seat} for seat in take_back), *placed]

    request = {"bets": _as_json(bets), "take_back": list(take_back)}
    return _act("round.bet", round_id, command, request, actions)


def round_deal(*, round_id: uuid.UUID, cards: Sequence[str], number: int, command: Command) -> Answer:
    """Deal one card, or the first two at once; whatever decides the round also settles it.

    Args:
        cards: what a scanned shoe gave, in order; empty at a table that draws.
        number: how many cards are dealt (1 or 2).

    Raises:
        DomainError: `round_over`, `one_card_due`, those of `take_cards`, and the engine's refusals.
    """

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        # Before a card leaves the shoe: a refusal by the engine would tell what a drawn shoe holds next.
        if number > 1 and running.state["cards"]:
            raise DomainError("one_card_due", "Only the first two cards may be dealt at once.")
        taken = take_cards(table, cards, number)
        actions = [{"type": "deal", "card": card} for card in taken.cards]
        return _deciding_effect(table, running, "round.deal", actions, taken)

    return execute(
        operation="round.deal",
        command=command,
        request={"round": str(round_id), "cards": list(cards), "number": number},
        lock=lambda: lock_table_of_round(round_id, command),
        work=work,
    )


def round_expose(*, round_id: uuid.UUID, card: str | None, command: Command) -> Answer:
    """The third card was seen before the raises were closed: raises go back, bets play on it."""

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        taken = take_cards(table, [card] if card else [], 1)
        actions = [{"type": "expose_third", "card": taken.cards[0]}]
        return _deciding_effect(table, running, "round.expose", actions, taken)

    return execute(
        operation="round.expose",
        command=command,
        request={"round": str(round_id), "card": card},
        lock=lambda: lock_table_of_round(round_id, command),
        work=work,
    )


def round_announce(*, round_id: uuid.UUID, spread: int, command: Command) -> Answer:
    """Record the spread the dealer announced; a wrong one lets raises be withdrawn."""
    return _act(
        "round.announce",
        round_id,
        command,
        {"spread": spread},
        lambda table, running: [{"type": "announce", "spread": spread}],
    )


def round_raise(
    *, round_id: uuid.UUID, raises: Mapping[int, int], withdraw: Sequence[int], command: Command
) -> Answer:
    """Record raises (seat to minor units), and withdrawals after a wrong announcement."""

    def actions(table: Table, running: Round) -> list[Action]:
        raised = [
            {"type": "raise", "seat": seat, "amount": amount} for seat, amount in sorted(raises.items())
        ]
        return [*({"type": "withdraw_raise", "seat": seat} for seat in withdraw), *raised]

    request = {"raises": _as_json(raises), "withdraw": list(withdraw)}
    return _act("round.raise", round_id, command, request, actions)


def round_settle(*, round_id: uuid.UUID, command: Command) -> Answer:
    """Pay a decided round that waited for a fill.

    Raises:
        DomainError: `floor_broken` while the tray still cannot cover it.
    """
    return _act("round.settle", round_id, command, {}, lambda table, running: [SETTLE])


def round_void(
    *, round_id: uuid.UUID, reason: str, second: Badge, note: str = "", command: Command
) -> Answer:
    """Void a round before it is settled: every stake goes back; two people sign.

    Args:
        reason: one of the engine's closed list (`shoe_empty`, `misdeal`, `irregularity`, `other`).
        second: the supervisor who signs with the actor.
        note: what happened, in a sentence.
    """

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        witness = countersigner(
            act="round.void", actor=command.actor, badge=second, casino_id=table.casino_id
        )
        return _effect(
            table,
            running,
            "round.void",
            [{"type": "void", "reason": reason}],
            more={"second": str(witness.id), "note": note},
            also=signing(act="round.void", actor=command.actor, second=witness, reason=note or reason),
        )

    return execute(
        operation="round.void",
        command=command,
        request={"round": str(round_id), "reason": reason, "second": second.number, "note": note},
        lock=lambda: lock_table_of_round(round_id, command),
        work=work,
    )


def _act(
    operation: str,
    round_id: uuid.UUID,
    command: Command,
    request: Mapping[str, Any],
    actions: Callable[[Table, Round], list[Action]],
) -> Answer:
    """Run a command that is nothing but engine actions on the running round."""

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        wanted = actions(table, running)
        if not wanted:
            raise DomainError("nothing_to_do", "The command names no action.", status=422)
        return _effect(table, running, operation, wanted)

    return execute(
        operation=operation,
        command=command,
        request={"round": str(round_id), **request},
        lock=lambda: lock_table_of_round(round_id, command),
        work=work,
    )


def _deciding_effect(table: Table, running: Round, kind: str, actions: list[Action], taken: Taken) -> Effect:
    """The effect of cards that may decide the round: settled at once, or waiting for a fill."""
    rules_of_game = game(running.game, running.engine_version)
    before = running.state
    state, _ = _apply(rules_of_game, before, actions)
    if not _decided(rules_of_game, state):
        return _effect(table, running, kind, actions, taken=taken)

    def waiting() -> Effect:
        running.state, running.status, running.ended_at, table.round = (
            before,
            RoundStatus.IN_PROGRESS,
            None,
            running,
        )
        return _effect(table, running, kind, actions, taken=taken)

    return _effect(table, running, kind, [*actions, SETTLE], taken=taken, otherwise=waiting)


def _decided(rules_of_game: AnyGame, state: Any) -> bool:
    return any(legal.type == "settle" for legal in rules_of_game.legal(state))


def _apply(
    rules_of_game: AnyGame, encoded: Mapping[str, Any], actions: Iterable[Action]
) -> tuple[Any, list[Move]]:
    """The engine's state after `actions` and all the moves they made, in order."""
    state = rules_of_game.decode_state(encoded)
    moves: list[Move] = []
    for action in actions:
        step = rules_of_game.apply(state, rules_of_game.decode_action(action))
        state = step.state
        moves.extend(step.moves)
    return state, moves


def _effect(
    table: Table,
    running: Round,
    kind: str,
    actions: list[Action],
    *,
    more: Mapping[str, Any] | None = None,
    taken: Taken = NOTHING_TAKEN,
    also: Callable[[Posted], None] = lambda posted: None,
    otherwise: Callable[[], Effect] | None = None,
    status: int = 200,
) -> Effect:
    """The effect of engine actions on a round: its entry, its movements, its projections."""
    rules_of_game = game(running.game, running.engine_version)
    state, moves = _apply(rules_of_game, running.state, actions)
    running.state = rules_of_game.encode_state(state)
    over = rules_of_game.is_over(state)
    if over:
        voided = any(action["type"] == "void" for action in actions)
        running.status = RoundStatus.CANCELLED if voided else RoundStatus.COMPLETE
        table.round = None
    is_new = running._state.adding

    def write(posted: Posted) -> None:
        running.last_seq = posted.seq
        if over:
            running.ended_at = posted.recorded_at
        if is_new:
            running.started_at, running.first_seq = posted.recorded_at, posted.seq
            running.save(force_insert=True)
        else:
            running.save(update_fields=["state", "status", "ended_at", "last_seq"])
        also(posted)

    payload = {
        "round": str(running.id),
        "actions": actions,
        "state": digest(running.state),
        **({"openings": list(taken.openings)} if taken.openings else {}),
        **(more or {}),
    }
    return Effect(
        kind=kind,
        payload=payload,
        movements=[Movement(move.source, move.target, move.amount) for move in moves],
        write=write,
        changed=["round", "rounds_begun", "shoe_state"],
        body=lambda: {"round": round_view(running), "table": table_view(table)},
        status=status,
        otherwise=otherwise,
        otherwise_if_short="tray",
    )


def _players(table: Table, bets: Mapping[int, int]) -> dict[str, str | None]:
    """Who plays which seat, as the round keeps it."""
    seated = _check_seated(table, bets)
    return {str(seat): seated[seat] for seat in sorted(bets)}


def _check_seated(table: Table, bets: Mapping[int, int]) -> dict[int, str | None]:
    rows = Seat.objects.filter(table=table, occupied=True).values_list("number", "player_id")
    seated = {number: str(player) if player else None for number, player in rows}
    for seat in bets:
        if seat not in seated:
            raise DomainError("seat_empty", f"Nobody sits on seat {seat}.")
    return seated


def _as_json(amounts: Mapping[int, int]) -> dict[str, int]:
    return {str(seat): amount for seat, amount in sorted(amounts.items())}
