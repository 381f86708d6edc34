"""``manage.py seal``: append what is new to the tree, sign, store, publish."""

import sys
from typing import Any

from django.core.management.base import CommandError

from config.commands import FOUND, HouseCommand
from ledger.checkpoints.seal import publish_lost, seal
from ledger.errors import LedgerError


class Command(HouseCommand):
    """Seals the journal, as the worker does every minute."""

    help = "Seal all committed entries, and write every checkpoint the folder outside the database lacks."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seal, and say how much."""
        try:
            sealed = seal()
            lost = publish_lost()
        except (LedgerError, OSError) as exc:
            raise CommandError(str(exc)) from exc
        self.stdout.write(
            f"{sealed.size} entries sealed, {sealed.appended} of them now;"
            f" {sealed.published + lost} checkpoints written"
        )
        if sealed.broken:
            self.stderr.write(f"streams with a gap in their entries, sealed up to it: {sealed.broken}")
            sys.exit(FOUND)
