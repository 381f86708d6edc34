"""What also comes while a table is closed names the session that is open, or that of its box."""

import uuid
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from audit.codes import Found
from audit.facts import Fact
from audit.models import Finding
from audit.order import NAMES_SESSION, OrderCheck
from ledger.services import Movement, post
from tables.models import Role
from tables.services.tokes import toke_give
from tests.audit import support
from tests.floor import House
from tests.tables.life import found

STREAM = "table:1"
Entry = tuple[str, dict[str, Any]]
OPEN: Entry = ("session.open", {"session": "one", "box": {"box": "box 1", "number": 1}})
CHANGE: Entry = ("box.remove", {"session": "one", "box": "box 1", "next": {"box": "box 2", "number": 2}})
CLOSE: Entry = ("session.close", {"session": "one"})
AGAIN: Entry = ("session.reopen", {"session": "one"})
NEXT: Entry = ("session.open", {"session": "two", "box": {"box": "box 3", "number": 3}})


def collect(session: str | None) -> Entry:
    return "toke.collect", {"session": session}


def rejected(session: str, box: str) -> Entry:
    return "chips.reject", {"session": session, "where": "box", "box": box}


def misnamed(*entries: Entry) -> list[int | None]:
    finds: list[Found] = []
    check = OrderCheck(STREAM, finds.append)
    for seq, (kind, said) in enumerate(entries, 1):
        at = datetime(2026, 11, 30, tzinfo=UTC)
        signed = {"second": "another"} | said
        check.see(Fact(STREAM, seq, kind, UUID(int=1), at, signed, ()), running=False, hands=False)
    assert {each.code for each in finds} <= {"session_misnamed"}
    return [each.seq for each in finds]


@pytest.mark.parametrize(
    ("entries", "due"),
    [
        (
            (OPEN, collect("one"), CLOSE, collect(None), AGAIN, collect("one"), CLOSE, NEXT, collect("two")),
            [],
        ),
        ((OPEN, collect("two"), collect(None), CLOSE, collect("one"), NEXT, collect("one")), [2, 3, 5, 7]),
        ((OPEN, CHANGE, CLOSE, NEXT, *(rejected("one", f"box {number}") for number in (1, 2, 3))), [7]),
        ((OPEN, CHANGE, NEXT, rejected("two", "box 2"), rejected("two", "box 3")), [4]),
        ((collect("zero"), rejected("zero", "box 0"), OPEN, rejected("zero", "box 0")), []),
    ],
)
def test_what_names_a_session_names_its_own(entries: tuple[Entry, ...], due: list[int]) -> None:
    """Before the first opening at hand, and of a box put on before it, nothing is known."""
    assert misnamed(*entries) == due


def forged(house: House, stream: str, kind: str, said: dict[str, Any], *moves: Movement) -> int:
    """An entry posted past the services."""
    posted = post(
        stream=stream,
        kind=kind,
        payload=said,
        movements=moves,
        actor=house.staff[Role.DEALER].id,
        command_id=uuid.uuid4(),
    )
    return posted.seq


@pytest.mark.django_db
def test_each_kind_that_names_another_session_is_found_at_night(house: House) -> None:
    table, _ = support.open_scanned(house)
    said = {"session": str(uuid.uuid4()), "second": str(house.staff[Role.SUPERVISOR].id), "total": 0}
    empty = {"chips": {}, "pieces": {}, "value": 0, "variance": 0, "coupons": [], "missing": []}
    for kind in sorted(NAMES_SESSION):
        forged(house, table.stream, kind, said | empty)
    assert found(house) == ["session_misnamed"] * len(NAMES_SESSION)


@pytest.mark.django_db
def test_what_comes_between_two_sessions_is_judged_with_the_second(house: House) -> None:
    """Tokes that go elsewhere while the table is closed, and are said to be of the session that was."""
    table, session = support.open_scanned(house)
    toke_give(table_id=table.id, seat=1, amount=500, command=house.command(Role.DEALER))
    support.close(house, table, session)
    second = str(house.staff[Role.SUPERVISOR].id)
    said = {"session": str(session), "chips": {"500": 1}, "total": 500, "variance": 0, "second": second}
    seq = forged(house, table.stream, "toke.collect", said, Movement("toke_box", "tray", 500))
    assert found(house) == [], "the next session's night"
    support.open_again(house, table)
    assert found(house) == ["move_not_listed", "session_misnamed"]
    assert set(Finding.objects.filter(casino=house.casino).values_list("seq", flat=True)) == {seq}
