"""Arguments the audit's commands share."""

import argparse
from datetime import date

from django.core.management.base import CommandError, CommandParser

from tables.models import Casino


def add_day_arguments(parser: CommandParser) -> None:
    """``--gaming-day`` and ``--casino``."""
    parser.add_argument("--gaming-day", type=gaming_day, required=True, metavar="YYYY-MM-DD")
    parser.add_argument("--casino", metavar="CODE", help="may be left out where there is one casino only")


def gaming_day(text: str) -> date:
    """A gaming day as it is written on the command line.

    Raises:
        ArgumentTypeError: it is no date, or one whose beginning or end no calendar holds.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not date.min < day < date.max:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date like 2026-11-30")
    return day


def casino_of(code: str | None) -> Casino:
    """The casino of a code, or the only one there is.

    Raises:
        CommandError: no such casino, or more than one to choose from.
    """
    found = list(Casino.objects.filter(code=code) if code else Casino.objects.order_by("code"))
    if len(found) == 1:
        return found[0]
    if code or not found:
        raise CommandError(f"no casino {code}" if code else "there is no casino yet")
    raise CommandError(f"say which casino: --casino {' | '.join(casino.code for casino in found)}")
