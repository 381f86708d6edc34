"""``manage.py prove``: proofs to hand out, and checking those that were handed in."""

import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from config.commands import FOUND, HouseCommand
from ledger.checkpoints.files import read_text
from ledger.checkpoints.keys import read_verifier
from ledger.checkpoints.proof import ProofError, check_consistency, check_inclusion
from ledger.checkpoints.prove import prove_consistency, prove_entry
from ledger.errors import LedgerError


class Command(HouseCommand):
    """Writes a proof to standard output, or checks one without the database."""

    help = (
        "`prove entry ID [--size N]` writes a c2sp.org/tlog-proof, `prove consistency OLD NEW` the proof that"
        " checkpoint NEW continues OLD; `prove check` checks a proof from a file, offline."
    )

    requires_migrations_checks = False  # who checks a proof has no database

    def add_arguments(self, parser: CommandParser) -> None:
        """A sub-command each."""
        of = parser.add_subparsers(dest="of", required=True)
        entry = of.add_parser("entry", help="that an entry is sealed")
        entry.add_argument("id", type=UUID)
        entry.add_argument("--size", type=int, help="under the checkpoint of so many entries")
        consistency = of.add_parser("consistency", help="that one checkpoint continues another")
        consistency.add_argument("old", type=int)
        consistency.add_argument("new", type=int)
        check = of.add_parser("check", help="check a proof; needs no database")
        check.add_argument("proof", type=Path)
        check.add_argument("--key", type=Path, action="append", required=True)
        what = check.add_mutually_exclusive_group(required=True)
        what.add_argument("--hash", help="of the entry, hexadecimal: the proof is of its inclusion")
        what.add_argument("--old", type=Path, help="the older checkpoint: the proof is of consistency")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prove or check."""
        try:
            self.stdout.write(self._answer(options), ending="")
        except (LedgerError, OSError, ValueError) as exc:
            raise CommandError(str(exc)) from exc

    def _answer(self, options: dict[str, Any]) -> str:
        if options["of"] == "check":
            return self._checked(options)
        self.check_migrations()
        if options["of"] == "entry":
            proof = prove_entry(options["id"], size=options["size"])
            if proof is None:
                raise CommandError("there is no such entry")
            return proof.text
        return prove_consistency(old=options["old"], new=options["new"]).text

    def _checked(self, options: dict[str, Any]) -> str:
        keys = [read_verifier(path) for path in options["key"]]
        text = read_text(options["proof"])
        try:
            if options["hash"]:
                found = check_inclusion(text, entry_hash=bytes.fromhex(options["hash"]), keys=keys)
            else:
                old_note = read_text(options["old"])
                found = check_consistency(text, old_note=old_note, keys=keys)
        except ProofError as exc:
            self.stderr.write(f"NOT PROVED: {exc}")
            sys.exit(FOUND)
        return f"proved, under the checkpoint of {found.size} entries of {found.origin}\n"
