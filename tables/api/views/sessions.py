"""The end of a session: its closer, and the count of its drop."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.sessions import ClosingBody, DropCountBody, SessionAnswer
from tables.api.serializers.tables import SessionClosed
from tables.services.sessions import session_close, session_count_drop


class SessionClosure(TerminalView):
    """The closure of a session."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("session.close", SessionClosed, ClosingBody)}

    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        """Close the table on a joint count of its tray."""
        return self.run(session_close, session_id=session_id)


class SessionDropCount(TerminalView):
    """The drop of a session."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("session.count_drop", SessionAnswer, DropCountBody, any_version=True),
    }

    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        """Count the drop box of a closed session; the cage, which does not see the table, may send `*`."""
        return self.run(session_count_drop, session_id=session_id)
