"""Promotional chips and coupons, each piece with its number."""

import uuid
from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

STANDINGS = [
    ("issued", "With the player"),
    ("staked", "At stake"),
    ("taken", "Played, in the table's promotional box"),
    ("cancelled", "Cancelled"),
]


def _key(to: str, **options: Any) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        to=to, on_delete=django.db.models.deletion.PROTECT, related_name="+", **options
    )


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0009_cash_reporting")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="PromoPiece",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("serial", models.CharField(max_length=40)),
                ("value", models.BigIntegerField(help_text="What it wins with, minor units.")),
                ("status", models.CharField(choices=STANDINGS, default="issued", max_length=10)),
                ("issued_at", models.DateTimeField()),
                ("issued_seq", models.BigIntegerField(help_text="The cage's entry that issued it.")),
                ("seat", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "cancelled_seq",
                    models.BigIntegerField(
                        blank=True, null=True, help_text="The entry of the table that cancelled it."
                    ),
                ),
                ("casino", _key("tables.casino")),
                ("player", _key("tables.player")),
                ("round", _key("tables.round", blank=True, null=True)),
                ("table", _key("tables.table", blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["casino", "serial"], name="promo_serial_once"),
                    models.CheckConstraint(condition=Q(value__gt=0), name="promo_value"),
                    models.CheckConstraint(
                        condition=Q(status="issued", round=None, seat=None, table=None)
                        | (
                            ~Q(status="issued")
                            & Q(round__isnull=False, seat__isnull=False, table__isnull=False)
                        ),
                        name="promo_lies_somewhere",
                    ),
                    models.CheckConstraint(
                        condition=Q(cancelled_seq=None) | Q(status="cancelled"),
                        name="promo_cancelled_says_so",
                    ),
                    models.UniqueConstraint(
                        fields=["round", "seat"],
                        condition=~Q(status="issued"),
                        name="promo_one_beside_a_bet",
                    ),
                ]
            },
        ),
    ]
