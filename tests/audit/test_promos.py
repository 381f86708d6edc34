"""Promotional pieces by their numbers: what the journal says of each binds the house, and so its rows."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from audit.codes import Found
from audit.facts import Fact, Moved
from audit.models import GamingDayCheck
from audit.promos import Heard, PieceCheck, plays_astray, standings, unissued
from audit.selectors.promos import pieces_astray
from audit.services.days import day_check
from ledger.services import Movement, post
from tables.models import PromoPiece, PromoStock, Role, Table, TableSession
from tables.services import office, rounds
from tables.services.promos import promo_collect, promo_issue, promo_stock
from tests.audit import support
from tests.floor import House

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CAGE, ONE, TWO = "cage:c", "table:1", "table:2"
ROUND = "00000000-0000-0000-0000-000000000007"
BACK, TAKEN = "promo", "promo_box"
Event = tuple[str, float, str, dict[str, Any], Sequence[tuple[str, str, int]]]


def at_cage(kind: str, at: float, worth: int, **said: Any) -> Event:
    way = ("promo:made", "promo:stock") if kind == "promo.stock" else ("promo:stock", "promo:out")
    return CAGE, at, kind, {"total": worth, "player": "p", "second": "another"} | said, [(*way, worth)]


STOCKED = at_cage("promo.stock", 0, 2_500, pieces={"500": 3, "1000": 1})
ISSUED = at_cage("promo.issue", 1, 1_500, coupons={"A": 500, "B": 1_000})


def laid(at: float, serial: str = "A", value: int = 500, stream: str = ONE, seat: str = "1") -> Event:
    said = {"round": ROUND, "coupons": {seat: serial} if serial else {}}
    return stream, at, "round.start", said, [("promo", f"promo_wager:{seat}", value)]


def ended(at: float, where: str, value: int = 500, stream: str = ONE, seat: str = "1") -> Event:
    return stream, at, "round.deal", {"round": ROUND}, [(f"promo_wager:{seat}", where, value)]


def collected(at: float, coupons: Sequence[str], missing: Sequence[str] = (), total: int = 500) -> Event:
    said = {"coupons": list(coupons), "missing": list(missing), "total": total}
    return ONE, at, "promo.collect", said, [("promo_box", "promo_cancelled", total)]


def follow(*events: Event, whole: bool = True) -> tuple[list[Found], list[Heard]]:
    """What the streams' checks find, each fed with its own events, and what they heard."""
    finds: list[Found] = []
    checks = {stream: PieceCheck(stream, finds.append, whole=whole) for stream in (CAGE, ONE, TWO)}
    for seq, (stream, at, kind, said, moves) in enumerate(events, 1):
        moved = tuple(Moved(*move) for move in moves)
        fact = Fact(stream, seq, kind, UUID(int=1), NOON + timedelta(seconds=at), said, moved)
        checks[stream].see(fact)
    return finds, [check.heard for check in checks.values()]


def codes(*events: Event) -> list[str]:
    finds, heard = follow(*events)
    return [found.code for found in (*finds, *plays_astray(heard))]


PLAYED = (STOCKED, ISSUED, laid(2), ended(3, BACK), laid(5, stream=TWO), ended(6, BACK, stream=TWO))
LOST = (STOCKED, ISSUED, laid(2), ended(3, TAKEN))


def test_an_honest_piece_goes_from_table_to_table_and_is_lost_once() -> None:
    """RD-PROMO: pushed at two tables, then lost, missed at one collection and found at the next."""
    events = (
        *PLAYED,
        laid(8),
        laid(8, "B", 1_000, seat="2"),
        ended(9, TAKEN),
        ended(9, TAKEN, 1_000, seat="2"),
    )
    both = (collected(10, ["B"], ["A"], 1_000), collected(11, ["A"]))
    assert codes(*events, *both) == []
    _, heard = follow(*events, both[0])
    stood = standings(heard)
    assert (stood["A"].status, stood["A"].stream, stood["A"].seat) == ("taken", ONE, "1")
    assert (stood["B"].status, stood["B"].cancelled_seq, stood["B"].value) == ("cancelled", 11, 1_000)
    assert standings(follow(*PLAYED)[1])["A"].status == "issued"
    assert standings(follow(*PLAYED, laid(8))[1])["A"].round == UUID(ROUND)


