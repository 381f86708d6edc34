"""A dealer at a casino Red Dog table: bets, boards, raises, and what is paid."""

from collections.abc import Mapping
from typing import Any

from tables.simulation.dealer import Dealer, Json, Post
from tables.simulation.players import Bounds, Player
from tables.simulation.world import Lying

DEALERS = "0"
"""Under what a round's results have what the dealers won."""
PLAYED = ("win", "trips", "lose")
"""How a round ends that takes promotional pieces in."""


class RedDogDealer(Dealer):
    """Deals casino Red Dog: everybody at the table plays on the same cards.

    Attributes:
        pieces: numbers of the promotional pieces the guests have; each is worth a step of the bets.
        at_stake: of those beside bets.
        taken_in: of those that were played, in the table's box.
        currency: cash bet on each seat, minor units.
    """

    _asked = False

    def __init__(self, post: Post, **tools: Any) -> None:
        super().__init__(post, **tools)
        self.pieces: list[str] = []
        self.at_stake: list[str] = []
        self.taken_in: list[str] = []
        self.currency: dict[int, int] = {}

    @property
    def bounds(self) -> Bounds:
        """The least and the greatest bet."""
        limits = self.view["limits"]
        return Bounds(limits["min_bet"], limits["max_bet"], limits["bet_step"])

    def find(self, lying: Lying, seats: dict[int, Player]) -> None:
        """As every dealer; nobody has been asked for raises yet."""
        super().find(lying, seats)
        self.currency = dict(lying.currency)
        self._asked = False

    def load_shoe(self) -> None:
        """Put a shuffled shoe on the table and burn its first card face down."""
        if self.shoe:
            self.shoe.shuffle()
        self.act("POST", f"{self.path}/shoes")
        self.act("POST", f"{self.path}/shoes/current/burns", {"reason": "first_card"})
        if self.shoe:
            self.shoe.burn()
        if self.view["shoe"]["number"] > 1:
            self.chronicle.count("shoe changes")

    def retire_shoe(self) -> None:
        """Take the shoe off the table; a physical one with its stub turned up and counted."""
        body = {"stub": list(self.shoe.cards), "burnt": self.shoe.burnt} if self.shoe else {}
        self.act("POST", f"{self.path}/shoes/current/retirement", body)

    def begin_round(self) -> None:
        """Take the bets; without any, the next round is as good as this one."""
        self.number += 1
        self.moment("betting")
        stakes = {seat: self._stake(guest) for seat, guest in sorted(self.seats.items())}
        bets = {str(seat): stake for seat, stake in stakes.items() if stake}
        if not bets:
            return
        money = self._money(bets)
        tokes, coupons = self._tokes(bets), self._coupons(bets)
        laid = {"bets": bets, "money": money, "tokes": tokes, "coupons": coupons}
        self.act("POST", f"{self.path}/rounds", laid)
        self._asked = False
        for seat, bet in (*bets.items(), *tokes.items()):
            self._stakes(int(seat), bet)
        for seat, cash in money.items():
            self.currency[int(seat)] = cash
            self.seats[int(seat)].cash -= cash
            self.chronicle.count("cash bet")
        if tokes:
            self.chronicle.count("bets for the dealers")

    def _stake(self, guest: Player) -> int:
        return (
            self.bounds.fit(guest.stack) if self.number in self.post.staged.all_in else guest.bet(self.bounds)
        )

    def _money(self, bets: dict[str, int]) -> dict[str, int]:
        """In some rounds the last who bets does it with cash, and not with chips."""
        seat = max(bets, key=int)
        staged = self.number in self.post.staged.money and len(bets) > 1
        return {seat: bets.pop(seat)} if staged and self.seats[int(seat)].cash >= bets[seat] else {}

    def _tokes(self, bets: Mapping[str, int]) -> dict[str, int]:
        """In some rounds everybody who has the chips bets one more for the dealers."""
        step = self.bounds.step
        staged = self.number in self.post.staged.tokes
        return {
            seat: step for seat, bet in bets.items() if staged and self.seats[int(seat)].stack >= bet + step
        }

    def _coupons(self, bets: Mapping[str, int]) -> dict[str, str]:
        """In some rounds the first who bets lays a promotional piece beside it."""
        if self.number not in self.post.staged.coupons or not self.pieces:
            return {}
        self.at_stake = [self.pieces.pop(0)]
        return {min(bets, key=int): self.at_stake[0]}

    def _stakes(self, seat: int, amount: int) -> None:
        self.seats[seat].stack -= amount
        self.layout[seat] = self.layout.get(seat, 0) + amount

    def finish_round(self) -> None:
        """Do what the round asks for until it is over, then move the chips as it says."""
        while self.round is not None:
            phase = self.round["phase"]
            self.moment("announcing" if phase == "raising" and self.round["announced"] is None else phase)
            if self.round is not None:  # an incident may have ended it
                self._next_step(self.round)
        self._clear_layout(self.last_round)
        self.round_over()

    def _next_step(self, shown: Json) -> None:
        phase = shown["phase"]
        if phase == "raising" and shown["announced"] is None:
            self.on_round("announcement", {"spread": shown["spread"]})
        elif phase == "raising" and not self._asked:
            self._take_raises(shown)
        elif phase == "paying":
            self._pay_after_fill(shown)
        else:
            self._deal(2 if phase == "betting" else 1)

    def next_cards(self, number: int) -> dict[str, Any]:
        """What a terminal sends to have the next cards: what it scanned, or how many to draw."""
        return {"cards": self.shoe.peek(number)} if self.shoe else {"draw": number}

    def _deal(self, number: int) -> None:
        self.on_round("cards", self.next_cards(number))
        if self.shoe:
            self.shoe.take(number)

    def _take_raises(self, shown: Json) -> None:
        """Ask every seat that may still raise."""
        self._asked = True
        wanted = {}
        for legal in shown["legal"]:
            if legal["type"] == "raise":
                bounds = Bounds.from_json(legal["fields"]["amount"])
                amount = self.seats[legal["seat"]].raise_bet(bounds, shown["spread"])
                if amount:
                    wanted[str(legal["seat"])] = amount
        if wanted:
            self.on_round("raises", {"raises": wanted})
            for seat, amount in wanted.items():
                self._stakes(int(seat), amount)

    def _pay_after_fill(self, shown: Json) -> None:
        """The tray cannot cover what was won: the round waits for a fill."""
        self.get_fill(max(shown["tray_need"] - self.tray, 1))
        self.on_round("settlement", {})
        self.chronicle.count("rounds paid after a fill")

    def _clear_layout(self, ended: Json) -> None:
        """Pay and take as the round's results say; stakes of a void round simply go back."""
        for seat in sorted(self.layout.keys() | self.currency.keys()):
            net = ended["results"].get(str(seat), {"net": 0})["net"]
            net += self._clear_currency(seat, is_lost=net < 0)
            self.seats[seat].stack += self.layout.get(seat, 0) + net
            self.tray -= net
        won = ended["results"].get(DEALERS, {"net": 0})["net"]
        self.tokes += won
        self.tray -= won
        self.layout.clear()
        self.currency.clear()
        played = ended["outcome"] in PLAYED
        (self.taken_in if played else self.pieces).extend(self.at_stake)
        if played and self.at_stake:
            self.chronicle.count("promotional pieces played", len(self.at_stake))
        self.at_stake = []

    def _clear_currency(self, seat: int, *, is_lost: bool) -> int:
        """Put cash that was lost into the box, or give it back; how much of the loss was no chips."""
        laid = self.currency.get(seat, 0)
        if is_lost:
            self.box += laid
            return laid
        self.seats[seat].cash += laid
        return 0
