"""Tokes: what players give the dealers."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.tables import TableShown
from tables.api.serializers.tokes import TokeBody, TokesBody, TokesCollected
from tables.services.tokes import toke_collect, toke_give


class SeatTokes(TerminalView):
    """Chips given to the dealers."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("toke.give", TableShown, TokeBody)}

    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Put chips of a seat into the toke box."""
        return self.run(toke_give, table_id=table_id, seat=seat)


class TableTokes(TerminalView):
    """The toke box of a table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("toke.collect", TokesCollected, TokesBody)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Empty the toke box on a joint count; two people sign."""
        return self.run(toke_collect, table_id=table_id)
