"""A card-room table built through the services, and its rounds played through them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger.selectors import balances
from tables.engine.card_room.state import State
from tables.engine.registry import game
from tables.engine.shoe import Shoe as Cards
from tables.models import CardSource, Casino, Role, Round, Table
from tables.services import card_room, office, pools, rounds, seats, sessions, shoes
from tables.services.command import Answer, Command
from tables.services.hands import open_hand
from tests import floor

NO_FEE: dict[str, Any] = {"kind": "none", "amount": 0, "minutes": 0}
LOW = ("2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS")


def rules_of(name: str, **changes: Any) -> dict[str, Any]:
    """A rule set of a card-room game, in chips of 1."""
    own = {"max_bank": None} if name == "banking" else {"ante": 10, "pool_limit": None}
    shared = {"packs": 1, "cut_card": 0, "seats": 10, "chip": 1, "cards_each": 5, "fee": NO_FEE}
    return {"game": name, **shared, **own, **changes}


@dataclass
class Room:
    """A card-room table that is open, and what its dealer's terminal does there."""

    house: floor.House
    table: Table

    @property
    def row(self) -> Table:
        """The table as it is now."""
        return Table.objects.get(id=self.table.id)

    @property
    def round_id(self) -> uuid.UUID:
        """The newest round."""
        return self.newest.id

    @property
    def newest(self) -> Round:
        """The newest round's row."""
        return Round.objects.select_related("shoe").filter(table=self.table).latest("first_seq")

    @property
    def state(self) -> State:
        """The engine's state of the newest round."""
        kept = self.newest
        state: State = game(kept.game).decode_state(kept.state)
        return state

    @property
    def pack(self) -> Cards:
        """The pack on the table."""
        return Cards.from_dict(self.row.shoe_state)

    def lying(self, *names: str) -> tuple[int, ...]:
        """What lies on accounts of the table."""
        now = balances(self.table.stream)
        return tuple(now[name] for name in names)

    def chips(self) -> int:
        """All chips at the table that are not the house's: the players' and those between them."""
        now = balances(self.table.stream)
        return sum(
            amount for name, amount in now.items() if name.split(":")[0] in ("seat", "wager", "pool", "bank")
        )

    def command(self, role: Role = Role.DEALER, version: int | None = None) -> Command:
        """A fresh command."""
        return self.house.command(role, version=version)

    def sit(self, chips: Mapping[int, int]) -> None:
        """Players sit down with chips brought along, by seat."""
        for seat, amount in chips.items():
            seats.seat_take(
                table_id=self.table.id,
                seat=seat,
                player_id=None,
                cash=0,
                chips=amount,
                command=self.command(),
            )

    def leave(self, seat: int) -> Answer:
        """A player leaves."""
        return seats.seat_leave(table_id=self.table.id, seat=seat, command=self.command())

    def draw(self, *cards: str) -> Answer:
        """Draw for the first deal, and shuffle anew."""
        answer = pools.deal_draw(table_id=self.table.id, cards=cards, command=self.command())
        self.shuffle()
        return answer

    def shuffle(self) -> None:
        """Another pack on the table, if the one there is not fresh."""
        if self.row.shoe_id is not None:
            shoes.shoe_retire(table_id=self.table.id, stub=None, burnt=[], command=self.command())
        shoes.shoe_load(table_id=self.table.id, command=self.command())

    def deal(self, **how: Any) -> Answer:
        """Begin a round: everybody who can, unless `how` says otherwise."""
        usual: dict[str, Any] = {"players": None, "cards_each": None, "counts": {}, "bank": None}
        return card_room.deal_start(table_id=self.table.id, command=self.command(), **usual | how)

    def bet(self, seat: int, amount: int) -> Answer:
        """State a bet."""
        return rounds.round_bet(
            round_id=self.round_id, bets={seat: amount}, take_back=[], command=self.command()
        )

    def lay_down(self, seat: int, kind: str = "forfeit") -> Answer:
        """A turn without a bet."""
        return card_room.round_pass(round_id=self.round_id, seat=seat, kind=kind, command=self.command())

    def turn(self, card: str | None = None, burnt: str | None = None) -> Answer:
        """Turn the card that decides."""
        return card_room.round_turn(round_id=self.round_id, card=card, burnt=burnt, command=self.command())

    def show(self, seat: int, *cards: str) -> Answer:
        """Show what decides."""
        return card_room.round_show(round_id=self.round_id, seat=seat, cards=cards, command=self.command())

    def expose(self, card: str | None = None) -> Answer:
        """The top card is seen by accident."""
        return card_room.round_expose_top(round_id=self.round_id, card=card, command=self.command())

    def mispay(self, seat: int, kind: str, amount: int) -> Answer:
        """A payment goes wrong."""
        return card_room.round_mispay(
            round_id=self.round_id, seat=seat, kind=kind, amount=amount, command=self.command()
        )

    def put_right(self, seat: int) -> Answer:
        """It is put right."""
        return card_room.round_put_right(round_id=self.round_id, seat=seat, command=self.command())

    def settle(self) -> Answer:
        """Close the round."""
        return rounds.round_settle(round_id=self.round_id, command=self.command())

    def void(self) -> Answer:
        """Void the round, a supervisor signing too."""
        return rounds.round_void(
            round_id=self.round_id,
            reason="irregularity",
            second=self.house.badge(Role.SUPERVISOR),
            command=self.command(),
        )

    def divide(self) -> Answer:
        """The game breaks up."""
        return pools.pool_divide(
            table_id=self.table.id, second=self.house.badge(Role.SUPERVISOR), command=self.command()
        )

    def hand(self, seat: int) -> tuple[str, ...]:
        """What only a test may see: a hand of the newest round from a drawn pack."""
        return tuple(held.card for held in open_hand(self.newest.shoe, self.state, seat))

    def play_out(self, bets: Sequence[int] = ()) -> Answer:
        """Play the newest round of a drawn pack to its end: seats in `bets` bet the least, others do not."""
        while self.state.phase == "turns":
            seat = self.state.due
            assert seat is not None, "a turn is somebody's"
            if seat in bets:
                self.bet(seat, 1 if self.state.banking else min(10, self.state.pool))
                self.turn()
                self.show(seat)
            else:
                self.lay_down(seat, "pass" if self.state.banking else "forfeit")
        return self.settle()


