"""The shoe: what has left it, what can still come, and an unbiased shuffle.

Which cards are left is for odds and audit only: no terminal may be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tables.engine.cards import PACK, RANKS, SUITS, parse_card
from tables.engine.codec import is_int, is_object
from tables.engine.commitment import (
    Commitment,
    Opening,
    commit,
    inclusion_proof,
    leaf_of,
    root_of,
    verify_inclusion,
    verify_opening,
)
from tables.engine.contract import IllegalAction, JsonObject
from tables.engine.frozen import changed, derived
from tables.engine.rules import MAX_PACKS

RULE_COMPOSITION = "SHOE-1"
RULE_EMPTY = "SHOE-2"
RULE_FORM = "SHOE-3"
PLACE_OF = {card: place for place, card in enumerate(PACK)}


@dataclass(frozen=True)
class Discrepancy:
    """A card that is not there as often as it should be at the end of the shoe."""

    card: str
    expected: int
    found: int


@dataclass(frozen=True)
class Shoe:
    """A shoe in use.

    Args:
        packs: 1 to 8.
        cut_card: cards left behind the cut card.
        seen: how often each card was seen, in the order of the pack.
        burnt: cards that left it face down and unknown.
    """

    packs: int
    cut_card: int = 0
    seen: tuple[int, ...] = (0,) * len(PACK)
    burnt: int = 0

    def __post_init__(self) -> None:
        if not is_int(self.packs) or not 1 <= self.packs <= MAX_PACKS:
            raise _bad_shoe(f"a shoe has 1 to {MAX_PACKS} packs")
        if not is_int(self.cut_card) or not 0 <= self.cut_card < self.size:
            raise _bad_shoe("the cut card lies within the shoe")
        if len(self.seen) != len(PACK) or not all(is_int(n) and 0 <= n <= self.packs for n in self.seen):
            raise _bad_shoe("each card is seen 0 to packs times")
        if not is_int(self.burnt) or self.burnt < 0 or self.position > self.size:
            raise _bad_shoe("no more cards can leave a shoe than it holds")

    @property
    def size(self) -> int:
        """Cards in the full shoe."""
        return len(PACK) * self.packs

    @derived
    def position(self) -> int:
        """Cards that have left the shoe."""
        return sum(self.seen) + self.burnt

    @property
    def remaining(self) -> int:
        """Cards still in the shoe."""
        return self.size - self.position

    @property
    def cut_reached(self) -> bool:
        """Whether the cut card is out: the round in play is finished, then the shoe is shuffled."""
        return self.remaining <= self.cut_card

    def see(self, *cards: str) -> Shoe:
        """The shoe after cards came out face up one after the other, in play or burnt.

        Raises IllegalAction ``shoe_empty``, ``bad_card``, or ``impossible_card`` when one was seen as
        often as there are packs.
        """
        self._check_not_empty(len(cards))
        after = changed(self, seen=self._seen_with(*cards))
        vars(after)["position"] = self.position + len(cards)
        return after

    def reveal(self, card: str) -> Shoe:
        """The shoe after a card that had left it face down was turned up and is ``card``.

        Raises IllegalAction ``nothing_hidden`` when none lies face down, ``bad_card``, or
        ``impossible_card`` as ``see`` does.
        """
        if not self.burnt:
            raise IllegalAction("nothing_hidden", RULE_COMPOSITION, "no card has left the shoe face down")
        return changed(self, seen=self._seen_with(card), burnt=self.burnt - 1)

    def _seen_with(self, *cards: str) -> tuple[int, ...]:
        """The counts with more cards, each of which must be one that can still be unseen."""
        seen = list(self.seen)
        for card in cards:
            index = PLACE_OF[parse_card(card)]
            if seen[index] == self.packs:
                raise IllegalAction(
                    "impossible_card",
                    RULE_COMPOSITION,
                    f"{card} came already as often as there are packs",
                )
            seen[index] += 1
        return tuple(seen)

    def burn_unseen(self, cards: int = 1) -> Shoe:
        """The shoe after ``cards`` left it face down. Raises IllegalAction ``shoe_empty``."""
        if not is_int(cards) or cards < 1:
            raise _bad_shoe("at least one card is burnt")
        self._check_not_empty(cards)
        return changed(self, burnt=self.burnt + cards)

    def _check_not_empty(self, wanted: int) -> None:
        if wanted > self.remaining:
            raise IllegalAction("shoe_empty", RULE_EMPTY, f"{self.remaining} cards are left")

    def unseen(self) -> dict[str, int]:
        """How often each card is still unseen: in the shoe, or burnt face down. Never for terminals."""
        return {card: self.packs - seen for card, seen in zip(PACK, self.seen, strict=True)}

    def unseen_ranks(self) -> tuple[int, ...]:
        """How many cards of each rank are unseen, from 2 up to the ace: the composition for odds."""
        of_each = self.packs * len(SUITS)
        return tuple(of_each - sum(self.seen[rank :: len(RANKS)]) for rank in range(len(RANKS)))

    def discrepancies(self, stub: Iterable[str], burnt: Iterable[str]) -> tuple[Discrepancy, ...]:
        """What is wrong with the cards at the end: seen + stub + burnt must be every card n times.

        Args:
            stub: the cards found in the shoe, face up.
            burnt: the face-down burnt cards, turned up.
        """
        found = Counter(dict(zip(PACK, self.seen, strict=True)))
        found.update(parse_card(card) for card in (*stub, *burnt))
        return tuple(Discrepancy(card, self.packs, found[card]) for card in PACK if found[card] != self.packs)

    def to_dict(self) -> JsonObject:
        """The shoe as JSON; ``seen`` names only cards that were seen."""
        seen = {card: count for card, count in zip(PACK, self.seen, strict=True) if count}
        return {"packs": self.packs, "cut_card": self.cut_card, "seen": seen, "burnt": self.burnt}

    @classmethod
    def from_dict(cls, data: object) -> Shoe:
        """The inverse of ``to_dict``; raises IllegalAction ``bad_shoe``."""
        if not is_object(data, ("packs", "cut_card", "seen", "burnt")):
            raise _bad_shoe("a shoe has packs, cut_card, seen and burnt")
        seen = data["seen"]
        if not isinstance(seen, dict) or not seen.keys() <= set(PACK) or 0 in seen.values():
            raise _bad_shoe("seen counts cards that were seen")
        return cls(data["packs"], data["cut_card"], tuple(seen.get(card, 0) for card in PACK), data["burnt"])


def _bad_shoe(detail: str) -> IllegalAction:
    return IllegalAction("bad_shoe", RULE_FORM, detail)


def fresh_cards(packs: int) -> tuple[str, ...]:
    """``packs`` packs in fixed order, to be shuffled."""
    return PACK * Shoe(packs).packs


def shuffle(cards: Sequence[str], randbelow: Callable[[int], int]) -> tuple[str, ...]:
    """``cards`` in a uniformly random order (Fisher and Yates, from the top down).

    Args:
        randbelow: returns a uniform integer from 0 to n - 1 for each n. It must be unbiased, as
            ``secrets.randbelow`` is (it draws bits and rejects what is out of range); a modulo of
            random bits is not. Every order is then equally likely.
    """
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        chosen = randbelow(last + 1)
        if not 0 <= chosen <= last:
            raise ValueError(f"randbelow({last + 1}) gave {chosen}")
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


__all__ = [
    "Commitment",
    "Discrepancy",
    "Opening",
    "Shoe",
    "commit",
    "fresh_cards",
    "inclusion_proof",
    "leaf_of",
    "root_of",
    "shuffle",
    "verify_inclusion",
    "verify_opening",
]
