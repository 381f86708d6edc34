"""What lies where, as the ledger has it (minor units)."""

from ledger.selectors import balance
from tables.models import Table


def tray_chips(table: Table) -> int:
    """Chips in the table's tray."""
    return balance(table.stream, "tray")
