"""The cage: one terminal, one cashier, a vault and a drawer that can be counted by hand."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tables.simulation.players import Player
from tables.simulation.terminal import OVERTAKEN, Refused, Terminal
from tables.simulation.world import Chronicle

NOTES = (10_000, 5_000, 2_000, 1_000, 500, 100)
"""Banknotes guests pay with and the count room finds, minor units."""


@dataclass(frozen=True, slots=True)
class Person:
    """A badge and the PIN its owner types."""

    badge: str
    pin: str

    def as_json(self) -> dict[str, str]:
        """The pair as a second signature."""
        return {"badge": self.badge, "pin": self.pin}


def in_pieces(amount: int, values: Iterable[int]) -> dict[str, int]:
    """`amount` in as few chips (or notes) of these values as there are, minor units.

    Raises:
        ValueError: the amount cannot be made of them.
    """
    count: dict[str, int] = {}
    for value in sorted(values, reverse=True):
        number, amount = divmod(amount, value)
        if number:
            count[str(value)] = number
    if amount:
        raise ValueError(f"{amount} is left over")
    return count


def in_store(amount: int, values: Iterable[int]) -> dict[str, int]:
    """`amount` in chips of all of these values, about as much in each, minor units.

    Raises:
        ValueError: the amount cannot be made of them.
    """
    every = sorted(values, reverse=True)
    count = {str(value): amount // len(every) // value for value in every}
    rest = amount - sum(int(value) * number for value, number in count.items())
    for value, number in in_pieces(rest, every).items():
        count[value] += number
    return count


class Cage:
    """The cage's terminal and what lies there. Shared by all tables: one command at a time.

    Args:
        chips: values of the house's chips, minor units.
        cashier: who works there.
        second: who signs with the cashier, and counts the boxes after them.
        runner: of security, who carries chips to and from the tables.
        remover: who signs with the cashier that a box was taken off its table.
        member: id of the player who is given promotional pieces.
    """

    def __init__(
        self,
        terminal: Terminal,
        *,
        chips: Iterable[int],
        cashier: Person,
        second: Person,
        runner: Person,
        remover: Person,
        member: str,
        chronicle: Chronicle,
    ) -> None:
        self._terminal = terminal
        self._values = tuple(chips)
        self._cashier = cashier
        self._second = second
        self.runner, self._remover, self._member = runner, remover, member
        self._chronicle = chronicle
        self._lock = threading.Lock()
        self.vault = 0
        self.drawer = 0

    def sign_in(self) -> None:
        """The cashier comes to work."""
        with self._lock:
            self._terminal.sign_in(self._cashier.badge, self._cashier.pin)
            self._terminal.look("cage")

    def stock(self, *, chips: int, cash: int) -> None:
        """Bring new chips into the vault, under two signatures, and cash into the drawer (minor units)."""
        minted = {"chips": in_store(chips, self._values), "second": self._second.as_json()}
        self._command("cage/chips", minted, chips=chips)
        self._command("cage/cash", {"amount": cash}, cash=cash)

    def issue_fill(self, slip: str, amount: int) -> str:
        """Accept a requested fill in full (minor units) and hand its chips to the runner; its label."""
        given = {"chips": in_pieces(amount, self._values), "runner": self.runner.as_json()}
        self._chronicle.count("fills")
        return str(self._command(f"cage/fills/{slip}/issue", given, chips=-amount)["label"])

    def issue_credit(self, slip: str) -> str:
        """Issue the slip of a requested credit; its label."""
        return str(self._command(f"cage/credits/{slip}/issue", {})["label"])

    def receive_credit(self, slip: str, amount: int) -> None:
        """Count the chips of a credit (minor units) and take them into the vault."""
        counted = {"chips": in_pieces(amount, self._values)}
        self._command(f"cage/credits/{slip}/receipt", counted, chips=amount)
        self._chronicle.count("credits")

    def take_back(self, slip: str, amount: int) -> None:
        """Count the chips of a void fill (minor units) back into the vault."""
        counted = {"chips": in_pieces(amount, self._values), "second": self._second.as_json()}
        self._command(f"cage/slips/{slip}/return", counted, chips=amount)
        self._chronicle.count("void slips")

    def redeem(self, guest: Player) -> None:
        """Pay a guest cash for all the chips in his pocket; what no chip can make stays with him."""
        amount = guest.pocket - guest.pocket % min(self._values)
        if not amount:
            return
        self._pay(amount, guest.player_id)
        guest.pocket -= amount
        guest.cash += amount

    def redeem_tokes(self, amount: int) -> None:
        """Pay dealers cash for the chips (minor units) guests have given them."""
        self._pay(amount, None)

    def _pay(self, amount: int, player: str | None) -> None:
        brought = {"chips": in_pieces(amount, self._values), "player": player}
        self._command("cage/redemptions", brought, chips=amount, cash=-amount)
        self._chronicle.count("redemptions")

    def promote(self, pieces: Mapping[str, int]) -> None:
        """Have promotional pieces made, and give the member these: numbers to values (minor units)."""
        made = Counter(map(str, pieces.values()))
        signed = self._remover.as_json()
        self._command("cage/promotions/stock", {"pieces": made, "second": signed})
        self._command("cage/promotions", {"player": self._member, "pieces": dict(pieces)})
        self._chronicle.count("promotional pieces given", len(pieces))

    def count_drop(self, table_id: str, cash: int, slips: Iterable[str]) -> None:
        """Remove a closed table's drop box and count twice what is in it.

        Whatever was done of this before is not done again.

        Args:
            cash: minor units.
            slips: labels of the slip copies.
        """
        with self._lock:
            for box in self._terminal.look("cage/boxes")["boxes"]:
                if box["table"] == table_id:
                    self._count_box(box, {"notes": in_pieces(cash, NOTES)}, sorted(slips))

    def _count_box(self, box: Mapping[str, Any], found: Mapping[str, Any], slips: Sequence[str]) -> None:
        """What is due of a box; the second count is another cashier's, who does not know the first."""
        if box["status"] == "on_table":
            removal = {"box": box["number"], "second": self._remover.as_json()}
            self._at_a_table(f"sessions/{box['session']}/box-removal", removal)
        if box["status"] in ("on_table", "removed"):
            self._at_a_table(f"boxes/{box['id']}/first-count", found)
        self._terminal.sign_in(self._second.badge, self._second.pin)
        try:
            self._at_a_table(f"boxes/{box['id']}/second-count", {**found, "slips": slips})
        finally:
            self._terminal.sign_in(self._cashier.badge, self._cashier.pin)
        self._chronicle.count("drops counted")

    def _at_a_table(self, path: str, body: Mapping[str, Any]) -> None:
        self._terminal.command("POST", path, body, if_match="*")

    def close_day(self, gaming_day: str) -> None:
        """Close a gaming day (by its date), under two signatures."""
        signed = {"second": self._second.as_json()}
        with self._lock:
            self._terminal.command("POST", f"gaming-days/{gaming_day}/closure", signed, if_match="*")
        self._chronicle.count("gaming days closed")

    def _command(self, path: str, body: dict[str, Any], *, chips: int = 0, cash: int = 0) -> Any:
        """One command, and what it moves into (or out of) vault and drawer.

        What the cage does hangs on nothing anybody else does there, so it may be sent anew.
        """
        with self._lock:
            try:
                answer = self._terminal.command("POST", path, body).body
            except Refused as refusal:
                if refusal.code not in OVERTAKEN:
                    raise
                self._terminal.look("cage")
                answer = self._terminal.command("POST", path, body).body
            self.vault += chips
            self.drawer += cash
            return answer
