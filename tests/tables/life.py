"""What the tests of a table's life share."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from audit.services.resettlement import gaming_day_resettle
from ledger.models import Entry
from ledger.selectors import balances, movements
from tables.models import (
    Role,
    Table,
    TableSession,
)
from tables.services.command import Answer
from tables.services.corrections import round_correct
from tables.services.signatures import Badge
from tables.services.staff import staff_create
from tables.services.table_life import round_cancel
from tests import floor
from tests.audit import support
from tests.floor import House

LIVE = {"reason": "misdeal", "note": "the shoe was short"}


def last(table: Table) -> Entry:
    return Entry.objects.filter(stream__name=table.stream).latest("seq")


def moves_of(entry: Entry) -> list[tuple[str, str, int]]:
    return [(m.source.name, m.target.name, m.amount) for m in movements(entry)]


def cancel(house: House, round_id: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"second": house.badge(Role.PIT_BOSS), **LIVE}
    command = other.pop("command", None) or house.command(Role.SUPERVISOR)
    return round_cancel(round_id=round_id, command=command, **(given | other))


def physical(house: House, round_id: uuid.UUID, cards: Sequence[str]) -> Answer:
    second = house.badge(Role.PIT_BOSS)
    command = house.command(Role.SUPERVISOR)
    return round_correct(
        round_id=round_id, cards=cards, reason="card_misread", second=second, command=command
    )


def found(house: House) -> list[str]:
    """What the re-settlement of the house's gaming day finds."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)
    return support.codes(house)


def of_players(table: Table) -> Mapping[str, int]:
    return {name: held for name, held in balances(table.stream).items() if not name.startswith("cash")}


def hire(house: House, role: Role = Role.DEALER) -> Badge:
    """Another person of that role."""
    number = f"X-{uuid.uuid4().hex[:8]}"
    staff_create(
        casino_id=house.casino.id,
        badge=number,
        display_name="Dealer 2",
        role=role,
        pin=floor.PIN,
        second=house.badge(Role.PIT_BOSS),
        command=house.office(),
    )
    return Badge(number, floor.PIN)
