"""Rule sets: immutable data a round is played under, checked once when made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tables.engine.codec import MAX_INT, canonical_text, is_int, is_object, is_text
from tables.engine.contract import IllegalAction, IntRange, JsonObject
from tables.engine.frozen import derived

RULE = "RULES-1"
SPREADS = range(1, 12)
SPREAD_NAMES = tuple(map(str, SPREADS))
MAX_PACKS = 8
MAX_SEATS = 32
MAX_ODDS = 1_000
MAX_MULTIPLE = 100
CARDS_PER_PACK = 52
CARDS_PER_ROUND = 3

RaiseKind = Literal["exact_double", "up_to", "exact_multiples"]
RAISE_KINDS: tuple[RaiseKind, ...] = ("exact_double", "up_to", "exact_multiples")


def bad_rules(detail: str) -> IllegalAction:
    """The refusal of a rule set, saying what is wrong with it."""
    return IllegalAction("bad_rules", RULE, detail)


def need_int(name: str, value: object, low: int, high: int) -> None:
    """Refuse ``value`` (code ``bad_rules``) unless it is an integer from ``low`` to ``high``."""
    if not is_int(value) or not low <= value <= high:
        raise bad_rules(f"{name} must be an integer from {low} to {high}")


@dataclass(frozen=True)
class PayTable:
    """What one unit wins, "x to 1": stake back plus x times the stake.

    Args:
        spreads: odds of spread 1 to 11, in that order.
        trips: odds of a third card of the pair's rank.
    """

    spreads: tuple[int, ...]
    trips: int

    def __post_init__(self) -> None:
        if not isinstance(self.spreads, tuple) or len(self.spreads) != len(SPREADS):
            raise bad_rules("a pay table names spreads 1 to 11 and trips")
        for name, odds in (*zip(SPREADS, self.spreads, strict=True), ("trips", self.trips)):
            need_int(f"the odds of {name}", odds, 1, MAX_ODDS)

    def spread(self, spread: int) -> int:
        """The odds to 1 of ``spread`` (1 to 11)."""
        return self.spreads[SPREADS.index(spread)]

    def to_dict(self) -> JsonObject:
        """The table as JSON: ``{"1": 5, ..., "11": 1, "trips": 11}``."""
        return {**dict(zip(SPREAD_NAMES, self.spreads, strict=True)), "trips": self.trips}

    @classmethod
    def from_dict(cls, data: object) -> PayTable:
        """The inverse of ``to_dict``; raises IllegalAction ``bad_rules``."""
        if not is_object(data, (*SPREAD_NAMES, "trips")):
            raise bad_rules("a pay table names spreads 1 to 11 and trips, each once")
        return cls(tuple(data[name] for name in SPREAD_NAMES), data["trips"])


DEFAULT_PAY_TABLE = PayTable((5, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1), 11)


@dataclass(frozen=True)
class RaiseRule:
    """How much a seat may raise: exactly its bet, up to m bets, or 1 to m whole bets."""

    kind: RaiseKind = "exact_double"
    max_multiple: int = 1

    def __post_init__(self) -> None:
        if not is_text(self.kind) or self.kind not in RAISE_KINDS:
            raise bad_rules(f"the raise rule must be one of {', '.join(RAISE_KINDS)}")
        highest = 1 if self.kind == "exact_double" else MAX_MULTIPLE
        need_int("max_multiple", self.max_multiple, 1, highest)

    def to_dict(self) -> JsonObject:
        """The rule as JSON."""
        return {"kind": self.kind, "max_multiple": self.max_multiple}

    @classmethod
    def from_dict(cls, data: object) -> RaiseRule:
        """The inverse of ``to_dict``; raises IllegalAction ``bad_rules``."""
        if not is_object(data, ("kind", "max_multiple")):
            raise bad_rules("a raise rule has kind and max_multiple")
        return cls(data["kind"], data["max_multiple"])


@dataclass(frozen=True)
class RuleSet:
    """The rules of a casino Red Dog table. Amounts in minor units.

    Args:
        packs: 1 to 8 packs in the shoe.
        min_bet, max_bet: limits of one seat's bet, both whole multiples of ``bet_step``.
        bet_step: the smallest chip in play; bets, raises and payouts are multiples of it.
        seats: number of seats, numbered from 1.
        raise_rule, pay_table: see there.
        round_cap: the most one round may win over all seats, or None.
        cut_card: cards left behind the cut card; reached, no further round begins.
    """

    packs: int
    min_bet: int
    max_bet: int
    bet_step: int = 1
    seats: int = 7
    raise_rule: RaiseRule = RaiseRule()
    pay_table: PayTable = DEFAULT_PAY_TABLE
    round_cap: int | None = None
    cut_card: int = 0
    game: str = "red_dog"

    def __post_init__(self) -> None:
        if self.game != "red_dog":
            raise bad_rules("these are rules of red_dog")
        need_int("packs", self.packs, 1, MAX_PACKS)
        need_int("seats", self.seats, 1, MAX_SEATS)
        need_int("cut_card", self.cut_card, 0, CARDS_PER_PACK * self.packs - CARDS_PER_ROUND)
        need_int("bet_step", self.bet_step, 1, MAX_INT)
        need_int("min_bet", self.min_bet, 1, MAX_INT)
        need_int("max_bet", self.max_bet, self.min_bet, MAX_INT)
        if not isinstance(self.raise_rule, RaiseRule) or not isinstance(self.pay_table, PayTable):
            raise bad_rules("raise_rule and pay_table must be what their names say")
        if self.round_cap is not None:
            need_int("round_cap", self.round_cap, self.bet_step, MAX_INT)
        self._check_steps((self.min_bet, self.max_bet, self.round_cap or 0))
        self._check_size()

    def _check_steps(self, amounts: Iterable[int]) -> None:
        if any(amount % self.bet_step for amount in amounts):
            raise bad_rules("min_bet, max_bet and round_cap must be multiples of bet_step")

    def _check_size(self) -> None:
        """A whole table at the limit, paid at the best odds, must stay an exact integer."""
        raised = (1 + self.raise_rule.max_multiple) * (1 + max(self.pay_table.spreads))
        worst = self.seats * self.max_bet * max(raised, 1 + self.pay_table.trips)
        if worst > MAX_INT:
            raise bad_rules(f"a round could pay {worst}, more than {MAX_INT}")

    def to_dict(self) -> JsonObject:
        """The rule set as JSON, complete."""
        return {
            "game": self.game,
            "packs": self.packs,
            "seats": self.seats,
            "min_bet": self.min_bet,
            "max_bet": self.max_bet,
            "bet_step": self.bet_step,
            "raise_rule": self.raise_rule.to_dict(),
            "pay_table": self.pay_table.to_dict(),
            "round_cap": self.round_cap,
            "cut_card": self.cut_card,
        }

    @derived
    def bets(self) -> IntRange:
        """The bets a seat may make."""
        return IntRange(self.min_bet, self.max_bet, self.bet_step)

    @derived
    def text(self) -> str:
        """The rule set's canonical JSON, which stands in every state."""
        return canonical_text(self.to_dict())

    @classmethod
    def from_dict(cls, data: object) -> RuleSet:
        """The inverse of ``to_dict``: every key, no other; raises IllegalAction ``bad_rules``."""
        if not is_object(data, cls.__dataclass_fields__):
            raise bad_rules(f"a rule set has exactly {', '.join(cls.__dataclass_fields__)}")
        fields = dict(data)
        fields["raise_rule"] = RaiseRule.from_dict(data["raise_rule"])
        fields["pay_table"] = PayTable.from_dict(data["pay_table"])
        return cls(**fields)
