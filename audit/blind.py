"""Whether the two counts of a drop box are what they say, from the table's entries alone; no database.

Whoever counts first commits to the count (`tables.engine.blind_count`) and nobody knows it; the entry of
the second count opens it. The opening must be the one that was committed to, and whether the two agreed must
be what the entry says of them.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from audit.codes import Found
from tables.engine.blind_count import count_commitment, same_count
from tables.figures import count_total

FIRST, DIFFERS = "drop.count_first", "drop.count_differs"
COUNTED = ("drop.count", "session.count_drop")
KINDS = (FIRST, DIFFERS, *COUNTED)


class BlindCheck:
    """Follows the counts of a table's boxes.

    Args:
        stream: name of the table's stream.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self._stream = stream
        self._report = report
        self._committed: dict[str, str] = {}

    def see(self, kind: str, seq: int, said: Mapping[str, Any]) -> None:
        """The next entry of one of `KINDS`."""
        try:
            self._see(kind, seq, said)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            evidence = {"kind": kind, "error": repr(error)[:200]}
            self._report(Found("entry_unreadable", evidence, self._stream, seq))

    def _see(self, kind: str, seq: int, said: Mapping[str, Any]) -> None:
        box = said["box"]
        if kind == FIRST:
            self._committed[box] = said["commitment"]
        elif "first" in said:
            self._opened(kind, seq, said, self._committed.pop(box, None))
        if kind in COUNTED and sum(count_total(part) for part in said["counted"].values()) != said["total"]:
            self._found(seq, said, {"counted": said["counted"], "total": said["total"]})

    def _opened(self, kind: str, seq: int, said: Mapping[str, Any], committed: str | None) -> None:
        first = said["first"]
        opened = count_commitment(
            box=said["box"], counted=first["counted"], salt=bytes.fromhex(first["salt"])
        )
        if opened != committed:
            self._found(seq, said, {"committed": committed, "opened": opened, "counted": first["counted"]})
        second = said["second_count"] if kind == DIFFERS else said["counted"]
        if same_count(first["counted"], second) == (kind == DIFFERS):
            self._found(seq, said, {"kind": kind, "first": first["counted"], "second": second})

    def _found(self, seq: int, said: Mapping[str, Any], evidence: Mapping[str, Any]) -> None:
        found = Found(
            "blind_count_differs", evidence, self._stream, seq, UUID(said["session"]), about=said["box"]
        )
        self._report(found)
