"""Markers by their numbers, from a table's entries alone; no database.

    marker.issue    to who sits there, under the next number of the table's series
    marker.redeem   as it was issued, once, by who owes it, while the box it lies in is on the table

An opening puts an empty box on, so what lies in it is known from there on; what was before is not judged.
"""

from collections.abc import Callable, Mapping
from typing import Any

from audit.codes import Found
from audit.facts import Fact

ISSUE, REDEEM = "marker.issue", "marker.redeem"
OPENING, REMOVED = "session.open", "box.remove"
FOLLOWED = frozenset({ISSUE, REDEEM, OPENING, REMOVED})
NAMED = ("number", "table", "player", "amount")
Sitting = Mapping[int, str | None]


class MarkerCheck:
    """Follows the markers of a table.

    Args:
        stream: name of the table's stream.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self.stream = stream
        self._report = report
        self._last: int | None = None  # the number of the last marker
        self._issued: set[str] = set()
        self._lying: dict[str, dict[str, Any]] | None = None  # in the box on the table, by the marker's id

    def see(self, fact: Fact, sitting: Sitting | None) -> None:
        """Judge the next entry of one of `FOLLOWED`.

        Args:
            sitting: who sits where, None while that is not known.
        """
        if fact.kind == OPENING or (fact.kind == REMOVED and self._lying is not None):
            self._lying = {}
        elif fact.kind in (ISSUE, REDEEM):
            said = {name: fact.payload[name] for name in NAMED}
            wrong = (self._issue if fact.kind == ISSUE else self._redeem)(str(fact.payload["marker"]), said)
            if sitting is not None and sitting.get(fact.payload["seat"]) != said["player"]:
                wrong["sits_there"] = sitting.get(fact.payload["seat"])
            if wrong:
                evidence = {"kind": fact.kind, "said": said, **wrong}
                self._report(Found("marker_differs", evidence, stream=self.stream, seq=fact.seq))

    def _issue(self, marker: str, said: dict[str, Any]) -> dict[str, Any]:
        wrong: dict[str, Any] = {}
        if marker in self._issued:
            wrong["issued_before"] = True
        if self._last is not None and said["number"] != self._last + 1:
            wrong["due"] = self._last + 1
        if said["table"] != self.stream.removeprefix("table:"):
            wrong["table"] = self.stream
        self._last = said["number"]
        self._issued.add(marker)
        if self._lying is not None:
            self._lying[marker] = said
        return wrong

    def _redeem(self, marker: str, said: dict[str, Any]) -> dict[str, Any]:
        if self._lying is None:
            return {}
        issued = self._lying.pop(marker, None)
        return {} if said == issued else {"in_box": issued}
