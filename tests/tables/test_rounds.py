"""Rounds through the services: rules refused with their codes, chips where they belong."""

import json
import uuid
from typing import Any

import pytest

from ledger.models import Entry
from ledger.selectors import balances
from tables.engine.registry import digest, game
from tables.engine.replay import replay
from tables.models import CardSource, Countersignature, Role, Round, RoundStatus, Table
from tables.services import rounds
from tests import floor


@pytest.fixture
def table(house: floor.House) -> Table:
    """An open table with a scanned shoe and players on seats 1 and 2."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    return made


def begin(house: floor.House, table: Table, bets: dict[int, int] | None = None) -> uuid.UUID:
    answer = rounds.round_start(
        table_id=table.id, bets=bets or {1: 1000, 2: 2500}, command=house.command(Role.DEALER)
    )
    return uuid.UUID(answer.body["round"]["id"])


def deal(house: floor.House, round_id: uuid.UUID, *cards: str) -> dict[str, Any]:
    answer = rounds.round_deal(
        round_id=round_id, cards=cards, number=len(cards), command=house.command(Role.DEALER)
    )
    shown: dict[str, Any] = answer.body["round"]
    return shown


def announce(house: floor.House, round_id: uuid.UUID, spread: int) -> None:
    rounds.round_announce(round_id=round_id, spread=spread, command=house.command(Role.DEALER))


def lift(house: floor.House, round_id: uuid.UUID, raises: dict[int, int], *withdraw: int) -> None:
    rounds.round_raise(
        round_id=round_id, raises=raises, withdraw=withdraw, command=house.command(Role.DEALER)
    )


def test_the_finishing_command_answers_with_what_every_seat_is_paid(house: floor.House, table: Table) -> None:
    round_id = begin(house, table)
    deal(house, round_id, "8S", "TH")
    announce(house, round_id, 1)
    lift(house, round_id, {1: 1000})
    tray = balances(table.stream)["tray"]
    shown = deal(house, round_id, "9C")
    assert shown["results"] == {
        "1": {"bet": 1000, "raise": 1000, "paid": 10_000, "net": 10_000},
        "2": {"bet": 2500, "raise": 0, "paid": 12_500, "net": 12_500},
    }
    assert shown["over"]
    assert balances(table.stream)["tray"] == tray - 22_500
    kept = Round.objects.get(id=round_id)
    assert (kept.status, kept.ended_at is None) == (RoundStatus.COMPLETE, False)


def test_consecutive_cards_push_with_no_third_card(house: floor.House, table: Table) -> None:
    """RD-CONSECUTIVE: a push at once; another card is refused."""
    before = balances(table.stream)
    round_id = begin(house, table)
    assert deal(house, round_id, "KS", "AH")["outcome"] == "consecutive"
    assert balances(table.stream) == before
    with floor.refused(house, "round_over"):
        deal(house, round_id, "5C")


@pytest.mark.parametrize("second", ["AH", "KH", "9H"], ids=["consecutive", "pair", "spread"])
def test_only_the_first_two_cards_come_together(house: floor.House, table: Table, second: str) -> None:
    """The refusal is one whatever the second card is: it must not tell what a drawn shoe holds next."""
    round_id = begin(house, table)
    deal(house, round_id, "KS")
    with floor.refused(house, "one_card_due"):
        deal(house, round_id, second, "5C")


@pytest.mark.parametrize(
    ("cards", "code"),
    [(("9S", "9H"), "no_raise_on_pair"), (("5S", "QH"), "not_announced")],
)
def test_raises_out_of_place_are_refused(
    house: floor.House, table: Table, cards: tuple[str, str], code: str
) -> None:
    """RD-PAIR, RD-RAISE: no raise on a pair, none before the announcement."""
    round_id = begin(house, table)
    deal(house, round_id, *cards)
    with floor.refused(house, code):
        lift(house, round_id, {1: 1000})


def test_a_command_of_several_actions_is_all_or_nothing(house: floor.House, table: Table) -> None:
    round_id = begin(house, table)
    deal(house, round_id, "5S", "QH")
    announce(house, round_id, 6)
    with floor.refused(house, "raise_above_maximum"):
        lift(house, round_id, {1: 1000, 2: 2600})
    with floor.refused(house, "nothing_to_do"):
        lift(house, round_id, {})


def test_a_bet_beyond_the_seats_chips_is_refused(house: floor.House, table: Table) -> None:
    floor.seat_player(house, table, 3, 900)
    with floor.refused(house, "floor_broken"):
        begin(house, table, {3: 1000})


def test_a_wrong_announcement_lets_raises_be_withdrawn(house: floor.House, table: Table) -> None:
    """Irregularity: the cards speak; raises made on a wrong spread may be taken back."""
    round_id = begin(house, table)
    deal(house, round_id, "5S", "QH")
    announce(house, round_id, 9)
    lift(house, round_id, {1: 1000})
    announce(house, round_id, 6)
    lift(house, round_id, {}, 1)
    assert Round.objects.get(id=round_id).state["raises"] == {}
    assert Round.objects.get(id=round_id).state["misannounced"] is True


def test_an_exposed_third_card_sends_raises_back_and_plays(house: floor.House, table: Table) -> None:
    """Irregularity: third card exposed before the raises were closed."""
    round_id = begin(house, table)
    deal(house, round_id, "5S", "QH")
    announce(house, round_id, 6)
    lift(house, round_id, {1: 1000})
    answer = rounds.round_expose(round_id=round_id, card="8C", command=house.command(Role.DEALER))
    shown = answer.body["round"]
    assert (shown["outcome"], shown["over"], shown["raise_test_excluded"]) == ("win", True, True)
    assert shown["results"]["1"] == {"bet": 1000, "raise": 0, "paid": 1000, "net": 1000}


def test_a_bet_can_be_changed_until_the_first_card(house: floor.House, table: Table) -> None:
    round_id = begin(house, table)
    rounds.round_bet(round_id=round_id, bets={1: 3000}, take_back=[1, 2], command=house.command(Role.DEALER))
    assert Round.objects.get(id=round_id).state["bets"] == {"1": 3000}
    deal(house, round_id, "5S")
    with floor.refused(house, "bets_closed"):
        rounds.round_bet(round_id=round_id, bets={2: 1000}, take_back=[], command=house.command(Role.DEALER))


def test_a_void_gives_every_stake_back_under_two_signatures(house: floor.House, table: Table) -> None:
    before = balances(table.stream)
    round_id = begin(house, table)
    deal(house, round_id, "5S", "QH")
    answer = rounds.round_void(
        round_id=round_id,
        reason="misdeal",
        note="two cards stuck together",
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    assert answer.body["round"]["status"] == "cancelled"
    assert balances(table.stream) == before
    signed = Countersignature.objects.get(stream=table.stream, act="round.void")
    assert (signed.first_id, signed.second_id) == (
        house.staff[Role.DEALER].id,
        house.staff[Role.SUPERVISOR].id,
    )


@pytest.mark.parametrize(
    ("actor", "signer", "code"),
    [
        (Role.SUPERVISOR, Role.SUPERVISOR, "same_person_signed"),
        (Role.SUPERVISOR, Role.DEALER, "may_not_countersign"),
        (Role.DEALER, Role.CAGE, "may_not_countersign"),
    ],
)
def test_a_void_with_the_wrong_second_person_is_refused(
    house: floor.House, table: Table, actor: Role, signer: Role, code: str
) -> None:
    round_id = begin(house, table)
    with floor.refused(house, code):
        rounds.round_void(
            round_id=round_id,
            reason="misdeal",
            second=house.badge(signer),
            command=house.command(actor),
        )


def test_only_one_round_runs_at_a_table(house: floor.House, table: Table) -> None:
    begin(house, table)
    with floor.refused(house, "round_in_progress"):
        begin(house, table)


def test_what_the_journal_holds_replays_to_the_stored_state(house: floor.House, table: Table) -> None:
    round_id = begin(house, table)
    deal(house, round_id, "4S", "JH")
    announce(house, round_id, 6)
    lift(house, round_id, {2: 1500})
    deal(house, round_id, "JC")
    kept = Round.objects.select_related("rules").get(id=round_id)
    entries = Entry.objects.filter(
        stream__name=table.stream, seq__gte=kept.first_seq, seq__lte=kept.last_seq
    ).order_by("seq")
    rules_of_game = game(kept.game, kept.engine_version)
    actions = [
        rules_of_game.decode_action(action)
        for entry in entries
        for action in json.loads(entry.payload)["actions"]
    ]
    state, _ = replay(rules_of_game, rules_of_game.decode_rules(kept.rules.body), actions)
    assert rules_of_game.encode_state(state) == kept.state
    last = entries.last()
    assert last is not None
    assert json.loads(last.payload)["state"] == digest(kept.state)
