"""A dealer at a card-room table: deals hands, lets each player bet in turn, and moves chips by the rules.

Players play each other, so the tray gets nothing but the collection. Where the cards are physical every
player looks at his own; where the server draws them nobody does, and players bet as their temper is.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tables.engine.card_room.showdown import winners
from tables.engine.odds.hands import hand_odds
from tables.simulation.dealer import Dealer, Json
from tables.simulation.players import Bounds, Player
from tables.simulation.terminal import Refused
from tables.simulation.world import Arranged, Lying, PhysicalPack

COLLECTION_ROUNDS = 10
"""Rounds after which a dealer looks whether a collection by time is due."""
LEAST_BANK_CHIPS = 10
SHOWN = {
    "payment_stands": "rounds with a payment that stands",
    "cards_exposed_often": "rounds with cards exposed",
    "hand_miscounted": "rounds with drawn hands miscounted",
}
"""What the audit always shows of a round, by its code, as the dealers count it."""
LAID_DOWN = {"forfeit": "forfeits", "pass": "passes", "discard": "short hands discarded"}


class RoomDealer(Dealer):
    """Deals High Card Pool, its burning-card variant, or banking Red Dog.

    Attributes:
        counts: hands of the next deal that get another number of cards than they should.
    """

    counts: Mapping[int, int] = {}

    # --- what the table agreed on -------------------------------------------------------------------

    @property
    def banking(self) -> bool:
        """Whether one player banks."""
        return "max_bank" in self.view["limits"]

    @property
    def bounds(self) -> Bounds:
        """What a deal costs a player; where one banks, what he may like to put up."""
        limits = self.view["limits"]
        if self.banking:
            return Bounds(limits["chip"] * LEAST_BANK_CHIPS, limits["max_bank"], limits["chip"])
        return Bounds(self.cost, self.cost, limits["chip"])

    @property
    def cost(self) -> int:
        """What a player must have to be dealt in, minor units."""
        limits = self.view["limits"]
        return int(self._fee + (limits["chip"] if self.banking else limits["ante"]))

    @property
    def _fee(self) -> int:
        """The collection of every deal, minor units."""
        fee = self.view["limits"]["fee"]
        return int(fee["amount"]) if fee["kind"] == "deal" else 0

    @property
    def pack(self) -> PhysicalPack | None:
        """The pack in the dealer's hand, None where the server draws."""
        assert self.shoe is None or isinstance(self.shoe, PhysicalPack), "hands are dealt from a pack"
        return self.shoe

    def order(self) -> list[int]:
        """The seats of the next round clockwise, its dealer (or banker) first."""
        button, total = self.view["button"], self.view["limits"]["seats"]
        playing = [seat for seat, guest in self.seats.items() if guest.stack >= self.cost]
        return sorted(playing, key=lambda seat: (seat - button) % total) if button else []

    # --- between rounds -----------------------------------------------------------------------------

    def find(self, lying: Lying, seats: dict[int, Player]) -> None:
        """As every dealer; hands that are still held are hidden cards like the pack's, as far as one sees."""
        super().find(lying, seats)
        self.counts = {}
        if self.pack and self.round:
            ends = {seat: result["end"] for seat, result in self.round["results"].items()}
            held = {int(seat): count for seat, count in self.round["hands"].items() if ends[seat] is None}
            self.pack.take_over_hands(held)

    def load_shoe(self) -> None:
        """Put a shuffled pack on the table."""
        if self.pack:
            self.pack.shuffle()
        self.act("POST", f"{self.path}/shoes")
        self.chronicle.count("packs shuffled")

    def retire_shoe(self) -> None:
        """Take the pack off the table; nobody turns it up, for what is missing would tell the hands."""
        self.act("POST", f"{self.path}/shoes/current/retirement")

    def between_rounds(self) -> None:
        """As at every table; then the first deal is drawn for, and the house collects by time."""
        super().between_rounds()
        if self.view["button"] is None and len(self.seats) > 1:
            self._draw_for_the_deal()
        if self.view["limits"]["fee"]["kind"] == "time" and self.number % COLLECTION_ROUNDS == 0:
            self._collect()

    def may_leave(self) -> bool:
        """The last player does not leave a pool behind."""
        return not self.middle or len(self.seats) > 1

    def _draw_for_the_deal(self) -> None:
        """Cards go round until the first ace; the pack is shuffled again afterwards."""
        cards: list[str] = []
        if self.pack:
            ace = next(at for at, card in enumerate(self.pack.cards) if card[0] == "A")
            cards = self.pack.peek(ace + 1)
            self.pack.take(ace + 1)
        self.act("POST", f"{self.path}/dealer-draw", {"cards": cards})
        self.chronicle.count("first deals drawn")
        self.see_to_shoe()

    def _collect(self) -> None:
        """Ask for the collection; what the last one pays for may not be over yet."""
        amount = self.view["limits"]["fee"]["amount"]
        try:
            self.act("POST", f"{self.path}/collections")
        except Refused as refusal:
            if refusal.code != "collection_too_soon":
                raise
            return
        for guest in self.seats.values():
            self._to_tray(guest, min(amount, guest.stack))
        self.chronicle.count("collections")

    def _to_tray(self, guest: Player, amount: int) -> None:
        guest.stack -= amount
        self.tray += amount

    # --- the deal -----------------------------------------------------------------------------------

    def begin_round(self) -> None:
        """Antes or the bank, and the hands; without two who can pay, the next round is as good as this."""
        self.number += 1
        self.counts = {}
        self.moment("dealing")
        order = self.order()
        if len(order) < 2:
            return
        counts = {str(seat): number for seat, number in self.counts.items()}
        body: dict[str, Any] = {"counts": counts}
        if self.banking:
            banker = self.seats[order[0]]
            body["bank"] = banker.bet(self.bounds) or self._whole_chips(banker.stack)
        shown = self.act("POST", f"{self.path}/deals", body)["round"]
        self._pay_in(shown, body.get("bank", 0))
        if self.pack:
            held = {seat: shown["hands"][str(seat)] for seat in shown["order"]}
            self.pack.deal(held, self.post.staged.arranged.get(self.number, Arranged()))

    def _pay_in(self, shown: Json, bank: int) -> None:
        for seat in shown["players"]:
            self._to_tray(self.seats[seat], self._fee)
        if self.banking:
            self._to_middle(shown["dealer"], bank)
        else:
            self._ante(shown)

    def _ante(self, shown: Json) -> None:
        """Every player of the round antes; who has less, all he has."""
        for seat in shown["players"]:
            self._to_middle(seat, min(self.view["limits"]["ante"], self._whole_chips(self.seats[seat].stack)))

    def _to_middle(self, seat: int, amount: int) -> None:
        self.seats[seat].stack -= amount
        self.middle += amount

    def _whole_chips(self, amount: int) -> int:
        return int(amount - amount % self.view["limits"]["chip"])

    # --- turns --------------------------------------------------------------------------------------

    def finish_round(self) -> None:
        """Give everybody his turn, then close the round."""
        while self.round is not None:
            turn = self.round["turn"]
            due = turn["due"] if turn else "closing"
            self.moment("stated" if due in ("burn", "turn") else due)
            if self.round is not None:  # an incident may have ended it
                self.next_step()
        self._tell_irregularities()
        self.round_over()

    def _tell_irregularities(self) -> None:
        """Count what of this round somebody must be shown, though it was in order."""
        ended = self.last_round
        if ended["outcome"] == "settled" and any(not paid["corrected"] for paid in ended["payments"]):
            self.chronicle.count(SHOWN["payment_stands"])
        if sum(face["how"] == "exposed" for face in ended["board"]) > 1:
            self.chronicle.count(SHOWN["cards_exposed_often"])
        if self.pack is None and any(held != ended["cards_each"] for held in ended["hands"].values()):
            self.chronicle.count(SHOWN["hand_miscounted"])

    def next_step(self) -> None:
        """Do the one thing the round in progress waits for."""
        assert self.round is not None, "a round is in progress"
        turn = self.round["turn"]
        if turn is None:
            self._settle()
        elif turn["due"] == "bet":
            self._decide(turn)
        elif turn["due"] == "show":
            self._show(turn)
        else:
            self._turn(2 if turn["due"] == "burn" else 1)

    def _decide(self, turn: Json) -> None:
        amount = self._wanted(turn)
        if not amount:
            self.lay_down(turn)
            return
        self.on_round("bets", {"bets": {str(turn["seat"]): amount}})
        self.seats[turn["seat"]].stack -= amount
        self.layout[turn["seat"]] = amount
        if turn["short"]:
            self.chronicle.count("short hands played")

    def _wanted(self, turn: Json) -> int:
        """What the player in turn bets, 0 for nothing."""
        guest, bounds = self.seats[turn["seat"]], Bounds.from_json(turn)
        if self.number in self.post.staged.all_in:
            return bounds.fit(guest.stack)
        if self.number in self.post.staged.least:
            return bounds.fit(min(bounds.minimum, guest.stack))
        return guest.stake(bounds, self._chance(turn["seat"]))

    def _chance(self, seat: int) -> Fraction | None:
        """How often the hand on a seat wins, as its player sees it; None where nobody sees his hand."""
        if self.pack is None or self.round is None:
            return None
        shown = [card for cards in self.round["shown"].values() for card in cards]
        return hand_odds(self.pack.hands[seat], (*self.round["cards"], *shown)).chance

    def lay_down(self, turn: Json) -> None:
        """The player in turn bets nothing, and his hand stays unseen."""
        seat = turn["seat"]
        if self.banking:
            kind, paid = "pass", 0
        elif turn["short"]:
            kind, paid = "discard", 0
        else:
            kind, paid = "forfeit", min(turn["minimum"], self._whole_chips(self.seats[seat].stack))
        self.on_round("passes", {"seat": seat, "kind": kind})
        self._to_middle(seat, paid)
        self.chronicle.count(LAID_DOWN[kind])

    def _turn(self, number: int) -> None:
        """Turn the card that decides, after burning one where that is due (`number` is 2 then)."""
        self.on_round("turned-cards", self._scanned(number))
        if self.pack:
            self.pack.take(number)

    def _scanned(self, number: int) -> dict[str, str]:
        """What a terminal says of the next cards: nothing where the server draws them."""
        if self.pack is None:
            return {}
        *burnt, card = self.pack.peek(number)
        return {"card": card} | ({"burnt": burnt[0]} if burnt else {})

    def expose(self) -> None:
        """The top card is seen by accident, and discarded."""
        self.on_round("exposed-cards", self._scanned(1))
        if self.pack:
            self.pack.take(1)
        for seat in [seat for seat in self.layout if self._ended(seat) == "returned"]:
            self.seats[seat].stack += self.layout.pop(seat)
        self.chronicle.count("cards exposed")

    def _ended(self, seat: int) -> Any:
        """How a seat's turn ended, as the round was shown last."""
        return self.last_round["results"][str(seat)]["end"]

    def _show(self, turn: Json) -> None:
        """The bettor shows a card that wins, or all he has; stake and winnings are moved."""
        seat = turn["seat"]
        self.on_round("shows", {"seat": seat, "cards": self.to_be_shown(turn)})
        stake = self.layout.pop(seat)
        if self._ended(seat) == "won":
            self.seats[seat].stack += stake
            self._to_middle(seat, -min(stake, self.middle))
        else:
            self.middle += stake
        self._see_to_middle()
        self.moment("shown")

    def to_be_shown(self, turn: Json) -> list[str]:
        """What the bettor lays open: nothing for the terminal to scan where the server knows the hand."""
        if self.pack is None:
            return []
        hand = self.pack.hands[turn["seat"]]
        winning = winners(hand, turn["card"])
        return [self.seats[turn["seat"]].rng.choice(winning)] if winning else list(hand)

    def _see_to_middle(self) -> None:
        """An emptied pool is anted again while turns are due; an emptied bank ends the hand."""
        if self.middle:
            return
        left = any(result["end"] is None for result in self._hands().values())
        if self.banking and left:
            self.chronicle.count("banks broken early")
        elif self.last_round["phase"] == "turns":
            self._ante(self.last_round)
            self.chronicle.count("pools anted again")

    def _hands(self) -> dict[int, Json]:
        """What came of each hand so far, by seat."""
        return {seat: self.last_round["results"][str(seat)] for seat in self.last_round["order"]}

    # --- payments made in error, and the end --------------------------------------------------------

    def mispay(self, seat: int, kind: str, amount: int) -> None:
        """A payment goes wrong; `kind` and `amount` as in the API."""
        self.on_round("mispayments", {"seat": seat, "kind": kind, "amount": amount})
        self._to_middle(seat, -amount if kind == "taken" else amount)
        self._see_to_middle()

    def put_right(self, seat: int, taken: int) -> None:
        """What a seat has taken wrongly (minor units) goes back."""
        self.on_round("mispayments/correction", {"seat": seat})
        self._to_middle(seat, taken)
        self.chronicle.count("payments put right")

    def void(self, reason: str, note: str) -> None:
        """Void the round: whatever it has moved so far goes back."""
        assert self.round is not None, "a round is in progress"
        moved, carried = self.round["results"], self.round["carried"]
        super().void(reason, note)
        for seat, result in moved.items():
            self.seats[int(seat)].stack -= result["net"]
            self.tray -= result["fee"]
        self.middle = carried
        self.layout.clear()

    def _settle(self) -> None:
        """Close the round: a bank goes back, a pool that passed its limit is divided."""
        self.on_round("settlement", {})
        ended, lay = self.last_round, self.middle
        for seat, result in ended["results"].items():
            self._to_middle(int(seat), -result["share"])
        if lay != self.middle:
            self.chronicle.count("banks returned" if self.banking else "pools divided at their limit")

    def freeze(self, reason: str) -> None:
        """Let nothing happen at the table until two people release it."""
        self.act("POST", f"{self.path}/freeze", {"reason": reason})

    def release(self, reason: str) -> None:
        """Let the table go on, with the supervisor."""
        self.act("POST", f"{self.path}/release", {"reason": reason, "second": self.post.supervisor.as_json()})
        self.chronicle.count("tables frozen and released")

    def close(self) -> str:
        """As every table, once the pool is divided among those still seated."""
        if self.middle:
            second = {"second": self.post.supervisor.as_json()}
            shares = self.act("POST", f"{self.path}/pool-division", second)["shares"]
            for seat, share in shares.items():
                self._to_middle(int(seat), -share)
            self.chronicle.count("pools divided at the end")
        return super().close()
