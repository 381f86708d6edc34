"""``manage.py export_bundle``: what an auditor takes home, and verifies without us."""

import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from audit.bundle.scope import NothingToBundle, Scope
from audit.bundle.write import bundle_write
from audit.management.arguments import casino_of, gaming_day
from config import env
from config.commands import FOUND, HouseCommand, check_output, not_written, progress_bar
from config.errors import DomainError
from ledger.checkpoints.files import read_text
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.note import NoteError, open_checkpoint
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint
from tables.models import Casino, Round, Table, TableSession


class Command(HouseCommand):
    """Writes the bundle of a day, a table, a session or a round; exit code 1 if it will not verify."""

    help = (
        "Write a bundle that pitledger-verify judges offline. What is not sealed yet is sealed first, unless"
        " --checkpoint says under which checkpoint to cut: then the same request gives the same bytes."
        " Exit code 1 means that it was written and will not verify, 2 that it was not written."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """What it is about, where it goes, and what it is proved against."""
        about = parser.add_mutually_exclusive_group(required=True)
        about.add_argument("--gaming-day", type=gaming_day, metavar="YYYY-MM-DD")
        about.add_argument("--table", metavar="CODE")
        about.add_argument("--session", type=UUID, metavar="ID")
        about.add_argument("--round", type=UUID, metavar="ID")
        parser.add_argument("--casino", metavar="CODE", help="may be left out where there is one casino only")
        parser.add_argument(
            "--whole", action="store_true", help="from the streams' first entries: every balance is proved"
        )
        parser.add_argument("--checkpoint", type=int, metavar="SIZE", help="cut at the checkpoint of so many")
        parser.add_argument(
            "--since",
            type=Path,
            metavar="FILE",
            help="the auditor's last signed checkpoint: prove that this one continues it",
        )
        parser.add_argument("--output", type=Path, required=True, metavar="PATH")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write, and say what was written."""
        path: Path = options["output"]
        check_output(path)
        scope = Scope(casino_of(options["casino"]), self._about(options), options["whole"])
        keys = KeyStore(env.home())
        try:
            if options["checkpoint"] is None:
                seal(keys=keys)
            since, checkpoint = _since(options["since"], keys), _checkpoint(options["checkpoint"])
            with not_written(path), progress_bar("entries") as progress:
                done = bundle_write(
                    scope, checkpoint=checkpoint, keys=keys, path=path, since=since, progress=progress
                )
        except (DomainError, NothingToBundle, OSError, ValueError) as exc:
            raise CommandError(str(exc)) from exc
        self.stdout.write(
            f"{done.path}: {done.entries} entries in {done.size} bytes,"
            f" under the checkpoint of {done.checkpoint}"
        )
        for finding in done.findings.listed:
            self.stdout.write(f"{finding.type}  {finding.place}  {finding.detail}")
        if done.findings.count:
            sys.exit(FOUND)

    def _about(self, options: dict[str, Any]) -> Any:
        """The day, table, session or round that was asked for."""
        if options["gaming_day"] is not None:
            return options["gaming_day"]
        casino = casino_of(options["casino"])
        found = _find(casino, options)
        if found is None:
            raise CommandError(f"the casino {casino.code} has no such table, session or round")
        return found


def _find(casino: Casino, options: dict[str, Any]) -> Table | TableSession | Round | None:
    if options["table"] is not None:
        return Table.objects.filter(casino=casino, code=options["table"]).first()
    if options["session"] is not None:
        sessions = TableSession.objects.select_related("table")
        return sessions.filter(table__casino=casino, id=options["session"]).first()
    rounds = Round.objects.select_related("session__table")
    return rounds.filter(table__casino=casino, id=options["round"]).first()


def _checkpoint(size: int | None) -> Checkpoint:
    rows = Checkpoint.objects.order_by("-size")
    found = rows.first() if size is None else rows.filter(size=size).first()
    if found is None:
        raise CommandError("there is no such checkpoint")
    return found


def _since(path: Path | None, keys: KeyStore) -> int | None:
    """The size of the auditor's note, which must be one of ours."""
    if path is None:
        return None
    try:
        return open_checkpoint(read_text(path), keys.verifiers()).size
    except NoteError as exc:
        raise CommandError(f"{path}: {exc}") from exc
