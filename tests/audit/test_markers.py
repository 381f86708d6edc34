"""Markers by their numbers: each in its series, and redeemed as it was issued, once, out of the box there."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from audit.codes import Found
from audit.facts import Fact
from audit.markers import MarkerCheck

STREAM = "table:1"
SITTING = {3: "p", 4: "q"}
MARKER = {"marker": "m", "number": 7, "table": "1", "player": "p", "seat": 3, "amount": 500}
OPEN: tuple[str, dict[str, Any]] = ("session.open", {})
Event = tuple[str, dict[str, Any]]


def issued(**said: Any) -> Event:
    return "marker.issue", MARKER | said


def redeemed(**said: Any) -> Event:
    return "marker.redeem", MARKER | said


def wrong(*events: Event) -> list[set[str]]:
    """What each find says is wrong."""
    finds: list[Found] = []
    check = MarkerCheck(STREAM, finds.append)
    for seq, (kind, said) in enumerate(events, 1):
        check.see(Fact(STREAM, seq, kind, UUID(int=1), datetime(2026, 11, 30, tzinfo=UTC), said, ()), SITTING)
    assert {found.code for found in finds} <= {"marker_differs"}
    return [found.evidence.keys() - {"kind", "said"} for found in finds]


SECOND = issued(marker="n", number=8, player="q", seat=4)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ((OPEN, issued(), SECOND, redeemed()), []),
        ((OPEN, issued(), redeemed(), OPEN, SECOND), []),
        ((redeemed(), issued(), SECOND), []),  # what was issued before the first entry is not known
        ((OPEN, issued(), issued(marker="n", number=9)), [{"due"}]),
        ((OPEN, issued(), issued(marker="n")), [{"due"}]),
        ((OPEN, issued(), issued(number=8)), [{"issued_before"}]),
        ((OPEN, issued(table="2")), [{"table"}]),
        ((OPEN, issued(player="q")), [{"sits_there"}]),
        ((OPEN, issued(seat=5)), [{"sits_there"}]),
        ((OPEN, redeemed()), [{"in_box"}]),
        ((OPEN, issued(), redeemed(), redeemed()), [{"in_box"}]),
        ((OPEN, issued(), redeemed(amount=400)), [{"in_box"}]),
        ((OPEN, issued(), redeemed(number=8)), [{"in_box"}]),
        ((OPEN, issued(), redeemed(player="q", seat=4)), [{"in_box"}]),
        ((OPEN, issued(), redeemed(seat=4)), [{"sits_there"}]),
        ((OPEN, issued(), ("box.remove", {}), redeemed()), [{"in_box"}]),
        ((OPEN, issued(), OPEN, redeemed()), [{"in_box"}]),
    ],
)
def test_a_marker_goes_as_it_was_issued(events: tuple[Event, ...], found: list[set[str]]) -> None:
    """PIT-MARKER: to who sits there, under the next number; redeemed whole, once, by who owes it."""
    assert wrong(*events) == found
