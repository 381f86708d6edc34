"""Whole sessions for the audit's tests, honest or wrongly counted, and forged journal entries."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audit.models import Finding
from ledger.selectors import balances
from ledger.services import Movement, Posted, post
from tables.engine.registry import digest, game
from tables.models import CardSource, Role, Round, Table, TableSession
from tables.selectors.figures import session_figures
from tables.services import rounds, seats, sessions, shoes
from tables.services.command import Actor, Command
from tests import floor

WIN = ("5S", "QH", "9D")  # spread 6, the third card lies between
LOSE = ("5S", "QH", "KD")
PUSH = ("5S", "6H")
TRIPS = ("7S", "7H", "7D")


def open_scanned(house: floor.House, code: str = "rd-1", **rules: Any) -> tuple[Table, uuid.UUID]:
    """A table that scans its cards, open and with two players; so tests choose what comes."""
    return floor.ready_table(house, code, card_source=CardSource.SCANNED, **rules)


def play_with_raise(
    house: floor.House, table: Table, cards: Sequence[str], raises: Mapping[int, int]
) -> Round:
    """A round with bets of 1,000 and 2,500 on seats 1 and 2, and these raises."""

    def dealer() -> Command:
        return house.command(Role.DEALER)

    begun = rounds.round_start(table_id=table.id, bets={1: 1000, 2: 2500}, command=dealer())
    round_id = uuid.UUID(begun.body["round"]["id"])
    two = rounds.round_deal(round_id=round_id, cards=cards[:2], number=2, command=dealer())
    spread = two.body["round"]["spread"]
    rounds.round_announce(round_id=round_id, spread=spread, command=dealer())
    if raises:
        rounds.round_raise(round_id=round_id, raises=raises, withdraw=[], command=dealer())
    rounds.round_deal(round_id=round_id, cards=cards[2:], number=1, command=dealer())
    return Round.objects.get(id=round_id)


def everybody_sits(house: floor.House, table: Table) -> None:
    """Two players buy in for 2,000.00 each."""
    for seat in (1, 2):
        floor.seat_player(house, table, seat, 200_000)


def everybody_leaves(house: floor.House, table: Table) -> None:
    """Both players leave with their chips."""
    for seat in (1, 2):
        seats.seat_leave(table_id=table.id, seat=seat, command=house.command(Role.DEALER))


def close(house: floor.House, table: Table, session_id: uuid.UUID, *, off: int = 0) -> None:
    """Close on a count that is `off` minor units from the books."""
    everybody_leaves(house, table)
    tray = balances(table.stream)["tray"] + off
    sessions.session_close(
        session_id=session_id,
        closer={"100": tray // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )


def open_again(house: floor.House, table: Table) -> uuid.UUID:
    """Open a closed table on what its last closer left; answers the session's id."""
    floor.clear_box(house, table)
    opened = sessions.session_open(
        table_id=table.id,
        opener=TableSession.objects.filter(table=table).latest("number").closer or {},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    return uuid.UUID(opened.body["session"]["id"])


def count_drop(
    house: floor.House, session_id: uuid.UUID, *, off: int = 0, slips: Sequence[str] | None = None
) -> None:
    """Count the drop, `off` minor units from what was recorded as put in; `slips` are copies found."""
    inserted = session_figures([TableSession.objects.get(id=session_id)])[session_id].insertions + off
    floor.count_drop(house, session_id, {"100": inserted // 100}, slips=slips)


def at_desk(house: floor.House, role: Role) -> Command:
    """A fresh command by the person of that role, at no terminal."""
    return Command(uuid.uuid4(), Actor(house.staff[role].id, role))


def codes(house: floor.House) -> list[str]:
    """The codes of all findings of a house, sorted."""
    return sorted(Finding.objects.filter(casino=house.casino).values_list("code", flat=True))


def forge(
    house: floor.House,
    running: Round,
    actions: Sequence[Mapping[str, Any]],
    *,
    kind: str = "round.deal",
    moves: Callable[[list[Movement]], list[Movement]] = lambda moves: moves,
    payload: Mapping[str, Any] | None = None,
) -> Posted:
    """Post an entry of a round past the services, with movements or payload other than the engine's."""
    engine = game(running.game, running.engine_version)
    state, made = engine.decode_state(running.state), []
    for action in actions:
        step = engine.apply(state, engine.decode_action(dict(action)))
        state = step.state
        made += [Movement(move.source, move.target, move.amount) for move in step.moves]
    encoded = engine.encode_state(state)
    posted = post(
        stream=running.table.stream,
        kind=kind,
        payload={"round": str(running.id), "actions": list(actions), "state": digest(encoded)}
        | dict(payload or {}),
        movements=moves(made),
        actor=house.staff[Role.DEALER].id,
        command_id=uuid.uuid4(),
    )
    running.state, running.last_seq = encoded, posted.seq
    if engine.is_over(state):
        running.status, running.ended_at = "complete", posted.recorded_at
        Table.objects.filter(id=running.table_id).update(round=None)
    running.save()
    return posted


def raising(house: floor.House, table: Table, first_two: Sequence[str]) -> Round:
    """A round whose spread was announced, waiting for raises and the third card."""
    begun = rounds.round_start(table_id=table.id, bets={1: 1000, 2: 2500}, command=house.command(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])
    dealt = rounds.round_deal(
        round_id=round_id, cards=first_two, number=2, command=house.command(Role.DEALER)
    )
    rounds.round_announce(
        round_id=round_id, spread=dealt.body["round"]["spread"], command=house.command(Role.DEALER)
    )
    return Round.objects.get(id=round_id)


def new_shoe(house: floor.House, table: Table, **retire: Any) -> None:
    """Retire the shoe in play and load another."""
    options: dict[str, Any] = {"stub": None, "burnt": ()} | retire
    shoes.shoe_retire(table_id=table.id, command=house.command(Role.DEALER), **options)
    shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
