"""The OpenAPI document: what views declare as acts, with the headers and problems of every command."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from config.api.acts import Act
from config.api.problems import MEDIA_TYPE
from config.api.strict import StrictSerializer

_READ_PROBLEMS = {
    400: "The request does not have the right shape.",
    401: "No credential, or not a good one.",
    403: "Not open to this person here, or nobody is signed in.",
    404: "Not there, or not for this caller to see.",
    406: "Answers are JSON.",
    429: "Too many requests; Retry-After says when.",
    503: "The database is away for a moment; Retry-After says when.",
}
_BODY_PROBLEMS = {
    413: "The body is too large.",
    415: "The body must be application/json.",
}
_COMMAND_PROBLEMS = {
    409: "Refused by the rules, or by what there is; nothing was changed.",
    412: "Based on an old state; `current_version` (and `current`) say what it is now.",
    422: "It cannot be done as it stands, or the Idempotency-Key was used for another command.",
    428: "The If-Match header is missing.",
}
_FILE_PROBLEMS = {
    409: _COMMAND_PROBLEMS[409],
    410: "It has been removed.",
    416: "It has no such bytes; Content-Range says how many it has.",
}
_ANY_FILE = "application/octet-stream"
_KNOWN: dict[Any, Any] = {304: OpenApiResponse(description="The caller has it already.")}
_FILE: dict[Any, Any] = {
    **_KNOWN,
    (200, _ANY_FILE): OpenApiResponse(OpenApiTypes.BINARY, "The whole file."),
    (206, _ANY_FILE): OpenApiResponse(OpenApiTypes.BINARY, "The bytes that were asked for."),
}
_PAGE: dict[Any, Any] = {
    **_KNOWN,
    (200, "text/html"): OpenApiResponse(OpenApiTypes.STR, "A page to print."),
}


class ProblemError(serializers.Serializer[Any]):
    """One thing that is wrong with the content."""

    pointer = serializers.CharField(allow_blank=True, help_text="JSON pointer (RFC 6901).")
    code = serializers.CharField()
    detail = serializers.CharField()


class Problem(serializers.Serializer[Any]):
    """A refusal (RFC 9457); `code` is stable, and further members say more about the case."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(required=False)
    code = serializers.CharField()
    rule = serializers.CharField(required=False, help_text="The rule of the game that was broken.")
    errors = ProblemError(many=True, required=False)  # type: ignore[assignment]


class CommandSchema(AutoSchema):
    """Documents a view by its acts (see `config.api.acts`)."""

    @property
    def act(self) -> Act | None:
        """What the method at hand does; None for views that are none of ours."""
        acts: dict[str, Act] = getattr(self.view, "acts", {})
        return acts.get(self.method)

    def get_operation_id(self) -> str:
        """The act's name, or its operation's."""
        if self.act is None:
            return super().get_operation_id()
        return self.act.name or self.act.operation.replace(".", "_")

    def get_override_parameters(self) -> list[Any]:
        """The query, and the headers of a command."""
        act = self.act
        if act is None:
            return []
        headers = [
            *(_headers(act) if act.is_command else []),
            *([_IF_NONE_MATCH] if act.is_file or act.is_page else []),
            *(_RANGE if act.is_file else []),
        ]
        return [*([act.query] if act.query else []), *headers]

    def get_request_serializer(self) -> Any:
        """The body."""
        return self.act.body if self.act else None

    def get_response_serializers(self) -> Any:
        """The answer, and a problem for everything that can go wrong."""
        act = self.act
        if act is None:
            return super().get_response_serializers()
        problems = _READ_PROBLEMS | (_BODY_PROBLEMS if self.method != "GET" else {})
        if self.method != "GET":
            problems = problems | _COMMAND_PROBLEMS
        if act.is_file:
            problems = problems | _FILE_PROBLEMS
        success = OpenApiResponse(act.answer, "Done." if self.method != "GET" else "As it is.")
        return {
            **(_FILE if act.is_file else _PAGE if act.is_page else {act.status: success}),
            **{
                (status, MEDIA_TYPE): OpenApiResponse(Problem, description)
                for status, description in sorted(problems.items())
            },
        }

    def _get_response_headers_for_code(self, status_code: str, direction: str = "response") -> dict[str, Any]:
        headers: dict[str, Any] = super()._get_response_headers_for_code(status_code, direction)
        act = self.act
        if act is None or status_code != str(act.status) or not act.versioned:
            return headers
        headers["ETag"] = _text_header("The version the answer shows.") | {"required": True}
        if act.is_command:
            headers["Idempotent-Replayed"] = _text_header(
                "`true` when the command had been done before and this is its stored answer."
            )
        return headers

    def _postprocess_serializer_schema(self, schema: Any, serializer: Any, direction: str) -> Any:
        schema = super()._postprocess_serializer_schema(  # type: ignore[no-untyped-call]
            schema, serializer, direction
        )
        if isinstance(serializer, StrictSerializer):
            schema["additionalProperties"] = False
        return schema


def share_problems(result: dict[str, Any], **context: Any) -> dict[str, Any]:
    """Name each status' problem once instead of spelling it out under every operation."""
    shared: dict[str, Any] = {}
    for item in result["paths"].values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                if MEDIA_TYPE in response.get("content", {}):
                    shared[f"Problem{status}"] = response
                    operation["responses"][status] = {"$ref": f"#/components/responses/Problem{status}"}
    result["components"]["responses"] = dict(sorted(shared.items()))
    return result


def _text_header(description: str) -> dict[str, Any]:
    return {"schema": {"type": "string"}, "description": description}


_IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The ETag of what the caller has: 304 if it is still that.",
)
_RANGE = [
    OpenApiParameter(
        "Range",
        OpenApiTypes.STR,
        OpenApiParameter.HEADER,
        description="One range of bytes (RFC 9110), as `bytes=1000-` to go on; several are not served.",
    ),
    OpenApiParameter(
        "If-Range",
        OpenApiTypes.STR,
        OpenApiParameter.HEADER,
        description="The ETag of what the range is of; the whole file is answered if it is another.",
    ),
]


def _headers(act: Act) -> list[OpenApiParameter]:
    based_on = "ETag of the state the command is based on"
    key = OpenApiParameter(
        "Idempotency-Key",
        OpenApiTypes.UUID,
        OpenApiParameter.HEADER,
        required=True,
        description="A fresh UUID; a retry of the command repeats it, and has no second effect.",
    )
    if not act.based_on_state:
        return [key]
    return [
        key,
        OpenApiParameter(
            "If-Match",
            OpenApiTypes.STR,
            OpenApiParameter.HEADER,
            required=True,
            pattern=r'^("(0|[1-9][0-9]{0,18})"|\*)$' if act.any_version else r'^"(0|[1-9][0-9]{0,18})"$',
            description=f"{based_on}, or `*`." if act.any_version else f"{based_on}.",
        ),
    ]
