"""What may move players' chips, when an entry may come and who signs it: each forgery is found."""

import uuid
from typing import Any

import pytest

from audit import order
from audit.models import Finding
from ledger.services import Movement
from tables.engine.cards import PACK
from tables.models import CardSource, Role, Table
from tables.services import freezes, office, permissions, seats, shoes
from tables.services.reopening import session_reopen
from tests.audit import support
from tests.audit.rooms import (
    close,
    false_entry,
    false_start,
    found_at,
    into_seats,
    last,
    of_room,
    only,
    resettle,
    shown_from,
)
from tests.floor import House, fill_table, ready_table
from tests.room import make_room

CHIPS = {1: 1_000, 2: 1_000, 4: 1_000}
BY_TIME = {"kind": "time", "amount": 25, "minutes": 30}


def test_players_chips_move_for_no_reason_that_is_not_listed(house: House) -> None:
    """Whatever an entry calls itself: the list of what may move them, and cash, is closed."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.play_out()
    mispaid = {"seat": 1, "reason": "mispaid", "second": str(house.staff[Role.SUPERVISOR].id)}
    buy_in = {"seat": 1, "cash": 10}
    false: list[tuple[str, dict[str, Any], Movement]] = [
        ("gift.made", {}, Movement("pool", "floor", 1)),
        ("gift.made", {}, Movement("seat:2", "seat:1", 1)),
        ("table.par", {}, Movement("pool", "seat:1", 1)),
        ("table.par", {}, Movement("over_short", "floor", 1)),
        ("gift.made", {}, Movement("floor", "disputed", 1)),
        ("gift.made", {}, Movement("cash:over_short", "cash:patrons", 1)),
        ("seat.buy_in", buy_in, Movement("cash:patrons", "cash:count_room", 1)),
        ("seat.buy_in", buy_in, Movement("pool", "seat:1", 1)),
        ("seat.buy_in", buy_in, Movement("seat:2", "seat:1", 1)),
        ("seat.buy_in", buy_in, Movement("floor", "seat:1", 1)),
        ("seat.take", {"seat": 3, "cash": 0, "chips": 1}, Movement("pool", "seat:3", 1)),
        ("toke.give", {"seat": 1, "amount": 9}, Movement("pool", "toke_box", 9)),
        ("toke.give", {"seat": 1, "amount": 1}, Movement("seat:2", "toke_box", 1)),
        ("toke.collect", mispaid, Movement("toke_box", "tray", 1)),
        ("correction.post", mispaid, Movement("pool", "seat:1", 1)),
        ("correction.post", mispaid, Movement("seat:2", "tray", 1)),
        ("entry.reverse", {**mispaid, "origin": "seat.buy_in"}, Movement("pool", "seat:1", 1)),
    ]
    due = []
    for kind, said, move in false:
        false_entry(room, kind, said, [move])
        due.append(("move_not_listed", last(room)))
    resettle(house)
    assert found_at(house) == due


@pytest.mark.parametrize(
    ("chips", "moves"),
    [
        (1500, [Movement("seat:2", "floor", 500), Movement("seat:1", "floor", 1000)]),
        (900, [Movement("seat:1", "floor", 900)]),
        (900, [Movement("seat:1", "floor", 1000)]),
        (0, []),
    ],
)
def test_who_leaves_takes_all_of_his_own_chips_and_no_others(
    house: House, chips: int, moves: list[Movement]
) -> None:
    room = make_room(house, chips=CHIPS, dealer=4)
    false_entry(room, "seat.leave", {"seat": 1, "chips": chips}, moves)
    resettle(house)
    assert set(support.codes(house)) == {"move_not_listed"}


def test_what_belongs_between_rounds_is_found_in_one(house: House) -> None:
    """CR-BETWEEN: and a division, a collection and a departure change what the running round is about."""
    room = make_room(house, chips=CHIPS, dealer=4, fee=BY_TIME)
    room.deal()
    due = []
    second = str(house.staff[Role.SUPERVISOR].id)
    shares, fees = dict.fromkeys("412", 10), dict.fromkeys("124", 25)
    lying = dict(zip("124", room.lying("seat:1", "seat:2", "seat:4"), strict=True))
    for kind, said, moves in (
        ("pool.divide", {"pool": 30, "shares": shares, "second": second}, into_seats("pool", shares)),
        (
            "collection.take",
            {"minutes": 30, "fees": fees},
            [Movement(f"seat:{n}", "tray", 25) for n in "124"],
        ),
        ("seat.take", {"seat": 3, "cash": 0, "chips": 5}, [Movement("floor", "seat:3", 5)]),
        (
            "seat.buy_in",
            {"seat": 1, "cash": 5},
            [Movement("cash:patrons", "cash:drop_box", 5), Movement("tray", "seat:1", 5)],
        ),
        ("seat.leave", {"seat": 2, "chips": lying["2"] - 15}, [Movement("seat:2", "floor", lying["2"] - 15)]),
        ("shoe.burn", {"shoe": str(room.row.shoe_id), "cards": ["2C"], "reason": "other"}, []),
    ):
        false_entry(room, kind, said, moves)
        due.append(("out_of_order", last(room)))
    due.insert(-1, ("burn_tells_hands", last(room)))
    resettle(house)
    assert found_at(house) == due


def test_no_second_draw_while_the_dealer_is_known(house: House) -> None:
    """CR-FIRST-ACE: whoever draws again chooses who deals."""
    room = make_room(house, chips=CHIPS, dealer=4)
    draw = {"shoe": str(room.row.shoe_id), "seats": [1, 2, 4], "cards": ["2S", "AS"], "dealer": 2}
    false_entry(room, "deal.draw", draw)
    resettle(house)
    assert only(house, "out_of_order")["deals_next"] == 4


def test_the_deal_is_drawn_for_from_a_fresh_pack(house: House) -> None:
    """CR-PACK."""
    room = make_room(house, chips=CHIPS)
    shoes.shoe_burn(table_id=room.table.id, card="3C", face_up=True, reason="other", command=room.command())
    draw = {"seats": [1, 2, 4], "cards": ["2S", "AS"], "dealer": 2}
    false_entry(room, "deal.draw", draw | {"shoe": str(uuid.UUID(int=1))})
    resettle(house)
    assert support.codes(house) == ["card_without_shoe", "pack_not_fresh"], "and it is named"
    assert Finding.objects.get(casino=house.casino, code="pack_not_fresh").evidence.get().body == {
        "cards_out": 1
    }


def test_a_frozen_table_takes_nothing_but_what_it_may(house: House) -> None:
    assert all(act.startswith(order.WHILE_FROZEN) for act in permissions.WHILE_FROZEN)
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    freezes.table_freeze(table_id=room.table.id, reason="8S came twice", command=room.command())
    frozen_since = last(room)
    false_entry(room, "ledger.rebuild", {"accounts": [], "reason": "a balance was wrong"})
    support.forge(house, room.newest, [{"type": "forfeit", "seat": 1}], kind="round.pass")
    resettle(house)
    found = only(house, "out_of_order")
    assert found == {"kind": "round.pass", "frozen_since": frozen_since}
    room.void()
    freezes.table_release(
        table_id=room.table.id,
        second=house.badge(Role.SUPERVISOR),
        reason="counted",
        command=room.command(),
    )
    room.shuffle()
    room.deal()
    resettle(house)
    assert support.codes(house) == ["out_of_order"]


def test_what_two_sign_is_not_signed_by_one(house: House) -> None:
    """CR-VOID, CR-BREAK-UP: a void, a division and a release name the second, who is another."""
    room = make_room(house, chips=CHIPS, dealer=4)
    me, due = str(house.staff[Role.DEALER].id), []
    false_entry(room, "toke.collect", {"chips": {}, "total": 0, "variance": 0, "second": me})
    due.append(("signature_missing", last(room)))
    room.deal()
    support.forge(house, room.newest, [{"type": "void", "reason": "other"}], kind="round.void")
    due.append(("signature_missing", last(room)))
    room.shuffle()
    room.deal()
    room.play_out()
    freezes.table_freeze(table_id=room.table.id, reason="looked into", command=room.command())
    false_entry(room, "table.release", {"reason": "counted", "second": me})
    due.append(("signature_missing", last(room)))
    shares = dict.fromkeys("124", 20)
    false_entry(room, "pool.divide", {"pool": 60, "shares": shares}, into_seats("pool", shares))
    due.append(("signature_missing", last(room)))
    resettle(house)
    assert [found for found in found_at(house) if found[0] != "round_projection_differs"] == due


def test_a_division_says_what_it_moved(house: House) -> None:
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.play_out()
    shares, second = dict.fromkeys("124", 20), str(house.staff[Role.SUPERVISOR].id)
    said = {"pool": 999, "shares": {"1": 999}, "second": second}
    false_entry(room, "pool.divide", said, into_seats("pool", shares))
    resettle(house)
    assert only(house, "division_misstated")["said"] == {"1": 999}


@pytest.mark.parametrize(
    ("bank", "change"),
    [
        (True, {"joins": 3}),  # nobody sits there, and in this game nobody antes: five cards for a ghost
        (False, {"players": {"1": None, "2": str(uuid.UUID(int=1)), "4": None}}),
        (False, {"players": {"1": None, "2": None}}),
    ],
)
def test_a_round_names_who_sits_there(house: House, bank: bool, change: dict[str, Any]) -> None:
    """CR-PLAYERS: nobody is dealt in who does not sit there, nor under another name, and all are named."""
    room = make_room(house, "banking" if bank else "high_card_pool", chips=CHIPS, dealer=4)

    def changed(actions: list[dict[str, Any]]) -> None:
        if "joins" in change:
            actions.insert(0, {"type": "join", "seat": change["joins"]})
            actions[-1] = {"type": "open", "banker": 4, "cards_each": 5, "bank": 10}

    false_start(room, changed, players=change.get("players"))
    resettle(house)
    assert of_room(house) == ["player_not_seated"]


def test_who_is_known_from_a_buy_in_on_is_who_plays(house: House) -> None:
    """A player who was nobody when he sat down: the round names him, and that is no finding."""
    known = office.player_create(
        casino_id=house.casino.id, reference=uuid.uuid4().hex, description="", command=house.office()
    )
    room = make_room(house, chips=CHIPS, dealer=4)
    fill_table(house, room.table, {"100": 10})
    player = uuid.UUID(known.body["player"])
    seats.seat_buy_in(table_id=room.table.id, seat=1, cash=100, player_id=player, command=room.command())
    room.deal()
    room.play_out()
    assert room.newest.players["1"] == str(player)
    resettle(house)
    assert support.codes(house) == []


def test_nobody_leaves_a_pool_behind(house: House) -> None:
    """CR-BREAK-UP: not the last player, not the closer, and no other rules over one that was anted before."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.play_out()
    rules = {"id": str(room.row.rules_id), "digest": room.row.rules.digest, "name": "", "version": 1}
    second = str(house.staff[Role.SUPERVISOR].id)
    lay = room.lying("pool")[0]
    due: list[tuple[int, dict[str, Any]]] = []
    others = rules | {"id": str(uuid.UUID(int=1))}
    false_entry(room, "table.rules", {"before": others, "after": rules, "reason": "", "second": second})
    due.append((last(room), {"pool": lay, "game": "high_card_pool", "new_game": "high_card_pool"}))
    for seat in (1, 2, 4):
        has = room.lying(f"seat:{seat}")[0]
        move = Movement(f"seat:{seat}", "floor", has)
        false_entry(room, "seat.leave", {"seat": seat, "player": None, "chips": has}, [move])
    due.append((last(room), {"pool": lay}))
    closed = {"closer": {}, "closer_total": 0, "variance": 0, "second": second}
    false_entry(room, "session.close", closed)
    due.append((last(room), {"pool": lay, "seats": []}))
    resettle(house)
    assert ("rules_not_in_force", due[0][0]) in found_at(house), "nor is what ended another rule set"
    found = Finding.objects.filter(casino=house.casino, code="out_of_order").order_by("seq")
    told = [(one.seq, one.evidence.get().body) for one in found]
    assert [(seq, {k: v for k, v in said.items() if k != "kind"}) for seq, said in told] == due


