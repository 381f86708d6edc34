"""The card-room games through the services, with scanned cards: the ledger holds what the rules say."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from ledger.models import Entry
from ledger.selectors import balances
from tables.engine.registry import digest, game
from tables.engine.replay import replay
from tables.models import Round, RoundStatus
from tables.services import pools, rounds
from tests import floor
from tests.room import Room, make_room

pytestmark = pytest.mark.django_db

CASES = json.loads((Path(settings.BASE_DIR) / "tests/data/pool_rounds.json").read_text())["rounds"]


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """A case with what it takes from the first."""
    return {**CASES[0], **case} if case.get("same_as_first") else case


def seats_of(case: dict[str, Any]) -> dict[str, int]:
    """A seat for each player: the dealer or banker on 1, the others to the left."""
    dealing = case.get("banker") or case["dealer"]
    return {dealing: 1} | {
        name: number for number, name in enumerate((p for p in case["players"] if p != dealing), 2)
    }


def room_for(house: floor.House, case: dict[str, Any], seats: dict[str, int]) -> Room:
    """A table as the case wants it."""
    name = "burning_card" if case.get("burn") else case["game"]
    own = {} if name == "banking" else {"ante": case["ante"], "pool_limit": case.get("pool_limit")}
    chips = {seats[player]: stack for player, stack in case["stacks"].items()}
    return make_room(house, name, chips=chips, dealer=1, **own)


def take_turn(room: Room, seat: int, turn: dict[str, Any]) -> None:
    """One turn as the case tells it."""
    if "forfeit" in turn:
        room.lay_down(seat)
    elif "discard_short_hand" in turn:
        room.lay_down(seat, "discard")
    elif "bet" in turn:
        room.bet(seat, turn["bet"])
        if "exposed" in turn:
            room.expose(turn["exposed"])
        room.turn(turn["card"], turn.get("burned"))
        room.show(seat, *turn["shows"])


@pytest.mark.parametrize("case", [completed(case) for case in CASES])
def test_the_ledger_holds_what_the_case_expects(house: floor.House, case: dict[str, Any]) -> None:
    """Every case of the file, turn by turn: each stack, the pool or the bank, and who deals next."""
    seats = seats_of(case)
    room = room_for(house, case, seats)
    before = room.chips()
    counts = {seats[player]: len(hand) for player, hand in case["hands"].items()}
    room.deal(cards_each=case["cards_each"], counts=counts, bank=case.get("bank"))
    for turn in case["turns"]:
        take_turn(room, seats[turn["player"]], turn)
    room.settle()
    expected = case["expect"]
    now = balances(room.table.stream)
    assert {name: now[f"seat:{seat}"] for name, seat in seats.items()} == expected["stacks"]
    assert now["pool"] == expected.get("pool", 0)
    assert now["bank"] == expected.get("bank", 0)
    assert room.row.button == seats[expected["next_dealer"]]
    assert room.chips() == before
    assert_replays(room)


def assert_replays(room: Room) -> None:
    """The journalled actions and movements are the engine's, and the stored state is what they give."""
    kept = Round.objects.select_related("rules").get(id=room.round_id)
    entries = Entry.objects.filter(stream__name=room.table.stream, seq__gte=kept.first_seq)
    entries = entries.filter(kind__startswith="round.").order_by("seq")
    said = [json.loads(entry.payload) for entry in entries]
    rules_of_game = game(kept.game)
    log = [rules_of_game.decode_action(action) for one in said for action in one["actions"]]
    state, _ = replay(rules_of_game, rules_of_game.decode_rules(kept.rules.body), log)
    assert rules_of_game.encode_state(state) == kept.state
    assert said[-1]["state"] == digest(kept.state)


@pytest.fixture
def room(house: floor.House) -> Room:
    """Four with 100 each, seat 1 dealing; seat 9 has too little for the ante of 10."""
    return make_room(house, chips={1: 100, 3: 100, 4: 100, 7: 100, 9: 9}, dealer=1)


def test_the_first_ace_deals_and_the_pack_is_spent(house: floor.House) -> None:
    """CR-FIRST-ACE: cards go round from the lowest seat; shuffle and cut follow."""
    made = make_room(house, chips={2: 50, 5: 50, 6: 50})
    with floor.refused(house, "dealer_unknown"):
        made.deal()
    with floor.refused(house, "no_ace"):
        made.draw("2S", "3S")
    with floor.refused(house, "ace_came"):
        made.draw("2S", "AS", "3S")
    drawn = pools.deal_draw(
        table_id=made.table.id, cards=["2S", "3S", "4S", "5S", "AH"], command=made.command()
    )
    assert (drawn.status, drawn.body["button"], drawn.body["drawn"][-1]) == (201, 5, "AH")
    assert drawn.body["shoe"]["shuffle_due"]
    with floor.refused(house, "shuffle_due"):
        made.deal()
    with floor.refused(house, "dealer_known"):
        made.draw("AS")
    made.shuffle()
    assert made.deal().body["round"]["dealer"] == 5


