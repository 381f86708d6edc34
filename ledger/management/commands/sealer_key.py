"""``manage.py sealer_key``: make, rotate and show the keys of the log."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from config import env
from config.commands import HouseCommand
from ledger.checkpoints.keys import KeyStore
from ledger.errors import LedgerError


class Command(HouseCommand):
    """Looks after the sealer's key; needs no database."""

    help = (
        "`create [--name NAME]` makes the sealer's key unless there is one; `rotate` puts a new one in its"
        " place, old checkpoints staying verifiable by the old public key; `show` prints every public key."
    )

    requires_migrations_checks = False  # keys are in no database

    def add_arguments(self, parser: CommandParser) -> None:
        """What to do."""
        do = parser.add_subparsers(dest="do", required=True)
        create = do.add_parser("create", help="make the key, unless there is one")
        create.add_argument(
            "--name", default="", help="the log's name: a host and path of yours, without https://"
        )
        do.add_parser("rotate", help="put a new key in the place of the present one")
        do.add_parser("show", help="print every public key")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, and print the public keys."""
        keys = KeyStore(env.home())
        try:
            if options["do"] == "create":
                keys.create(options["name"])
            elif options["do"] == "rotate":
                keys.rotate()
            for key in keys.verifiers():
                self.stdout.write(key.text)
        except LedgerError as exc:
            raise CommandError(str(exc)) from exc
