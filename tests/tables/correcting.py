"""What the tests of corrections share: each act by the people who may, with a reason."""

import uuid
from collections.abc import Sequence
from typing import Any

from ledger.models import Entry
from tables.models import Role, Table
from tables.services import seats
from tables.services.command import Answer
from tables.services.corrections import Direction, correction_post, entry_reverse, round_correct
from tests.floor import House
from tests.tables.life import last


def buy_in(house: House, table: Table, cash: int, seat: int = 1) -> Entry:
    seats.seat_buy_in(table_id=table.id, seat=seat, cash=cash, command=house.command(Role.DEALER))
    return last(table)


def leave(house: House, table: Table, seat: int) -> None:
    seats.seat_leave(table_id=table.id, seat=seat, command=house.command(Role.DEALER))


def reverse(house: House, table: Table, entry: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "entered_twice", "second": house.badge(Role.PIT_BOSS)}
    command = other.pop("command", None) or house.command(Role.SUPERVISOR)
    return entry_reverse(table_id=table.id, entry_id=entry, command=command, **(given | other))


def correct(
    house: House, table: Table, seat: int | None, amount: int, direction: Direction, **other: Any
) -> Answer:
    given: dict[str, Any] = {"reason": "mispaid", "second": house.badge(Role.PIT_BOSS)}
    return correction_post(
        table_id=table.id,
        seat=seat,
        amount=amount,
        direction=direction,
        command=house.command(Role.SUPERVISOR),
        **(given | other),
    )


def physical(house: House, round_id: uuid.UUID, cards: Sequence[str], **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "card_misread", "second": house.badge(Role.PIT_BOSS)}
    return round_correct(
        round_id=round_id, cards=cards, command=house.command(Role.SUPERVISOR), **(given | other)
    )
