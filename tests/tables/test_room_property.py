"""Whatever happens at a card-room table: no chip is lost, the layout is the engine's, the journal replays."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.errors import DomainError
from ledger.models import Account
from tables.engine.registry import game
from tables.models import CardSource, Role, Table
from tables.services import freezes, pools
from tests import floor
from tests.room import Room, make_room
from tests.tables.test_property import assert_conserved, assert_journal_replays

SEATS = st.integers(1, 4)
GAMES = st.sampled_from(["high_card_pool", "burning_card", "banking"])
AMOUNTS = st.sampled_from([1, 10, 20, 30, 60, 500])
# What keeps a round going, twice as likely as what disturbs it.
GOES_ON = ["deal", "least", "most", "turn", "show", "show", "lay_down", "settle", "shuffle"]
ELSE = ["bet", "expose", "mispay", "put_right", "void", "leave", "sit", "divide", "draw", "collect", "freeze"]
COMMANDS = st.tuples(st.sampled_from([*GOES_ON, *GOES_ON, *ELSE]), SEATS, AMOUNTS)
TIMED = {"kind": "time", "amount": 3, "minutes": 30}


def due(room: Room) -> int:
    """Whose turn it is; seat 1 where none is."""
    return (room.state.due if room.row.round_id else None) or 1


def bet_of(room: Room, which: str) -> int:
    """The least or the most that the player in turn may bet; 1 where none is."""
    turn = game(room.newest.game).describe(room.state)["turn"] if room.row.round_id else None
    return int((turn or {}).get("minimum" if which == "least" else "maximum") or 1)


def freeze_and_release(room: Room) -> None:
    """A freeze that is released at once."""
    freezes.table_freeze(table_id=room.table.id, reason="a look", command=room.command())
    freezes.table_release(
        table_id=room.table.id,
        second=room.house.badge(Role.SUPERVISOR),
        reason="nothing",
        command=room.command(),
    )


ACTS: dict[str, Callable[[Room, int, int], Any]] = {
    "deal": lambda room, seat, amount: room.deal(bank=amount if room.table.rules.game == "banking" else None),
    "least": lambda room, seat, amount: room.bet(due(room), bet_of(room, "least")),
    "most": lambda room, seat, amount: room.bet(due(room), bet_of(room, "most")),
    "bet": lambda room, seat, amount: room.bet(seat, amount),
    "turn": lambda room, seat, amount: room.turn(),
    "show": lambda room, seat, amount: room.show(due(room)),
    "lay_down": lambda room, seat, amount: room.lay_down(
        due(room), "pass" if room.table.rules.game == "banking" else "forfeit"
    ),
    "settle": lambda room, seat, amount: room.settle(),
    "shuffle": lambda room, seat, amount: room.shuffle(),
    "expose": lambda room, seat, amount: room.expose(),
    "mispay": lambda room, seat, amount: room.mispay(seat, ("taken", "short")[seat % 2], amount),
    "put_right": lambda room, seat, amount: room.put_right(seat),
    "void": lambda room, seat, amount: room.void(),
    "leave": lambda room, seat, amount: room.leave(seat),
    "sit": lambda room, seat, amount: room.sit({seat: amount}),
    "divide": lambda room, seat, amount: room.divide(),
    "draw": lambda room, seat, amount: room.draw(),
    "collect": lambda room, seat, amount: pools.collection_take(
        table_id=room.table.id, command=room.command()
    ),
    "freeze": lambda room, seat, amount: freeze_and_release(room),
}


def assert_layout_is_the_engines(room: Room) -> None:
    """What lies between the players is what the running round's engine says lies there."""
    held = Account.objects.filter(stream__name=room.table.stream, balance__gt=0)
    lying = dict(held.values_list("name", "balance"))
    between = {name: n for name, n in lying.items() if name.split(":")[0] in ("wager", "pool", "bank")}
    if Table.objects.get(id=room.table.id).round_id is None:
        assert set(between) <= {"pool"}
    else:
        assert between == game(room.newest.game).places(room.state)


@pytest.mark.django_db(transaction=True)
def test_any_evening_conserves_chips_and_replays() -> None:
    house = floor.make_house()

    @settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(name=GAMES, commands=st.lists(COMMANDS, min_size=10, max_size=24))
    def play(name: str, commands: list[tuple[str, int, int]]) -> None:
        room = make_room(
            house, name, chips={1: 60, 2: 60, 3: 25}, source=CardSource.DRAWN, seats=4, fee=TIMED
        )
        house.tables = {"room": room.table}
        room.deal(bank=20 if name == "banking" else None)
        for what, seat, amount in commands:
            before = floor.snapshot(house)
            try:
                ACTS[what](room, seat, amount)
            except DomainError:
                changed = floor.snapshot(house)
                assert changed == before or what in ("draw", "shuffle", "freeze"), "two commands or more"
            assert_conserved(room.table)
            assert_layout_is_the_engines(room)
        assert_journal_replays(room.table)

    play()
