"""Card-room tables under audit: honest evenings pass, and each kind of false one is found, and only that."""

import re
from pathlib import Path
from typing import Any

import pytest

from audit.exports.forms import Form
from audit.management.commands.day_report import page
from audit.models import Finding
from audit.report import day_report
from audit.selectors.balances import conservation
from audit.services.reconciliation import session_reconcile
from ledger.services import Movement
from tables.engine.card_room import hand_positions, winners
from tables.models import CardSource, Role, TableSession
from tables.services import pools, shoes
from tests.audit import support
from tests.audit.exports.reading import export, rows_of
from tests.audit.rooms import (
    close,
    false_entry,
    false_start,
    of_room,
    only,
    resettle,
    shown_from,
)
from tests.floor import House
from tests.room import make_room

CHIPS = {1: 1_000, 2: 1_000, 4: 1_000}
FEE = {"kind": "deal", "amount": 5, "minutes": 0}
BY_TIME = {"kind": "time", "amount": 25, "minutes": 30}


def test_an_honest_evening_of_a_drawn_pool_has_no_findings(house: House) -> None:
    room = make_room(house, chips=CHIPS, source=CardSource.DRAWN, fee=FEE)
    room.deal()
    room.play_out(bets=(1, 2, 4))
    room.shuffle()
    room.deal(counts={2: 3, 4: 7})  # a short hand, and one with too many cards
    room.play_out(bets=(1, 2))
    room.shuffle()
    room.deal()
    room.bet(room.state.order[0], 10)
    room.expose()
    room.turn()
    room.void()
    room.shuffle()
    room.divide()
    done = resettle(house)
    assert (done.sessions, done.rounds, done.on_trust) == (1, 3, 0)
    always_shown = ["hand_miscounted", "void_after_decision"]
    assert support.codes(house) == always_shown


@pytest.mark.parametrize("name", ["high_card_pool", "burning_card", "banking"])
def test_what_a_physical_hand_shows_is_taken_on_trust_and_counted(house: House, name: str) -> None:
    room = make_room(house, name, chips={1: 500, 2: 500}, dealer=2)
    room.deal(bank=100 if name == "banking" else None)
    room.bet(1, 10)
    room.turn("QS", "2D" if name == "burning_card" else None)
    room.show(1, "KS")
    if name != "banking":
        room.lay_down(2)
    room.settle()
    done = resettle(house)
    assert (done.rounds, done.on_trust, support.codes(house)) == (1, 1, [])


def test_collections_are_the_only_result_and_pools_are_nobody_of_the_houses(house: House) -> None:
    """R = collections: by the deal here, given back by a void; T stays zero, and every chip is somewhere."""
    room = make_room(house, chips=CHIPS, dealer=4, fee={**FEE, "amount": 100})
    room.deal()
    room.play_out()
    room.shuffle()
    room.deal()
    room.void()
    assert conservation(house.casino).pools == 60
    assert conservation(house.casino).missing == 0
    room.divide()
    session = close(room)
    session_reconcile(session_id=session.id)
    assert session.closer_total == 300
    assert support.codes(house) == []
    report = day_report(casino_id=house.casino.id, gaming_day=session.gaming_day)
    said = report.total.to_dict()
    all_tables = {"code": "all", "table": None, "packs": None, "card_source": ""}
    assert said == report.lines[0].to_dict() | all_tables
    expected = {name: said[name] for name in said if "theoretical" in name or "given_cards" in name}
    assert (said["result"], set(expected.values()), len(expected)) == (300, {None}, 6), "none, and not zero"
    assert " - " in page(report)


def test_collections_by_time_are_what_the_rules_give(house: House) -> None:
    room = make_room(house, chips={1: 500, 2: 10, 4: 500}, dealer=4, fee=BY_TIME)
    pools.collection_take(table_id=room.table.id, command=room.command())
    assert resettle(house).findings == 0
    move = Movement("seat:1", "tray", 30)
    false_entry(room, "collection.take", {"minutes": 30, "fees": {"1": 30}}, [move])
    resettle(house)
    assert support.codes(house) == ["collection_too_soon", "wrong_collection"]
    found = Finding.objects.get(casino=house.casino, code="wrong_collection")
    assert found.evidence.get().body["recorded"] == [["seat:1", "tray", 30]]


def test_a_division_by_other_shares_is_found(house: House) -> None:
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.play_out()
    moves = [Movement("pool", "seat:1", 40), Movement("pool", "seat:2", 20)]
    said = {"pool": 60, "shares": {"1": 40, "2": 20}, "second": str(house.staff[Role.SUPERVISOR].id)}
    false_entry(room, "pool.divide", said, moves)
    resettle(house)
    assert len(only(house, "wrong_division")["due"]) == 3


