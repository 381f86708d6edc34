"""A table's life beside its rounds."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.table_life import CancellationBody, RoundCancelled
from tables.services.table_life import round_cancel


class RoundCancellation(TerminalView):
    """The void of a round that is over."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("round.cancel", RoundCancelled, CancellationBody, status=201),
    }

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Void a settled round: what it moved goes back, or is in dispute; two people sign."""
        return self.run(round_cancel, round_id=round_id)