@pytest.mark.parametrize(
    ("events", "due"),
    [
        ((STOCKED, laid(2)), ["promo_not_issued"]),
        ((STOCKED, laid(0.1), at_cage("promo.issue", 3, 500, coupons={"A": 500})), ["promo_not_issued"]),
        ((STOCKED, ISSUED, laid(2, "")), ["promo_not_named"]),
        (
            (STOCKED, ISSUED, (ONE, 2, "round.start", {"round": ROUND, "coupons": {"1": "A"}}, [])),
            ["promo_not_named"],
        ),
        ((STOCKED, ISSUED, laid(2, value=600)), ["promo_value_differs"]),
        ((STOCKED, ISSUED, laid(2), laid(2, seat="2")), ["promo_played_twice"]),
        ((STOCKED, ISSUED, laid(2), laid(2.001, stream=TWO)), ["promo_played_twice"]),
        ((STOCKED, ISSUED, laid(2), laid(4, stream=TWO), ended(9, BACK)), ["promo_played_twice"]),
        ((*LOST, laid(3.001)), ["promo_played_twice"]),
        ((*LOST, laid(5, stream=TWO), ended(6, BACK, stream=TWO)), ["promo_played_twice"]),
        ((*LOST, laid(2.5, stream=TWO), ended(2.6, TAKEN, stream=TWO)), ["promo_played_twice"]),
        ((*LOST, collected(4, ["A"]), laid(5)), ["promo_played_twice"]),
        ((STOCKED, ISSUED, at_cage("promo.issue", 2, 500, coupons={"A": 500})), ["promo_issued_twice"]),
        (
            (STOCKED, at_cage("promo.issue", 1, 2_000, coupons={"A": 1_000, "B": 1_000})),
            ["promo_not_in_stock"],
        ),
        ((STOCKED, at_cage("promo.issue", 1, 700, coupons={"A": 700})), ["promo_not_in_stock"]),
        ((STOCKED, at_cage("promo.issue", 1, 700, coupons={"A": 500})), ["promo_amount_differs"]),
        ((at_cage("promo.stock", 0, 5_000, pieces={"500": 1}),), ["promo_amount_differs"]),
        ((STOCKED, at_cage("cage.fund", 1, 500, total=0)), ["promo_amount_differs"]),
        ((*LOST, collected(4, ["B"], ["A"], 0)), ["promo_not_taken_in"]),
        ((*LOST, collected(4, [], [], 0)), ["promo_not_taken_in"]),
        ((*LOST, collected(4, ["A", "A"], [], 1_000)), ["promo_not_taken_in"]),
        ((*LOST, collected(4, ["A"]), collected(5, ["A"])), ["promo_not_taken_in"]),
        ((*LOST, collected(4, ["A"], total=600)), ["promo_amount_differs"]),
        ((STOCKED, ISSUED, laid(2), collected(3, ["A"])), ["promo_not_taken_in"]),
        (((CAGE, 0, "promo.stock", {}, []),), ["entry_unreadable"]),
        ((at_cage("promo.stock", 0, 500, pieces={"500": 3, "1000": -1}),), ["entry_unreadable"]),
        ((STOCKED, at_cage("promo.issue", 1, 500, coupons={"A": 1_000, "B": -500})), ["promo_not_in_stock"]),
        ((STOCKED, at_cage("promo.issue", 1, 500, coupons={"A": "500"})), ["entry_unreadable"]),
        (((ONE, 0, "promo.collect", {"coupons": 5}, []),), ["entry_unreadable"]),
    ],
)
def test_each_lie_about_a_piece_is_named(events: Sequence[Event], due: Sequence[str]) -> None:
    assert codes(*events) == list(due)


@pytest.mark.parametrize(
    "events",
    [
        (STOCKED, laid(0.5), ISSUED),  # of two streams, and no order: less than a second apart
        (STOCKED, ISSUED, laid(2), ended(3, BACK), laid(2.5, stream=TWO)),
        (*LOST, laid(2.9, stream=TWO), ended(2.95, BACK, stream=TWO)),
    ],
)
def test_what_has_no_order_between_two_streams_is_no_finding(events: Sequence[Event]) -> None:
    """A clock that was set back: the other order is honest."""
    assert codes(*events) == []


def test_what_was_before_the_first_entry_at_hand_is_not_judged() -> None:
    """Stock, issue and box of before are told as numbers, not as findings; what is at hand still binds."""
    early = (ISSUED, laid(2, "OLD"), ended(3, TAKEN), collected(4, ["OLD", "OLDER"], [], 1_000))
    finds, heard = follow(*early, whole=False)
    assert [found.code for found in (*finds, *plays_astray(heard, issued_until=None))] == []
    assert ([part.before for part in heard], unissued(heard)) == ([2, 1, 0], ["OLD"])
    finds, heard = follow(
        ISSUED, laid(2, value=1), laid(2, "OLD", seat="2"), laid(2, "OLD", stream=TWO), whole=False
    )
    told = [found.code for found in (*finds, *plays_astray(heard, issued_until=None))]
    assert told == ["promo_value_differs", "promo_played_twice"]
    finds, _ = follow(ISSUED, laid(2), ended(3, TAKEN), collected(4, [], ["OLD"], 0), whole=False)
    assert [found.code for found in finds] == ["promo_not_taken_in"]


