"""``manage.py seal``: append what is new to the tree, sign, store, publish."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ledger.checkpoints.seal import seal
from ledger.errors import LedgerError


class Command(BaseCommand):
    """Seals the journal, as the worker does every minute."""

    help = "Seal all committed entries, and write every checkpoint the folder outside the database lacks."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seal, and say how much."""
        try:
            sealed = seal()
        except (LedgerError, OSError) as exc:
            raise CommandError(str(exc)) from exc
        self.stdout.write(
            f"{sealed.size} entries sealed, {sealed.appended} of them now;"
            f" {sealed.published} checkpoints written"
        )
        if sealed.broken:
            raise CommandError(f"streams with a gap in their entries, sealed up to it: {sealed.broken}")