def test_a_table_goes_over_to_no_other_game(house: House) -> None:
    """Under rules of casino Red Dog nobody would follow what happens between a card room's rounds."""
    room, (table, _) = make_room(house, chips=CHIPS, dealer=4), ready_table(house, "rd-over")
    named = [
        {"id": str(one.id), "digest": one.digest, "name": one.name, "version": one.version}
        for one in (room.row.rules, Table.objects.get(id=table.id).rules)
    ]
    second = str(house.staff[Role.SUPERVISOR].id)
    said = {"before": named[0], "after": named[1], "reason": "", "second": second}
    false_entry(room, "table.rules", said)
    resettle(house)
    assert only(house, "out_of_order")["new_game"] == "red_dog"


def test_a_collection_says_what_it_took(house: House) -> None:
    """CR-FEE."""
    room = make_room(house, chips={1: 500, 2: 500}, dealer=2, fee=BY_TIME)
    moves = [Movement(f"seat:{seat}", "tray", 25) for seat in (1, 2)]
    false_entry(room, "collection.take", {"minutes": 30, "fees": {"1": 25, "2": 20}}, moves)
    resettle(house)
    assert only(house, "amount_differs")["said"]["fees"] == {"seat:1": 25, "seat:2": 20}


def test_a_table_that_was_closed_by_mistake_draws_anew(house: House) -> None:
    """CR-FIRST-ACE: a closing ends the deal that was due, and a reopening does not bring it back."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.play_out()
    room.divide()
    session = close(room)
    session_reopen(
        session_id=session.id,
        reason="another table was meant",
        second=house.badge(Role.SUPERVISOR),
        command=room.command(Role.PIT_BOSS),
    )
    room.shuffle()
    room.sit(CHIPS)
    room.draw("2S", "AS")
    assert room.deal().body["round"]["dealer"] == 2
    room.play_out()
    resettle(house)
    assert support.codes(house) == []


def test_no_pack_of_hands_is_counted_out(house: House) -> None:
    """CR-SECRET: what is not in a counted stub was in hands that nobody showed."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.void()
    cards = room.pack.to_dict()
    hands, stub = PACK[:15], list(PACK[15:])
    said = {"shoe": str(room.row.shoe_id), "cards": cards, "counted": True, "stub": stub}
    false_entry(room, "shoe.retire", said | {"turned_up": list(hands), "discrepancies": []})
    resettle(house)
    codes = [code for code in support.codes(house) if code != "shoe_projection_differs"]
    assert codes == ["burn_tells_hands"]


