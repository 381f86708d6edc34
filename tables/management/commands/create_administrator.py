"""``manage.py create_administrator``: somebody who can sign in to the admin site."""

import secrets
import uuid
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.commands import HouseCommand
from config.errors import DomainError
from tables.models import Casino, Role
from tables.services.command import Command as FloorCommand
from tables.services.office import system_actor
from tables.services.staff import staff_create

PASSWORD_BYTES = 12


class Command(HouseCommand):
    """Employs an administrator and prints the password, once."""

    help = "Employ an administrator of a casino with a fresh password, which is printed once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which casino, which badge."""
        parser.add_argument("casino", help="the casino's code")
        parser.add_argument("badge", help="the badge, with which one signs in")
        parser.add_argument("--name", default="Administrator", help="name to be shown (%(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Employ, and print the password on standard output."""
        casino = Casino.objects.filter(code=options["casino"]).first()
        if casino is None:
            raise CommandError(f"There is no casino {options['casino']}; open it with create_casino.")
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        try:
            staff_create(
                casino_id=casino.id,
                badge=options["badge"],
                display_name=options["name"],
                role=Role.ADMINISTRATOR,
                password=password,
                command=FloorCommand(uuid.uuid4(), system_actor()),
            )
        except DomainError as refusal:
            raise CommandError(refusal.detail) from refusal
        self.stdout.write(password)
