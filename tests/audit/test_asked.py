"""A check is asked of entries that concern it, and of others from the entry on that makes them concern it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact, Moved
from audit.resettle import TableCheck
from tables.engine.card_room import PoolRules

Entry = tuple[str, dict[str, Any], tuple[Moved, ...]]
RULES, SIGNED = UUID(int=7), {"second": "another"}
POOL = PoolRules(game="high_card_pool", ante=100).to_dict()
TENDER: Entry = ("seat.other_tender", {}, ())
COLLECTED: Entry = ("collection.take", {"minutes": 0, "fees": {"1": 100}}, (Moved("seat:1", "tray", 100),))


def found(*entries: Entry) -> list[tuple[str, int | None]]:
    """What is found of a table's entries, by number."""
    finds: list[Found] = []
    check = TableCheck(
        stream="table:1",
        rule_set=lambda rules: (POOL, "digest") if rules == RULES else None,
        report=finds.append,
        played=lambda played: None,
    )
    for seq, (kind, said, moves) in enumerate(entries, 1):
        at = datetime(2026, 11, 30, tzinfo=UTC) + timedelta(seconds=seq)
        check.see(Fact("table:1", seq, kind, UUID(int=1), at, SIGNED | said, moves))
    return [(one.code, one.seq) for one in finds]


def test_a_frozen_table_takes_no_kind_it_took_before() -> None:
    """Nothing is looked for in an entry of this kind but whether the table is frozen."""
    freeze: Entry = ("table.freeze", {}, ())
    release: Entry = ("table.release", {}, ())
    assert found(TENDER, freeze, TENDER, release, TENDER) == [("out_of_order", 3)]


def test_a_card_room_table_is_known_from_its_opening_on() -> None:
    """A collection that its rules do not give is found once they are in force, though one came before."""
    opening = ("session.open", {"rules": str(RULES), "opener": {}, "opener_total": 0}, ())
    assert found(COLLECTED, opening, COLLECTED) == [("wrong_collection", 3)]


def test_fields_make_an_entry_concern_what_its_kind_does_not() -> None:
    """Cash in and openings belong to rounds, and are looked at wherever somebody says them."""
    cash_in = ("seat.other_tender", {"cash_in": {"1": {"player": None, "amount": 5}}}, ())
    opened = ("seat.other_tender", {"openings": [{"position": 0}]}, ())
    opening = ("session.open", {"rules": str(UUID(int=8)), "opener": {}, "opener_total": 0}, ())
    codes = [("rule_set_differs", 1), ("cash_in_differs", 3), ("opening_surplus", 4)]
    assert found(opening, TENDER, cash_in, opened) == codes
