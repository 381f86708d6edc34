"""Entries posted past the services at card-room tables, and what the audit says of them."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audit.models import Finding
from audit.services.resettlement import Resettled, gaming_day_resettle
from ledger.models import Entry
from ledger.selectors import balances
from ledger.services import Movement, post
from tables.engine.registry import digest, game
from tables.models import Role, TableSession
from tables.services import pools, sessions
from tables.services.shoes import open_at, opening_record
from tests.audit import support
from tests.floor import House
from tests.room import Room


def resettle(house: House) -> Resettled:
    """Re-settle the gaming day of the house's sessions."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    return gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)


def only(house: House, code: str) -> dict[str, Any]:
    """The evidence of the one finding of a house, which has this code."""
    found = Finding.objects.get(casino=house.casino)
    assert found.code == code
    evidence: dict[str, Any] = found.evidence.get().body
    return evidence


def close(room: Room) -> TableSession:
    """Everybody leaves, the table closes on what the books say."""
    for seat in sorted(pools.seated(room.row)):
        room.leave(seat)
    session = TableSession.objects.get(table=room.table)
    tray = balances(room.table.stream)["tray"]
    sessions.session_close(
        session_id=session.id,
        closer={"100": tray // 100},
        second=room.house.badge(Role.SUPERVISOR),
        command=room.command(),
    )
    return TableSession.objects.get(id=session.id)


def false_entry(room: Room, kind: str, said: Mapping[str, Any], moves: Sequence[Movement] = ()) -> None:
    """Post an entry of the table past the services."""
    post(
        stream=room.table.stream,
        kind=kind,
        payload={"session": str(room.row.session_id), **said},
        movements=moves,
        actor=room.house.staff[Role.DEALER].id,
        command_id=uuid.uuid4(),
    )


def found_at(house: House) -> list[tuple[str, int]]:
    """Code and entry of everything found, as entries came; what has no entry is left out."""
    kept = Finding.objects.filter(casino=house.casino)
    found = [(one.code, one.seq) for one in kept if one.seq is not None]
    return sorted(found, key=lambda one: (one[1], one[0]))


def last(room: Room) -> int:
    """The number of the table's newest entry."""
    return Entry.objects.filter(stream__name=room.table.stream).latest("seq").seq


def into_seats(place: str, amounts: Mapping[str, int]) -> list[Movement]:
    """Movements out of one place to seats."""
    return [Movement(place, f"seat:{seat}", amount) for seat, amount in amounts.items()]


def false_start(
    room: Room,
    change: Callable[[list[dict[str, Any]]], None],
    *,
    players: Mapping[str, str | None] | None = None,
) -> None:
    """A round begun past the services: seats 1, 2 and 4, with what `change` does to the actions.

    Args:
        players: whom it names; those three, of whom nobody is known, when None.
    """
    engine = game(room.row.rules.game)
    rules = engine.decode_rules(room.row.rules.body)
    actions: list[dict[str, Any]] = [{"type": "join", "seat": seat} for seat in (1, 2, 4)]
    actions.append({"type": "open", "dealer": 4, "cards_each": 5, "carried": 0})
    change(actions)
    state, moves = engine.new_round(rules), []
    for action in actions:
        step = engine.apply(state, engine.decode_action(action))
        state = step.state
        moves += [Movement(move.source, move.target, move.amount) for move in step.moves]
    false_entry(
        room,
        "round.start",
        {
            "round": str(uuid.uuid4()),
            "shoe": str(room.row.shoe_id),
            "number": 1,
            "players": dict.fromkeys("124") if players is None else dict(players),
            "rules": {"id": str(room.row.rules_id), "digest": room.row.rules.digest},
            "engine": {"game": engine.name, "version": engine.version},
            "actions": actions,
            "state": digest(engine.encode_state(state)),
        },
        moves,
    )


def of_room(house: House) -> list[str]:
    """The codes found but for those of a round that has no row and no end."""
    projection = ("round_projection_missing", "round_not_finished")
    return [code for code in support.codes(house) if code not in projection]


def shown_from(room: Room, positions: Sequence[int]) -> list[dict[str, Any]]:
    """Openings of these positions of the pack in play."""
    return [opening_record(opening) for opening in open_at(room.newest.shoe, positions)]
