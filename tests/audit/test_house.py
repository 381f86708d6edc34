"""Every chip is somewhere, what is in transit has a slip, and a journal that was altered is a finding."""

import pytest
from django.urls import reverse

from audit.conservation import Balance, Sides, conservation_of
from audit.services import house as whole
from tables.figures import count_total
from tables.models import Role
from tables.services import cage, seats
from tests import floor
from tests.admin.house import logged_in
from tests.audit import support
from tests.floor import House

CHIPS = "chips:USD"
TABLE = "11111111-1111-1111-1111-111111111111"


def test_an_honest_house_accounts_for_every_chip(house: House) -> None:
    table, _ = support.open_scanned(house)
    support.raising(house, table, ("5S", "QH"))
    other, session_id = support.open_scanned(house, "rd-2")
    support.close(house, other, session_id, off=-500)
    cage.cage_redeem(
        casino_id=house.casino.id, chips={"10000": 1}, player_id=None, command=house.command(Role.CAGE)
    )
    floor.send_fill(house, table, {"500": 4})
    result = whole.conservation_check(casino_id=house.casino.id)
    total = sum(int(value) * number * 10 for value, number in floor.CHIPS.items())
    assert (result.commissioned, result.accounted, result.missing) == (total, total, 0)
    assert result.wagers == 3500
    assert result.seats == 400_000 - 3500
    assert result.over_short == 500
    assert result.with_patrons == 400_000 - 10_000
    assert result.in_transit == {str(table.id): 2000}
    assert result.slips == result.boundaries
    assert result.conserved
    assert support.codes(house) == []
    assert result.liability == 390_000 + 396_500 + 3_500 + 500, "patrons', staked, and short at a count"
    auditor = logged_in(house, Role.AUDITOR)
    said = auditor.get("/api/v1/float").json()
    inside = {value: 8 * number for value, number in floor.CHIPS.items()}
    inside["500"] -= 4
    inside["10000"] += 1
    assert count_total(inside) == said["vault"]
    assert said.pop("vault_chips") == inside, "chip by chip: ten times a tray's, less two trays"
    assert said == result.float_dict()
    assert (said["float_liability"], said["house_held"]) == (790_500, total - 790_500)
    address = reverse("admin:audit_float")
    page = auditor.get(address).content.decode()
    assert "7,905.00" in page
    assert '<td class="number">3196</td>' in page
    assert logged_in(house, Role.SUPERVISOR).get(address).status_code == 403


def test_patrons_who_bring_more_than_they_ever_had_are_found(house: House) -> None:
    """Chips from nowhere: somebody sits down with 5,000 that no table and no cage ever gave out."""
    table, _ = support.open_scanned(house)
    seats.seat_take(
        table_id=table.id, seat=3, player_id=None, cash=0, chips=5000, command=house.command(Role.DEALER)
    )
    assert not whole.conservation_check(casino_id=house.casino.id).conserved
    assert support.codes(house) == ["patrons_negative"]


def rows(**changed: int) -> list[Balance]:
    """A small honest house; amounts by account may be changed."""
    amounts = {
        "commissioned": -1000,
        "vault": 300,
        f"table:{TABLE}": 690,
        "floor": 10,
        "tray": 500,
        "seat:1": 100,
        "wager:1": 50,
        "cage": -640,
        "over_short": -10,
        "cash:drop_box": 70,
        "cash:patrons": -70,
    } | changed
    at_cage = ("commissioned", "vault", f"table:{TABLE}", "floor")
    return [
        Balance(
            "cage:c" if name in at_cage else f"table:{TABLE}",
            name,
            "cash:USD" if name.startswith("cash") else CHIPS,
            amount,
        )
        for name, amount in amounts.items()
    ]


@pytest.mark.parametrize(
    ("changed", "codes"),
    [
        ({}, []),
        ({"tray": 499}, ["chips_not_conserved"]),
        ({"vault": 301}, ["chips_not_conserved"]),
        ({"wager:1": 0}, ["chips_not_conserved"]),
        ({"cage": -700, "tray": 560}, ["in_transit_differs"]),
        ({"cage": -650, "tray": 510, f"table:{TABLE}": 700, "vault": 290}, ["boundary_differs"]),
        ({"floor": -5, "vault": 315}, ["patrons_negative"]),
        ({"cash:drop_box": 60}, ["cash_not_conserved"]),
    ],
)
def test_whatever_is_missing_is_named(changed: dict[str, int], codes: list[str]) -> None:
    result = conservation_of(CHIPS, rows(**changed), {TABLE: Sides(690, -640)})
    assert [found.code for found in result.differences()] == codes
    assert result.conserved == (codes == [])


def test_an_honest_journal_has_no_findings(house: House) -> None:
    support.open_scanned(house)
    whole.journal_check()
    assert support.codes(house) == []