def make_room(
    house: floor.House,
    name: str = "high_card_pool",
    *,
    chips: Mapping[int, int],
    source: CardSource = CardSource.SCANNED,
    dealer: int | None = None,
    drawn: bool = True,
    code: str = "",
    **rules: Any,
) -> Room:
    """An open card-room table with players, the deal drawn for, and a fresh pack; its house has chips of 1.

    Args:
        chips: seat number to what the player brings, minor units.
        dealer: who deals first where the cards are scanned; chance decides where they are drawn.
        drawn: whether the deal has been drawn for at a table that draws.
        code: the table's; one of its own when it is none.
    """
    code = code or f"room-{uuid.uuid4().hex[:8]}"
    ones = [1, *house.casino.denominations]
    Casino.objects.filter(id=house.casino.id).update(denominations=ones)
    released = office.rule_set_create(
        casino_id=house.casino.id, name=code, body=rules_of(name, **rules), command=house.office()
    )
    made = office.table_create(
        casino_id=house.casino.id,
        pit_id=house.pit_id,
        code=code,
        rules_id=uuid.UUID(released.body["rules"]),
        card_source=source,
        command=house.office(),
    )
    table = Table.objects.get(id=made.body["table"])
    house.tables[code] = table
    sessions.session_open(
        table_id=table.id, opener={}, second=house.badge(Role.SUPERVISOR), command=house.command(Role.DEALER)
    )
    room = Room(house, table)
    room.shuffle()
    room.sit(chips)
    if source == CardSource.DRAWN and drawn:
        room.draw()
    elif dealer is not None:
        room.draw(*LOW[: sorted(chips).index(dealer)], "AS")
    return room
