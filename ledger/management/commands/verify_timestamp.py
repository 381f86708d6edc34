"""``manage.py verify_timestamp``: when was this checkpoint signed at the latest? Needs no database."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.commands import FOUND, HouseCommand
from ledger.checkpoints.files import read_text
from ledger.checkpoints.timestamp import TimestampError, read_certificates, verify_timestamp


class Command(HouseCommand):
    """Verifies an RFC 3161 timestamp of a checkpoint, as ``openssl ts -verify`` does."""

    help = (
        "Verify that a time-stamping authority has stamped a checkpoint, and say when."
        " Exit code 1 means that it has not, 2 that it could not be verified."
    )
    requires_migrations_checks = False  # who verifies has no database

    def add_arguments(self, parser: CommandParser) -> None:
        """The checkpoint, its timestamp, and whom to believe."""
        parser.add_argument("--checkpoint", type=Path, required=True, metavar="FILE", help="the signed note")
        parser.add_argument(
            "--timestamp", type=Path, required=True, metavar="FILE", help="the authority's answer (.tsr)"
        )
        parser.add_argument(
            "--tsa-certificate",
            type=Path,
            required=True,
            metavar="FILE",
            help="the certificates to believe (PEM), from whoever you trust with them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, and exit with 1 if it is not good."""
        try:
            note = read_text(options["checkpoint"])
            der = options["timestamp"].read_bytes()
            roots = read_certificates(options["tsa_certificate"])
        except (OSError, ValueError) as exc:
            raise CommandError(str(exc)) from exc
        try:
            at = verify_timestamp(note=note, der=der, roots=roots)
        except TimestampError as exc:
            self.stderr.write(f"NOT STAMPED: {exc}")
            sys.exit(FOUND)
        self.stdout.write(f"stamped at {at:%Y-%m-%d %H:%M:%S} UTC")
