"""A cage's cash for chips and markers, and credit limits: by its entries alone, and as they are kept."""

import uuid
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from audit.codes import Found
from audit.credit import CreditCheck
from audit.facts import Fact, Moved
from audit.selectors.cage import cage_astray
from ledger.services import Movement, post
from tables.models import Marker, Player, Role, TableSession
from tests import floor
from tests.audit import support
from tests.floor import House
from tests.tables.test_markers import issue, pay, sits

STREAM = "cage:c"
IN, OUT = ("cash:patrons", "cash:drawer"), ("cash:drawer", "cash:patrons")
MARKER = {"marker": "m", "number": 7, "table": "1", "player": "p", "amount": 500}
LIMIT = {"player": "p", "limit": 900, "before": None, "second": "another"}
Event = tuple[str, dict[str, Any], tuple[tuple[str, str, int], ...]]


def paid(amount: int = 500, **said: Any) -> Event:
    return "cage.redeem_marker", MARKER | said, ((*IN, amount),)


def limited(**said: Any) -> Event:
    return "cage.credit_limit", LIMIT | said, ()


def codes(*events: Event, whole: bool = True) -> list[str]:
    finds: list[Found] = []
    check = CreditCheck(STREAM, finds.append, whole=whole)
    for seq, (kind, said, moves) in enumerate(events, 1):
        moved = tuple(Moved(*move) for move in moves)
        check.see(Fact(STREAM, seq, kind, UUID(int=1), datetime(2026, 11, 30, tzinfo=UTC), said, moved))
    return [found.code for found in finds]


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ((paid(), paid(marker="n")), []),
        ((paid(400),), ["amount_differs"]),
        ((paid(), paid()), ["marker_differs"]),
        ((("cage.redeem", {"total": 5}, (("floor", "vault", 5), (*OUT, 5))),), []),
        ((("cage.redeem", {"total": 5}, (("floor", "vault", 5), (*OUT, 50))),), ["amount_differs"]),
        ((("cage.sell", {"total": 5}, (("vault", "floor", 5), (*IN, 5))),), []),
        ((("cage.sell", {"total": 5}, (("vault", "floor", 5),)),), ["amount_differs"]),
        ((limited(), limited(before=900, limit=0)), []),
        ((limited(), limited(before=800)), ["marker_differs"]),
        ((limited(before=800),), ["marker_differs"]),
        ((("cage.credit_limit", {"second": "another"}, ()),), ["entry_unreadable"]),
        ((("fill.issue", {}, (("vault", "table:1", 5),)),), []),
        ((("fill.issue", {}, (("vault", "table:1", 5), (*OUT, 5))),), ["move_not_listed"]),
        ((("cage.gift", {}, (("commissioned", "floor", 5),)),), ["move_not_listed"]),
        ((("fill.print", {}, (("cash:bankroll", "cash:patrons", 5), (*OUT, 5))),), ["move_not_listed"] * 2),
    ],
)
def test_a_cage_says_what_it_paid_and_lends(events: tuple[Event, ...], found: list[str]) -> None:
    """PIT-MARKER: whole, once; chips are bought and redeemed for what they are worth."""
    assert codes(*events) == found


def test_what_a_limit_was_before_the_first_entry_at_hand_is_not_judged() -> None:
    assert codes(limited(before=800), limited(before=900), whole=False) == []


@pytest.mark.django_db
def test_credit_is_kept_as_the_journal_has_it(house: House) -> None:
    """PIT-MARKER: a marker paid for less than it was issued for, or only by its row, and a limit raised past
    the journal are found."""
    house.casino.profiles = [{"from": "2000-01-01", "name": "generic_markers", "version": 1}]
    house.casino.save(update_fields=["profiles"])
    table, _ = support.open_scanned(house)
    player = sits(house, table)
    first, second, third = (issue(house, table, 20_000) for _ in range(3))
    floor.remove_box(house, TableSession.objects.get(table=table).id)
    pay(house, first)

    def astray() -> list[tuple[str, str]]:
        return [(found.code, found.about) for found in cage_astray(house.casino)]

    assert astray() == []
    less = {"marker": str(second), "number": 2, "table": str(table.id), "player": str(player), "amount": 500}
    posted = post(
        stream=house.casino.cage_stream,
        kind="cage.redeem_marker",
        payload=less,
        movements=[Movement(*IN, 500)],
        actor=house.staff[Role.CAGE].id,
        command_id=uuid.uuid4(),
    )
    at_cage: dict[str, Any] = {"redeemed_at": posted.recorded_at, "redeemed_stream": posted.stream}
    Marker.objects.filter(id__in=(second, third)).update(**at_cage, redeemed_seq=posted.seq)
    Player.objects.filter(id=player).update(credit_limit=900_000)
    assert sorted(astray()) == sorted(
        ("markers_differ", about) for about in (str(second), str(third), f"limit:{player}")
    )
    Marker.objects.filter(id=first).update(player=Player.objects.create(casino=house.casino, reference="2"))
    assert ("markers_differ", str(first)) in astray()
    Marker.objects.filter(id=third).update(number=4)
    assert ("markers_differ", "series") in astray()
