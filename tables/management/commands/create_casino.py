"""``manage.py create_casino``: the first act of an installation."""

import argparse
import uuid
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.commands import HouseCommand
from config.errors import DomainError
from tables.jurisdiction.catalogue import DEFAULT, NAMES
from tables.models import Casino
from tables.services.command import Command as FloorCommand
from tables.services.office import casino_create, system_actor

USUAL_CHIPS = "100,500,2500,10000,50000,100000"


class Command(HouseCommand):
    """Opens a casino with its office and cage; run again for the same code, it finds it done."""

    help = "Open a casino: its currency, time zone, gaming day and chips."

    def add_arguments(self, parser: CommandParser) -> None:
        """The casino's properties; none but the profile can be changed later."""
        parser.add_argument("code", help="short name, unique in the installation")
        parser.add_argument("--name", help="full name; default the code")
        parser.add_argument("--currency", default="USD", help="ISO 4217 code (default %(default)s)")
        parser.add_argument("--time-zone", default="UTC", help="IANA name (default %(default)s)")
        parser.add_argument("--rollover-hour", type=int, default=6, help="when a gaming day begins (6)")
        parser.add_argument(
            "--profile",
            choices=NAMES,
            default=DEFAULT,
            help="jurisdiction profile; another may be chosen later in the admin (default %(default)s)",
        )
        parser.add_argument(
            "--chips",
            type=_values,
            default=USUAL_CHIPS,
            metavar="VALUE,...",
            help="chip values in minor units (default %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Open it, and say so."""
        code = options["code"]
        if Casino.objects.filter(code=code).exists():
            self.stdout.write(f"casino {code} exists")
            return
        try:
            casino_create(
                code=code,
                name=options["name"] or code,
                currency=options["currency"],
                time_zone=options["time_zone"],
                rollover_hour=options["rollover_hour"],
                profile=options["profile"],
                denominations=options["chips"],
                command=FloorCommand(
                    uuid.uuid5(uuid.NAMESPACE_URL, f"pitledger:casino:{code}"), system_actor()
                ),
            )
        except DomainError as refusal:
            raise CommandError(refusal.detail) from refusal
        self.stdout.write(f"casino {code} is open")


def _values(text: str) -> list[int]:
    try:
        return [int(value) for value in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like {USUAL_CHIPS}") from None
