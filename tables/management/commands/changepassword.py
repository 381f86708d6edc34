"""``manage.py changepassword``: not here, for a password is given by two and the journal says whose."""

from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError

from config.commands import FAILED


class Command(changepassword.Command):
    """Stands in the place of Django's, whose password no entry would tell of; it takes the same arguments."""

    help = "Refused: a password is changed in the admin site, where the journal says whose and when."
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        """Say what to do instead.

        Raises:
            CommandError: always.
        """
        raise CommandError(
            "Nothing was changed: one changes one's own password in the admin site, an administrator gives"
            " another there to who has forgotten theirs (Staff, Give another PIN or password), and where no"
            " administrator can sign in any more, `manage.py create_administrator` employs one.",
            returncode=FAILED,
        )
