"""Credits, void slips, and slips somebody has left under way: what a dealer does about them."""

from collections.abc import Mapping
from typing import Any

from tables.simulation.cage import in_pieces
from tables.simulation.dealer import Dealer


def send_credit(dealer: Dealer, amount: int) -> None:
    """Have chips (minor units) taken to the cage."""
    slip = dealer.request("credits", amount)
    _send(dealer, slip, dealer.cage.issue_credit(slip), amount)
    dealer.cage.receive_credit(slip, amount)


def void_fill(dealer: Dealer, amount: int, reason: str) -> None:
    """Have chips (minor units) brought that nobody wants here, and sent back."""
    slip = dealer.request("fills", amount)
    dealer.cage.issue_fill(slip, amount)
    void = {"reason": reason, "second": dealer.post.supervisor.as_json()}
    dealer.act("POST", f"{dealer.path}/slips/{slip}/void", void)
    dealer.cage.take_back(slip, amount)


def finish(dealer: Dealer, slip: Mapping[str, Any]) -> None:
    """Take the steps that are left of a slip, as the terminal shows it."""
    key, label, amount = slip["id"], slip["label"], slip["total"]
    is_fill, status = slip["kind"] == "fill", slip["status"]
    if status == "returning":
        dealer.cage.take_back(key, amount)
        return
    if status == "requested":
        label = dealer.cage.issue_fill(key, amount) if is_fill else dealer.cage.issue_credit(key)
    if is_fill:
        dealer.receive(key, label, amount)
        return
    if status != "on_the_way":
        _send(dealer, key, label, amount)
    dealer.cage.receive_credit(key, amount)


def _send(dealer: Dealer, slip: str, label: str, amount: int) -> None:
    """Count the chips of a credit (minor units) out of the tray; the slip's copy goes into the box."""
    counted = {
        "chips": in_pieces(amount, dealer.post.chips),
        "second": dealer.post.supervisor.as_json(),
        "runner": dealer.cage.runner.as_json(),
    }
    dealer.act("POST", f"{dealer.path}/credits/{slip}/dispatch", counted)
    dealer.tray -= amount
    dealer.copies.append(label)