def test_who_sat_down_since_has_no_part_in_the_pool(house: House) -> None:
    """CR-BREAK-UP: what others paid is not for who comes at the end; where nobody else is left, it is."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.void()
    room.shuffle()
    room.deal(players=(1, 2))
    room.play_out()
    room.sit({3: 1_000})
    room.leave(2)
    room.sit({2: 1_000})
    assert room.divide().body["shares"] == {"1": 40}, "seat 4 has played a void round, and nothing else"
    room.shuffle()
    room.draw("AS")
    room.deal(players=(1, 3))
    room.play_out()
    for seat in (1, 3):
        room.leave(seat)
    shares = room.divide().body["shares"]
    assert {seat: share for seat, share in shares.items() if share} == {"2": 20, "4": 20}
    resettle(house)
    assert set(support.codes(house)) == {"left_out"}, "the audit divides as the table did"


def test_a_draw_that_went_to_another_seat_is_found(house: House) -> None:
    room = make_room(house, chips=CHIPS)
    false_entry(
        room,
        "deal.draw",
        {"shoe": str(room.row.shoe_id), "seats": [1, 2, 4], "cards": ["2S", "AS"], "dealer": 4},
    )
    resettle(house)
    assert only(house, "draw_differs")["due"]["dealer"] == 2


def test_a_round_that_claims_another_pool_is_found(house: House) -> None:
    room = make_room(house, chips=CHIPS, dealer=4)
    false_start(room, lambda actions: actions[-1].update(carried=50))
    resettle(house)
    assert of_room(house) == ["pool_differs"]


def test_a_deal_out_of_turn_is_found(house: House) -> None:
    room = make_room(house, chips=CHIPS, dealer=4)
    false_start(room, lambda actions: actions[-1].update(dealer=1))
    resettle(house)
    assert of_room(house) == ["dealer_out_of_turn"]


def test_who_pays_less_than_the_forfeit_must_have_no_more(house: House) -> None:
    """CR-FORFEIT: the cheat lets a friend off; the chips he kept are in the journal."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    support.forge(
        house,
        room.newest,
        [{"type": "short_forfeit", "seat": 1, "amount": 1}],
        kind="round.pass",
    )
    resettle(house)
    assert only(house, "paid_short") == {"seat": 1, "paid": 1, "kept": 989}


def test_a_card_of_another_hand_cannot_be_shown(house: House) -> None:
    """CR-SECRET and the commitment: each shown card must be opened at a place dealt to that very hand."""
    room = make_room(house, chips=CHIPS, source=CardSource.DRAWN)
    room.deal()
    first, second = room.state.order[:2]
    room.bet(first, 10)
    room.turn()
    hand = room.hand(second)
    wins = winners(hand, room.state.card or "")
    places = hand_positions(room.state)[second]
    shown = [wins[0]] if wins else list(hand)
    where = [places[hand.index(card)] for card in shown]
    support.forge(
        house,
        room.newest,
        [{"type": "show", "seat": first, "cards": shown}],
        kind="round.show",
        payload={"openings": shown_from(room, where)},
    )
    resettle(house)
    assert set(support.codes(house)) == {"opening_not_of_hand"}


def test_a_shown_card_needs_its_opening(house: House) -> None:
    room = make_room(house, chips=CHIPS, source=CardSource.DRAWN)
    room.deal()
    seat = room.state.order[0]
    room.bet(seat, 10)
    room.turn()
    hand = room.hand(seat)
    shown = list(winners(hand, room.state.card or "")[:1] or hand)
    support.forge(house, room.newest, [{"type": "show", "seat": seat, "cards": shown}], kind="round.show")
    resettle(house)
    assert only(house, "opening_missing")["cards"] == shown


def test_hands_dealt_from_a_used_pack_are_found(house: House) -> None:
    room = make_room(house, chips=CHIPS, dealer=4)
    shoes.shoe_burn(table_id=room.table.id, card="3C", face_up=True, reason="other", command=room.command())

    def with_hands(actions: list[dict[str, Any]]) -> None:
        actions += [{"type": "hand", "seat": seat, "cards": 5} for seat in (1, 2, 4)]

    false_start(room, with_hands)
    resettle(house)
    assert of_room(house) == ["pack_not_fresh"]


@pytest.mark.parametrize("drawn", [True, False])
def test_a_burnt_card_that_tells_what_hands_were_is_found(house: House, drawn: bool) -> None:
    """CR-SECRET: what the service refuses is found where it was written past it; a card nobody saw, not."""
    room = make_room(house, chips=CHIPS, source=CardSource.DRAWN if drawn else CardSource.SCANNED, dealer=4)
    room.deal()
    room.void()
    said: dict[str, Any] = {"shoe": str(room.row.shoe_id), "reason": "other", "openings": []}
    if drawn:
        (opening,) = shown_from(room, [room.pack.position])
        said |= {"openings": [opening], "cards": [opening["card"]]}
    else:
        false_entry(room, "shoe.burn", {**said, "cards": []})
        said["cards"] = ["3C"]
    false_entry(room, "shoe.burn", said)
    resettle(house)
    assert only(house, "burn_tells_hands") == {"cards": said["cards"], "cards_out": 15 if drawn else 16}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_says_what_everybody_saw_and_no_hidden_card(
    house: House, form: Form, tmp_path: Path
) -> None:
    """CR-SECRET: a row per player, with what he showed; the rest of the pack is in no file."""
    room = make_room(house, chips=CHIPS, source=CardSource.DRAWN)
    room.deal()
    first = room.state.order[0]
    hidden = {card for seat in room.state.order[1:] for card in room.hand(seat)}
    room.play_out(bets=(first,))
    path = tmp_path / "rounds"
    day = TableSession.objects.get(table=room.table).gaming_day
    done = export(house.casino.id, path, form, gaming_day_from=day)
    assert (done.rounds, done.rows) == (1, 3)
    text = path.read_text()
    assert not [card for card in hidden if re.search(rf"\b{card}\b", text)]
    rows = {row["seat"]: row for row in rows_of(house.casino.id, tmp_path)}
    shown, state = rows[first], room.state
    assert shown["turn"] == state.player(first).end
    assert shown["shown"].split() == list(state.player(first).shown)
    assert [rows[seat]["turn"] for seat in state.order[1:]] == ["forfeit", "forfeit"]
    assert {row["dealing_seat"] for row in rows.values()} == {state.dealer}
    assert sum(row["net"] for row in rows.values()) == -state.pool == -shown["left"]
