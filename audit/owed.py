"""Markers that a cage was paid, held against what their tables say of them, from entries alone; no database.

    marker.issue, marker.redeem   at the table that a marker is of
    cage.redeem_marker            at the cage: as it was issued, and not redeemed at the table, too

Each stream is heard by itself (`OwedCheck`); what takes both ends is judged on what they said
(`payments_astray`). That a marker is paid once is `audit.credit`'s, its table's series `audit.markers`'.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from audit.codes import Found
from audit.credit import NAMED, PAID
from audit.facts import Fact
from audit.markers import ISSUE, REDEEM

TABLE = "table:"
MARKERS = frozenset({ISSUE, REDEEM, PAID})


class Said(NamedTuple):
    """What an entry says of a marker."""

    marker: str
    named: Mapping[str, Any]
    stream: str
    seq: int
    at: datetime


@dataclass(slots=True)
class Heard:
    """What one stream says of markers, whether its entries are at hand from the first on, and until when."""

    whole: bool = True
    until: datetime | None = None
    issued: dict[str, Said] = field(default_factory=dict)
    redeemed: dict[str, Said] = field(default_factory=dict)
    paid: list[Said] = field(default_factory=list)


class OwedCheck:
    """Hears what one stream says of markers.

    Attributes:
        heard: what it said so far.

    Args:
        stream: its name.
        report: called with each find.
        whole: whether its entries are at hand from the first one on.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], *, whole: bool) -> None:
        self.heard = Heard(whole)
        self._stream, self._report = stream, report

    def see(self, fact: Fact) -> None:
        """Take the next entry."""
        self.heard.until = fact.recorded_at
        if fact.kind not in MARKERS:
            return
        try:
            marker, named = str(fact.payload["marker"]), {name: fact.payload[name] for name in NAMED}
        except KeyError as error:
            evidence = {"kind": fact.kind, "error": repr(error)[:200]}
            self._report(Found("entry_unreadable", evidence, self._stream, fact.seq, about="owed"))
            return
        said = Said(marker, named, self._stream, fact.seq, fact.recorded_at)
        if fact.kind == PAID:
            self.heard.paid.append(said)
        else:
            (self.heard.issued if fact.kind == ISSUE else self.heard.redeemed).setdefault(marker, said)


def payments_astray(heard: Mapping[str, Heard]) -> Iterator[Found]:
    """Markers that were paid at the cage otherwise than they were issued, or were redeemed at their table.

    Args:
        heard: by stream, what it said.
    """
    for paid in _paid(heard):
        issued, redeemed = _issued(paid, heard), _redeemed(paid, heard)
        if issued is None and not _is_known(paid, heard):
            continue
        if redeemed or issued is None or issued.named != paid.named:
            evidence: dict[str, Any] = {"marker": paid.marker, "paid": dict(paid.named)}
            evidence["issued"] = issued and dict(issued.named)
            evidence["redeemed"] = redeemed and {"stream": redeemed.stream, "seq": redeemed.seq}
            yield Found("marker_differs", evidence, paid.stream, paid.seq, about="owed")


def not_seen_issued(heard: Mapping[str, Heard]) -> dict[str, int]:
    """By stream, how many markers were paid there that may have been issued beyond what is at hand."""
    unseen = (one for one in _paid(heard) if _issued(one, heard) is None and not _is_known(one, heard))
    return dict(Counter(one.stream for one in unseen))


def _paid(heard: Mapping[str, Heard]) -> Iterator[Said]:
    for part in heard.values():
        yield from part.paid


def _issued(paid: Said, heard: Mapping[str, Heard]) -> Said | None:
    return next((part.issued[paid.marker] for part in heard.values() if paid.marker in part.issued), None)


def _redeemed(paid: Said, heard: Mapping[str, Heard]) -> Said | None:
    return next((part.redeemed[paid.marker] for part in heard.values() if paid.marker in part.redeemed), None)


def _is_known(paid: Said, heard: Mapping[str, Heard]) -> bool:
    """Whether all that the marker's table said before it was paid is at hand."""
    table = heard.get(f"{TABLE}{paid.named['table']}")
    return table is not None and table.whole and table.until is not None and table.until >= paid.at
