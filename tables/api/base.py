"""What all views share: they check the shape, call one service function, and answer."""

import uuid
from collections.abc import Callable
from typing import Any, ClassVar

from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView

from config.api.acts import Act
from config.api.headers import etag, idempotency_key, if_match
from config.api.problems import flattened
from config.errors import DomainError
from tables.api.authentication import StaffSessionAuthentication, TerminalAuthentication
from tables.services.command import Actor, Answer, Command


class FloorView(APIView):
    """A view that declares its acts; `actor` is set by the permission class."""

    acts: ClassVar[dict[str, Act]] = {}
    actor: Actor

    @property
    def act(self) -> Act:
        """What the method at hand does."""
        method = str(self.request.method)
        return self.acts["GET" if method == "HEAD" else method]

    def content(self) -> dict[str, Any]:
        """The body, checked for its shape.

        Raises:
            DomainError: `length_required` (411).
            ValidationError: with what is wrong, field by field.
        """
        if "Transfer-Encoding" in self.request.headers:
            # WSGI hands on the body of a stated length only; a chunked one would pass for no content
            raise DomainError("length_required", "Send a Content-Length, not chunks.", status=411)
        checked = self.act.body(data=self.request.data)
        checked.is_valid(raise_exception=True)
        return dict(checked.validated_data)


class TerminalView(FloorView):
    """A view for terminals only; a session's cookie opens nothing here, so there is nothing to forge."""

    authentication_classes = [TerminalAuthentication]

    def run(self, service: Callable[..., Answer], **target: Any) -> Response:
        """Run the command the request is, and answer with what the service answered.

        Args:
            service: the one service function to call.
            target: what the command is about, from the path.
        """
        act = self.act
        command = Command(
            id=idempotency_key(self.request),
            actor=self.actor,
            expected_version=if_match(self.request, any_version=act.any_version),
        )
        answer = service(**target, **self.content(), command=command)
        headers = {"ETag": etag(answer.version)}
        if answer.replayed:
            headers["Idempotent-Replayed"] = "true"
        return Response(answer.body, status=answer.status, headers=headers)

    @property
    def casino_id(self) -> uuid.UUID:
        """The casino of the terminal that is calling."""
        assert self.actor.casino_id is not None, "a terminal belongs to a casino"
        return self.actor.casino_id


class StaffView(FloorView):
    """A view for people of the admin site, by their session; most of them read and change nothing."""

    authentication_classes = [StaffSessionAuthentication]

    def query(self) -> dict[str, Any]:
        """The query, checked; every parameter at most once and none unknown.

        Raises:
            DomainError: `invalid_query` (400), with what is wrong.
        """
        assert self.act.query is not None, "a list declares its query"
        given = {name: values[-1] for name, values in self.request.query_params.lists()}
        repeated = [name for name, values in self.request.query_params.lists() if len(values) > 1]
        if repeated:
            raise DomainError("invalid_query", f"Given twice: {', '.join(repeated)}.", status=400)
        checked = self.act.query(data=given)
        try:
            checked.is_valid(raise_exception=True)
        except ValidationError as error:
            errors = list(flattened(error.detail))
            raise DomainError("invalid_query", errors[0]["detail"], status=400, errors=errors) from error
        return dict(checked.validated_data)
