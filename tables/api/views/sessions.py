"""The end of a session: its closer."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.sessions import ClosingBody
from tables.api.serializers.tables import SessionClosed
from tables.services.sessions import session_close


class SessionClosure(TerminalView):
    """The closure of a session."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("session.close", SessionClosed, ClosingBody)}

    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        """Close the table on a joint count of its tray."""
        return self.run(session_close, session_id=session_id)
