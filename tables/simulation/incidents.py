"""What goes wrong on any floor, done on purpose: each must be refused (or replayed) without effect."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from tables.simulation.cage import in_pieces
from tables.simulation.dealer import FILL_STEP, Dealer, Incident
from tables.simulation.red_dog import RedDogDealer
from tables.simulation.slips import send_credit, void_fill
from tables.simulation.terminal import Refused, Terminal
from tables.simulation.world import Attempt


def attempt(dealer: Dealer, kind: str, expected: str, action: Callable[[], object]) -> None:
    """Try something that must not work, and look at the table afterwards.

    Args:
        expected: status and code, for example ``412 stale_version``.
    """
    before = dealer.terminal.version
    try:
        action()
    except Refused as refusal:
        got = f"{refusal.status} {refusal.code}"
    else:
        got = "accepted"
    _keep(dealer, kind, expected, got, before)


def _keep(dealer: Dealer, kind: str, expected: str, got: str, before: int) -> None:
    dealer.look()
    unchanged = dealer.terminal.version == before
    dealer.chronicle.attempted(Attempt(kind, dealer.post.code, expected, got, unchanged))


def not_signed_in(dealer: Dealer) -> None:
    """A command from a terminal nobody is signed in at."""
    before = dealer.terminal.version
    dealer.terminal.sign_out()
    try:
        dealer.terminal.command("POST", f"{dealer.path}/shoes")
        got = "accepted"
    except Refused as refusal:
        got = f"{refusal.status} {refusal.code}"
    dealer.sign_in()
    _keep(dealer, "not signed in", "403 not_signed_in", got, before)


def wrong_pin(dealer: Dealer) -> None:
    """A PIN mistyped at the sign-in."""
    person = dealer.post.dealer
    typed = person.pin[:-1] + str((int(person.pin[-1]) + 1) % 10)
    attempt(
        dealer, "wrong PIN", "403 badge_or_pin_wrong", lambda: dealer.terminal.sign_in(person.badge, typed)
    )


def same_person_twice(dealer: Dealer) -> None:
    """The dealer tries to be the second person too."""
    body = {"opener": {}, "second": dealer.post.dealer.as_json()}
    attempt(
        dealer,
        "one person signs twice",
        "403 same_person_signed",
        lambda: dealer.terminal.command("POST", f"{dealer.path}/sessions", body),
    )


def bad_shape(dealer: Dealer) -> None:
    """A body that is no command at all."""
    attempt(
        dealer,
        "bad shape",
        "400 invalid_content",
        lambda: dealer.terminal.command("POST", f"{dealer.path}/rounds", {"bets": "everything"}),
    )


def bet_over_limit(dealer: Dealer) -> None:
    """A bet of one step more than the limit."""
    seat, bounds = min(dealer.seats), dealer.bounds
    body = {"bets": {str(seat): bounds.maximum + bounds.step}}
    attempt(
        dealer,
        "bet over the limit",
        "409 bet_above_maximum",
        lambda: dealer.terminal.command("POST", f"{dealer.path}/rounds", body),
    )


def bet_beyond_chips(dealer: Dealer) -> None:
    """A bet the limits allow and the seat's chips do not cover."""
    seat = min(dealer.seats, key=lambda number: dealer.seats[number].stack)
    body = {"bets": {str(seat): dealer.bounds.fit(dealer.seats[seat].stack + dealer.bounds.step)}}
    attempt(
        dealer,
        "bet beyond the chips",
        "409 floor_broken",
        lambda: dealer.terminal.command("POST", f"{dealer.path}/rounds", body),
    )


def other_table(table_id: str) -> Incident:
    """A terminal reaches for a table that is not its own."""

    def incident(dealer: Dealer) -> None:
        attempt(
            dealer,
            "another terminal's table",
            "404 table_not_found",
            lambda: dealer.terminal.command("POST", f"tables/{table_id}/shoes"),
        )

    return incident


def stale(dealer: Dealer) -> None:
    """A command based on what the table was one action ago."""
    version = f'"{dealer.terminal.version - 1}"'
    path = f"{dealer.path}/shoes/current/retirement"
    attempt(
        dealer,
        "stale If-Match",
        "412 stale_version",
        lambda: dealer.terminal.command("POST", path, {}, if_match=version),
    )


def repeated_buy_in(dealer: Dealer) -> None:
    """A buy-in whose answer is lost: the terminal asks again, and again by hand, and once wrongly."""
    seat = min(dealer.seats)
    key, cash = uuid.uuid4(), dealer.bounds.minimum * 2
    guest = dealer.seats[seat]
    guest.cash += cash  # fetched from the machine in the lobby
    dealer.terminal.network.lose_next_answer = True
    path = f"{dealer.path}/seats/{seat}/buy-ins"
    dealer.buy_in(seat, cash, key=key)
    before = dealer.terminal.version
    again = dealer.terminal.command("POST", path, {"cash": cash}, key=key)
    got = "replayed" if again.replayed and dealer.terminal.network.lost == 1 else "done again"
    _keep(dealer, "retry after a lost answer", "replayed", got, before)
    attempt(
        dealer,
        "key reused for another body",
        "422 command_id_reused",
        lambda: dealer.terminal.command("POST", path, {"cash": 2 * cash}, key=key),
    )


