"""Promotional chips and coupons, each piece with its number."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0010_cash_reporting")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="PromoPiece",
            fields=[
                ("id", uid()),
                ("serial", models.CharField(max_length=40)),
                ("value", models.BigIntegerField(help_text="What it wins with, minor units.")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("issued", "With the player"),
                            ("staked", "At stake"),
                            ("taken", "Played, in the table's promotional box"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="issued",
                        max_length=10,
                    ),
                ),
                ("issued_at", models.DateTimeField()),
                ("issued_seq", models.BigIntegerField(help_text="The cage's entry that issued it.")),
                ("seat", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "cancelled_seq",
                    models.BigIntegerField(
                        blank=True, help_text="The entry of the table that cancelled it.", null=True
                    ),
                ),
                ("casino", key("tables.casino")),
                ("player", key("tables.player")),
                ("round", key("tables.round", blank=True, null=True)),
                ("table", key("tables.table", blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="promo_serial_once", fields=["casino", "serial"]),
                    models.CheckConstraint(name="promo_value", condition=Q(value__gt=0)),
                    models.CheckConstraint(
                        name="promo_lies_somewhere",
                        condition=Q(round=None, seat=None, status="issued", table=None)
                        | Q(
                            ~Q(status="issued"), round__isnull=False, seat__isnull=False, table__isnull=False
                        ),
                    ),
                    models.CheckConstraint(
                        name="promo_cancelled_says_so",
                        condition=Q(cancelled_seq=None) | Q(status="cancelled"),
                    ),
                    models.UniqueConstraint(
                        name="promo_one_beside_a_bet", fields=["round", "seat"], condition=~Q(status="issued")
                    ),
                ]
            },
        )
    ]
