"""``migrate`` as this system needs it: as the owner, and never without the grants."""

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate

from config.grants import apply_grants


class Command(migrate.Command):
    """Django's ``migrate`` on the ``owner`` database by default, then the application's rights.

    The application's role owns nothing: a table without a grant is a table it cannot see. Creating a test
    database calls this command too, so tests run with the very rights of production.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        """Django's own arguments, with ``owner`` as the default database."""
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, then apply the grants; a dry run (``--plan``, ``--check``) changes no right."""
        super().handle(*args, **options)
        if not (options["plan"] or options["check_unapplied"]):
            apply_grants(options["database"])
