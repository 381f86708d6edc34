"""``manage.py export_lake``: round histories at rest, a Parquet file for each closed gaming day."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from audit.exports.lake import lake_export
from audit.management.arguments import casino_of, gaming_day
from config import env
from config.commands import HouseCommand, progress_bar
from config.errors import DomainError
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.seal import seal


class Command(HouseCommand):
    """Writes what is not there yet, or not as it is now; run it after each closing of a day."""

    help = (
        "Write the round histories of closed gaming days as Parquet files that are read as one table."
        " Files that are there and still right stay as they are."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The folder, the casino, and the day if it is one only."""
        parser.add_argument("--output", type=Path, required=True, metavar="DIR")
        parser.add_argument("--casino", metavar="CODE", help="may be left out where there is one casino only")
        parser.add_argument("--gaming-day", type=gaming_day, metavar="YYYY-MM-DD")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write, and say what was written."""
        folder: Path = options["output"]
        if not folder.is_dir():
            raise CommandError(f"{folder} is no folder" if folder.exists() else f"no folder {folder}")
        casino, day, keys = casino_of(options["casino"]), options["gaming_day"], KeyStore(env.home())
        try:
            seal(keys=keys)
            written = 0
            with progress_bar("rounds") as progress:
                for one in lake_export(casino, folder, day=day, keys=keys, progress=progress):
                    self.stdout.write(f"{one.path}: {one.rounds} rounds{'' if one.is_new else ', as it was'}")
                    written += 1
        except (DomainError, OSError) as exc:
            raise CommandError(str(exc)) from exc
        if not written and day is not None:
            raise CommandError(f"{day} is not closed, or has no rounds")
        if not written:
            self.stdout.write("nothing to write: no closed gaming day has rounds")