def test_no_card_is_opened_that_an_entry_does_not_show(house: House) -> None:
    """CR-SECRET: what is laid down without a bet stays unseen; the journal must not hold it either."""
    room = make_room(house, chips=CHIPS, source=CardSource.DRAWN)
    room.deal()
    opened = {"openings": shown_from(room, range(52))}
    seat = room.state.order[0]
    support.forge(house, room.newest, [{"type": "forfeit", "seat": seat}], kind="round.pass", payload=opened)
    resettle(house)
    assert only(house, "opening_surplus") == {"cards": 0, "openings": 52}


def test_a_pack_is_not_loaded_over_another(house: House) -> None:
    """A second commitment in the middle of a round is another order of the cards that are still to come."""
    room = make_room(house, chips=CHIPS, dealer=4)
    said = {"shoe": str(uuid.uuid4()), "number": 9, "packs": 1, "cut_card": 0, "source": "scanned"}
    false_entry(room, "shoe.load", said)
    resettle(house)
    of_shoes = [code for code in support.codes(house) if code != "shoe_projection_differs"]
    assert of_shoes == ["out_of_order"]


@pytest.mark.parametrize(
    ("stated", "actions"),
    [
        (False, [{"type": "bet", "seat": 1, "amount": 10}, {"type": "turn", "card": "QS"}]),
        (True, [{"type": "turn", "card": "QS"}, {"type": "show", "seat": 1, "cards": ["KS"]}]),
    ],
)
def test_a_bet_its_card_and_the_show_are_entries_of_their_own(
    house: House, stated: bool, actions: list[dict[str, Any]]
) -> None:
    """CR-STATED: the journal proves that the bet came first; in one entry with its card it does not."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    if stated:
        room.bet(1, 10)
    kind = "round.turn" if stated else "round.bet"
    support.forge(house, room.newest, actions, kind=kind)
    resettle(house)
    assert only(house, "bet_not_before_card")["kind"] == kind


def test_what_the_rules_allow_and_somebody_must_see(house: House) -> None:
    """CR-PAYMENT, CR-EXPOSED: one signal of a kind a round; a payment put right and one exposure are none."""
    room = make_room(house, chips=CHIPS, dealer=4)
    room.deal()
    room.lay_down(1)
    room.mispay(1, "taken", 5)
    room.put_right(1)
    room.expose("2C")
    room.play_out()
    room.shuffle()
    room.deal(players=[1, 2])
    for card in ("2C", "3C", "4C"):
        room.expose(card)
    room.mispay(1, "bet_into_pool", 5)
    room.play_out()
    resettle(house)
    assert support.codes(house) == ["cards_exposed_often", "left_out", "payment_stands"]
    left_out = Finding.objects.get(casino=house.casino, code="left_out")
    assert left_out.evidence.get().body == {"had": {"4": 980}, "cost": 10}
