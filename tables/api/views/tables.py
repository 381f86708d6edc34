"""A table, its sessions, seats and shoes."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from config.api.headers import etag
from tables.api.base import TerminalView
from tables.api.serializers.sessions import OpeningBody
from tables.api.serializers.tables import (
    BurnBody,
    BuyInBody,
    CardBurnt,
    FreezeBody,
    OccupationBody,
    ReleaseBody,
    RetirementBody,
    SeatFunded,
    SeatLeft,
    TableAtHand,
    TableShown,
)
from tables.selectors.terminal import table_within
from tables.selectors.views import table_at_hand
from tables.services.freezes import table_freeze, table_release
from tables.services.locks import not_found
from tables.services.seats import seat_buy_in, seat_leave, seat_take
from tables.services.sessions import session_open
from tables.services.shoes import shoe_burn, shoe_load, shoe_retire


class TableDetail(TerminalView):
    """The table of this terminal."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act("table.view", TableAtHand, versioned=True)}

    def get(self, request: Request, table_id: uuid.UUID) -> Response:
        """What goes on at the table, and the ETag commands are based on."""
        table = table_within(table_id, self.actor.reach)
        if table is None:
            raise not_found("table")
        return Response(table_at_hand(table), headers={"ETag": etag(table.version)})


class TableSessions(TerminalView):
    """The sessions of a table."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("session.open", TableShown, OpeningBody, status=201),
    }

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Open the table on a joint count of its tray."""
        return self.run(session_open, table_id=table_id)


class SeatOccupation(TerminalView):
    """Who sits on a seat."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("seat.take", SeatFunded, OccupationBody),
        "DELETE": command("seat.leave", SeatLeft),
    }

    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Somebody sits down."""
        return self.run(seat_take, table_id=table_id, seat=seat)

    def delete(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Somebody leaves with the chips of the seat."""
        return self.run(seat_leave, table_id=table_id, seat=seat)


class SeatBuyIns(TerminalView):
    """Buy-ins of a seat."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("seat.buy_in", SeatFunded, BuyInBody)}

    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Somebody seated buys more chips."""
        return self.run(seat_buy_in, table_id=table_id, seat=seat)


class TableShoes(TerminalView):
    """The shoes of a table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("shoe.load", TableShown, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Put a freshly shuffled shoe on the table."""
        return self.run(shoe_load, table_id=table_id)


class ShoeBurns(TerminalView):
    """Cards burnt from the shoe."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("shoe.burn", CardBurnt, BurnBody)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Burn the next card between rounds."""
        return self.run(shoe_burn, table_id=table_id)


class ShoeRetirement(TerminalView):
    """The end of a shoe."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("shoe.retire", TableShown, RetirementBody)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Take the shoe off the table."""
        return self.run(shoe_retire, table_id=table_id)


class TableFreeze(TerminalView):
    """The freeze of a table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("table.freeze", TableShown, FreezeBody, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Freeze the table: nothing happens there but a void, until two people release it."""
        return self.run(table_freeze, table_id=table_id)


class TableRelease(TerminalView):
    """The release of a frozen table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("table.release", TableShown, ReleaseBody)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Let a frozen table go on; two people sign."""
        return self.run(table_release, table_id=table_id)