def test_deal_and_button_pass_left_to_who_is_seated(house: floor.House, room: Room) -> None:
    """CR-NEXT, CR-BETWEEN, CR-ANTE: the deal passes left over whoever left; without the ante no hand."""
    begun = room.deal().body["round"]
    assert (begun["players"], begun["dealer"], begun["order"]) == ([1, 3, 4, 7], 1, [3, 4, 7, 1])
    assert begun["pool"] == 40
    with floor.refused(house, "round_in_progress"):
        room.leave(3)
    with floor.refused(house, "round_in_progress"):
        room.sit({2: 50})
    room.play_out()
    assert room.row.button == 3
    room.leave(3)
    with floor.refused(house, "shuffle_due"):
        room.deal()
    room.shuffle()
    again = room.deal().body["round"]
    assert (again["dealer"], again["order"], again["carried"]) == (4, [7, 1, 4], 80)


def test_a_void_puts_everything_back_and_the_same_deals_again(house: floor.House) -> None:
    """CR-VOID, CR-FEE: seats, pool and the house's fee are as before the round."""
    fee = {"kind": "deal", "amount": 2, "minutes": 0}
    made = make_room(house, chips={1: 100, 2: 100, 3: 11}, dealer=1, fee=fee)
    made.deal()
    assert made.state.seats == (1, 2), "eleven are not ante and fee"
    made.play_out()
    before = balances(made.table.stream)
    assert before["tray"] == 4
    made.shuffle()
    made.deal()
    made.bet(1, 10)
    made.mispay(2, "bet_into_pool", 5)
    answer = made.void()
    assert balances(made.table.stream) == before
    assert (answer.body["round"]["status"], made.row.button) == ("cancelled", 2)
    assert made.newest.status == RoundStatus.CANCELLED


def test_a_pool_emptied_in_mid_round_is_anted_again_in_the_same_entry(house: floor.House) -> None:
    """CR-REANTE: each antes again at once; who has less gives all he has and stays in."""
    made = make_room(house, chips={1: 100, 2: 100, 3: 14}, dealer=1)
    made.deal()
    made.bet(2, 30)
    made.turn("QS")
    answer = made.show(2, "KS")
    last = Entry.objects.filter(stream__name=made.table.stream).latest("seq")
    assert [action["type"] for action in json.loads(last.payload)["actions"]] == [
        "show",
        "ante",
        "ante",
        "ante",
    ]
    assert (answer.body["round"]["pool"], answer.body["round"]["turn"]["seat"]) == (24, 3)
    assert made.lying("seat:1", "seat:2", "seat:3", "pool") == (80, 110, 0, 24)
    made.lay_down(3)
    assert made.state.player(3).forfeit == 0, "CR-FORFEIT: who has less pays all he has"
    made.lay_down(1)
    assert made.settle().body["round"]["results"]["3"]["net"] == -14


def test_four_cards_when_more_than_eight_play(house: floor.House) -> None:
    """CR-CARDS: always four with nine hands; five are refused."""
    made = make_room(house, chips=dict.fromkeys(range(1, 10), 50), dealer=1)
    with floor.refused(house, "four_cards_only"):
        made.deal(cards_each=5)
    assert set(made.deal().body["round"]["hands"].values()) == {4}
    assert made.pack.burnt == 36


def test_a_player_without_a_whole_hand(house: floor.House, room: Room) -> None:
    """CR-NO-HAND, CR-SHORT-HAND: none or too many sit out; too few bet or discard; never filled."""
    begun = room.deal(counts={3: 0, 4: 6, 7: 4}).body["round"]
    assert begun["turn"] | {"seat": 7, "short": True, "cards": 4} == begun["turn"]
    with floor.refused(house, "not_his_turn"):
        room.bet(3, 10)
    room.lay_down(7, "discard")
    with floor.refused(house, "hand_whole"):
        room.lay_down(1, "discard")
    room.lay_down(1)
    assert room.settle().body["round"]["results"]["7"] == {
        **dict.fromkeys(("fee", "bet", "won", "forfeit", "mispaid", "share"), 0),
        "end": "discard",
        "ante": 10,
        "net": -10,
    }


