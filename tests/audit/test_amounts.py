"""What an entry says of its amounts against what it moved, and a reversal against what it takes back."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from audit.amounts import AmountCheck, is_taken_back
from audit.codes import Found
from audit.facts import Fact, Moved

STREAM = "table:1"
BOX, OUT, BROUGHT = ("cash:patrons", "cash:drop_box"), ("tray", "seat:1"), ("floor", "seat:1")
FOUND = {"chips": {"100": 4, "500": 1}, "total": 900, "variance": 0}
SHORT = (("toke_box", "over_short", 100), ("toke_box", "floor", 900))
FALSE = {"pieces": {"500": 1}, "value": 500}
LENT, PAID, IN = ("markers:patrons", "markers:drop_box"), ("markers:drop_box", "markers:patrons"), OUT[::-1]
Moves = tuple[tuple[str, str, int], ...]


def fact(kind: str, said: dict[str, Any], moves: Moves, seq: int = 9) -> Fact:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    return Fact(STREAM, seq, kind, UUID(int=1), at, said, tuple(Moved(*move) for move in moves))


def found_in(one: Fact, *before: Fact) -> list[str]:
    found: list[Found] = []
    earlier = {each.seq: each for each in before}
    AmountCheck(STREAM, found.append, earlier.get).see(one)
    return [each.code for each in found]


TO_SEAT = {"amount": 7, "seat": 1, "direction": "to_seat"}
ENDED = {"amount": 7, "seat": None, "direction": "to_tray"}


@pytest.mark.parametrize(
    ("kind", "said", "moves", "right"),
    [
        ("seat.take", {"seat": 1, "cash": 0, "chips": 0}, (), True),
        ("seat.take", {"seat": 1, "cash": 5, "chips": 0}, ((*BOX, 5), (*OUT, 5)), True),
        (
            "seat.take",
            {"seat": 1, "cash": 5, "chips": 7},
            ((*OUT, 5), ("floor", "seat:1", 7), (*BOX, 5)),
            True,
        ),
        ("seat.take", {"seat": 1, "cash": 5, "chips": 0}, ((*BOX, 4), (*OUT, 5)), False),
        ("seat.take", {"seat": 1, "cash": 5, "chips": 0}, ((*BOX, 5), (*OUT, 6)), False),
        ("seat.take", {"seat": 1, "cash": 5, "chips": 0}, (), False),
        ("seat.take", {"seat": 1, "cash": 0, "chips": 5}, ((*BOX, 5), (*OUT, 5)), False),
        ("seat.take", {"seat": 2, "cash": 5, "chips": 0}, ((*BOX, 5), (*OUT, 5)), False),
        ("seat.buy_in", {"seat": 1, "cash": 5}, ((*BOX, 5), (*OUT, 5)), True),
        ("seat.buy_in", {"seat": 1, "cash": 500}, ((*BOX, 5), (*OUT, 5)), False),
        ("seat.buy_in", {"seat": 1, "cash": 5}, ((*OUT, 5),), False),
        ("seat.buy_in", {"seat": 1}, ((*BOX, 5), (*OUT, 5)), False),
        ("marker.issue", {"seat": 1, "amount": 5}, ((*LENT, 5), (*OUT, 5)), True),
        ("marker.issue", {"seat": 1, "amount": 5}, ((*BOX, 5), (*OUT, 5)), False),
        ("marker.issue", {"seat": 1, "amount": 5}, ((*LENT, 5), (*OUT, 6)), False),
        ("marker.issue", {"seat": 2, "amount": 5}, ((*LENT, 5), (*OUT, 5)), False),
        ("marker.redeem", {"seat": 1, "amount": 5, "tender": "cash"}, ((*BOX, 5), (*PAID, 5)), True),
        ("marker.redeem", {"seat": 1, "amount": 5, "tender": "chips"}, ((*PAID, 5), (*IN, 5)), True),
        ("marker.redeem", {"seat": 1, "amount": 5, "tender": "cash"}, ((*PAID, 5), (*IN, 5)), False),
        ("marker.redeem", {"seat": 1, "amount": 5, "tender": "chips"}, ((*PAID, 5),), False),
        ("correction.post", TO_SEAT, (("tray", "seat:1", 4), ("disputed", "floor", 3)), True),
        ("correction.post", TO_SEAT | {"amount": 70}, (("tray", "seat:1", 7),), False),
        ("correction.post", TO_SEAT | {"direction": "to_tray"}, (("tray", "seat:1", 7),), False),
        ("correction.post", TO_SEAT | {"seat": None}, (("tray", "disputed", 7),), True),
        ("correction.post", ENDED, (("disputed", "tray", 7),), True),
        ("correction.post", ENDED, (("floor", "disputed", 7),), False),
        ("fill.receive", {"total": 7, "chips": {"1": 2, "5": 1}}, (("cage", "tray", 7),), True),
        ("fill.receive", {"total": 7, "chips": {"1": 7, "5": 1}}, (("cage", "tray", 7),), False),
        ("fill.receive", {"total": 7}, (("cage", "tray", 7),), False),
        ("fill.void", {"chips": {"1": 7}}, (("tray", "cage", 7),), True),
        ("fill.void", {"chips": {"1": 7}}, (), True),
        ("fill.void", {"chips": {"1": 6}}, (("tray", "cage", 7),), False),
        ("credit.send", {"total": 7}, (("tray", "cage", 6),), False),
        ("credit.send", {"total": 7, "chips": {"5": 2}}, (("tray", "cage", 7),), False),
        ("credit.take_back", {"counted": {"1": 6}}, (("cage", "tray", 7), ("tray", "over_short", 1)), True),
        ("credit.take_back", {"counted": {"1": 7}}, (("cage", "tray", 7), ("tray", "over_short", 1)), False),
        ("seat.change", {"into_tray": {"5": 5}, "out_of_tray": {"25": 1}}, (), True),
        ("seat.change", {"into_tray": {"5": 5}, "out_of_tray": {"25": 2}}, (), False),
        ("session.open", {"opener": {"5": 2}, "opener_total": 10}, (), True),
        ("session.open", {"opener": {"5": 2}, "opener_total": 15}, (), False),
        ("session.close", {"closer": {"5": 2}, "closer_total": 5}, (), False),
        ("dealer.relieve", {}, (), True),
        ("dealer.relieve", {"count": {"5": 2}, "total": 5}, (), False),
        ("toke.collect", FOUND, (("toke_box", "floor", 900),), True),
        ("toke.collect", FOUND | {"variance": -100}, SHORT, True),
        ("toke.collect", FOUND, SHORT, False),
        ("toke.collect", FOUND | {"variance": 100}, SHORT, False),
        ("toke.collect", FOUND | {"total": 800}, (("toke_box", "floor", 800),), False),
        ("toke.collect", FOUND, (("toke_box", "floor", 800), ("toke_box", "over_short", 100)), False),
        ("promo.collect", {"total": 7}, (("promo_box", "promo_cancelled", 7),), True),
        ("promo.collect", {"total": 7}, (("promo_box", "promo_cancelled", 6),), False),
        ("chips.reject", FALSE | {"where": "tray"}, (("tray", "floor", 500),), True),
        ("chips.reject", FALSE | {"where": "tray"}, (("tray", "floor", 5_500),), False),
        ("chips.reject", FALSE | {"where": "box"}, (), True),
        ("chips.reject", FALSE | {"where": "box"}, (("tray", "floor", 500),), False),
        ("chips.reject", FALSE | {"where": "tray", "value": 5_500}, (("tray", "floor", 5_500),), False),
    ],
)
def test_an_entry_moves_what_it_says(kind: str, said: dict[str, Any], moves: Moves, right: bool) -> None:
    assert found_in(fact(kind, said, moves)) == ([] if right else ["amount_differs"])


BOUGHT = fact("seat.buy_in", {"seat": 1, "cash": 5, "player": "p"}, ((*BOX, 5), (*OUT, 5)), seq=4)
BACK = (("cash:drop_box", "cash:patrons", 5), ("seat:1", "tray", 5))
WHOSE = {"player": "p", "gaming_day": "2026-11-30"}
SAID = {"seq": 4, "kind": "seat.buy_in", "origin": "seat.buy_in", **WHOSE}


@pytest.mark.parametrize(
    ("said", "moves", "right"),
    [
        ({}, BACK, True),
        ({}, (BACK[0], ("disputed", "tray", 5)), True),  # the player has left
        ({}, (BACK[0], ("seat:1", "tray", 2), ("disputed", "tray", 3)), True),  # or has lost them
        ({}, (("cash:drop_box", "cash:patrons", 4), BACK[1]), False),
        ({}, (BACK[0], ("seat:1", "tray", 4)), False),
        ({}, (BACK[0], ("seat:2", "tray", 5)), False),
        ({}, (BACK[0], ("seat:1", "tray", 5), ("tray", "disputed", 5)), False),
        ({}, BACK[1:], False),
        ({}, (), False),
        ({"seq": 3}, BACK, False),
        ({"kind": "correction.post"}, BACK, False),
        ({"origin": "correction.post"}, BACK, False),
        ({"seq": "4"}, BACK, False),
        ({"player": None}, BACK, False),
    ],
)
def test_a_reversal_moves_what_its_entry_moved(said: dict[str, Any], moves: Moves, right: bool) -> None:
    assert found_in(fact("entry.reverse", SAID | said, moves), BOUGHT) == (
        [] if right else ["wrong_reversal"]
    )


def test_a_reversal_of_a_reversal_goes_back_to_the_first() -> None:
    first = fact("entry.reverse", SAID, BACK, seq=6)
    again = {"seq": 6, "kind": "entry.reverse", "origin": "seat.buy_in", **WHOSE}
    of_another_day = again | {"gaming_day": "2026-11-29"}
    assert found_in(fact("entry.reverse", of_another_day, BOUGHT.moves), BOUGHT, first) == ["wrong_reversal"]
    assert found_in(fact("entry.reverse", again, BOUGHT.moves), BOUGHT, first) == []
    assert found_in(fact("entry.reverse", again, BACK), BOUGHT, first) == ["wrong_reversal"]


def test_what_a_left_player_is_owed_is_in_dispute() -> None:
    """A mispay taken back: the seat that is empty gets nothing, the tray gives it all the same."""
    claimed = (Moved("seat:1", "tray", 5),)
    assert is_taken_back(claimed, [Moved("tray", "disputed", 5)])
    assert is_taken_back(claimed, [Moved("tray", "seat:1", 2), Moved("disputed", "seat:1", 3)])
    assert not is_taken_back(claimed, [Moved("tray", "seat:1", 2)])
    assert not is_taken_back(claimed, [Moved("tray", "seat:1", 5), Moved("pool", "disputed", 5)])
