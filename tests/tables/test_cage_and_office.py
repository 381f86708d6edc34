"""The cage's papers and the office's acts."""

import uuid
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from ledger.selectors import balances
from tables.models import CardSource, Redemption, Role, RuleSet, Staff, Table
from tables.services import cage, office, sessions
from tables.services.command import Command
from tables.services.staff import staff_create
from tests import floor
from tests.room import rules_of


def test_a_redemption_pays_cash_for_chips(house: floor.House) -> None:
    before = balances(house.casino.cage_stream)
    answer = cage.cage_redeem(
        casino_id=house.casino.id,
        chips={"500": 3, "2500": 1},
        player_id=None,
        command=house.command(Role.CAGE),
    )
    now = balances(house.casino.cage_stream)
    assert answer.body["paid"] == 4000
    assert now["vault"] == before["vault"] + 4000
    assert now["cash:drawer"] == before["cash:drawer"] - 4000
    assert Redemption.objects.get(casino=house.casino).total == 4000
    with floor.refused(house, "floor_broken"):
        cage.cage_redeem(
            casino_id=house.casino.id,
            chips={"10000": 501},
            player_id=None,
            command=house.command(Role.CAGE),
        )


def test_commissioning_needs_two_people(house: floor.House) -> None:
    with floor.refused(house, "same_person_signed"):
        cage.cage_commission(
            casino_id=house.casino.id,
            chips={"500": 1},
            second=house.badge(Role.CAGE),
            command=house.command(Role.CAGE),
        )


@pytest.mark.parametrize(("chip", "right"), [(50, False), (150, False), (100, True), (500, True)])
def test_a_card_room_is_played_in_chips_the_house_has(chip: int, right: bool) -> None:
    """CR-ODD-CHIPS: a pool is divided in whole chips, so their least unit is one that can be handed over."""
    house = floor.make_house()
    wanted: dict[str, Any] = {"casino_id": house.casino.id, "name": "pool", "command": house.office()}
    body = rules_of("high_card_pool", chip=chip, ante=chip * 10)
    if right:
        office.rule_set_create(**wanted, body=body)
        return
    with floor.refused(house, "chip_not_of_house"):
        office.rule_set_create(**wanted, body=body)


@pytest.mark.parametrize(
    "change",
    [
        {"game": "roulette"},
        {"packs": 9},
        {"packs": True},
        {"min_bet": 0},
        {"min_bet": 2_000, "max_bet": 1_000},
        {"pay_table": {"1": 5}},
        {"surprise": 1},
        {"bet_step": 100.0},
    ],
)
def test_a_bad_rule_set_is_refused(house: floor.House, change: dict[str, Any]) -> None:
    code = "unknown_game" if "game" in change else "bad_rules"
    with floor.refused(house, code):
        office.rule_set_create(
            casino_id=house.casino.id, name="odd", body=floor.RULES | change, command=house.office()
        )


def test_a_rule_set_is_followed_never_edited(house: floor.House) -> None:
    for version in (1, 2):
        made = office.rule_set_create(
            casino_id=house.casino.id, name="house", body=floor.RULES, command=house.office()
        )
        assert made.body["version"] == version
    with pytest.raises(DatabaseError), transaction.atomic():
        RuleSet.objects.filter(id=made.body["rules"]).update(body={})
    with pytest.raises(DatabaseError), transaction.atomic():
        RuleSet.objects.filter(id=made.body["rules"]).delete()
    assert RuleSet.objects.get(id=made.body["rules"]).body == floor.RULES


def test_a_table_half_created_is_finished_by_the_same_command(
    house: floor.House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies after opening the journal streams leaves nothing that blocks the retry."""
    released = office.rule_set_create(
        casino_id=house.casino.id, name="house", body=floor.RULES, command=house.office()
    )
    command = house.office()

    def create() -> Any:
        return office.table_create(
            casino_id=house.casino.id,
            pit_id=house.pit_id,
            code="rd-9",
            rules_id=uuid.UUID(released.body["rules"]),
            card_source=CardSource.DRAWN,
            command=command,
        )

    def killed(*content: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(office, "execute", killed)
        with pytest.raises(KeyboardInterrupt):
            create()
    assert not Table.objects.filter(casino=house.casino, code="rd-9").exists()
    table = Table.objects.get(id=create().body["table"])
    assert create().replayed
    assert balances(table.stream)["tray"] == 0
    assert f"table:{table.id}" in balances(house.casino.cage_stream)


def test_two_tables_of_one_code_are_refused(house: floor.House) -> None:
    floor.make_table(house, "rd-1")
    released = RuleSet.objects.get(casino=house.casino)
    with floor.refused(house, "table_code_taken"):
        office.table_create(
            casino_id=house.casino.id,
            pit_id=house.pit_id,
            code="rd-1",
            rules_id=released.id,
            card_source=CardSource.DRAWN,
            command=house.office(),
        )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"badge": "DEA-{tag}"}, "badge_taken"),
        ({"pin": "12"}, "weak_pin"),
        ({"pin": "letters"}, "weak_pin"),
        ({"password": "short"}, "weak_password"),
    ],
)
def test_staff_are_employed_properly(house: floor.House, change: dict[str, str], code: str) -> None:
    wanted: dict[str, Any] = {"badge": f"NEW-{house.tag}", "pin": "1234", "password": ""} | change
    wanted["badge"] = wanted["badge"].format(tag=house.tag)
    with floor.refused(house, code):
        staff_create(
            casino_id=house.casino.id,
            display_name="Dealer 2",
            role=Role.DEALER,
            command=house.office(),
            **wanted,
        )


def test_pins_and_passwords_are_kept_hashed(house: floor.House) -> None:
    dealer = Staff.objects.get(id=house.staff[Role.DEALER].id)
    assert dealer.pin.startswith("argon2")
    assert dealer.password.startswith("argon2")
    assert floor.PIN not in dealer.pin


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"time_zone": "Mars/Olympus"}, "bad_time_zone"),
        ({"rollover_hour": 2}, "bad_rollover_hour"),
        ({"rollover_hour": 24}, "bad_rollover_hour"),
        ({"denominations": []}, "bad_denominations"),
        ({"denominations": [0]}, "bad_denominations"),
    ],
)
def test_a_house_that_cannot_keep_books_is_refused(
    house: floor.House, change: dict[str, Any], code: str
) -> None:
    """A roll-over hour that daylight saving skips or repeats (02:00 in New York) begins no gaming day."""
    wanted: dict[str, Any] = {"time_zone": "America/New_York", "rollover_hour": 6, "denominations": [100]}
    wanted |= change
    with floor.refused(house, code, recorded=False):
        office.casino_create(
            code="other",
            name="Other",
            currency="USD",
            command=Command(uuid.uuid4(), office.system_actor()),
            **wanted,
        )


def test_five_wrong_pins_lock_a_badge(house: floor.House) -> None:
    table = floor.make_table(house)
    floor.fill_table(house, table)
    supervisor = house.badge(Role.SUPERVISOR)
    wrong = type(supervisor)(supervisor.number, "000000")

    def open_with(badge: Any) -> None:
        sessions.session_open(
            table_id=table.id, opener=floor.CHIPS, second=badge, command=house.command(Role.DEALER)
        )

    for _ in range(5):
        with floor.refused(house, "badge_or_pin_wrong"):
            open_with(wrong)
    with floor.refused(house, "badge_locked"):
        open_with(supervisor)
