"""``manage.py checkpoint_status``: how far the journal is sealed; for people and for monitoring."""

import sys
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from config.commands import FOUND, HouseCommand
from ledger.checkpoints.store import seal_state


class Command(HouseCommand):
    """Says how far the journal is sealed; exit code 1 when entries have waited too long."""

    help = "How far the journal is sealed. Exit code 1 when an entry has waited longer than allowed."

    def add_arguments(self, parser: CommandParser) -> None:
        """``--max-age``."""
        parser.add_argument(
            "--max-age",
            type=int,
            default=settings.CHECKPOINT_AGE_SECONDS,
            metavar="SECONDS",
            help="how long an entry may wait for its seal (default: PITLEDGER_CHECKPOINT_AGE_SECONDS)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print, and exit with 1 if the seal is overdue."""
        state = seal_state()
        self.stdout.write(f"sealed: {state.size} entries, last at {state.sealed_at or 'no time yet'}")
        self.stdout.write(f"waiting: {state.unsealed} entries, the oldest for {state.age}")
        if state.age > timedelta(seconds=options["max_age"]):
            self.stderr.write("the seal is overdue: is the sealer running?")
            sys.exit(FOUND)
