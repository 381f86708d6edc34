"""A gaming day over HTTP alone: from enrolment to the counted drop."""

import pytest

from ledger.selectors import balances
from tables.models import CardSource, Role, Table
from tables.services import terminals
from tests import floor
from tests.api.client import Desk, Reply

TRAY = {"100": 400, "500": 400, "2500": 200, "10000": 100}


def enrolled(house: floor.House, table: Table | None, role: Role) -> Desk:
    """A terminal that traded its code for a credential, with somebody signed in."""
    _, code = terminals.terminal_register(
        casino_id=house.casino.id,
        table_id=table.id if table else None,
        name="terminal",
        command=house.office(),
    )
    desk = Desk(None)
    reply = desk.send("POST", "terminals/enrolments", {"code": code}, {})
    assert reply.status == 201
    assert reply.body["table"] == (str(table.id) if table else None)
    desk.credential = reply.body["credential"]
    badge = house.badge(role)
    reply = desk.send("POST", "sign-ins", {"badge": badge.number, "pin": badge.pin}, {})
    assert reply.status == 201
    assert reply.body["staff"] == {
        "badge": badge.number,
        "display_name": f"{role.label} 1",
        "role": role.value,
    }
    return desk


def ok(reply: Reply, status: int = 200) -> Reply:
    """The reply, which must be a success."""
    assert reply.status == status, reply.body
    return reply


def second(house: floor.House, role: Role) -> dict[str, str]:
    badge = house.badge(role)
    return {"badge": badge.number, "pin": badge.pin}


def deal(desk: Desk, round_id: str, source: CardSource, *cards: str) -> Reply:
    scanned = source == CardSource.SCANNED
    return ok(desk.post(f"rounds/{round_id}/cards", {"cards": cards} if scanned else {"draw": len(cards)}))


def play(desk: Desk, table: Table, source: CardSource) -> Reply:
    """One round: two bets, the cards, a raise where there is a spread."""
    begun = ok(desk.post(f"tables/{table.id}/rounds", {"bets": {"1": 1000, "2": 2500}}), 201)
    round_id = begun.body["round"]["id"]
    ok(desk.post(f"rounds/{round_id}/bets", {"take_back": [2], "bets": {"2": 500}}))
    reply = deal(desk, round_id, source, "4S", "TH")
    if reply.body["round"]["phase"] == "raising":
        spread = reply.body["round"]["spread"]
        ok(desk.post(f"rounds/{round_id}/announcement", {"spread": spread}))
        ok(desk.post(f"rounds/{round_id}/raises", {"raises": {"1": 1000}}))
    if not reply.body["round"]["over"]:
        reply = deal(desk, round_id, source, "7D")
    assert reply.body["round"]["over"]
    assert set(reply.body["round"]["results"]) == {"1", "2"}
    assert reply.body["table"]["round"] is None
    return reply


