"""Who sits at a table, in which session and round of it, is what its entries say one after the other."""

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from audit.codes import Found
from audit.facts import Fact, Moved
from audit.present import NAMING, PresenceCheck

FIRST, SECOND = "session 1", "session 2"


def fact(seq: int, kind: str, *moves: tuple[str, str, int], **said: Any) -> Fact:
    """An entry of the first session, unless it says another."""
    at = datetime(2026, 11, 30, 12, seq, tzinfo=UTC)
    moved = tuple(Moved(*move) for move in moves)
    return Fact("table:1", seq, kind, uuid.UUID(int=6), at, {"session": FIRST, **said}, moved)


def begun(seq: int, number: int, players: dict[str, str | None], **said: Any) -> Fact:
    """A round that begins."""
    bets = [{"type": "bet", "seat": int(seat), "amount": 5} for seat in players]
    usual = {
        "number": number,
        "players": players,
        "engine": {"game": "red_dog", "version": 1},
        "actions": bets,
    }
    return fact(seq, "round.start", **usual | said)


HONEST = [
    begun(1, 7, {"1": "somebody"}, session="of before"),  # nothing is known yet
    fact(2, "session.open", ("over_short", "tray", 3), number=1, variance=3),
    fact(3, "seat.take", seat=1, player=None, cash=5),
    fact(4, "seat.take", seat=3, player="B", cash=5),
    begun(5, 1, {"1": None, "3": "B"}),
    fact(6, "seat.buy_in", seat=1, player="A", cash=5),  # now it is known who
    begun(7, 2, {"1": "A"}),
    fact(8, "seat.leave", seat=1, player="A", chips=0),
    fact(9, "seat.leave", seat=3, player="B", chips=0),
    fact(10, "session.close", ("tray", "over_short", 2), variance=-2),
    fact(11, "session.reopen", ("over_short", "tray", 2), variance=-2, closed_seq=10),
    fact(12, "seat.take", seat=1, player="C", cash=5),
    begun(13, 3, {"1": "C"}),
    begun(14, 4, {}, engine={"game": "high_card_pool", "version": 1}),
    fact(15, "seat.leave", seat=1, player="C", chips=0),
    fact(16, "session.close", variance=0),
    fact(17, "session.open", session=SECOND, number=2),
    fact(18, "session.count_drop"),  # of the first one
    fact(19, "seat.take", seat=1, player="D", cash=5, session=SECOND),
    begun(20, 1, {"1": "D"}, session=SECOND),
    fact(21, "rows.rebuild"),  # of the first one, whose rounds' rows were found wrong
]


def found(entries: list[Fact]) -> list[tuple[str, int | None]]:
    """The codes of all finds with their entries."""
    finds: list[Found] = []
    check = PresenceCheck("table:1", finds.append)
    for one in entries:
        check.see(one)
    return [(one.code, one.seq) for one in finds]


def test_what_follows_from_the_table_s_own_entries_is_no_find() -> None:
    assert found(HONEST) == []


@pytest.mark.parametrize(
    ("seq", "said", "codes"),
    [
        (5, {"players": {"1": None, "3": "A"}}, {("player_not_seated", 5)}),
        (7, {"players": {"1": None}}, {("player_not_seated", 7)}),
        (7, {"players": {"2": None}}, {("player_not_seated", 7)}),
        (13, {"players": {"3": "B"}}, {("player_not_seated", 13)}),
        (8, {"player": "B"}, {("player_not_seated", 8)}),
        (6, {"seat": 3}, {("player_not_seated", 6), ("player_not_seated", 7), ("player_not_seated", 8)}),
        (7, {"number": 3}, {("round_out_of_order", 7)}),
        (20, {"number": 5}, {("round_out_of_order", 20)}),
        (20, {"session": FIRST}, {("session_misnamed", 20)}),
        (19, {"session": None}, {("session_misnamed", 19)}),
        (10, {"session": SECOND}, {("session_misnamed", 10)}),
        (11, {"session": SECOND}, {("session_misnamed", 11)}),
        (11, {"closed_seq": 9}, {("reopening_differs", 11)}),
        (11, {"closer": {"5": 1}}, {("reopening_differs", 11)}),
        (11, {"closer_total": 7}, {("reopening_differs", 11)}),
        (17, {"number": 3}, {("out_of_order", 17)}),
        (2, {"variance": 0}, {("amount_differs", 2)}),
        (10, {"variance": 2}, {("amount_differs", 10)}),
        (11, {"variance": 2}, {("amount_differs", 11)}),
        (7, {"players": {}}, {("player_not_seated", 7)}),
        (6, {"seat": 4}, {("player_not_seated", 6)}),
        (4, {"seat": 1}, {("player_not_seated", 4)}),
        (5, {"actions": None}, {("entry_unreadable", 5)}),
    ],
)
def test_what_another_entry_gives_the_lie_to_is_found(
    seq: int, said: dict[str, Any], codes: set[tuple[str, int]]
) -> None:
    entries = [one._replace(payload=one.payload | said) if one.seq == seq else one for one in HONEST]
    assert codes <= set(found(entries))


def test_what_is_of_a_session_names_it() -> None:
    """Nothing can be of a session and not say of which, nor be taken out of it by leaving that out."""
    for at, one in enumerate(HONEST):
        if one.kind in NAMING and at:
            silent = one._replace(payload={k: v for k, v in one.payload.items() if k != "session"})
            assert ("session_misnamed", one.seq) in found([*HONEST[:at], silent, *HONEST[at + 1 :]])


def test_a_table_is_open_or_closed() -> None:
    """A round of a closed table is of no session, and no session is opened over another."""
    closed = [one for one in HONEST if one.seq not in (11, 12)]
    assert ("session_misnamed", 13) in found(closed)
    assert ("out_of_order", 11) in found([one for one in HONEST if one.seq != 10])
    assert ("out_of_order", 17) in found([one for one in HONEST if one.seq != 16])
