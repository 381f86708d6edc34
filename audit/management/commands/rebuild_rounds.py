"""``manage.py rebuild_rounds``: derive the rows of a session's rounds from the journal again."""

import sys
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from audit.services.rebuilding import NotDerivable, rounds_astray, rounds_rebuild
from config.commands import FOUND, HouseCommand


class Command(HouseCommand):
    """Rebuilds the rows of one session where it is told why; otherwise says what it would rebuild."""

    help = (
        "Where the nightly check finds that rounds' rows are not what the journal says"
        " (round_projection_differs): write them as it does, and say so in an entry of the table. Without"
        " --reason only tell what is wrong; exit code 1 when something is. Rounds that do not re-settle are"
        " left alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The session, and why."""
        parser.add_argument("session", type=UUID, metavar="ID")
        parser.add_argument("--reason", default="", help="why they are rebuilt; it stands in the journal")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and rebuild."""
        session, reason = options["session"], options["reason"]
        try:
            found = (
                rounds_rebuild(session_id=session, reason=reason)
                if reason
                else rounds_astray(session_id=session)
            )
        except NotDerivable as exc:
            raise CommandError(str(exc)) from exc
        for each in found:
            self.stdout.write(f"round {each.number}  {each.round}  {', '.join(sorted(each.wrong))}")
        if not found:
            self.stdout.write("nothing is wrong")
        elif reason:
            self.stdout.write(f"rebuilt: {len(found)}; entries of the table say what they were")
            self.stdout.write("what was exported of this gaming day before is to be exported again")
        else:
            self.stdout.write("nothing was changed: say why they are to be rebuilt, with --reason")
            sys.exit(FOUND)
