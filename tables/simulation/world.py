"""What can be touched: shoes of paper cards, guests on their way, and what everybody has seen happen."""

import random
import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tables.engine.card_room.showdown import positions
from tables.engine.shoe import fresh_cards
from tables.simulation.players import Player, make_player


class PhysicalShoe:
    """A shoe of real cards at a table whose terminal scans them.

    Args:
        rng: the shuffling machine.
        packs: 1 to 8.
        on_top: cards put on top of the first shuffle, for a demonstration that must show certain boards.
    """

    def __init__(self, rng: random.Random, packs: int, on_top: Sequence[str] = ()) -> None:
        self._rng = rng
        self._packs = packs
        self._on_top = tuple(on_top)
        self.cards: deque[str] = deque()
        self.burnt: list[str] = []

    def shuffle(self) -> None:
        """Put all the packs together, shuffle, and fill the shoe."""
        rest = list(fresh_cards(self._packs))
        for card in self._on_top:
            rest.remove(card)
        self._rng.shuffle(rest)
        self.cards, self.burnt, self._on_top = deque([*self._on_top, *rest]), [], ()

    def take_over(self, unseen: Sequence[str], burnt: int) -> None:
        """Go on with a shoe in use: the cards nobody has seen, `burnt` of them lying face down."""
        cards = list(unseen)
        self._rng.shuffle(cards)
        self.cards, self.burnt, self._on_top = deque(cards[burnt:]), cards[:burnt], ()

    def peek(self, number: int) -> list[str]:
        """The next cards, still in the shoe."""
        return [self.cards[at] for at in range(number)]

    def take(self, number: int) -> None:
        """Draw the next cards for good."""
        for _ in range(number):
            self.cards.popleft()

    def burn(self) -> None:
        """Lay the next card aside, face down."""
        self.burnt.append(self.cards.popleft())


@dataclass(frozen=True, slots=True)
class Arranged:
    """How a pack is stacked for one deal.

    Attributes:
        hands: the first cards of the first hands, in playing order.
        top: what lies on top once the hands are dealt.
    """

    hands: Sequence[Sequence[str]] = ()
    top: Sequence[str] = ()


class PhysicalPack(PhysicalShoe):
    """One pack of real cards, dealt in hands that only those who hold them look at.

    Attributes:
        hands: what is held at each seat.

    Args:
        rng: whoever shuffles.
    """

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng, 1)
        self.hands: dict[int, list[str]] = {}

    def deal(self, counts: Mapping[int, int], arranged: Arranged) -> None:
        """Deal hands face down from the whole pack.

        Args:
            counts: how many cards each seat gets, in playing order.
            arranged: how the pack was stacked before.
        """
        places = positions(counts)
        dealt = sum(counts.values())
        wanted = {dealt + number: card for number, card in enumerate(arranged.top)}
        for hand, held in zip(arranged.hands, places.values(), strict=False):
            wanted |= zip(held, hand, strict=False)
        cards = list(self.cards)
        for at, card in wanted.items():
            other = cards.index(card)
            cards[at], cards[other] = cards[other], cards[at]
        self.hands = {seat: [cards[at] for at in held] for seat, held in places.items()}
        self.cards = deque(cards[dealt:])

    def take_over_hands(self, counts: Mapping[int, int]) -> None:
        """Give the seats that still hold so many cards some of those that lie face down."""
        self.hands = {seat: [self.burnt.pop() for _ in range(count)] for seat, count in counts.items()}


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies at a table and its terminal does not show; amounts in minor units.

    Attributes:
        wagers: chips on each seat's wager.
        currency: cash that is bet, by seat.
        middle: chips in the pool or bank.
        cards: what nobody has seen of a physical shoe, those lying face down among it.
        burnt: how many lie face down.
        copies: labels of the slips whose copies lie in the drop box.
    """

    tray: int
    box: int
    wagers: Mapping[int, int]
    currency: Mapping[int, int]
    middle: int = 0
    cards: Sequence[str] = ()
    burnt: int = 0
    copies: Sequence[str] = ()


class Lobby:
    """Guests between the door, the tables and the cage. Shared by all tables.

    Args:
        seed: of the guests' decisions.
        tables: the tables' codes, in order.
        cash: minor units in a newcomer's wallet, by table.
        patience: the fewest and the most rounds a guest stays at one table.
        known: ids of registered players, given to the first newcomers.
    """

    def __init__(
        self,
        seed: str,
        tables: Sequence[str],
        *,
        cash: Mapping[str, int],
        patience: tuple[int, int],
        known: Sequence[str] = (),
    ) -> None:
        self._seed = seed
        self._tables = tuple(tables)
        self._cash = cash
        self._patience = patience
        self._known = deque(known)
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Player]] = {table: deque() for table in tables}
        self._newcomers: Counter[str] = Counter()
        self._gone: list[Player] = []

    def next_guest(self, table: str) -> Player:
        """Who sits down next at `table`: somebody who walked over with chips, else a newcomer."""
        with self._lock:
            if self._waiting[table]:
                return self._waiting[table].popleft()
            self._newcomers[table] += 1
            number = 100 * (1 + self._tables.index(table)) + self._newcomers[table]
            guest = make_player(self._seed, number, cash=self._cash[table], patience=self._patience)
            guest.player_id = self._known.popleft() if self._known else None
            return guest

    def walk_on(self, guest: Player, table: str) -> bool:
        """Send a guest with chips from `table` to the next one; False when there is none he wants."""
        others = [other for other in self._tables if other != table]
        if not guest.visits or not guest.pocket or not others:
            return False
        guest.visits -= 1
        guest.played = 0
        with self._lock:
            self._waiting[guest.rng.choice(others)].append(guest)
        return True

    def go_home(self, guest: Player) -> None:
        """A guest leaves the house; what is in his pocket goes with him."""
        with self._lock:
            self._gone.append(guest)

    def still_waiting(self) -> list[Player]:
        """Whoever walked to a table and found no place; they wait no more."""
        with self._lock:
            left = [guest for queue in self._waiting.values() for guest in queue]
            for queue in self._waiting.values():
                queue.clear()
            return left

    @property
    def carried_away(self) -> int:
        """Chips that left the house in pockets, minor units."""
        with self._lock:
            return sum(guest.pocket for guest in self._gone)


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that had to be refused (or replayed): what was expected, what came, and the effect.

    Attributes:
        unchanged: whether the table's action counter stood still.
    """

    kind: str
    table: str
    expected: str
    got: str
    unchanged: bool

    @property
    def as_expected(self) -> bool:
        """Whether it was answered as it must be, without effect."""
        return self.expected == self.got and self.unchanged


class Chronicle:
    """What has happened so far, told by every thread and read by whoever shows the progress."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._rounds: Counter[str] = Counter()
        self._attempts: list[Attempt] = []

    def count(self, what: str, number: int = 1) -> None:
        """One more of something (a fill, a shoe, a buy-in), or so many."""
        with self._lock:
            self._counts[what] += number

    def round_over(self, table: str) -> None:
        """One more round at `table`."""
        with self._lock:
            self._rounds[table] += 1

    def attempted(self, attempt: Attempt) -> None:
        """Something was tried that must not succeed."""
        with self._lock:
            self._attempts.append(attempt)

    def counts(self) -> dict[str, int]:
        """How many of everything."""
        with self._lock:
            return dict(self._counts)

    def rounds(self) -> dict[str, int]:
        """Rounds by table."""
        with self._lock:
            return dict(self._rounds)

    def attempts(self) -> list[Attempt]:
        """All that was tried and had to be refused or replayed."""
        with self._lock:
            return list(self._attempts)
