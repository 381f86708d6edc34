"""Chips that walk from table to table, by the player where the player is known."""

import json
import uuid
from dataclasses import dataclass
from datetime import datetime

from ledger.models import Entry
from tables.models import Player, Table

STEPS = ("seat.take", "seat.leave")
MOST = 200


@dataclass(frozen=True, slots=True)
class Step:
    """A known player who sat down with chips brought along, or left with those of the seat.

    Attributes:
        chips: what was brought (`seat.take`) or carried off (`seat.leave`), minor units; a buy-in is no part.
    """

    at: datetime
    kind: str
    table: uuid.UUID
    code: str
    seat: int
    chips: int


def chips_walked(player_id: uuid.UUID) -> list[Step]:
    """The newest steps of a player over all tables of the house, oldest first."""
    casino_id = Player.objects.values_list("casino_id", flat=True).get(id=player_id)
    tables = {table.stream: table for table in Table.objects.filter(casino=casino_id)}
    found = Entry.objects.filter(
        stream__name__in=list(tables), kind__in=STEPS, payload__contains=f'"player":"{player_id}"'
    )
    steps = [
        _step(tables[entry.stream.name], entry)
        for entry in found.select_related("stream").order_by("-recorded_at")[:MOST]
    ]
    return steps[::-1]


def _step(table: Table, entry: Entry) -> Step:
    said = json.loads(entry.payload)
    return Step(entry.recorded_at, entry.kind, table.id, table.code, said["seat"], said["chips"])
