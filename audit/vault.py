"""The vault by denomination, from the cage's entries alone; no database.

Every movement of the vault's chips carries denominations. Nobody counts it as a tray is counted, so it has no
T; but the chips an entry names are worth what it moved, and of no chip do more leave it than lay there.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from audit.chips import chips_named
from audit.codes import Found
from audit.facts import Fact
from tables.figures import count_total

VAULT = "vault"
CARRIED: Mapping[str, tuple[str, int]] = {
    "cage.commission": ("chips", 1),
    "cage.redeem": ("chips", 1),
    "cage.sell": ("chips", -1),
    "fill.issue": ("chips", -1),
    "fill.enter": ("chips", -1),
    "fill.take_back": ("counted", 1),
    "credit.receive": ("chips", 1),
    "credit.void": ("chips", -1),
}
"""By kind of entry that moves chips of the vault, the field that says which, and whether they come in."""


class VaultCheck:
    """Follows a cage's entries.

    Args:
        stream: name of the cage's stream.
        report: called with each find.
        from_empty: whether the stream's first entry is among them, so that what lies in the vault is known.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], *, from_empty: bool) -> None:
        self.chips: Counter[str] = Counter()
        self._stream, self._report, self._from_empty = stream, report, from_empty

    def see(self, fact: Fact) -> None:
        """The next entry."""
        touching = [move for move in fact.moves if VAULT in (move.source, move.target)]
        if not touching:
            return
        into = sum(move.amount if move.target == VAULT else -move.amount for move in touching)
        name, way = CARRIED.get(fact.kind, ("", 0))
        chips = chips_named(fact.payload, name, way)
        worth = None if chips is None else count_total(chips)
        if worth != into:
            self._found("amount_differs", fact, {"kind": fact.kind, "chips_worth": worth, "into_vault": into})
        for value, number in (chips or {}).items():
            lay_there = self.chips[value]
            self.chips[value] += number
            if self._from_empty and self.chips[value] < 0 <= lay_there:
                evidence = {"chip": value, "lay_there": lay_there, "taken": -number}
                self._found("vault_chips_differ", fact, evidence, value)

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any], about: str = "") -> None:
        self._report(Found(code, evidence, stream=self._stream, seq=fact.seq, about=about))