def test_payments_made_in_error(house: floor.House, room: Room) -> None:
    """CR-PAYMENT, CR-STATED: put right until the next player's card is turned, and a bet is not changed."""
    room.deal()
    room.bet(3, 20)
    for again in ({3: 10}, {3: 20}):
        with floor.refused(house, "bet_stands"):
            room.bet(*next(iter(again.items())))
    with floor.refused(house, "bet_stands"):
        rounds.round_bet(round_id=room.round_id, bets={}, take_back=[3], command=room.command())
    room.turn("QS")
    room.show(3, "KS")
    room.mispay(3, "taken", 5)
    assert room.lying("seat:3", "pool") == (115, 15)
    room.put_right(3)
    assert room.lying("seat:3", "pool") == (110, 20)
    room.mispay(3, "short", 5)
    room.lay_down(4)
    assert room.put_right(3).body["round"]["payments"][-1]["corrected"], "no card was turned for a forfeit"
    room.mispay(3, "taken", 5)
    room.bet(7, 10)
    room.turn("2H")
    with floor.refused(house, "payment_stands"):
        room.put_right(3)
    with floor.refused(house, "payment_above_maximum"):
        room.mispay(3, "taken", 10_000)
    room.show(7, "3H")
    room.mispay(1, "bet_into_pool", 10)
    with floor.refused(house, "no_payment"):
        room.put_right(1)
    room.lay_down(1)
    room.settle()
    assert room.chips() == 409


def test_a_dealer_who_cheats_is_refused(house: floor.House, room: Room) -> None:
    """Turn, limits, antes, the one pack: what the rules do not give is not taken."""
    for who, code in (((1, 9), "floor_broken"), ((1, 2), "seat_empty"), ((1,), "too_few_players")):
        with floor.refused(house, code):
            room.deal(players=who)
    with floor.refused(house, "bank_not_expected"):
        room.deal(bank=10)
    with floor.refused(house, "not_a_player"):
        room.deal(counts={9: 5})
    room.deal()
    for seat, amount, code in (
        (4, 10, "not_his_turn"),
        (3, 9, "bet_below_minimum"),
        (3, 41, "bet_above_maximum"),
        (2, 10, "seat_empty"),
    ):
        with floor.refused(house, code):
            room.bet(seat, amount)
    with floor.refused(house, "no_bet"):
        room.turn("QS")
    room.bet(3, 10)
    with floor.refused(house, "cards_expected"):
        room.turn()
    room.turn("QS")
    for cards, code in (
        (("QS",), "impossible_card"),
        (("JS",), "show_whole_hand"),
        (("KS", "2H", "3H", "4H", "5H"), "hand_wins"),
        (("2H", "3H", "4H", "5H", "2H"), "impossible_card"),
        (("1S",), "bad_card"),
    ):
        with floor.refused(house, code):
            room.show(3, *cards)
    with floor.refused(house, "not_his_turn"):
        room.show(4, "KS")
    room.show(3, "2H", "3H", "4H", "5H", "6H")
    room.bet(4, 10)
    with floor.refused(house, "impossible_card"):
        room.turn("2H")
    with floor.refused(house, "bad_action"):
        rounds.round_deal(round_id=room.round_id, cards=["9S"], number=1, command=room.command())
    room.void()
    with floor.refused(house, "wrong_game"):
        rounds.round_start(table_id=room.table.id, bets={1: 10}, command=room.command())


def test_the_bank_passes_and_a_broken_one_ends_the_hand(house: floor.House) -> None:
    """CR-BANK, CR-BROKEN: the banker has no hand; passing is free; an emptied bank ends the hand."""
    made = make_room(house, "banking", chips={1: 100, 2: 100, 3: 0, 4: 100}, dealer=1, max_bank=80)
    with floor.refused(house, "bank_expected"):
        made.deal()
    for bank, code in ((81, "bad_bank"), (200, "bad_bank")):
        with floor.refused(house, code):
            made.deal(bank=bank)
    begun = made.deal(bank=60).body["round"]
    assert (begun["players"], begun["order"], begun["bank"]) == ([1, 2, 4], [2, 4], 60)
    with floor.refused(house, "bad_action"):
        made.lay_down(2, "forfeit")
    made.bet(2, 60)
    made.turn("QS")
    assert made.show(2, "KS").body["round"]["phase"] == "closing"
    with floor.refused(house, "no_turn"):
        made.lay_down(4, "pass")
    made.settle()
    assert made.lying("seat:1", "seat:2", "seat:4", "bank") == (40, 160, 100, 0)
    assert made.row.button == 2
    made.shuffle()
    made.deal(bank=50)
    made.play_out()
    assert made.lying("seat:2", "bank") == (160, 0)
