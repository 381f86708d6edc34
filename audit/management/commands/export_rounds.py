"""``manage.py export_rounds``: round histories as a file, of any filter, in any form."""

from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from audit.exports.filters import ANY_ALERT, NAMES, OUTCOMES, SHIFTS, RoundFilter
from audit.exports.forms import FORMS
from audit.exports.named import check_named
from audit.exports.rounds import rounds_export
from audit.management.arguments import casino_of, gaming_day
from audit.verify.report import many
from config import env
from config.commands import HouseCommand, check_output, not_written, progress_bar
from config.errors import DomainError
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.seal import seal


class Command(HouseCommand):
    """Writes a file of rounds, one row per round and seat, and its signed manifest beside it."""

    help = (
        "Export round histories, one row per round and seat, with a signed manifest. What is not sealed yet"
        " is sealed first. Killed, the same command goes on where it was."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The casino, the filter, the form and the file."""
        parser.add_argument("--casino", metavar="CODE", help="may be left out where there is one casino only")
        parser.add_argument(
            "--gaming-day", type=_days, metavar="DAY[..DAY]", help="one, or the first and last"
        )
        add_filter_arguments(parser)
        parser.add_argument("--format", choices=sorted(FORMS), default="csv")
        parser.add_argument("--output", type=Path, required=True, metavar="PATH")

    def handle(self, *args: Any, **options: Any) -> None:
        """Export, and say what was written."""
        path: Path = options["output"]
        check_output(path)
        keys = KeyStore(env.home())
        try:
            wanted = _filter(options)
            seal(keys=keys)
            with not_written(path), progress_bar("rounds") as progress:
                done = rounds_export(
                    filter=wanted, form=options["format"], path=path, progress=progress, keys=keys
                )
        except DomainError as exc:
            raise CommandError(f"{path}: {exc}") from exc
        held = f"{many(done.rounds, 'round')} in {many(done.rows, 'row')}"
        self.stdout.write(f"{done.path}: {held}, sha256 {done.sha256}")


def add_filter_arguments(parser: CommandParser) -> None:
    """What rows are wanted, besides casino and gaming days."""
    for name, kind in (("pit", str), ("table", str), ("session", UUID), ("dealer", str), ("player", UUID)):
        parser.add_argument(f"--{name}", type=kind, metavar="ID" if kind is UUID else "CODE")
    parser.add_argument("--shift", type=int, choices=SHIFTS)
    parser.add_argument("--seat", type=int, metavar="N")
    parser.add_argument("--outcome", choices=OUTCOMES)
    parser.add_argument("--stake-min", type=int, metavar="MINOR_UNITS", help="bet and raise together")
    parser.add_argument("--stake-max", type=int, metavar="MINOR_UNITS")
    parser.add_argument("--alert", metavar="CODE", help=f"a finding about the round; {ANY_ALERT}: any")


def _days(text: str) -> tuple[date, date]:
    first, dots, last = text.partition("..")
    return gaming_day(first), gaming_day(last if dots else first)


def _filter(options: dict[str, Any]) -> RoundFilter:
    chosen: dict[str, Any] = {name: options[name] for name in NAMES if options.get(name) is not None}
    if options["gaming_day"] is not None:
        chosen["gaming_day_from"], chosen["gaming_day_to"] = options["gaming_day"]
    wanted = RoundFilter(**chosen | {"casino": casino_of(options["casino"]).id})
    check_named(wanted)
    return wanted
