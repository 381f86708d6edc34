"""What each HTTP method of a view does, declared once: permission, documents and views read it."""

from dataclasses import dataclass

from rest_framework import serializers

from config.api.strict import Nothing, StrictSerializer


@dataclass(frozen=True, slots=True)
class Act:
    """One method of one view.

    Args:
        operation: what is done, as the permission table names it.
        body: the content it takes.
        answer: what it answers with; None for nothing.
        status: the status of success.
        name: its name in the OpenAPI document, when the operation's would not be unique.
        query: the query it takes.
        is_command: whether it changes something, and so carries Idempotency-Key and If-Match.
        any_version: whether `If-Match: *` will do.
        versioned: whether it answers with an ETag.
        based_on_state: whether it is based on a state, and so carries If-Match too.
        is_file: whether it answers with a file, of which a range of bytes can be asked for.
        is_page: whether it answers with an HTML page.
    """

    operation: str
    answer: type[serializers.BaseSerializer[object]] | None
    body: type[StrictSerializer] = Nothing
    status: int = 200
    name: str = ""
    query: type[StrictSerializer] | None = None
    is_command: bool = False
    any_version: bool = False
    versioned: bool = False
    based_on_state: bool = True
    is_file: bool = False
    is_page: bool = False


def command(
    operation: str,
    answer: type[serializers.BaseSerializer[object]],
    body: type[StrictSerializer] = Nothing,
    *,
    status: int = 200,
    any_version: bool = False,
) -> Act:
    """The act of a command."""
    return Act(operation, answer, body, status, is_command=True, any_version=any_version, versioned=True)
