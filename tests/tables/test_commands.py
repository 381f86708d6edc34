"""How commands run: once, all or nothing, on the state they were based on."""

import uuid
from dataclasses import replace

import pytest

from ledger.models import Entry
from tables.models import Refusal, Role, Table
from tables.services import rounds, seats
from tables.services.command import Command
from tests import floor


def start(house: floor.House, table: Table, command: Command, bet: int = 1000) -> object:
    return rounds.round_start(table_id=table.id, bets={1: bet}, command=command)


def test_a_retry_gets_the_first_answer_and_has_no_second_effect(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    version = Table.objects.get(id=table.id).version
    command = house.command(Role.DEALER, version=version)
    first = rounds.round_start(table_id=table.id, bets={1: 1000}, command=command)
    before = floor.snapshot(house)
    again = rounds.round_start(table_id=table.id, bets={1: 1000}, command=command)
    assert again.replayed
    assert (again.status, again.body, again.version) == (first.status, first.body, first.version)
    assert first.version == version + 1
    assert floor.snapshot(house) == before
    assert Entry.objects.filter(stream__name=table.stream, command_id=command.id).count() == 1


def test_a_command_id_with_another_body_is_refused(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    command = house.command(Role.DEALER)
    start(house, table, command)
    with floor.refused(house, "command_id_reused"):
        start(house, table, command, bet=2000)


def test_a_command_id_of_another_person_is_refused(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    command = house.command(Role.DEALER)
    start(house, table, command)
    with floor.refused(house, "command_id_reused"):
        start(house, table, replace(command, actor=house.actor(Role.SUPERVISOR)))


def test_a_stale_version_is_refused_with_the_current_one(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    version = Table.objects.get(id=table.id).version
    with floor.refused(house, "stale_version") as refusal:
        start(house, table, house.command(Role.DEALER, version=version - 1))
    assert (refusal.value.status, refusal.value.extra["current_version"]) == (412, version)


def test_a_refused_command_may_be_tried_again_and_is_judged_afresh(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    command = house.command(Role.DEALER)
    with floor.refused(house, "seat_empty"):
        rounds.round_start(table_id=table.id, bets={3: 1000}, command=command)
    floor.seat_player(house, table, 3, 10_000)
    answer = rounds.round_start(table_id=table.id, bets={3: 1000}, command=command)
    assert not answer.replayed
    assert answer.body["round"]["bets"] == {"3": 1000}


def test_a_refusal_is_kept_as_evidence(house: floor.House) -> None:
    table, _ = floor.ready_table(house)
    floor.seat_player(house, table, 3, 600)
    command = house.command(Role.DEALER)
    with floor.refused(house, "floor_broken"):
        rounds.round_start(table_id=table.id, bets={3: 1000}, command=command)
    kept = Refusal.objects.get(command_id=command.id)
    assert (kept.operation, kept.staff_id) == ("round.start", command.actor.staff_id)


@pytest.mark.parametrize("role", [Role.CAGE, Role.AUDITOR, Role.SURVEILLANCE, Role.ADMINISTRATOR])
def test_a_role_without_the_right_is_refused(house: floor.House, role: Role) -> None:
    table, _ = floor.ready_table(house)
    actor = replace(house.actor(Role.DEALER), role=role, staff_id=house.staff[role].id)
    with floor.refused(house, "operation_not_allowed"):
        seats.seat_buy_in(table_id=table.id, seat=1, cash=500, command=Command(uuid.uuid4(), actor))


def test_an_unknown_table_is_not_found(house: floor.House) -> None:
    with floor.refused(house, "table_not_found"):
        rounds.round_start(table_id=uuid.uuid4(), bets={1: 1000}, command=house.command(Role.DEALER))