def test_what_comes_after_the_last_entry_at_hand_is_not_judged() -> None:
    """RD-PROMO: a session goes on over the roll-over, and what the cage issues then is of the next day; and
    what lay at a table whose part has ended may lie at another later."""
    early, late = NOON + timedelta(seconds=1), NOON + timedelta(seconds=2)
    _, heard = follow(STOCKED, laid(2), ended(3, BACK))
    assert list(plays_astray(heard, issued_until=early)) == []
    assert (unissued(heard, early), unissued(heard, late)) == (["A"], [])
    assert [found.code for found in plays_astray(heard, issued_until=late)] == ["promo_not_issued"]
    _, heard = follow(STOCKED, ISSUED, laid(1.5), laid(2, stream=TWO))
    assert list(plays_astray(heard, until={ONE: early, TWO: late})) == []
    assert [found.code for found in plays_astray(heard, until={ONE: late})] == ["promo_played_twice"]


# --- a house that forges -----------------------------------------------------------------------------

Forge = Callable[..., object]
Lie = tuple[str, Callable[[Forge, Table, Table], object], set[str]]


def start(coupons: Mapping[str, str], value: int = 1_000) -> tuple[str, dict[str, Any], list[Movement]]:
    """An entry that lays pieces beside the bets of these seats, as a service would have made it."""
    actions = [{"type": "bet_promo", "seat": int(seat), "amount": value} for seat in coupons]
    said = {"round": str(uuid.uuid4()), "actions": actions}
    named = {seat: serial for seat, serial in coupons.items() if serial}
    moves = [Movement("promo", f"promo_wager:{seat}", value) for seat in coupons]
    return "round.start", said | ({"coupons": named} if named else {}), moves


def given(coupons: Mapping[str, int], total: int) -> tuple[str, dict[str, Any], list[Movement]]:
    said = {"player": str(uuid.uuid4()), "coupons": dict(coupons), "total": total}
    return "promo.issue", said, [Movement("promo:stock", "promo:out", total)]


def found(
    coupons: Sequence[str], missing: Sequence[str], total: int
) -> tuple[str, dict[str, Any], list[Movement]]:
    said = {"session": None, "coupons": coupons, "missing": missing, "total": total, "second": "x"}
    return "promo.collect", said, [Movement("promo_box", "promo_cancelled", total)] if total else []


LIES: list[Lie] = [
    ("never issued", lambda do, one, two: do(one.stream, *start({"1": "NONE"})), {"promo_not_issued"}),
    ("no number", lambda do, one, two: do(one.stream, *start({"1": ""})), {"promo_not_named"}),
    ("another value", lambda do, one, two: do(one.stream, *start({"1": "C"}, 900)), {"promo_value_differs"}),
    (
        "at two tables",
        lambda do, one, two: [do(table.stream, *start({"1": "C"})) for table in (one, two)],
        {"promo_played_twice"},
    ),
    (
        "beside two bets",
        lambda do, one, two: do(one.stream, *start({"1": "C", "2": "C"})),
        {"promo_played_twice"},
    ),
    ("cancelled", lambda do, one, two: do(two.stream, *start({"1": "A"}, 500)), {"promo_played_twice"}),
    ("in the box", lambda do, one, two: do(one.stream, *start({"2": "B"})), {"promo_played_twice"}),
    (
        "a value not in stock",
        lambda do, one, two: do(one.casino.cage_stream, *given({"E": 700}, 700)),
        {"promo_not_in_stock"},
    ),
    (
        "another total",
        lambda do, one, two: do(one.casino.cage_stream, *given({"E": 500}, 700)),
        {"promo_amount_differs"},
    ),
    (
        "issued again",
        lambda do, one, two: do(one.casino.cage_stream, *given({"A": 500}, 500)),
        {"promo_issued_twice"},
    ),
    (
        "made by another name",
        lambda do, one, two: do(
            one.casino.cage_stream, "cage.fund", {"amount": 5}, [Movement("promo:made", "promo:stock", 5)]
        ),
        {"promo_amount_differs"},
    ),
    (
        "issued at a table",
        lambda do, one, two: do(one.stream, "promo.issue", {"coupons": {"E": 5}}, []),
        {"promo_not_named"},
    ),
    ("not that table's", lambda do, one, two: do(two.stream, *found(["B"], [], 0)), {"promo_not_taken_in"}),
    ("passed over", lambda do, one, two: do(one.stream, *found([], [], 0)), {"promo_not_taken_in"}),
    ("another worth", lambda do, one, two: do(one.stream, *found(["B"], [], 400)), {"promo_amount_differs"}),
]


