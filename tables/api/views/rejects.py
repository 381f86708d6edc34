"""Chips found in a tray or a box that are none of the house's."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.rejects import BoxRejected, RejectBody, TrayRejected
from tables.services.rejects import box_reject, tray_reject


class TableRejects(TerminalView):
    """Such chips in a tray."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("chips.reject", TrayRejected, RejectBody, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Take foreign, withdrawn or counterfeit chips out of the tray's books; two people sign."""
        return self.run(tray_reject, table_id=table_id)


class BoxRejects(TerminalView):
    """Such chips in a drop box."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("box.reject", BoxRejected, RejectBody, status=201, any_version=True),
    }

    def post(self, request: Request, box_id: uuid.UUID) -> Response:
        """Document foreign, withdrawn or counterfeit chips of a box; two people sign."""
        return self.run(box_reject, box_id=box_id)
