"""``manage.py retention``: what must be kept, and what need not be kept at hand."""

import json
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from audit.management.arguments import casino_of
from audit.selectors.retention import Retention, retention
from config.commands import HouseCommand
from tables.figures import gaming_day


class Command(HouseCommand):
    """Says what the profile's retention means today; it deletes nothing."""

    help = "Say what must be kept by the profile and what may be archived; nothing is deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        """The casino, and ``--json``."""
        parser.add_argument("--casino", metavar="CODE", help="may be left out where there is one casino only")
        parser.add_argument("--json", action="store_true", help="answer one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and print."""
        casino = casino_of(options["casino"])
        found = retention(casino, gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour))
        self.stdout.write(json.dumps(found.to_dict(), indent=2) if options["json"] else page(found))


def page(found: Retention) -> str:
    """What was found, as text."""
    lines = [
        f"{found.casino}, {found.profile}: everything is kept {found.years} years ({found.source})",
        f"gaming days from {found.keep_from} on must be kept",
    ]
    if found.days:
        span = f"{found.days} gaming days, {found.first} to {found.last}"
        lines.append(f"may be archived: {span}, {found.sessions} sessions, {found.rounds} rounds")
    else:
        lines.append("nothing older may be archived: No Activity")
    if found.held_back:
        days = ", ".join(day.isoformat() for day in found.held_back)
        lines.append(f"held back, not closed or a finding is open: {days}")
    return "\n".join([*lines, "the journal's entries stay, whatever is archived"])