def two_at_once(dealer: Dealer) -> None:
    """Two commands based on the same state reach the server together: one of them is too late."""
    seat, least, before = min(dealer.seats), dealer.bounds.minimum, dealer.terminal.version
    guest, amounts = dealer.seats[seat], (least, 2 * least)
    guest.cash += sum(amounts)
    path = f"{dealer.path}/seats/{seat}/buy-ins"

    def send(terminal: Terminal, cash: int) -> str:
        try:
            terminal.command("POST", path, {"cash": cash})
        except Refused as refusal:
            return f"{refusal.status} {refusal.code}"
        return "accepted"

    with closing(dealer.terminal.twin()) as twin, ThreadPoolExecutor(2) as both:
        got = list(both.map(send, (dealer.terminal, twin), amounts))
    for answer, cash in zip(got, amounts, strict=True):
        if answer == "accepted":
            dealer.chips_bought(guest, cash)
    expected = "412 stale_version, accepted"
    _keep(dealer, "two commands at once", expected, ", ".join(sorted(got)), before + 1)


def third_card_too_early(dealer: RedDogDealer) -> None:
    """A third card before the spread was announced."""
    assert dealer.round is not None, "a round is in progress"
    path = f"rounds/{dealer.round['id']}/cards"
    attempt(
        dealer,
        "third card before the announcement",
        "409 not_announced",
        lambda: dealer.terminal.command("POST", path, dealer.next_cards(1)),
    )


def raise_on_pair(dealer: Dealer) -> None:
    """A raise while a pair waits for its third card."""
    _raise_by_first_seat(dealer, "raise on a pair", "409 no_raise_on_pair")


def raise_on_consecutive(dealer: Dealer) -> None:
    """A raise after consecutive cards, which pushed at once."""
    _raise_by_first_seat(dealer, "raise on consecutive cards", "409 round_over")


def _raise_by_first_seat(dealer: Dealer, kind: str, expected: str) -> None:
    shown = dealer.round or dealer.last_round
    seat, bet = min(shown["bets"].items())
    path = f"rounds/{shown['id']}/raises"
    attempt(dealer, kind, expected, lambda: dealer.terminal.command("POST", path, {"raises": {seat: bet}}))


def impossible_card(card: str) -> Incident:
    """A card scanned once more than there are packs."""

    def incident(dealer: Dealer) -> None:
        body = {"card": card, "reason": "other"}
        attempt(
            dealer,
            f"impossible card ({card})",
            "409 impossible_card",
            lambda: dealer.terminal.command("POST", f"{dealer.path}/shoes/current/burns", body),
        )

    return incident


def void_round(dealer: Dealer) -> None:
    """Somebody knocked over the cards: the round is void, two people sign."""
    dealer.void("misdeal", "a card fell on the floor")


def credit(dealer: Dealer) -> None:
    """The tray is full, and some of its chips go back to the cage."""
    send_credit(dealer, FILL_STEP)


def unwanted_fill(dealer: Dealer) -> None:
    """Chips come that another table has asked for: the slip is void, they go back."""
    void_fill(dealer, FILL_STEP, "requested for another table")


def fresh_shoe(dealer: Dealer) -> None:
    """A guest asks for fresh cards, and the pit boss nods."""
    dealer.retire_shoe()
    dealer.load_shoe()


def toke(dealer: Dealer) -> None:
    """A guest gives the dealers a chip."""
    seat = max(dealer.seats, key=lambda number: dealer.seats[number].stack)
    dealer.act("POST", f"{dealer.path}/seats/{seat}/tokes", {"amount": dealer.bounds.step})
    dealer.seats[seat].stack -= dealer.bounds.step
    dealer.tokes += dealer.bounds.step
    dealer.chronicle.count("tokes")


def tokes_collected(dealer: Dealer) -> None:
    """The dealers' box is emptied on a joint count, and what was in it redeemed at the cage."""
    found = in_pieces(dealer.tokes, dealer.post.chips)
    signed = dealer.post.supervisor.as_json()
    dealer.act("POST", f"{dealer.path}/tokes", {"chips": found, "second": signed})
    dealer.cage.redeem_tokes(dealer.tokes)
    dealer.tokes = 0
    dealer.chronicle.count("tokes collected")


def promoted(dealer: RedDogDealer) -> None:
    """A guest is given promotional pieces at the cage."""
    given = [f"{dealer.post.code}-{number}" for number in range(1, 4)]
    dealer.cage.promote(dict.fromkeys(given, dealer.bounds.step))
    dealer.pieces += given


def piece_again(dealer: RedDogDealer) -> None:
    """A piece that was played is laid beside a bet again."""
    seat = str(min(dealer.seats))
    body = {"bets": {seat: dealer.bounds.minimum}, "coupons": {seat: dealer.taken_in[0]}}
    attempt(
        dealer,
        "played piece laid again",
        "409 coupon_not_good",
        lambda: dealer.terminal.command("POST", f"{dealer.path}/rounds", body),
    )


def pieces_collected(dealer: RedDogDealer) -> None:
    """Played pieces are taken out of their box and cancelled, by two."""
    found = {"coupons": dealer.taken_in, "second": dealer.post.supervisor.as_json()}
    dealer.act("POST", f"{dealer.path}/promotions", found)
    dealer.chronicle.count("promotional pieces cancelled", len(dealer.taken_in))
    dealer.taken_in = []
