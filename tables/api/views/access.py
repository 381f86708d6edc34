"""Enrolling a terminal, signing in and out."""

from typing import ClassVar

from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from config.api.acts import Act, command
from config.api.headers import etag
from tables.api.authentication import terminal_of
from tables.api.base import TerminalView
from tables.api.permissions import TerminalKnown
from tables.api.serializers.access import (
    ApprovalAnswer,
    ApprovalBody,
    EnrolmentAnswer,
    EnrolmentBody,
    PinAnswer,
    PinBody,
    SignInAnswer,
    SignInBody,
)
from tables.api.throttling import EnrolmentThrottle, SignInThrottle
from tables.services import stints
from tables.services.approvals import approval_give
from tables.services.credentials import pin_change
from tables.services.signatures import Badge
from tables.services.terminals import actor_at, idle_since, sign_in, sign_out, terminal_enrol


class Enrolments(TerminalView):
    """Trade a one-time code for a terminal's credential."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": Act("terminal.enrol", EnrolmentAnswer, EnrolmentBody, 201),
    }
    authentication_classes = []
    permission_classes = [AllowAny]
    throttle_classes: list[type[BaseThrottle]] = [EnrolmentThrottle]

    def post(self, request: Request) -> Response:
        """Enrol a terminal."""
        enrolled = terminal_enrol(**self.content())
        terminal = enrolled.terminal
        answer = {
            "terminal": terminal.id,
            "kind": terminal.kind,
            "table": terminal.table_id,
            "casino": terminal.casino_id,
            "credential": enrolled.credential,
        }
        return Response(answer, status=201)


class Approvals(TerminalView):
    """Second signatures given beforehand, at a terminal of the signer's own."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("approval.give", ApprovalAnswer, ApprovalBody, status=201, any_version=True),
    }

    def post(self, request: Request) -> Response:
        """Sign an act beforehand, as its second; the act then names the approval."""
        return self.run(approval_give, casino_id=self.casino_id)


class SignIns(TerminalView):
    """Sign a person in at this terminal; whoever was signed in before is signed out.

    A dealer who signs in at an open table deals there from then on; the table's ETag says so.
    """

    acts: ClassVar[dict[str, Act]] = {
        "POST": Act("terminal.sign_in", SignInAnswer, SignInBody, 201),
    }
    permission_classes = [TerminalKnown]
    throttle_classes: list[type[BaseThrottle]] = [SignInThrottle]

    def post(self, request: Request) -> Response:
        """Sign in with badge and PIN."""
        content = self.content()
        badge = Badge(content["badge"], content["pin"])
        terminal = terminal_of(request)
        signed_in = sign_in(terminal=terminal, badge=badge)
        staff = signed_in.staff
        on = stints.signed_in(signed_in, actor_at(terminal, staff))
        person = {"badge": staff.badge, "display_name": staff.display_name, "role": staff.role}
        headers = {} if on is None else {"ETag": etag(on.version)}
        return Response({"staff": person, "locks_at": idle_since(signed_in)}, status=201, headers=headers)


class OwnPin(TerminalView):
    """The PIN of whoever is signed in at this terminal."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("staff.pin", PinAnswer, PinBody, any_version=True),
    }

    def post(self, request: Request) -> Response:
        """Change one's own PIN, proved by the one until now."""
        return self.run(pin_change, casino_id=self.casino_id)


class CurrentSignIn(TerminalView):
    """The sign-in of this terminal."""

    acts: ClassVar[dict[str, Act]] = {"DELETE": Act("terminal.sign_out", None, status=204)}

    def delete(self, request: Request) -> Response:
        """Sign out; a dealer stops dealing."""
        ended = sign_out(terminal=terminal_of(request))
        if ended is not None:
            stints.signed_out(ended, actor_at(ended.terminal, ended.staff))
        return Response(status=204)
