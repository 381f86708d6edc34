"""A dealer at a table: does what the table's state asks for next, and moves the chips by hand.

Nothing is remembered that the table does not show, so a dealer who takes over in the middle of a round
(a relief, or the next start of the program) goes on where it stands.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tables.simulation.cage import Cage, Person, in_pieces
from tables.simulation.players import Bounds, Player
from tables.simulation.terminal import Refused, Terminal
from tables.simulation.world import Chronicle, Lobby, PhysicalShoe

FILL_STEP = 100_000
LOCKED = frozenset({"not_signed_in", "session_locked"})

Json = Mapping[str, Any]
Incident = Callable[["Dealer"], None]


@dataclass(frozen=True)
class Post:
    """A table as the house has set it up, and who works there.

    Attributes:
        chips: values of the house's chips, minor units.
        guests: how many the dealer likes to have at the table.
        script: what is to happen at which moment of which round (counted from 1; 0 before the first).
        all_in: rounds in which everybody bets as much as he may.
    """

    table_id: str
    code: str
    chips: Sequence[int]
    dealer: Person
    supervisor: Person
    guests: int
    script: Mapping[tuple[int, str], Sequence[Incident]] = field(default_factory=dict)
    all_in: frozenset[int] = frozenset()


class Dealer:
    """Runs one table through its terminal.

    Attributes:
        tray, box: chips in the tray and cash in the drop box, minor units, moved by hand.
        seats: who sits where.
        layout: chips on each seat's wager, minor units.
        view, round: what the terminal shows of the table and of the round in progress.
        last_round: the round as the last answer about one showed it.
        number: rounds begun by this dealer.

    Args:
        shoe: the physical shoe where cards are scanned, None where the system draws them.
        pace: called before every command; it may wait, and it may raise to stop the play.
    """

    def __init__(
        self,
        post: Post,
        *,
        terminal: Terminal,
        cage: Cage,
        lobby: Lobby,
        chronicle: Chronicle,
        shoe: PhysicalShoe | None = None,
        pace: Callable[[], None] = lambda: None,
    ) -> None:
        self.post = post
        self.terminal = terminal
        self.cage = cage
        self.lobby = lobby
        self.chronicle = chronicle
        self.shoe = shoe
        self._pace = pace
        self.tray = 0
        self.box = 0
        self.seats: dict[int, Player] = {}
        self.layout: dict[int, int] = {}
        self.view: Json = {}
        self.round: Json | None = None
        self.number = 0
        self.last_round: Json = {}
        self._asked = False
        self._script = dict(post.script)

    # --- the terminal -------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """The table's address."""
        return f"tables/{self.post.table_id}"

    @property
    def bounds(self) -> Bounds:
        """The table's limits."""
        limits = self.view["limits"]
        return Bounds(limits["min_bet"], limits["max_bet"], limits["bet_step"])

    def sign_in(self) -> None:
        """The dealer comes to the table and looks at it."""
        self.terminal.sign_in(self.post.dealer.badge, self.post.dealer.pin)
        self.look()

    def look(self) -> None:
        """See what the terminal shows now."""
        self.see(self.terminal.look(self.path))

    def see(self, shown: Json) -> None:
        """Take what an answer shows of the table."""
        self.view = shown
        self.round = shown["round"]

    def find(self, *, tray: int, box: int, seats: dict[int, Player], layout: dict[int, int]) -> None:
        """Take the table as it lies there, and forget what was known of it; see the attributes."""
        self.tray, self.box, self.seats, self.layout = tray, box, seats, layout
        self._asked = False

    def act(self, method: str, path: str, body: Json | None = None, **how: Any) -> Any:
        """Send one command and take in what it shows; a locked terminal is signed in at again."""
        self._pace()
        try:
            answer = self.terminal.command(method, path, body, **how)
        except Refused as refusal:
            if refusal.code not in LOCKED:
                raise
            self.terminal.sign_in(self.post.dealer.badge, self.post.dealer.pin)
            answer = self.terminal.command(method, path, body, **how)
        self.see(answer.body.get("table", answer.body))
        return answer.body

    def moment(self, name: str) -> None:
        """Let happen what the script wants now."""
        for incident in self._script.pop((self.number, name), ()):
            incident(self)

    # --- opening and closing ------------------------------------------------------------------------

    def open(self) -> None:
        """Count the tray with the supervisor and open the table."""
        self.moment("closed")
        count = {"opener": in_pieces(self.tray, self.post.chips), "second": self.post.supervisor.as_json()}
        self.act("POST", f"{self.path}/sessions", count)

    def close(self) -> str:
        """Let everybody leave, count the tray with the supervisor, close; the session's id."""
        for seat in list(self.seats):
            self.say_goodbye(seat, walk_on=False)
        if self.view["shoe"]:
            self.retire_shoe()
        session = str(self.view["session"]["id"])
        count = {"closer": in_pieces(self.tray, self.post.chips), "second": self.post.supervisor.as_json()}
        self.act("POST", f"sessions/{session}/closure", count)
        self.chronicle.count("sessions closed")
        return session

    def count_drop(self, session: str) -> None:
        """Bring the box of a closed session to the count."""
        self.cage.count_drop(session, self.box)
        self.box = 0
        self.look()  # the count was an act at this table

    def get_fill(self, amount: int) -> None:
        """Have at least `amount` (minor units) brought from the cage, and receive it."""
        amount = -(-amount // FILL_STEP) * FILL_STEP
        self.receive(self.cage.fill(self.post.table_id, amount), amount)

    def receive(self, fill: str, amount: int) -> None:
        """Put the chips of a fill (minor units) that has arrived into the tray."""
        self.act("POST", f"{self.path}/fills/{fill}/receipt")
        self.tray += amount

    # --- shoes --------------------------------------------------------------------------------------

    def load_shoe(self) -> None:
        """Put a shuffled shoe on the table and burn its first card face down."""
        if self.shoe:
            self.shoe.shuffle()
        self.act("POST", f"{self.path}/shoes")
        self.act("POST", f"{self.path}/shoes/current/burns", {"reason": "first_card"})
        if self.shoe:
            self.shoe.burn()
        self.chronicle.count("shoes")

    def retire_shoe(self) -> None:
        """Take the shoe off the table; a physical one with its stub turned up and counted."""
        body = {"stub": list(self.shoe.cards), "burnt": self.shoe.burnt} if self.shoe else {}
        self.act("POST", f"{self.path}/shoes/current/retirement", body)

    # --- guests -------------------------------------------------------------------------------------

    def welcome(self) -> None:
        """Fill the table up with guests who bring chips, or cash for chips."""
        for seat in range(1, self.view["limits"]["seats"] + 1):
            if len(self.seats) >= self.post.guests:
                return
            if seat not in self.seats:
                self._seat(seat, self.lobby.next_guest(self.post.code))

    def _seat(self, seat: int, guest: Player) -> None:
        cash = guest.buys_in(self.bounds)
        self._tray_for(cash)
        body = {"player": guest.player_id, "cash": cash, "chips": guest.pocket}
        self.act("POST", f"{self.path}/seats/{seat}/occupation", body)
        guest.stack, guest.pocket = guest.pocket, 0
        self.chips_bought(guest, cash)
        self.seats[seat] = guest

    def buy_in(self, seat: int, cash: int, **how: Any) -> Any:
        """Change cash of a seat's guest into chips."""
        self._tray_for(cash)
        answer = self.act("POST", f"{self.path}/seats/{seat}/buy-ins", {"cash": cash}, **how)
        self.chips_bought(self.seats[seat], cash)
        return answer

    def chips_bought(self, guest: Player, cash: int) -> None:
        """Move what a buy-in moves: cash into the box, chips out of the tray."""
        if cash:
            guest.cash -= cash
            guest.stack += cash
            self.box += cash
            self.tray -= cash
            self.chronicle.count("buy-ins")

    def _tray_for(self, cash: int) -> None:
        if self.tray < cash:
            self.get_fill(cash - self.tray)

    def say_goodbye(self, seat: int, *, walk_on: bool = True) -> None:
        """A guest gets up with his chips: to another table, to the cage, or home."""
        body = self.act("DELETE", f"{self.path}/seats/{seat}/occupation")
        guest = self.seats.pop(seat)
        assert body["chips"] == guest.stack, "the books and the hands agree on a stack"
        guest.pocket, guest.stack = guest.stack, 0
        self.chronicle.count("departures")
        if walk_on and self.lobby.walk_on(guest, self.post.code):
            self.chronicle.count("walks to another table")
            return
        # Every eighth guest keeps his chips: a house always has some of them in other people's pockets.
        if guest.rng.randrange(8):
            self.cage.redeem(guest)
        self.lobby.go_home(guest)

    # --- play ---------------------------------------------------------------------------------------

    def play(self, rounds: int | None = None) -> None:
        """Deal rounds until `rounds` were begun, or for ever; a round in progress is finished first."""
        while True:
            if self.round is not None:
                self.finish_round()
            if rounds is not None and self.number >= rounds:
                return
            self.between_rounds()
            self.begin_round()

    def between_rounds(self) -> None:
        """Shoe, guests and stacks are seen to before the next bets."""
        shoe = self.view["shoe"]
        if shoe and shoe["shuffle_due"]:
            self.retire_shoe()
        if not self.view["shoe"]:
            self.load_shoe()
        for seat, guest in list(self.seats.items()):
            if guest.leaves(self.bounds):
                self.say_goodbye(seat)
        self.welcome()
        for seat, guest in self.seats.items():
            cash = guest.buys_in(self.bounds)
            if cash:
                self.buy_in(seat, cash)

    def begin_round(self) -> None:
        """Take the bets; without any, the next round is as good as this one."""
        self.number += 1
        self.moment("betting")
        stakes = {seat: self._stake(guest) for seat, guest in sorted(self.seats.items())}
        bets = {str(seat): stake for seat, stake in stakes.items() if stake}
        if not bets:
            return
        self.act("POST", f"{self.path}/rounds", {"bets": bets})
        self._asked = False
        for seat, bet in bets.items():
            self._stakes(int(seat), bet)

    def _stake(self, guest: Player) -> int:
        return self.bounds.fit(guest.stack) if self.number in self.post.all_in else guest.bet(self.bounds)

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
        self.moment("over")

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

    def on_round(self, what: str, body: Json) -> None:
        """Send a command about the round in progress."""
        assert self.round is not None, "a round is in progress"
        self.last_round = self.act("POST", f"rounds/{self.round['id']}/{what}", body)["round"]

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

    def void(self, reason: str, note: str) -> None:
        """Void the round in progress with the supervisor's signature."""
        self.on_round("void", {"reason": reason, "note": note, "second": self.post.supervisor.as_json()})
        self.chronicle.count("voided rounds")

    def _clear_layout(self, ended: Json) -> None:
        """Pay and take as the round's results say; stakes of a void round simply go back."""
        for seat, stake in self.layout.items():
            net = ended["results"].get(str(seat), {"net": 0})["net"]
            self.seats[seat].stack += stake + net
            self.tray -= net
        self.layout.clear()
        for guest in self.seats.values():
            guest.played += 1
        self.chronicle.round_over(self.post.code)
