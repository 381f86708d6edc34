"""What counts as a patron's cash, of which gaming day, and what looks arranged: pure functions.

31 CFR 1021.311 and 1021.313: cash in, or cash out, of one person and gaming day, each by itself, at all
places together, strictly more than 10,000.00.
"""

import uuid
from datetime import UTC, date, datetime, timedelta

import pytest

from tables.figures import gaming_day
from tables.jurisdiction.cash import (
    Direction,
    Transaction,
    cash_moved,
    cash_totals,
    minimal_play,
    money_came_back,
    money_counted,
    money_settled,
    report_due_on,
    structuring,
    transactions_of,
)
from tables.jurisdiction.catalogue import PROFILES
from tables.jurisdiction.common import TITLE_31
from tables.jurisdiction.profile import Profile

DAY = date(2026, 11, 1)
NEXT = timedelta(days=1)
LIMIT = 1_000_000  # 10,000.00
IN, OUT = Direction.IN, Direction.OUT


def test_what_counts_is_what_goes_to_and_comes_from_patrons() -> None:
    moved = {
        name: cash_moved([("tray", "seat:1", 5), move])
        for name, move in {
            "buy-in": ("cash:patrons", "cash:drop_box", 5),
            "at the cage": ("cash:patrons", "cash:drawer", 5),
            "taken back": ("cash:drop_box", "cash:patrons", 5),
            "redeemed": ("cash:drawer", "cash:patrons", 5),
            "count": ("cash:drop_box", "cash:count_room", 5),
            "fund": ("cash:bankroll", "cash:drawer", 5),
        }.items()
    }
    assert {name: each and (each.direction, each.amount) for name, each in moved.items()} == {
        "buy-in": (IN, 5),
        "at the cage": (IN, 5),
        "taken back": (IN, -5),
        "redeemed": (OUT, 5),
        "count": None,
        "fund": None,
    }


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_strictly_more_is_due_within_the_profiles_days(profile: Profile) -> None:
    """Ten thousand is not reported, a cent more is."""
    assert report_due_on(LIMIT, profile.cash, DAY) is None
    assert report_due_on(LIMIT + 1, profile.cash, DAY) == DAY + timedelta(days=15)


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("2026-03-08T09:59:59", date(2026, 3, 7)),  # 05:59 EDT, the night that has 23 hours
        ("2026-03-08T10:00:00", date(2026, 3, 8)),
        ("2026-11-01T10:59:59", date(2026, 10, 31)),  # 05:59 EST, the night that has 25 hours
        ("2026-11-01T11:00:00", date(2026, 11, 1)),
    ],
)
def test_cash_is_of_the_gaming_day_of_its_moment_at_all_places_alike(moment: str, day: date) -> None:
    """A session that spans the roll-over does not keep the cash of the new day in the old one."""
    at = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    person = uuid.uuid4()
    recorded = gaming_day(at, "America/New_York", 6)
    made = [
        transactions_of(
            stream=stream,
            seq=1,
            payload={"player": str(person), "session": "of the day before"},
            moves=[(source, target, LIMIT // 2 + 1)],
            day_recorded=recorded,
            told={},
        )
        for stream, source, target in (
            ("table:a", "cash:patrons", "cash:drop_box"),
            ("cage:a", "cash:patrons", "cash:drawer"),
            ("cage:a", "cash:drawer", "cash:patrons"),
        )
    ]
    found = cash_totals([one for each in made for one in each], {})
    assert found == {(person, day, IN): LIMIT + 2, (person, day, OUT): LIMIT // 2 + 1}
    (late,) = transactions_of(
        stream="table:a",
        seq=2,
        payload={"gaming_day": str(DAY)},
        moves=[("cash:drop_box", "cash:patrons", 5)],
        day_recorded=recorded,
        told={("table:a", 2, None): person},
    )
    assert (late.gaming_day, late.amount, late.person) == (DAY, -5, person), "an entry may name its day"


def test_what_lies_there_again_is_not_counted_again() -> None:
    """31 CFR 1021.311(c)(2): but for the increase; an entry of several seats is as many transactions."""
    pushed = {"settled": True, "outcome": "pair_push", "money": {"1": 500, "3": 700}, "money_raises": {}}
    won = pushed | {"outcome": "win", "money_raises": {"3": 100}}
    assert money_settled(won) == money_came_back(won) == {1: 500, 3: 800}
    assert money_came_back(won | {"outcome": "lose"}) == {}, "what is lost does not lie there again"
    assert money_settled(won | {"settled": False}) == {}, "nor is it counted before the round is settled"
    assert money_settled({"settled": True, "outcome": "win"}) == {}
    assert money_counted({1: 500, 2: 400, 3: 900}, money_came_back(won)) == {2: 400, 3: 100}
    one, other = uuid.uuid4(), uuid.uuid4()
    said = {"2": {"player": str(one), "amount": 400}, "3": {"player": None, "amount": 100}}
    found = transactions_of(
        stream="table:a",
        seq=7,
        payload={"cash_in": said},
        moves=[("money:2", "cash:drop_box", 400), ("money:3", "cash:drop_box", 800)],
        day_recorded=DAY,
        told={("table:a", 7, 3): other},
    )
    assert [(each.seat, each.amount, each.person) for each in found] == [(2, 400, one), (3, 100, other)]
    assert cash_totals(found, {}) == {(one, DAY, IN): 400, (other, DAY, IN): 100}


def made(amounts: list[int], *, person: uuid.UUID, day: date = DAY, way: Direction = IN) -> list[Transaction]:
    """Transactions of one person at as many places."""
    return [
        Transaction(
            stream=f"table:{seq}", seq=seq, gaming_day=day, direction=way, amount=amount, person=person
        )
        for seq, amount in enumerate(amounts)
    ]


def test_structuring_is_several_small_ones_that_pass_the_threshold_together() -> None:
    """Within a gaming day or across two adjacent ones; under the log's threshold each."""
    one, other, tied = (uuid.uuid4() for _ in range(3))

    def found(*transactions: Transaction, same: dict[uuid.UUID, uuid.UUID] | None = None) -> list[object]:
        patterns = structuring(transactions, same or {}, lambda day: TITLE_31)
        return [(each.person, each.direction, each.first_day, each.last_day) for each in patterns]

    small = [250_000] * 4
    assert found(*made(small, person=one)) == [], "exactly the threshold is not more"
    assert found(*made([*small, 1], person=one)) == [(one, IN, DAY, DAY)]
    assert found(*made([*small, 1], person=one, way=OUT)) == [(one, OUT, DAY, DAY)]
    assert found(*made([300_000] * 4, person=one)) == [], "these are in the log by themselves"
    assert found(*made(small, person=one), *made([1], person=other)) == [], "two persons are not added"
    assert found(*made(small, person=one), *made([1], person=one, way=OUT)) == [], "nor in and out"
    assert found(*made(small, person=one), *made([1], person=tied), same={tied: one}) == [
        (one, IN, DAY, DAY)
    ], "unless the two are one"
    after = made([250_000, 250_001], person=one, day=DAY + NEXT)
    assert found(*made([250_000] * 2, person=one), *after) == [(one, IN, DAY, DAY + NEXT)]
    later = made([250_000, 250_001], person=one, day=DAY + 2 * NEXT)
    assert found(*made([250_000] * 2, person=one), *later) == [], "not adjacent"


@pytest.mark.parametrize(
    ("brought", "taken", "played", "shows"),
    [
        (500_000, 400_000, 100_000, True),
        (499_999, 499_999, 0, False),  # below what would be suspicious
        (500_000, 399_999, 0, False),  # most stayed
        (500_000, 500_000, 100_001, False),  # played
    ],
)
def test_minimal_play_is_much_brought_hardly_played_and_taken_away(
    brought: int, taken: int, played: int, shows: bool
) -> None:
    person = uuid.uuid4()
    sums = {(person, DAY, IN): brought, (person, DAY, OUT): taken}
    found = list(minimal_play(sums, {person: played}, lambda day: TITLE_31))
    assert [each.evidence for each in found] == (
        [{"person": str(person), "in": brought, "out": taken, "wagered": played}] if shows else []
    )
