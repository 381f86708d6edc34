"""May they do that here: the permission table of the services, asked before anything is read."""

from dataclasses import replace
from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from config.api.address import known_address
from config.errors import DomainError
from tables.models import Staff, Terminal
from tables.services.command import Actor
from tables.services.permissions import require
from tables.services.terminals import current_actor


class OperationAllowed(BasePermission):
    """Whether the person at the terminal, or of the session, may do the view's operation.

    The view's `actor` is set by the way. The services ask again; here it is asked early, so that
    somebody who may not do a thing learns nothing about its content.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Refuse, or let go on.

        Raises:
            DomainError: `not_signed_in`, `session_locked`, `operation_not_allowed` (403).
        """
        act = view.acts.get("GET" if request.method == "HEAD" else request.method)
        if act is None:
            return True  # the view answers 405
        actor = _actor(request)
        if actor is None:
            return False
        require(act.operation, actor.role, actor.terminal_kind)
        view.actor = replace(actor, address=known_address(request))
        return True


class TerminalKnown(BasePermission):
    """Whether a terminal is calling, whoever is signed in there."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Refuse, or let go on."""
        return isinstance(request.auth, Terminal)


def _actor(request: Request) -> Actor | None:
    if isinstance(request.auth, Terminal):
        return current_actor(terminal=request.auth, is_input=request.method not in SAFE_METHODS)
    if isinstance(request.user, Staff):
        if not request.user.is_staff:
            raise DomainError("operation_not_allowed", "Not an admin role.", status=403)
        return Actor(request.user.id, request.user.role, casino_id=request.user.casino_id)
    return None
