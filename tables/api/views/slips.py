"""The table's side of fills and credits."""

import uuid
from dataclasses import asdict
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from config.api.headers import etag
from tables.api.base import StaffView, TerminalView
from tables.api.serializers.slips import (
    DispatchBody,
    SlipCountBody,
    SlipNumbersShown,
    SlipRequestBody,
    SlipVoidBody,
    TrayInventory,
)
from tables.api.serializers.tables import TableWithSlip
from tables.selectors.slips import needs_view, slip_numbers
from tables.selectors.terminal import table_within
from tables.services.credits import credit_request, credit_send
from tables.services.fills import fill_receive, fill_request
from tables.services.locks import not_found
from tables.services.voids import slip_take_back, slip_void


class SlipNumbers(StaffView):
    """Slip numbers, used and missing."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act("audit.read", SlipNumbersShown, name="slip_numbers")}

    def get(self, request: Request) -> Response:
        """Which numbers of each series and kind were used, which slips are void, and which are missing."""
        casino = self.actor.casino_id
        numbers = [asdict(each) for each in slip_numbers(casino)] if casino else []
        return Response({"numbers": numbers})


class TableFills(TerminalView):
    """Fills for a table."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("fill.request", TableWithSlip, SlipRequestBody, status=201),
    }

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Ask the cage for chips."""
        return self.run(fill_request, table_id=table_id)


class FillReceipt(TerminalView):
    """The receipt of a fill."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("fill.receive", TableWithSlip, SlipCountBody)}

    def post(self, request: Request, table_id: uuid.UUID, slip_id: uuid.UUID) -> Response:
        """Verify a fill against its slip and take it into the tray."""
        return self.run(fill_receive, table_id=table_id, slip_id=slip_id)


class TableCredits(TerminalView):
    """Credits of a table."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("credit.request", TableWithSlip, SlipRequestBody, status=201),
    }

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Ask the cage to take chips back."""
        return self.run(credit_request, table_id=table_id)


class CreditDispatch(TerminalView):
    """The dispatch of a credit."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("credit.send", TableWithSlip, DispatchBody)}

    def post(self, request: Request, table_id: uuid.UUID, slip_id: uuid.UUID) -> Response:
        """Count the chips out of the tray and hand them to the runner."""
        return self.run(credit_send, table_id=table_id, slip_id=slip_id)


class TableSlipVoid(TerminalView):
    """The void of a slip, at the table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("slip.void", TableWithSlip, SlipVoidBody)}

    def post(self, request: Request, table_id: uuid.UUID, slip_id: uuid.UUID) -> Response:
        """Make a slip void; its number stays, its chips go back."""
        return self.run(slip_void, table_id=table_id, slip_id=slip_id)


class TableSlipReturn(TerminalView):
    """The return of a void credit's chips."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("slip.take_back", TableWithSlip, SlipCountBody)}

    def post(self, request: Request, table_id: uuid.UUID, slip_id: uuid.UUID) -> Response:
        """Count the chips back into the tray."""
        return self.run(slip_take_back, table_id=table_id, slip_id=slip_id)


class TableInventory(TerminalView):
    """The chips of a table's tray by denomination."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act("table.view", TrayInventory, name="table_inventory", versioned=True),
    }

    def get(self, request: Request, table_id: uuid.UUID) -> Response:
        """What lies in the tray as last counted, its par, and what a fill would bring."""
        table = table_within(table_id, self.actor.reach)
        if table is None:
            raise not_found("table")
        return Response(needs_view(table), headers={"ETag": etag(table.version)})
