"""``manage.py createsuperuser``: not here, for nobody is a superuser."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management.base import CommandError

from config.commands import FAILED


class Command(createsuperuser.Command):
    """Stands in the place of Django's, which ends in a traceback here; it takes the same arguments."""

    help = "Refused: nobody is a superuser; create_administrator employs who sets a casino up."
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        """Say what to do instead.

        Raises:
            CommandError: always.
        """
        raise CommandError(
            "Nobody was employed: there are no superusers, every right comes from a role;"
            " `manage.py create_administrator CASINO BADGE` employs an administrator of a casino.",
            returncode=FAILED,
        )