@pytest.mark.django_db
@pytest.mark.parametrize("source", [CardSource.SCANNED, CardSource.DRAWN])
def test_a_day_from_enrolment_to_the_counted_drop(source: CardSource) -> None:
    house = floor.make_house()
    table = floor.make_table(house, card_source=source)
    cage = enrolled(house, None, Role.CAGE)
    desk = enrolled(house, table, Role.DEALER)
    path = f"tables/{table.id}"

    # the cage brings chips and cash into the house, and fills the table
    ok(cage.get("cage"))
    chips = {value: number * 10 for value, number in TRAY.items()}
    ok(cage.post("cage/chips", {"chips": chips, "second": second(house, Role.PIT_BOSS)}), 201)
    ok(cage.post("cage/cash", {"amount": 5_000_000}), 201)
    assert ok(desk.get(path)).body["session"] is None
    signed = {"chips": TRAY, "second": second(house, Role.SUPERVISOR)}
    asked = ok(desk.post(f"{path}/fills", signed), 201).body["slip"]["id"]
    carried = {"chips": TRAY, "runner": second(house, Role.SECURITY)}
    issued = ok(cage.post(f"cage/fills/{asked}/issue", carried)).body
    assert (issued["label"], issued["status"]) == ("F-1", "on_the_way")
    received = ok(desk.post(f"{path}/fills/{asked}/receipt", signed))
    assert received.body["slip"]["status"] == "received"

    # the table opens, players come
    opened = ok(
        desk.post(f"{path}/sessions", {"opener": TRAY, "second": second(house, Role.SUPERVISOR)}), 201
    )
    session_id = opened.body["session"]["id"]
    ok(desk.post(f"{path}/shoes"), 201)
    ok(desk.post(f"{path}/shoes/current/burns", {"reason": "first_card"}))
    ok(desk.post(f"{path}/seats/1/occupation", {"cash": 20_000, "chips": 0}))
    ok(desk.post(f"{path}/seats/2/occupation", {"cash": 0, "chips": 5_000, "player": None}))
    ok(desk.post(f"{path}/seats/1/buy-ins", {"cash": 10_000}))

    results = play(desk, table, source).body["round"]["results"]
    if source == CardSource.SCANNED:
        assert results == {
            "1": {"bet": 1000, "raise": 1000, "paid": 2000, "net": 2000},
            "2": {"bet": 500, "raise": 0, "paid": 500, "net": 500},
        }

    # a round that is voided gives its stakes back
    begun = ok(desk.post(f"{path}/rounds", {"bets": {"1": 1000}}), 201)
    void = {"reason": "misdeal", "note": "a card fell", "second": second(house, Role.SUPERVISOR)}
    voided = ok(desk.post(f"rounds/{begun.body['round']['id']}/void", void))
    assert voided.body["round"]["status"] == "cancelled"

    # they leave, one redeems; the table closes on what the books say, for nobody cheated
    left = [ok(desk.delete(f"{path}/seats/{seat}/occupation")).body["chips"] for seat in (1, 2)]
    assert left == [30_000 + results["1"]["net"], 5_000 + results["2"]["net"]]
    ok(desk.post(f"{path}/shoes/current/retirement"))
    redeemed = ok(cage.post("cage/redemptions", {"chips": {"100": left[0] // 100}}), 201)
    assert redeemed.body["paid"] == left[0]
    tray = balances(table.stream)["tray"]
    closing = {"closer": {"100": tray // 100}, "second": second(house, Role.SUPERVISOR)}
    closed = ok(desk.post(f"sessions/{session_id}/closure", closing))
    assert closed.body["session"]["status"] == "closed"
    assert closed.body["table"]["session"] is None

    # the box leaves the table, and is counted by one cashier and then by another
    in_use = ok(cage.get("cage/boxes")).body["boxes"]
    assert [(box["name"], box["status"]) for box in in_use] == [(f"{table.code}-1", "on_table")]
    removal = {"box": 1, "second": second(house, Role.PIT_BOSS)}
    box = ok(cage.post(f"sessions/{session_id}/box-removal", removal, if_match="*")).body["box"]["id"]
    drop = {"notes": {"10000": 3}}
    once = ok(cage.post(f"boxes/{box}/first-count", drop, if_match="*"))
    assert once.body["box"]["status"] == "first_counted"
    assert cage.post(f"boxes/{box}/second-count", drop, if_match="*").code == "same_person_signed"
    other = {"badge": house.cashier_2.badge, "pin": floor.PIN}
    ok(cage.send("POST", "sign-ins", other, {}), 201)
    with_slips = {**drop, "slips": ["F-1"]}
    counted = ok(cage.post(f"boxes/{box}/second-count", with_slips, if_match="*"))
    assert counted.body["session"]["status"] == "counted"
    money = balances(table.stream)
    assert money["over_short"] == money["cash:over_short"] == 0
    assert money["cash:count_room"] == 30_000
    assert ok(desk.send("DELETE", "sign-ins/current", None, {}), 204).body == ""
    assert desk.get(path).code == "not_signed_in"
