"""A first count that nobody knew is what was committed to, and both counts are what their entry says."""

import uuid
from typing import Any

import pytest

from audit.blind import BlindCheck
from audit.codes import Found
from audit.selectors.journal import parsed
from audit.services.reconciliation import session_reconcile
from ledger.models import Entry
from tables.engine.blind_count import count_commitment
from tables.models import Role
from tables.services import drops
from tables.services.signatures import Badge
from tests import floor
from tests.audit import support

SALT = bytes(range(32))
BOX, SESSION = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
COUNT: dict[str, dict[str, int]] = {"notes": {"100": 40}, "chips": {}, "instruments": {}}
OTHER: dict[str, dict[str, int]] = {"notes": {"100": 39}, "chips": {}, "instruments": {}}


def judged(*entries: tuple[str, dict[str, Any]]) -> list[Found]:
    finds: list[Found] = []
    check = BlindCheck("table:x", finds.append)
    for seq, (kind, said) in enumerate(entries, 1):
        check.see(kind, seq, {"session": SESSION, "box": BOX} | said)
    return finds


def first(counted: dict[str, dict[str, int]] = COUNT, box: str = BOX) -> tuple[str, dict[str, Any]]:
    return "drop.count_first", {"commitment": count_commitment(box=box, counted=counted, salt=SALT)}


def second(counted: dict[str, dict[str, int]] = COUNT, **other: Any) -> tuple[str, dict[str, Any]]:
    opened = {"counted": COUNT, "salt": SALT.hex(), "by": SESSION}
    return "drop.count", {"first": opened, "counted": counted, "total": 4_000} | other


def test_a_first_count_fits_its_commitment_and_the_second() -> None:
    differs = ("drop.count_differs", second()[1] | {"second_count": OTHER})
    recount = ("session.count_drop", {"recounted": {}, "counted": OTHER, "total": 3_900})
    assert judged(first(), second()) == judged(first(), differs, recount) == []


@pytest.mark.parametrize(
    ("entries", "evidence"),
    [
        ([first(OTHER), second()], "opened"),  # another count was opened than was committed to
        ([first(box=SESSION), second()], "opened"),  # that of another box
        ([second()], "opened"),  # nobody had committed to anything
        ([first(), second(), second()], "opened"),  # a commitment is opened once
        ([first(), second(OTHER, total=3_900)], "second"),  # unequal counts passed as equal
        ([first(), ("drop.count_differs", second()[1] | {"second_count": COUNT})], "second"),
        ([first(), second(total=4_001)], "total"),
    ],
)
def test_a_count_that_is_not_what_it_says_is_found(entries: list[Any], evidence: str) -> None:
    (found,) = judged(*entries)
    assert (found.code, found.about, evidence in found.evidence) == ("blind_count_differs", BOX, True)


def test_a_count_that_cannot_be_read_is_found() -> None:
    assert [found.code for found in judged(("drop.count", {}), ("drop.count_first", {}))] == [
        "entry_unreadable"
    ] * 2


@pytest.mark.django_db
def test_each_session_s_boxes_are_looked_at(house: floor.House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that were made, equal or not, are sound; one that opens otherwise is found at the next look."""
    table, session = support.open_scanned(house)
    support.close(house, table, session)
    box = floor.remove_box(house, session)
    found: dict[str, Any] = {"chips": {}, "instruments": {}}
    drops.drop_count_first(box_id=box, notes={"100": 4_000}, **found, command=house.command(Role.CAGE))
    drops.drop_count_second(box_id=box, notes={"100": 3_999}, **found, command=house.second_count())
    badge = Badge(house.cashier_2.badge, floor.PIN)
    drops.drop_recount(
        box_id=box, notes={"100": 4_000}, **found, second=badge, command=house.command(Role.CAGE)
    )
    session_reconcile(session_id=session)
    assert support.codes(house) == []
    opened = parsed(Entry.objects.get(stream__name=table.stream, kind="drop.count_differs").payload)

    def forged(payload: str) -> dict[str, Any]:
        said = parsed(payload)
        return said | {"first": opened["first"] | {"counted": OTHER}} if "first" in said else said

    monkeypatch.setattr("audit.selectors.blind.parsed", forged)
    session_reconcile(session_id=session)
    assert support.codes(house) == ["blind_count_differs"]
