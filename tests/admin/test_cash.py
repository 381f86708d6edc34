"""Cash that is reported in the admin: what is due, whose it was, and people who are erased."""

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from tables.models import CashTotal, CashTransaction, Player, Role, Staff
from tables.services import cage, office, people
from tests import floor
from tests.admin import house as at
from tests.admin.test_acts import entries, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> floor.House:
    """A casino of the test's own, with a stocked cage."""
    return floor.stocked_house()


def sell(house: floor.House, chips: int, person: uuid.UUID | None) -> None:
    """Chips of 100.00 each, bought at the cage."""
    cage.cage_sell(
        casino_id=house.casino.id,
        chips={"10000": chips},
        player_id=person,
        command=house.command(Role.CAGE),
    )


def player(house: floor.House, reference: str) -> Player:
    """A player with a reference."""
    made = office.player_create(
        casino_id=house.casino.id, reference=reference, description="", command=house.office()
    )
    return Player.objects.get(id=made.body["player"])


def test_a_report_is_seen_by_whom_it_concerns_and_filed(house: floor.House) -> None:
    """Cash nobody was named for is said to be somebody's, who is found to be a player: then it is due."""
    member = player(house, "member 1")
    made = people.person_describe(
        casino_id=house.casino.id, description="red scarf", command=house.command(Role.CAGE)
    )
    described = Player.objects.get(id=made.body["player"])
    sell(house, 60, member.id)
    sell(house, 41, None)
    boss, auditor = at.logged_in(house, Role.PIT_BOSS), at.logged_in(house, Role.AUDITOR)
    line = CashTransaction.objects.get(casino=house.casino, person=None)
    identify = reverse("admin:tables_cashtransaction_identify", args=[line.id])
    assert identify in boss.get(at.page_address(line)).text
    assert identify not in auditor.get(at.page_address(line)).text
    assert auditor.get(identify).status_code == 403
    assert "There is no such player." in send(boss, identify, player=str(uuid.uuid4())).text
    assert send(boss, identify, player=str(described.id)).status_code == 302
    assert identify not in boss.get(at.page_address(line)).text

    tie = reverse("admin:tables_player_tie", args=[described.id])
    assert tie in boss.get(at.page_address(described)).text
    assert "There is no player of this reference." in send(boss, tie, same_as="member 9").text
    assert send(boss, tie, same_as="member 1").status_code == 302
    report = CashTotal.objects.get(person=member)
    due = at.list_address(CashTotal) + "?report=due"
    assert (report.total, f"Due on {report.due_on}" in auditor.get(due).text) == (1_010_000, True)
    assert f"Due on {report.due_on}" in boss.get(at.page_address(member)).text
    assert "member 1" in boss.get(at.page_address(described)).text

    file = reverse("admin:tables_cashtotal_file", args=[report.id])
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=True):
        boss, auditor = at.logged_in(house, Role.PIT_BOSS), at.logged_in(house, Role.AUDITOR)
        assert "at least a digit" in send(boss, file, reference="none").text
        assert send(auditor, file, reference="BSA-77").status_code == 302
        assert file not in boss.get(at.page_address(report)).text
        assert "BSA-77" not in boss.get(due).text
        assert "BSA-77" in boss.get(at.page_address(report)).text
    (said,) = entries(house, "cash.file")
    assert (said["reference"], said["player"]) == ("BSA-77", str(member.id))


def test_people_are_erased_by_the_administrator_with_a_second(house: floor.House) -> None:
    member, worker = player(house, "member 2"), house.staff[Role.DEALER]
    admin, boss = at.logged_in(house, Role.ADMINISTRATOR), at.logged_in(house, Role.PIT_BOSS)
    watcher = house.badge(Role.SURVEILLANCE)
    signed = {"badge": watcher.number, "pin": watcher.pin}
    for row, name in ((member, "player"), (worker, "staff")):
        erase = reverse(f"admin:tables_{name}_erase", args=[row.pk])
        assert erase in admin.get(at.page_address(row)).text
        assert erase not in boss.get(at.page_address(row)).text
        assert boss.get(erase).status_code == 403
        assert "is kept until" in send(admin, erase, reason="retention_over", **signed).text
        assert send(admin, erase, reason="legal_request", **signed).status_code == 302
        assert erase not in admin.get(at.page_address(row)).text
    assert Player.objects.get(id=member.id).reference == ""
    assert Staff.objects.get(id=worker.id).display_name == ""
