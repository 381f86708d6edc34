"""The irregularities of the card-room games, done on purpose; what must be refused is, without effect."""

from typing import Any

from tables.simulation.card_room import RoomDealer
from tables.simulation.dealer import Incident, Json
from tables.simulation.incidents import attempt
from tables.simulation.players import BUY_IN_BETS, make_player


def _refused(dealer: RoomDealer, kind: str, expected: str, what: str, body: Json) -> None:
    """Try a command about the round in progress that must not work."""
    assert dealer.round is not None, "a round is in progress"
    path = f"rounds/{dealer.round['id']}/{what}"
    attempt(dealer, kind, expected, lambda: dealer.terminal.command("POST", path, body))


def _turn(dealer: RoomDealer) -> Any:
    assert dealer.round is not None, "a round is in progress"
    return dealer.round["turn"]


# --- dealing --------------------------------------------------------------------------------------------


def misdealt(*counts: int) -> Incident:
    """The first hands of the next deal get so many cards: none, too few or too many."""

    def incident(dealer: RoomDealer) -> None:
        first = dealer.order()[1:]
        dealer.counts = dict(zip(first, counts, strict=False))
        for number in counts:
            size = dealer.view["limits"]["cards_each"]
            if not number or number > size:
                dealer.chronicle.count("hands too large" if number else "hands missing")

    return incident


def without_the_ante(dealer: RoomDealer) -> None:
    """Somebody sits down with less than a deal costs: he cannot be dealt in, and is not."""
    seat = next(
        number for number in range(1, dealer.view["limits"]["seats"] + 1) if number not in dealer.seats
    )
    late = make_player("late", seat, cash=dealer.cost * BUY_IN_BETS, patience=(2, 2))
    dealer.seat(seat, late, cash=dealer.view["limits"]["chip"])
    body = {"players": sorted([*dealer.order(), seat])}
    attempt(
        dealer,
        "dealt in without the ante",
        "409 floor_broken",
        lambda: dealer.terminal.command("POST", f"{dealer.path}/deals", body),
    )
    dealer.chronicle.count("players without the ante")


def spent_pack(dealer: RoomDealer) -> None:
    """A deal from the pack of the round before."""
    attempt(
        dealer,
        "deal without a shuffle",
        "409 shuffle_due",
        lambda: dealer.terminal.command("POST", f"{dealer.path}/deals", {}),
    )


def left_pool(dealer: RoomDealer) -> None:
    """Closing the table while chips lie in the pool."""
    path = f"sessions/{dealer.view['session']['id']}/closure"
    body = {"closer": {}, "second": dealer.post.supervisor.as_json()}
    attempt(
        dealer,
        "close with a pool",
        "409 pool_not_empty",
        lambda: dealer.terminal.command("POST", path, body),
    )


# --- bets -----------------------------------------------------------------------------------------------


def out_of_turn(dealer: RoomDealer) -> None:
    """The last player bets before it is his turn."""
    assert dealer.round is not None, "a round is in progress"
    body = {"bets": {str(dealer.round["order"][-1]): _turn(dealer)["minimum"]}}
    _refused(dealer, "bet out of turn", "409 not_his_turn", "bets", body)


def over_the_pool(dealer: RoomDealer) -> None:
    """A bet of a chip more than lies in the middle."""
    turn = _turn(dealer)
    body = {"bets": {str(turn["seat"]): turn["maximum"] + turn["step"]}}
    _refused(dealer, "bet above the pool", "409 bet_above_maximum", "bets", body)


def changed_bet(dealer: RoomDealer) -> None:
    """A player who has stated his bet would rather have bet less."""
    turn = _turn(dealer)
    body = {"bets": {str(turn["seat"]): dealer.view["limits"]["chip"]}}
    _refused(dealer, "change of a stated bet", "409 bet_stands", "bets", body)


def lays_down(dealer: RoomDealer) -> None:
    """The player in turn bets nothing: a forfeit, a pass, or a short hand discarded."""
    dealer.lay_down(_turn(dealer))


def whole_hand_of_a_winner(dealer: RoomDealer) -> None:
    """A player lays his whole hand open although it wins: cards speak."""
    turn = _turn(dealer)
    assert dealer.pack is not None, "only physical hands are looked at"
    body = {"seat": turn["seat"], "cards": dealer.pack.hands[turn["seat"]]}
    _refused(dealer, "winning hand shown as a lost one", "409 hand_wins", "shows", body)


# --- cards ----------------------------------------------------------------------------------------------


def exposed(dealer: RoomDealer) -> None:
    """The top card is seen by accident."""
    dealer.expose()


def impossible_card(dealer: RoomDealer) -> None:
    """The exposed card comes once more: the table is frozen, the round void, the table released.

    Before any card has decided a bet, for a void that takes a result away is a finding of the audit's.
    """
    assert dealer.round is not None, "a round is in progress"
    card = dealer.round["cards"][-1]
    body = {"card": card}
    _refused(dealer, "card seen twice in one pack", "409 impossible_card", "exposed-cards", body)
    dealer.freeze(f"{card} came twice")
    _refused(dealer, "play at a frozen table", "409 table_frozen", "exposed-cards", body)
    dealer.void("irregularity", f"{card} came twice in one pack")
    dealer.release("the pack was taken away and checked")


# --- payments -------------------------------------------------------------------------------------------


def paid_into_the_pool(dealer: RoomDealer) -> None:
    """A bet is wrongly paid into the pool, where it stays."""
    assert dealer.round is not None, "a round is in progress"
    in_order = set(dealer.round["order"]) - {payment["seat"] for payment in dealer.round["payments"]}
    seat = max(in_order, key=lambda number: dealer.seats[number].stack)
    dealer.mispay(seat, "bet_into_pool", dealer.view["limits"]["ante"])
    dealer.chronicle.count("bets paid into the pool")
    kind = "bet paid into the pool taken back"
    _refused(dealer, kind, "409 no_payment", "mispayments/correction", {"seat": seat})


def put_right_in_time(dealer: RoomDealer) -> None:
    """A player takes a chip too much, and gives it back before the next player's card."""
    seat, chip = _just_played(dealer), dealer.view["limits"]["chip"]
    dealer.mispay(seat, "taken", chip)
    dealer.put_right(seat, chip)


def noticed_too_late(dealer: RoomDealer) -> None:
    """A player takes a chip too much, and it is noticed after the next player's card was turned."""
    seat = _just_played(dealer)
    dealer.mispay(seat, "taken", dealer.view["limits"]["chip"])
    while _turn(dealer)["due"] != "show":
        dealer.next_step()
    kind = "wrong payment put right too late"
    _refused(dealer, kind, "409 payment_stands", "mispayments/correction", {"seat": seat})
    dealer.chronicle.count("wrong payments that stand")


def _just_played(dealer: RoomDealer) -> int:
    """The seat whose turn was decided last."""
    ends = {seat: dealer.last_round["results"][str(seat)]["end"] for seat in dealer.last_round["order"]}
    decided: list[int] = [seat for seat, end in ends.items() if end in ("won", "lost")]
    return decided[-1]
