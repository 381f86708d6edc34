"""A dealer at a table, whatever is played there: the terminal, the tray, the shoe and the guests.

Nothing is remembered that the table does not show, so a dealer who takes over in the middle of a round
(a relief, or the next start of the program) goes on where it stands.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tables.simulation.cage import Cage, Person, in_pieces
from tables.simulation.players import Bounds, Player
from tables.simulation.terminal import Refused, Terminal
from tables.simulation.world import Arranged, Chronicle, Lobby, Lying, PhysicalShoe

FILL_STEP = 100_000
LOCKED = frozenset({"not_signed_in", "session_locked"})

Json = Mapping[str, Any]
Incident = Callable[[Any], None]
"""Something done on purpose by the dealer it is given, who must be one of the game it is about."""


@dataclass(frozen=True)
class Staged:
    """What a day shall show at one table.

    Attributes:
        script: what is to happen at which moment of which round (counted from 1; 0 before the first).
        all_in: rounds in which everybody bets as much as he may.
        least: rounds in which everybody bets the least he may.
        tokes: rounds in which everybody bets a chip for the dealers, too.
        coupons: rounds in which a guest lays a promotional piece beside the bet.
        money: rounds in which a guest bets cash instead of chips.
        on_top: cards on top of a physical shoe's first shuffle.
        arranged: rounds a physical pack is stacked for.
    """

    script: Mapping[tuple[int, str], Sequence[Incident]] = field(default_factory=dict)
    all_in: frozenset[int] = frozenset()
    least: frozenset[int] = frozenset()
    tokes: frozenset[int] = frozenset()
    coupons: frozenset[int] = frozenset()
    money: frozenset[int] = frozenset()
    on_top: Sequence[str] = ()
    arranged: Mapping[int, Arranged] = field(default_factory=dict)


@dataclass(frozen=True)
class Post:
    """A table as the house has set it up, and who works there.

    Attributes:
        chips: values of the house's chips, minor units.
        guests: how many the dealer likes to have at the table.
        staged: what shall be seen there.
    """

    table_id: str
    code: str
    chips: Sequence[int]
    dealer: Person
    supervisor: Person
    guests: int
    staged: Staged = Staged()


class Dealer(ABC):
    """Runs one table through its terminal; what is played there is each game's own.

    Attributes:
        tray, box: chips in the tray and cash in the drop box, minor units, moved by hand.
        copies: labels of the slips whose copies lie in the drop box.
        seats: who sits where.
        layout: chips on each seat's wager, minor units.
        middle: chips in a pool or bank, where the game has one, minor units.
        tokes: chips in the dealers' box, minor units.
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
        self.copies: list[str] = []
        self.seats: dict[int, Player] = {}
        self.layout: dict[int, int] = {}
        self.middle = 0
        self.tokes = 0
        self.view: Json = {}
        self.round: Json | None = None
        self.number = 0
        self.last_round: Json = {}
        self._script = dict(post.staged.script)

    # --- the terminal -------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """The table's address."""
        return f"tables/{self.post.table_id}"

    @property
    @abstractmethod
    def bounds(self) -> Bounds:
        """The table's limits; who cannot pay the least of them does not play."""

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

    def find(self, lying: Lying, seats: dict[int, Player]) -> None:
        """Take the table as it lies there, and forget what was known of it."""
        self.tray, self.box, self.middle = lying.tray, lying.box, lying.middle
        self.copies = list(lying.copies)
        self.layout, self.seats = dict(lying.wagers), seats
        if self.shoe and lying.cards:
            self.shoe.take_over(lying.cards, lying.burnt)

    def act(self, method: str, path: str, body: Json | None = None, **how: Any) -> Any:
        """Send one command and take in what it shows; a locked terminal is signed in at again."""
        self._pace()
        try:
            answer = self.terminal.command(method, path, body, **how)
        except Refused as refusal:
            if refusal.code not in LOCKED:
                raise
            self.sign_in()  # whoever signs in at an open table is on: the table has changed
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

    def finish(self) -> None:
        """Close, and have the drop counted."""
        self.close()
        self.count_drop()

    def count_drop(self) -> None:
        """Have the box of a closed table removed and counted, if there is one that is not."""
        self.cage.count_drop(self.post.table_id, self.box, self.copies)
        self.box, self.copies = 0, []
        self.look()  # those were acts at this table

    # --- fills and credits --------------------------------------------------------------------------

    def get_fill(self, amount: int) -> None:
        """Have at least `amount` (minor units) brought from the cage, and receive it."""
        amount = -(-amount // FILL_STEP) * FILL_STEP
        slip = self.request("fills", amount)
        label = self.cage.issue_fill(slip, amount)
        self.receive(slip, label, amount)

    def request(self, what: str, amount: int) -> str:
        """Ask the cage with the supervisor; the slip's id."""
        asked = {"chips": in_pieces(amount, self.post.chips), "second": self.post.supervisor.as_json()}
        return str(self.act("POST", f"{self.path}/{what}", asked)["slip"]["id"])

    def receive(self, slip: str, label: str, amount: int) -> None:
        """Put the chips of a fill (minor units) into the tray, and the slip's copy into the box."""
        counted = {"chips": in_pieces(amount, self.post.chips), "second": self.post.supervisor.as_json()}
        self.act("POST", f"{self.path}/fills/{slip}/receipt", counted)
        self.tray += amount
        self.copies.append(label)

    # --- shoes --------------------------------------------------------------------------------------

    @abstractmethod
    def load_shoe(self) -> None:
        """Put shuffled cards on the table."""

    @abstractmethod
    def retire_shoe(self) -> None:
        """Take the cards off the table."""

    def see_to_shoe(self) -> None:
        """Have cards on the table that are good for another round."""
        shoe = self.view["shoe"]
        if shoe and shoe["shuffle_due"]:
            self.retire_shoe()
        if not self.view["shoe"]:
            self.load_shoe()

    # --- guests -------------------------------------------------------------------------------------

    def welcome(self) -> None:
        """Fill the table up with guests who bring chips, or cash for chips."""
        for seat in range(1, self.view["limits"]["seats"] + 1):
            if len(self.seats) >= self.post.guests:
                return
            if seat not in self.seats:
                guest = self.lobby.next_guest(self.post.code)
                self.seat(seat, guest, cash=guest.buys_in(self.bounds))

    def seat(self, seat: int, guest: Player, *, cash: int) -> None:
        """A guest sits down with the chips of his pocket, and changes cash (minor units) into more."""
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
        self.see_to_shoe()
        for seat, guest in list(self.seats.items()):
            if guest.leaves(self.bounds) and self.may_leave():
                self.say_goodbye(seat)
        self.welcome()
        for seat, guest in self.seats.items():
            cash = guest.buys_in(self.bounds)
            if cash:
                self.buy_in(seat, cash)

    def may_leave(self) -> bool:
        """Whether one more guest may get up."""
        return True

    @abstractmethod
    def begin_round(self) -> None:
        """Begin the next round; where it cannot be, the one after it is as good."""

    @abstractmethod
    def finish_round(self) -> None:
        """Do what the round asks for until it is over, and move the chips as it says."""

    def on_round(self, what: str, body: Json) -> None:
        """Send a command about the round in progress."""
        assert self.round is not None, "a round is in progress"
        self.last_round = self.act("POST", f"rounds/{self.round['id']}/{what}", body)["round"]

    def void(self, reason: str, note: str) -> None:
        """Void the round in progress with the supervisor's signature."""
        self.on_round("void", {"reason": reason, "note": note, "second": self.post.supervisor.as_json()})
        self.chronicle.count("voided rounds")

    def round_over(self) -> None:
        """One more round everybody at the table has sat through."""
        for guest in self.seats.values():
            guest.played += 1
        self.chronicle.round_over(self.post.code)
        self.moment("over")
