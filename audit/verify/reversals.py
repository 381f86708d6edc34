"""Whether an entry that takes another back names, in what it says, the one that it is bound to."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

NUMBERS: Mapping[str, str] = {"entry.reverse": "seq", "session.reopen": "closed_seq"}
"""By kind of entry that takes another back, the field that says the other's number."""
NAMES = "entry"
"""The field of one that says the other's id."""


def reversal_astray(
    kind: str, reverses: bytes | None, said: Mapping[str, Any], id_at: Callable[[int], bytes | None]
) -> str | None:
    """What is wrong with what an entry of these kinds says it takes back; None where that is right.

    Args:
        reverses: the id of the entry it is bound to.
        said: its payload.
        id_at: the id of an earlier entry of the stream by its number, None when there is none.
    """
    if kind not in NUMBERS:
        return None if reverses is None else f"an entry of kind {kind} takes nothing back"
    if reverses is None:
        return "it takes nothing back"
    number = said.get(NUMBERS[kind])
    if type(number) is not int or id_at(number) != reverses:
        return f"it says that it takes back number {number}, and takes back another"
    if said.get(NAMES, str(UUID(bytes=reverses))) != str(UUID(bytes=reverses)):
        return "it names another entry than it takes back"
    return None
