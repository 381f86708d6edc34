"""Arguments the audit's commands share."""

from datetime import date

from django.core.management.base import CommandError, CommandParser

from tables.models import Casino


def add_day_arguments(parser: CommandParser) -> None:
    """``--gaming-day`` and ``--casino``."""
    parser.add_argument("--gaming-day", type=date.fromisoformat, required=True, metavar="YYYY-MM-DD")
    parser.add_argument("--casino", metavar="CODE", help="may be left out where there is one casino only")


def casino_of(code: str | None) -> Casino:
    """The casino of a code, or the only one there is.

    Raises:
        CommandError: no such casino, or more than one to choose from.
    """
    found = list(Casino.objects.filter(code=code) if code else Casino.objects.all()[:2])
    if len(found) == 1:
        return found[0]
    raise CommandError(f"no casino {code}" if code else "say which casino (--casino CODE)")
