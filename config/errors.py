"""The one exception every refusal of the system is raised as.

A refusal is a fact the caller must be able to act on, so it carries a stable code (for programs),
an HTTP status (for the API) and a sentence (for people). The API turns it into an RFC 9457 problem
document, the admin interface into a message; nothing else needs to know it.
"""

from typing import Any


class DomainError(Exception):
    """A command was refused and nothing was changed.

    Args:
        code: stable snake_case name of the refusal; never reworded once released.
        detail: one sentence for a person, about this very case.
        status: the HTTP status the API answers with.
        rule: the rule that was broken, where one was.
        extra: further members of the problem document (JSON values).
    """

    def __init__(
        self, code: str, detail: str = "", *, status: int = 409, rule: str = "", **extra: Any
    ) -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail
        self.status = status
        self.rule = rule
        self.extra = extra
