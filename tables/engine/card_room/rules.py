"""Rule sets of the card-room games. Amounts in minor units, all of them multiples of the smallest chip."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeVar

from tables.engine.codec import canonical_text, is_int, is_object, is_text
from tables.engine.contract import JsonObject
from tables.engine.frozen import derived
from tables.engine.rules import bad_rules, need_int

FeeKind = Literal["none", "deal", "time"]
FEE_KINDS: tuple[FeeKind, ...] = ("none", "deal", "time")
FEWEST, MOST_PLAYERS = 2, 10
HAND_SIZES = (4, 5)
MOST_HANDS_OF_FIVE = 8
HIGHEST_ANTE = 10**9
HIGHEST = 10**12
"""The most a pool or bank may hold before a round: ten turns can then double it and stay an exact integer."""
DAY_MINUTES = 24 * 60

T = TypeVar("T", bound="CardRoomRules")


@dataclass(frozen=True)
class Fee:
    """The collection each player pays the house: nothing, by the deal, or by time.

    Args:
        amount: minor units; 0 where there is none.
        minutes: how long it pays for, where it goes by time; else 0.
    """

    kind: FeeKind = "none"
    amount: int = 0
    minutes: int = 0

    def __post_init__(self) -> None:
        if not is_text(self.kind) or self.kind not in FEE_KINDS:
            raise bad_rules(f"the fee must be one of {', '.join(FEE_KINDS)}")
        need_int("the fee's amount", self.amount, *((0, 0) if self.kind == "none" else (1, HIGHEST_ANTE)))
        need_int("the fee's minutes", self.minutes, *((1, DAY_MINUTES) if self.kind == "time" else (0, 0)))

    def to_dict(self) -> JsonObject:
        """The fee as JSON."""
        return {"kind": self.kind, "amount": self.amount, "minutes": self.minutes}

    @classmethod
    def from_dict(cls, data: object) -> Fee:
        """The inverse of ``to_dict``; raises IllegalAction ``bad_rules``."""
        if not is_object(data, ("kind", "amount", "minutes")):
            raise bad_rules("a fee has kind, amount and minutes")
        return cls(data["kind"], data["amount"], data["minutes"])


@dataclass(frozen=True, kw_only=True)
class CardRoomRules:
    """What the rule sets of all card-room games have.

    Args:
        game: the registered name of the game.
        packs, cut_card: always one pack, dealt to its last card.
        seats: 2 to 10, numbered from 1, clockwise.
        chip: the smallest chip in play.
        cards_each: what this table deals by default, 5 or 4.
        fee: the collection.
    """

    games: ClassVar[tuple[str, ...]] = ()

    game: str
    packs: int = 1
    cut_card: int = 0
    seats: int = MOST_PLAYERS
    chip: int = 1
    cards_each: int = 5
    fee: Fee = Fee()

    def __post_init__(self) -> None:
        if not is_text(self.game) or self.game not in self.games:
            raise bad_rules(f"these are rules of {', '.join(self.games)}")
        need_int("packs", self.packs, 1, 1)
        need_int("cut_card", self.cut_card, 0, 0)
        need_int("seats", self.seats, FEWEST, MOST_PLAYERS)
        need_int("chip", self.chip, 1, HIGHEST_ANTE)
        need_int("cards_each", self.cards_each, *HAND_SIZES)
        if not isinstance(self.fee, Fee):
            raise bad_rules("fee must be a fee")
        self._need_chips("the fee's amount", self.fee.amount)

    def _need_chips(self, name: str, amount: object) -> None:
        if not is_int(amount) or amount % self.chip:
            raise bad_rules(f"{name} must be a multiple of the chip")

    def to_dict(self) -> JsonObject:
        """The rule set as JSON, complete."""
        values: JsonObject = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {"fee": self.fee.to_dict()}

    @derived
    def text(self) -> str:
        """The rule set's canonical JSON, which stands in every state."""
        return canonical_text(self.to_dict())

    @classmethod
    def from_dict(cls: type[T], data: object) -> T:
        """The inverse of ``to_dict``: every key, no other; raises IllegalAction ``bad_rules``."""
        names = [field.name for field in fields(cls)]
        if not is_object(data, names):
            raise bad_rules(f"a rule set has exactly {', '.join(names)}")
        values: dict[str, Any] = {**data, "fee": Fee.from_dict(data["fee"])}
        return cls(**values)

    def limits(self) -> JsonObject:
        """What a terminal is told: every amount, the seats and the size of a hand."""
        values = self.to_dict()
        for name in ("game", "packs", "cut_card"):
            del values[name]
        return values


@dataclass(frozen=True, kw_only=True)
class PoolRules(CardRoomRules):
    """Rules of High Card Pool and of its burning-card variant.

    Args:
        ante: what each player pays into the pool before every deal; also the least bet and the forfeit.
        pool_limit: a pool that passes it is divided at the end of the round; None where none was agreed.
    """

    games: ClassVar[tuple[str, ...]] = ("high_card_pool", "burning_card")

    ante: int
    pool_limit: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        need_int("ante", self.ante, 1, HIGHEST_ANTE)
        self._need_chips("ante", self.ante)
        if self.pool_limit is not None:
            need_int("pool_limit", self.pool_limit, 1, HIGHEST)
            self._need_chips("pool_limit", self.pool_limit)


@dataclass(frozen=True, kw_only=True)
class BankRules(CardRoomRules):
    """Rules of the banking variant.

    Args:
        max_bank: the most a banker may put up, or None.
    """

    games: ClassVar[tuple[str, ...]] = ("banking",)

    game: str = "banking"
    max_bank: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_bank is not None:
            need_int("max_bank", self.max_bank, 1, HIGHEST)
            self._need_chips("max_bank", self.max_bank)


Rules = PoolRules | BankRules
