"""What a bundle must cite besides its own entries, noted while they pass."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from audit.bundle.rows import Sealed, sealed_entries
from audit.bundle.scope import Extent
from audit.verify.chain import OPENINGS
from audit.verify.cited import CASINO, RULES, TABLE
from ledger.models import Entry
from tables.models import Casino

_BEFORE = ("first_seq", "last_seq", "before_seq")
"""What a correction names of the entries it goes back to."""


class Citations:
    """Notes what the entries of a bundle go back to.

    Args:
        casino: whose office is cited.
        extents: what the bundle holds anyway.
        signed: numbers of the office's entries that two signed and that belong to it.
    """

    def __init__(self, casino: Casino, extents: Iterable[Extent], signed: Iterable[int] = ()) -> None:
        self._casino, self._signed = casino, frozenset(signed)
        self._first = {extent.stream: extent.first for extent in extents}
        self._numbers: dict[str, set[int]] = {stream: set() for stream in self._first}
        self._reversed: dict[str, set[UUID]] = {stream: set() for stream in self._first}
        self._rules: set[str] = set()

    def note(self, entry: Sealed) -> None:
        """Take an entry of the bundle into account."""
        if entry.reverses is not None:
            self._reversed[entry.stream].add(entry.reverses)
        if entry.kind in ("round.start", "session.open"):
            named = entry.said.get("rules")
            self._rules.add(str(named.get("id") if isinstance(named, dict) else named))
        elif entry.kind == "table.rules":
            sets = (entry.said.get(which) for which in ("before", "after"))
            self._rules.update(str(named.get("id")) for named in sets if isinstance(named, dict))
        elif entry.kind in ("round.correct", "round.cancel"):
            numbers = (entry.said.get(name) for name in _BEFORE)
            self._numbers[entry.stream].update(number for number in numbers if isinstance(number, int))

    def entries(self) -> Iterator[Sealed]:
        """The cited entries in the order of a bundle: by stream, then by number."""
        office = self._casino.stream
        for stream in sorted({*self._first, office}):
            if stream == office:
                yield from (entry for entry in sealed_entries(office) if self._is_needed(entry))
            else:
                numbers = self._before(stream)
                if numbers:
                    yield from sealed_entries(stream, seq__in=sorted(numbers))

    def _before(self, stream: str) -> set[int]:
        """Numbers of the entries before a stream's part that are cited."""
        first = self._first[stream]
        entries = Entry.objects.filter(stream__name=stream, seq__lt=first).values_list("seq", flat=True)
        opened = set(entries.filter(kind__in=OPENINGS)) if first > 1 else set()
        reversed_ = set(entries.filter(id__in=self._reversed[stream])) if self._reversed[stream] else set()
        return opened | reversed_ | {number for number in self._numbers[stream] if number < first}

    def _is_needed(self, entry: Sealed) -> bool:
        said: dict[str, Any] = entry.said
        if entry.seq in self._signed:
            return True
        if entry.kind == RULES:
            return said.get("rules") in self._rules
        return entry.kind == CASINO or (entry.kind == TABLE and f"table:{said.get('table')}" in self._first)
