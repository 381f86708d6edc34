"""What a terminal that starts in the middle of a day finds out about its table."""

from tables.models import Role
from tables.services.par import table_par_set
from tests import floor
from tests.api.conftest import Place


def test_a_table_shows_its_seats_and_the_slips_under_way(still: Place) -> None:
    slip = floor.send_fill(still.house, still.table, {"500": 3})
    asked = floor.request_fill(still.house, still.table, {"500": 1})
    shown = still.desk.get(still.path)
    assert shown.status == 200
    assert [(seat["number"], seat["occupied"], seat["chips"]) for seat in shown.body["seats"]] == [
        (1, True, 200_000),
        (2, True, 200_000),
        *((number, False, 0) for number in range(3, 8)),
    ]
    under_way = [(str(slip), "F-2", 1500, "on_the_way"), (str(asked), None, 500, "requested")]
    facts = ("id", "label", "total", "status")
    assert [tuple(each[name] for name in facts) for each in shown.body["slips"]] == under_way
    at_cage = still.cage.get("cage/slips").body["slips"]
    assert at_cage == shown.body["slips"], "one table, so the cage has no others"


def test_a_received_fill_is_no_longer_on_its_way(still: Place) -> None:
    slip = floor.send_fill(still.house, still.table, {"500": 3})
    still.desk.get(still.path)
    signed = {"chips": {"500": 3}, "second": still.badge(Role.SUPERVISOR)}
    received = still.desk.post(f"{still.path}/fills/{slip}/receipt", signed)
    assert (received.status, received.body["slip"]["status"]) == (200, "received")
    assert still.desk.get(still.path).body["slips"] == []


def test_a_table_shows_what_a_fill_would_bring_to_par(still: Place) -> None:
    """Par 450 of the hundreds; 400 were counted at the opening and 20 came since."""
    floor.fill_table(still.house, still.table, {"100": 20})
    table_par_set(
        casino_id=still.house.casino.id,
        table_id=still.table.id,
        chips={"100": 450, "50000": 0},
        command=still.house.office(),
    )
    shown = still.desk.get(f"{still.path}/inventory").body
    assert shown["fill"] == {"100": 30}
    assert shown["denominations"][-1] == {"value": 100, "par": 450, "stock": 420, "need": 30}
    assert shown["denominations"][0] == {"value": 10000, "par": None, "stock": 100, "need": 0}
