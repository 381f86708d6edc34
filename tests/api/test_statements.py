"""How many SQL statements each command sends; BEGIN, COMMIT and SAVEPOINT are not counted.

Two of them find out who is calling (the terminal's credential; who is signed in there). The rest are the
service's: six for whatever happens in a round, which are to lock the table, to read what goes on there
along with whether the command was answered before, to post the entry, and to write the round, the table
and the answer. What needs more reads a seat, a slip or a balance, or keeps a row of its own; a second
signature costs three (is the badge locked, whose is it, keep it). The card room's are in `test_card_room`.
"""

from typing import Any

import pytest

from ledger.models import Entry
from ledger.selectors import balances
from tables.models import Role, Round, SignIn
from tables.services import office
from tests import floor
from tests.api.client import Desk
from tests.api.conftest import Place, put_on_duty
from tests.api.statements import counted

CALLER = 2

SERVICE_STATEMENTS = {
    # the cage: no projection but its own row
    "cage.fund": 5,
    "cage.redeem": 8,  # the redemption; whether its day was closed; the cash
    "cage.sell": 7,  # whether its day was closed; the cash
    "fill.issue": 10,  # the slip, locked and written; the runner's signature
    "credit.issue": 7,  # the slip, locked and written
    "credit.receive": 7,
    "slip.print": 7,
    "cage.commission": 9,  # a second signature; whether its day was closed
    # the table between rounds
    "fill.request": 10,  # the gaming day that runs; a second signature, the slip
    "fill.receive": 10,  # the slip, locked and written; a second signature
    "credit.request": 10,
    "credit.send": 12,  # as a fill's receipt; and the runner
    "slip.void": 10,  # the slip, locked and written; a second signature
    "cage.take_back": 10,
    "seat.buy_in": 7,  # the seat, read; the cash
    "seat.take": 8,  # the seat, read and written; the cash
    "seat.leave": 8,  # and its chips
    "shoe.load": 6,
    "shoe.burn": 5,
    "shoe.retire": 6,
    # rounds
    "round.start": 7,  # who sits where
    "round.bet": 7,  # who sits where
    "round.deal": 6,
    "round.announce": 6,
    "round.raise": 6,
    "round.deal, which settles": 6,
    "round.expose": 6,
    "round.void": 10,  # a second signature, and whether its giver has dealt here
    # sessions: a second signature, the session's row, what the books say of the tray or the box
    "session.open": 14,  # whether its day was closed; the stint; which boxes are away, and the one put on
    "session.close": 12,  # whether seats are taken; the outbox
    # boxes: the box and its session, read apart, and written
    "box.remove": 12,  # a second signature, who has dealt, what the books say of the box
    "drop.count_first": 7,
    "drop.count_second": 12,  # who counts, the other boxes, the session, both signatures; the outbox
}


