"""What a terminal that starts in the middle of a day finds out about its table."""

from tables.models import Role
from tables.services import cage
from tests.api.conftest import Place


def test_a_table_shows_its_seats_and_the_fills_on_their_way(still: Place) -> None:
    issued = cage.cage_fill(
        casino_id=still.house.casino.id,
        table_id=still.table.id,
        chips={"500": 3},
        command=still.house.command(Role.CAGE),
    )
    shown = still.desk.get(still.path)
    assert shown.status == 200
    assert [(seat["number"], seat["occupied"], seat["chips"]) for seat in shown.body["seats"]] == [
        (1, True, 200_000),
        (2, True, 200_000),
        *((number, False, 0) for number in range(3, 8)),
    ]
    assert [(fill["slip"], fill["total"], fill["status"]) for fill in shown.body["fills"]] == [
        (issued.body["slip"], 1500, "issued")
    ]


def test_a_received_fill_is_no_longer_on_its_way(still: Place) -> None:
    issued = cage.cage_fill(
        casino_id=still.house.casino.id,
        table_id=still.table.id,
        chips={"500": 3},
        command=still.house.command(Role.CAGE),
    )
    still.desk.get(still.path)
    received = still.desk.post(f"{still.path}/fills/{issued.body['id']}/receipt")
    assert received.status == 200
    assert still.desk.get(still.path).body["fills"] == []
