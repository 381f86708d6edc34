"""``manage.py statement``: what accounts hold and held, from the command line."""

import argparse
import json
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.dateparse import parse_datetime

from config.commands import FOUND, HouseCommand
from ledger.errors import StreamUnknown, UnknownAccount
from ledger.models import Stream
from ledger.statements import (
    PAGE,
    START,
    Position,
    TrialBalance,
    balances_at,
    history,
    seq_at,
    sums,
    trial_balance,
)
from tables.selectors.statements import account_record, statement_record


class Command(HouseCommand):
    """Prints a page of an account's history, or a trial balance of one stream or of all."""

    help = (
        "With a stream and an account: its movements with the running balance, and for a tray or count room"
        " the last count by denomination. Without an account: every account's balance and their sum per"
        " asset; exit code 1 when one is not zero. Amounts are integers in minor units."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The account, and which part of its history."""
        parser.add_argument("stream", nargs="?", help="name of a stream, as table:<id>; all when left out")
        parser.add_argument("account", nargs="?", help="name of an account of the stream, as tray")
        parser.add_argument("--at", metavar="TIME", help="as of a time, ISO 8601 with its zone")
        parser.add_argument("--until", type=_from_one, metavar="SEQ", help="up to this entry")
        parser.add_argument("--after", metavar="SEQ.LINE", help="go on after this line")
        parser.add_argument(
            "--limit", type=_from_one, default=PAGE, metavar="LINES", help="at most (default %(default)s)"
        )
        parser.add_argument("--json", action="store_true", help="answer one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read and print."""
        at = _time(options["at"])
        if options["until"] and (at or not options["stream"]):
            raise CommandError("--until is an entry of one stream, and goes without --at")
        try:
            if options["account"]:
                self._history(at, options)
            else:
                self._trial_balance(at, options)
        except (StreamUnknown, UnknownAccount) as unknown:
            raise CommandError(str(unknown)) from unknown

    def _history(self, at: datetime | None, options: dict[str, Any]) -> None:
        stream, until = options["stream"], options["until"]
        page = history(
            stream,
            options["account"],
            after=_position(options["after"]),
            until=seq_at(stream, at) if at else until,
            limit=options["limit"],
        )
        said = statement_record(page)
        if options["json"]:
            self.stdout.write(json.dumps(said | {"next": page.next}, indent=2))
            return
        self.stdout.write(f"{page.stream} {page.account}, {page.asset}, up to entry {page.until}")
        self.stdout.write(f"{'':>12}  {'':32}  {'before':24}  {'':>16}  {page.opening:>16}")
        for line in page.lines:
            place = f"{line.seq}.{line.line}"
            moment = line.recorded_at.isoformat()
            change = f"{line.change:>16}  {line.balance:>16}"
            self.stdout.write(f"{place:>12}  {moment:32}  {line.kind:24}  {change}  {line.other}")
        if page.next:
            self.stdout.write(f"more after {page.next.seq}.{page.next.line}")
        if said["count"]:
            count = said["count"]
            chips = ", ".join(f"{number} of {value}" for value, number in count["chips"].items())
            self.stdout.write(f"{count['what']}, entry {count['seq']}: {chips}; {count['total']} in all")

    def _trial_balance(self, at: datetime | None, options: dict[str, Any]) -> None:
        result = _balances(options["stream"], at, options["until"])
        if options["json"]:
            rows = [account_record(row) | {"seq": row.seq} for row in result.accounts]
            self.stdout.write(json.dumps({"accounts": rows, "totals": result.totals}, indent=2))
        else:
            self._print(result)
        if not result.balanced:
            raise SystemExit(FOUND)

    def _print(self, result: TrialBalance) -> None:
        for row in result.accounts:
            self.stdout.write(f"{row.stream:44}  {row.name:20}  {row.asset:10}  {row.balance:>16}")
        for asset, total in sorted(result.totals.items()):
            self.stdout.write(f"{'total':44}  {'':20}  {asset:10}  {total:>16}")


def _balances(stream: str | None, at: datetime | None, until: int | None) -> TrialBalance:
    """What the accounts of a stream, or of all, hold now, or held at a time or after an entry."""
    if stream and until:
        rows = balances_at(stream, seq=until)
        return TrialBalance(rows, sums(rows))
    names = Stream.objects.order_by("name").values_list("name", flat=True)
    return trial_balance([stream] if stream else list(names), at=at)


def _from_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError(f"not a time with its zone: {text}")
    return moment


def _position(text: str | None) -> Position:
    if text is None:
        return START
    seq, _, line = text.partition(".")
    if not (seq.isdecimal() and line.isdecimal()):
        raise CommandError(f"not a line: {text}")
    return Position(int(seq), int(line))