@pytest.fixture
def played(house: House) -> tuple[House, Table, Table]:
    """Two tables; of four pieces A is lost and cancelled, B lost and missed, C pushed, D with its player."""
    made = office.player_create(
        casino_id=house.casino.id, reference="P-1", description="", command=house.office()
    )
    promo_stock(
        casino_id=house.casino.id,
        pieces={"500": 5, "1000": 4},
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    promo_issue(
        casino_id=house.casino.id,
        player_id=UUID(made.body["player"]),
        pieces={"A": 500, "B": 1_000, "C": 1_000, "D": 500},
        command=house.command(Role.CAGE),
    )
    one, _ = support.open_scanned(house)
    two, _ = support.open_scanned(house, "rd-2")
    for coupons, cards in (({1: "A", 2: "B"}, support.LOSE), ({1: "C"}, support.PUSH)):
        begun = rounds.round_start(
            table_id=one.id,
            bets={1: 1_000, 2: 2_500},
            coupons=coupons,
            command=house.command(Role.DEALER),
        )
        _deal(house, UUID(begun.body["round"]["id"]), cards)
    promo_collect(
        table_id=one.id,
        coupons=["A"],
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    return house, one, two


def _deal(house: House, round_id: UUID, cards: Sequence[str]) -> None:
    dealt = rounds.round_deal(
        round_id=round_id, cards=cards[:2], number=2, command=house.command(Role.DEALER)
    ).body["round"]
    if dealt["phase"] == "raising":
        rounds.round_announce(round_id=round_id, spread=dealt["spread"], command=house.command(Role.DEALER))
        rounds.round_deal(round_id=round_id, cards=cards[2:], number=1, command=house.command(Role.DEALER))


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_a_forged_entry_is_found_by_the_journal_alone(played: tuple[House, Table, Table]) -> None:
    """RD-PROMO: each lie is posted as a forging office would post it; its rows would follow."""
    house, one, two = played

    def do(stream: str, kind: str, said: dict[str, Any], moves: list[Movement]) -> None:
        post(
            stream=stream,
            kind=kind,
            payload=said,
            movements=moves,
            actor=house.staff[Role.DEALER].id,
            command_id=uuid.uuid4(),
        )

    assert list(pieces_astray(house.casino)) == []
    for name, lie, due in LIES:
        with undone():
            lie(do, one, two)
            told = {each.code for each in pieces_astray(house.casino)} - {"promo_differs"}
        assert told == due, name
    assert list(pieces_astray(house.casino)) == []


@pytest.mark.django_db
def test_each_row_is_what_the_journal_says_and_nobody_else_s(played: tuple[House, Table, Table]) -> None:
    """Number, value, standing, place and entries of each piece, the stock by value; found at night."""
    house, _, two = played
    rows = PromoPiece.objects.filter(casino=house.casino)
    nowhere: dict[str, Any] = {"table": None, "round": None, "seat": None, "status": "issued"}
    changes: list[tuple[str, dict[str, Any]]] = [
        ("A", nowhere | {"cancelled_seq": None}),
        ("A", {"cancelled_seq": 1}),
        ("A", {"status": "taken", "cancelled_seq": None}),
        ("B", nowhere),
        ("B", {"status": "staked"}),
        ("B", {"table": two}),
        ("B", {"seat": 3}),
        ("C", {"value": 5_000}),
        ("C", {"issued_seq": 1}),
        ("D", {"serial": "E"}),
    ]
    for serial, change in changes:
        with undone():
            rows.filter(serial=serial).update(**change)
            told = [(each.code, each.about) for each in pieces_astray(house.casino)]
        due = [("promo_differs", serial), *([("promo_differs", "E")] if "serial" in change else [])]
        assert told == due, change
    with undone():
        PromoStock.objects.filter(casino=house.casino, value=500).update(pieces=4)
        assert [each.about for each in pieces_astray(house.casino)] == ["stock of 500"]
    rows.filter(serial="C").update(value=5_000)
    session = TableSession.objects.filter(table__casino=house.casino).latest("opened_at")
    check = GamingDayCheck.objects.create(
        casino=house.casino, gaming_day=session.gaming_day, requested_at=session.opened_at
    )
    day_check(check_id=check.id)
    assert support.codes(house) == ["promo_differs"]