class Teller:
    """Sends commands and keeps how many statements each of them took."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}

    def send(self, name: str, desk: Desk, path: str, body: Any = None, **how: Any) -> Any:
        """Send a command that must succeed; answers its body."""
        call = desk.delete if how.pop("method", "POST") == "DELETE" else desk.post
        arguments = (path,) if call == desk.delete else (path, body)
        with counted() as statements:
            reply = call(*arguments, **how)
        assert reply.status < 300, (name, reply.body)
        self.taken[name] = len(statements) - CALLER
        return reply.body


@pytest.mark.django_db
def test_each_command_keeps_to_its_statements(place: Place) -> None:
    teller, desk, cage, path = Teller(), place.desk, place.cage, place.path
    supervisor, pit_boss = place.badge(Role.SUPERVISOR), place.badge(Role.PIT_BOSS)

    teller.send("cage.commission", cage, "cage/chips", {"chips": {"100": 1}, "second": pit_boss})
    teller.send("cage.fund", cage, "cage/cash", {"amount": 1000})
    teller.send("cage.redeem", cage, "cage/redemptions", {"chips": {"100": 1}})
    teller.send("cage.sell", cage, "cage/sales", {"chips": {"100": 1}})

    chips, runner = {"100": 1}, place.badge(Role.SECURITY)
    signed, carried = {"chips": chips, "second": supervisor}, {"chips": chips, "runner": runner}
    for again in ("received", "void"):
        slip = teller.send("fill.request", desk, f"{path}/fills", signed)["slip"]["id"]
        teller.send("fill.issue", cage, f"cage/fills/{slip}/issue", carried)
        if again == "received":
            teller.send("fill.receive", desk, f"{path}/fills/{slip}/receipt", signed)
    teller.send("slip.void", desk, f"{path}/slips/{slip}/void", {"reason": "torn", "second": supervisor})
    back = {"chips": chips, "second": pit_boss}
    teller.send("cage.take_back", cage, f"cage/slips/{slip}/return", back)
    slip = teller.send("credit.request", desk, f"{path}/credits", signed)["slip"]["id"]
    teller.send("credit.issue", cage, f"cage/credits/{slip}/issue")
    teller.send("credit.send", desk, f"{path}/credits/{slip}/dispatch", signed | {"runner": runner})
    teller.send("credit.receive", cage, f"cage/credits/{slip}/receipt", {"chips": chips})
    teller.send("slip.print", cage, f"cage/slips/{slip}/prints")

    teller.send("seat.take", desk, f"{path}/seats/3/occupation", {"cash": 10_000, "chips": 5_000})
    teller.send("seat.buy_in", desk, f"{path}/seats/3/buy-ins", {"cash": 10_000})
    teller.send("shoe.burn", desk, f"{path}/shoes/current/burns", {"reason": "other"})

    begun = teller.send("round.start", desk, f"{path}/rounds", {"bets": {str(n): 1000 for n in (1, 2, 3)}})
    played = f"rounds/{begun['round']['id']}"
    teller.send("round.bet", desk, f"{played}/bets", {"take_back": [3], "bets": {"3": 2000}})
    teller.send("round.deal", desk, f"{played}/cards", {"cards": ["4S", "TH"]})
    teller.send("round.announce", desk, f"{played}/announcement", {"spread": 5})
    teller.send("round.raise", desk, f"{played}/raises", {"raises": {"1": 1000, "3": 2000}})
    teller.send("round.deal, which settles", desk, f"{played}/cards", {"cards": ["7S"]})

    begun = teller.send("round.start", desk, f"{path}/rounds", {"bets": {"1": 1000}})
    exposed = f"rounds/{begun['round']['id']}"
    teller.send("round.deal", desk, f"{exposed}/cards", {"cards": ["5S", "JH"]})
    teller.send("round.expose", desk, f"{exposed}/exposure", {"card": "8S"})

    begun = teller.send("round.start", desk, f"{path}/rounds", {"bets": {"1": 1000}})
    void = {"reason": "misdeal", "second": supervisor}
    teller.send("round.void", desk, f"rounds/{begun['round']['id']}/void", void)

    for seat in (1, 2, 3):
        teller.send("seat.leave", desk, f"{path}/seats/{seat}/occupation", method="DELETE")
    teller.send("shoe.retire", desk, f"{path}/shoes/current/retirement", {"stub": ["8S"]})
    teller.send("shoe.load", desk, f"{path}/shoes")

    # One chip is missing, so that the count moves the difference too.
    closer = {"100": balances(place.table.stream)["tray"] // 100 - 1}
    closing = {"closer": closer, "second": supervisor}
    teller.send("session.close", desk, f"sessions/{place.session}/closure", closing)
    removal = {"box": 1, "second": pit_boss}
    box = teller.send("box.remove", cage, f"sessions/{place.session}/box-removal", removal, if_match="*")
    counts, drop = f"boxes/{box['box']['id']}", {"notes": {"10000": 1}}
    teller.send("drop.count_first", cage, f"{counts}/first-count", drop, if_match="*")
    sign_in = put_on_duty(place.house, place.cage_terminal, Role.CAGE)
    SignIn.objects.filter(id=sign_in.id).update(staff=place.house.cashier_2)
    teller.send("drop.count_second", cage, f"{counts}/second-count", drop, if_match="*")
    desk.get(path)
    opening = {"opener": closer, "second": supervisor}
    teller.send("session.open", desk, f"{path}/sessions", opening)

    assert teller.taken == SERVICE_STATEMENTS


@pytest.mark.django_db
def test_a_round_that_waits_for_its_fill_keeps_to_its_statements(place: Place) -> None:
    teller, desk, path = Teller(), place.desk, place.path
    begun = teller.send("round.start", desk, f"{path}/rounds", {"bets": {"1": 100_000, "2": 100_000}})
    played = f"rounds/{begun['round']['id']}"
    desk.post(f"{played}/cards", {"cards": ["8S", "8H"]})
    owed = teller.send("round.deal, which waits", desk, f"{played}/cards", {"cards": ["8D"]})
    assert owed["round"]["tray_need"] == 2_200_000
    assert owed["table"]["round"]["id"] == begun["round"]["id"], "it is owed, it does not fail"

    before = floor.snapshot(place.house)
    reply = desk.post(f"{played}/settlement")
    assert (reply.status, reply.code, reply.body["account"]) == (409, "floor_broken", "tray")
    assert floor.snapshot(place.house) == before

    chips = {"10000": 100}
    floor.receive_fill(place.house, place.table, floor.send_fill(place.house, place.table, chips), chips)
    desk.get(path)
    paid = teller.send("round.settle", desk, f"{played}/settlement")
    assert [result["paid"] for result in paid["round"]["results"].values()] == [1_100_000] * 2
    assert teller.taken == {
        "round.start": 7,
        "round.deal, which waits": 7,  # the post that fell short, and the one that took its place
        "round.settle": 6,
    }


@pytest.mark.django_db
def test_corrections_keep_to_their_statements(place: Place) -> None:
    """Besides the six: a second signature, what lies where, who sits there, and what is corrected; of a
    buy-in its cash, read and taken back."""
    teller, desk, path = Teller(), place.desk, place.path
    bought = desk.post(f"{path}/seats/1/buy-ins", {"cash": 5_000})
    assert bought.status == 200
    entry = Entry.objects.filter(stream__name=place.table.stream).latest("seq").id
    begun = desk.post(f"{path}/rounds", {"bets": {"1": 1000}}).body
    desk.post(f"rounds/{begun['round']['id']}/cards", {"cards": ["4S", "5H"]})
    put_on_duty(place.house, place.terminal, Role.SUPERVISOR)
    why = {"reason": "other", "second": place.badge(Role.PIT_BOSS)}
    mispaid = {"seat": 2, "amount": 500, "direction": "to_seat"}
    teller.send("entry.reverse", desk, f"{path}/entries/{entry}/reversal", why)
    teller.send("correction.post", desk, f"{path}/corrections", mispaid | why)
    board = {"cards": ["4S", "4H", "4D"]}
    teller.send("round.correct", desk, f"rounds/{begun['round']['id']}/correction", board | why)
    void = {"reason": "misdeal", "second": place.badge(Role.PIT_BOSS)}
    teller.send("round.cancel", desk, f"rounds/{begun['round']['id']}/cancellation", void)
    assert teller.taken == {
        "entry.reverse": 14,
        "correction.post": 10,
        "round.correct": 12,
        "round.cancel": 13,  # whether its giver has dealt here
    }


@pytest.mark.django_db
def test_a_table_s_life_keeps_to_its_statements(place: Place) -> None:
    teller, desk, path = Teller(), place.desk, place.path
    other = place.house.badge(Role.PIT_BOSS)
    change = {"into_tray": {"500": 5}, "out_of_tray": {"2500": 1}}
    teller.send("seat.change", desk, f"{path}/seats/1/changes", change)
    teller.send("toke.give", desk, f"{path}/seats/1/tokes", {"amount": 500})
    signed = place.badge(Role.SUPERVISOR)
    tokes = {"chips": {"100": 4}, "second": signed}
    teller.send("toke.collect", desk, f"{path}/tokes", tokes)
    teller.send("promo.stock", place.cage, "cage/promotions/stock", {"pieces": {"500": 2}, "second": signed})
    known = office.player_create(
        casino_id=place.house.casino.id, reference="P-7", description="", command=place.house.office()
    )
    pieces = {"player": known.body["player"], "pieces": {"MP-1": 500, "MP-2": 500}}
    teller.send("promo.issue", place.cage, "cage/promotions", pieces)
    staked = {"bets": {"1": 1000, "2": 1000}, "coupons": {"1": "MP-1"}, "tokes": {"2": 500}}
    begun = teller.send("round.start, with a piece", desk, f"{path}/rounds", staked)
    played = f"rounds/{begun['round']['id']}"
    changed = {"take_back": [2], "bets": {"2": 1000}, "coupons": {"2": "MP-2"}}
    teller.send("round.bet, with a piece", desk, f"{played}/bets", changed)
    desk.post(f"{played}/cards", {"cards": ["8S", "8H"]})
    teller.send("round.deal, which takes pieces in", desk, f"{played}/cards", {"cards": ["8D"]})
    found = {"coupons": ["MP-1", "MP-2"], "second": signed}
    teller.send("promo.collect", desk, f"{path}/promotions", found)
    teller.send("dealer.sign_on", desk, f"{path}/stints")
    relief = {"relief": {"badge": other.number, "pin": other.pin}, "count": None}
    teller.send("dealer.relieve", desk, f"{path}/stints/current/relief", relief)
    teller.send("dealer.sign_off", desk, f"{path}/stints/current", method="DELETE")
    made = office.rule_set_create(
        casino_id=place.house.casino.id,
        name="evening",
        body=floor.RULES | {"min_bet": 100},
        command=place.house.office(),
    )
    second = place.badge(Role.SUPERVISOR)
    rules = {"rules": made.body["rules"], "reason": "evening", "second": second}
    teller.send("table.rules", desk, f"{path}/rules", rules)
    for seat in (1, 2):
        desk.delete(f"{path}/seats/{seat}/occupation")
    closer = {"closer": {"100": balances(place.table.stream)["tray"] // 100}, "second": second}
    desk.post(f"sessions/{place.session}/closure", closer)
    again = {"reason": "the wrong table", "second": second}
    teller.send("session.reopen", desk, f"sessions/{place.session}/reopening", again)
    assert teller.taken == {
        "seat.change": 7,  # who sits there, and what lies where
        "toke.give": 6,  # who sits there
        "toke.collect": 9,  # what lies in the box; a second signature
        "promo.stock": 9,  # a second signature; the stock
        "promo.issue": 10,  # who it is, whether a number was given before; the stock, and the pieces
        "round.start, with a piece": 9,  # the pieces, held and written
        "round.bet, with a piece": 9,
        "round.deal, which takes pieces in": 7,
        "promo.collect": 10,  # the pieces found and missing, and written; a second signature
        "dealer.sign_on": 6,  # the stint
        "dealer.relieve": 12,  # who comes, both stints, both signatures, and whose the terminal is
        "dealer.sign_off": 6,
        "table.rules": 11,  # the rule set, the places, what lies in the pool; a second signature
        "session.reopen": 13,  # whether its box is still on the table
    }


@pytest.mark.django_db
def test_markers_keep_to_their_statements(place: Place) -> None:
    """The whole way over the API: a limit, three markers, both redemptions at the table, one at the cage."""
    teller, desk, path = Teller(), place.desk, f"{place.path}/seats/3"
    casino = place.house.casino
    casino.profiles = [{"from": "2000-01-01", "name": "generic_markers", "version": 1}]
    casino.save(update_fields=["profiles"])
    known = office.player_create(
        casino_id=casino.id, reference="P-8", description="", command=place.house.office()
    )
    boss = place.badge(Role.PIT_BOSS)
    limit = {"player": known.body["player"], "limit": 5_000, "reason": "application", "second": boss}
    teller.send("cage.credit_limit", place.cage, "cage/credit-limits", limit)
    desk.post(f"{path}/occupation", {"cash": 0, "chips": 0, "player": known.body["player"]})
    asked = {"amount": 1_000, "second": boss}
    first = teller.send("marker.issue, the table's first", desk, f"{path}/markers", asked)["marker"]
    second, third = (teller.send("marker.issue", desk, f"{path}/markers", asked)["marker"] for _ in "12")
    assert [each["label"][-3:] for each in (first, second, third)] == ["-M1", "-M2", "-M3"]
    refused = desk.post(f"{path}/markers", {"amount": 2_100, "second": boss})
    assert (refused.status, refused.code, refused.body["owed"]) == (409, "above_credit_limit", 3_000)
    for kept, tender in ((first, "chips"), (second, "cash")):
        where = f"{path}/markers/{kept['marker']}/redemption"
        paid = teller.send(f"marker.redeem, {tender}", desk, where, {"tender": tender})
        assert (paid["redeemed"], paid["cash_report_due"]) == (1_000, None)
    where = f"cage/markers/{third['marker']}/payment"
    assert teller.send("cage.redeem_marker", place.cage, where)["received"] == 1_000
    assert teller.taken == {
        "cage.credit_limit": 10,  # the player, held and written; a second signature
        "marker.issue, the table's first": 16,  # its accounts
        "marker.issue": 15,  # seat, player, what is owed, number, box, what lies where; a second signature
        "marker.redeem, chips": 8,  # the marker, held and written; who sits there
        "marker.redeem, cash": 9,  # the cash
        "cage.redeem_marker": 9,  # whether its day was closed
    }


@pytest.mark.django_db
def test_a_pin_is_changed_in_a_fixed_number_of_statements(place: Place) -> None:
    teller, kept = Teller(), place.house.staff[Role.DEALER]
    changed = {"old": floor.PIN, "new": "246802"}
    told = teller.send("staff.pin", place.desk, "sign-ins/current/pin", changed, if_match="*")
    assert told == {"staff": str(kept.id)}
    assert teller.taken == {"staff.pin": 9}  # who it is, held; wrong ones before; the PIN, written


@pytest.mark.django_db
def test_a_dealer_who_signs_in_deals_and_nobody_is_paid_out(place: Place) -> None:
    """The sign-in is the stint's beginning, and tells the terminal the table's new version."""
    dealer, version = place.badge(Role.DEALER), place.desk.version
    signed = place.desk.post("sign-ins", dealer, idempotency_key="", if_match="")
    assert (signed.status, place.desk.version) == (201, version + 1)
    assert "ETag" not in place.desk.post("sign-ins", dealer, idempotency_key="", if_match="").headers
    begun = place.desk.post(f"{place.path}/rounds", {"bets": {"1": 1000}})
    assert begun.status == 201
    assert Round.objects.get(id=begun.body["round"]["id"]).dealer == place.house.staff[Role.DEALER]
    reply = place.desk.post(f"{place.path}/seats/1/cash-outs", {"amount": 1000})
    assert (reply.status, reply.code) == (403, "no_cash_out")
    assert place.desk.delete("sign-ins/current", idempotency_key="", if_match="").status == 204
    kinds = Entry.objects.filter(stream__name=place.table.stream, kind__startswith="dealer.").order_by("seq")
    assert [entry.kind for entry in kinds] == ["dealer.sign_on", "dealer.sign_off"]


@pytest.mark.django_db
def test_money_plays_keep_to_their_statements(place: Place) -> None:
    """Over the API: currency bet and raised beside chips, lost, lying there again, taken back."""
    teller, desk = Teller(), place.desk
    casino = place.house.casino
    casino.profiles = [{"from": "2000-01-01", "name": "generic_markers_money_plays", "version": 1}]
    casino.save(update_fields=["profiles"])
    rounds = f"{place.path}/rounds"
    staked = {"bets": {"1": 1_000}, "money": {"2": 1_000}}
    begun = teller.send("round.start, the table's first", desk, rounds, staked)["round"]
    assert (begun["bets"], begun["money"]) == ({"1": 1_000, "2": 1_000}, {"2": 1_000})
    played = f"rounds/{begun['id']}"
    desk.post(f"{played}/cards", {"cards": ["4S", "TH"]})
    desk.post(f"{played}/announcement", {"spread": 5})
    raised = teller.send("round.raise", desk, f"{played}/raises", {"money": {"1": 1_000, "2": 500}})["round"]
    assert raised["money_raises"] == {"1": 1_000, "2": 500}
    lost = teller.send("round.deal, which settles", desk, f"{played}/cards", {"cards": ["KS"]})
    assert "cash_reports_due" not in lost
    begun = teller.send("round.start", desk, rounds, {"money": {"1": 1_000, "2": 1_000}})["round"]
    changed = {"take_back": [2], "money": {"2": 500}}
    teller.send("round.bet", desk, f"rounds/{begun['id']}/bets", changed)
    refused = desk.post(f"rounds/{begun['id']}/bets", {"money": {"1": 500}})
    assert (refused.status, refused.code) == (409, "bet_exists")
    assert balances(place.table.stream)["money:2"] == 500
    assert teller.taken == {
        "round.start, the table's first": 9,  # its accounts
        "round.start": 8,  # what lies where, for the accounts
        "round.raise": 7,
        "round.bet": 8,
        "round.deal, which settles": 10,  # who sits there, the round before, and cash in of two
    }
