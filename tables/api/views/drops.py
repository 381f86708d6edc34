"""Drop boxes: removed from their tables, and counted."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.drops import (
    BoxAnswer,
    BoxCountBody,
    BoxCounted,
    BoxesInUse,
    BoxRecountBody,
    BoxRemovalBody,
    BoxRemoved,
    BoxSecondCountBody,
)
from tables.selectors.drops import box_view, boxes_in_use
from tables.services.boxes import box_remove
from tables.services.drops import drop_count_first, drop_count_second, drop_recount


class SessionBoxRemoval(TerminalView):
    """The drop box on a session's table."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("box.remove", BoxRemoved, BoxRemovalBody, any_version=True),
    }

    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        """Take the drop box off the table; the cage, which does not see the table, may send `*`."""
        return self.run(box_remove, session_id=session_id)


class CageBoxes(TerminalView):
    """The drop boxes in use."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act("cage.view", BoxesInUse, name="cage_boxes")}

    def get(self, request: Request) -> Response:
        """Which box is on which table, and which wait for their counts."""
        return Response({"boxes": [box_view(box) for box in boxes_in_use(self.casino_id)]})


class BoxFirstCount(TerminalView):
    """The first count of a box."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("drop.count_first", BoxAnswer, BoxCountBody, any_version=True),
    }

    def post(self, request: Request, box_id: uuid.UUID) -> Response:
        """Count a box for the first time; nobody can read the count before the second is posted."""
        return self.run(drop_count_first, box_id=box_id)


class BoxSecondCount(TerminalView):
    """The second count of a box."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("drop.count_second", BoxCounted, BoxSecondCountBody, any_version=True),
    }

    def post(self, request: Request, box_id: uuid.UUID) -> Response:
        """Count a box for the second time, not knowing the first count; another person does."""
        return self.run(drop_count_second, box_id=box_id)


class BoxRecount(TerminalView):
    """The count of a box whose two counts differ."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("drop.recount", BoxCounted, BoxRecountBody, any_version=True),
    }

    def post(self, request: Request, box_id: uuid.UUID) -> Response:
        """Count a box once more, by both who differed."""
        return self.run(drop_recount, box_id=box_id)
