"""``manage.py export_rounds``: a gaming day's round histories as a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from audit.exports.rounds import WRITERS, rounds_export
from audit.management.arguments import add_day_arguments, casino_of
from config.commands import HouseCommand


class Command(HouseCommand):
    """Writes a gaming day's rounds, one row per round and seat, and their column dictionary."""

    help = "Export a gaming day's round histories, one row per round and seat."

    def add_arguments(self, parser: CommandParser) -> None:
        """The day, the casino, the form and the file."""
        add_day_arguments(parser)
        parser.add_argument("--format", choices=sorted(WRITERS), default="csv")
        parser.add_argument("--output", type=Path, required=True, metavar="PATH")

    def handle(self, *args: Any, **options: Any) -> None:
        """Export, and say what was written."""
        path: Path = options["output"]
        if not path.parent.is_dir():
            raise CommandError(f"no folder {path.parent}")
        done = rounds_export(
            casino_id=casino_of(options["casino"]).id,
            gaming_day=options["gaming_day"],
            form=options["format"],
            path=path,
        )
        self.stdout.write(f"{done.path}: {done.rounds} rounds in {done.rows} rows, sha256 {done.sha256}")
