"""Chips between the cage and a table: slip by slip, as both ends say, on honest days of every kind."""

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit.codes import Found
from audit.facts import Fact, Moved
from audit.selectors.journal import facts
from audit.transit import TransitCheck, not_seen_to_leave, slips_astray
from tables.models import Role
from tables.services import slips, voids
from tests import floor
from tests.tables.test_fills_and_credits import CHIPS, SHORT, take_back, void

pytestmark = pytest.mark.django_db

Said = list[Fact]


@pytest.fixture
def entries(house: floor.House) -> Said:
    """Both streams of a table at which slips go every way there is."""
    table = floor.make_table(house)
    at_cage: dict[str, Any] = {
        "casino_id": house.casino.id,
        "reason": "wrong chips",
        "second": house.badge(Role.PIT_BOSS),
    }
    floor.fill_table(house, table, CHIPS)
    floor.fill_table(house, table, CHIPS)
    received = floor.send_fill(house, table, CHIPS)
    floor.receive_fill(house, table, received, CHIPS)
    for slip in (received, floor.send_fill(house, table, CHIPS)):  # in the tray, and on its way
        void(house, table, slip)
        take_back(house, slip, SHORT)
    by_hand = slips.slip_enter(
        casino_id=house.casino.id,
        table_id=table.id,
        kind="fill",
        number=7,
        chips=CHIPS,
        occurred_at=timezone.now() - timedelta(hours=1),
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    floor.receive_fill(house, table, uuid.UUID(by_hand.body["id"]), CHIPS)
    credit = floor.send_credit(house, table, CHIPS)
    floor.receive_credit(house, credit, CHIPS)
    voids.cage_void_slip(**at_cage, slip_id=credit, command=house.command(Role.CAGE))
    voids.slip_take_back(
        table_id=table.id,
        slip_id=credit,
        chips=CHIPS,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    floor.receive_credit(house, floor.send_credit(house, table, CHIPS), CHIPS)
    floor.send_fill(house, table, CHIPS)  # and stays on its way
    return [fact for stream in (table.stream, house.casino.cage_stream) for fact in facts(stream, 1)]


def found(entries: Sequence[Fact], *, whole: bool = True) -> list[str]:
    """The codes of all finds; whether both streams are said to be at hand from their beginnings."""
    finds: list[Found] = []
    checks = {stream: TransitCheck(stream, finds.append, whole=whole) for stream in _streams(entries)}
    for fact in entries:
        checks[fact.stream].see(fact)
    finds += slips_astray({stream: check.crossed for stream, check in checks.items()})
    return [one.code for one in finds]


def _streams(entries: Sequence[Fact]) -> list[str]:
    return list(dict.fromkeys(fact.stream for fact in entries))


def changed(entries: Said, kind: str, change: Callable[[Fact], Fact]) -> Said:
    """The entries with the first of a kind that moved anything as another."""
    at = next(at for at, fact in enumerate(entries) if fact.kind == kind and fact.moves)
    return [*entries[:at], change(entries[at]), *entries[at + 1 :]]


def says(**said: object) -> Callable[[Fact], Fact]:
    """An entry that says this, too."""
    return lambda fact: fact._replace(payload=fact.payload | said)


def moves(*moved: Moved) -> Callable[[Fact], Fact]:
    """An entry that moved this, too."""
    return lambda fact: fact._replace(moves=(*fact.moves, *moved))


def test_slips_that_went_as_they_say_are_no_finds(entries: Said) -> None:
    """Received, void in the tray and on its way, taken back short, by hand, credits and void credits."""
    assert found(entries) == []
    arrivals = {"fill.receive", "credit.receive", "fill.take_back", "credit.take_back"}
    assert arrivals <= {fact.kind for fact in entries}


@pytest.mark.parametrize(
    ("kind", "change", "codes"),
    [
        ("fill.receive", says(chips={"100": 30}), {"slip_differs"}),
        ("fill.receive", says(label="F-99"), {"slip_differs"}),
        ("credit.receive", says(total=1), {"slip_differs", "boundary_differs"}),
        ("fill.issue", says(slip="another"), {"slip_without_movement"}),
        ("credit.send", says(slip="another"), {"slip_without_movement"}),
        ("fill.receive", says(table="another"), {"movement_without_slip", "slip_differs"}),
        ("fill.issue", moves(Moved("vault", "table:1", 5)), {"boundary_differs"}),
        ("fill.receive", moves(Moved("tray", "cage", 5)), {"boundary_differs"}),
        (
            "fill.receive",
            lambda fact: fact._replace(moves=(Moved("floor", "tray", 3000),)),
            {"boundary_differs"},
        ),
        ("fill.issue", lambda fact: fact._replace(moves=()), {"boundary_differs"}),
        ("fill.receive", lambda fact: fact._replace(kind="table.sing"), {"movement_without_slip"}),
        ("credit.receive", lambda fact: fact._replace(kind="fill.issue"), {"boundary_differs"}),
        ("credit.receive", lambda fact: fact._replace(payload={}), {"entry_unreadable"}),
    ],
)
def test_what_crossed_otherwise_is_found(
    entries: Said, kind: str, change: Callable[[Fact], Fact], codes: set[str]
) -> None:
    assert codes <= set(found(changed(entries, kind, change)))


def test_a_slip_moves_its_chips_once(entries: Said) -> None:
    received = next(fact for fact in entries if fact.kind == "fill.receive")
    again = received._replace(seq=10**6)
    assert set(found([*entries, again])) == {"movement_without_slip", "slip_without_movement"}


def test_what_may_have_left_before_is_told_and_not_found(entries: Said) -> None:
    """Of a part of the streams: what no entry at hand sends away, as far as there is a cage."""
    late = [fact for fact in entries if fact.kind not in ("fill.issue", "fill.enter")]
    assert "slip_without_movement" in found(late)
    assert found(late, whole=False) == []
    at_cage = [fact for fact in late if fact.stream.startswith("cage:")]
    begun = next(fact.recorded_at for fact in late if fact.stream.startswith("table:"))
    early = [fact for fact in late if fact not in at_cage or fact.recorded_at <= begun]
    assert found(early) == [], "the cage's entries are not at hand as far as the table's"
    checks = {stream: TransitCheck(stream, lambda one: None, whole=False) for stream in _streams(late)}
    for fact in late:
        checks[fact.stream].see(fact)
    heard = {stream: check.crossed for stream, check in checks.items()}
    assert sorted(not_seen_to_leave(heard).values()) == [2, 3]  # in the tray, and back in the vault
    at_table = {stream: crossed for stream, crossed in heard.items() if stream.startswith("table:")}
    assert not_seen_to_leave(at_table) == {}
