"""Markers, credit limits, and what a removed box holds of instruments."""

import uuid
from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q


def _key(to: str) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(to=to, on_delete=django.db.models.deletion.PROTECT, related_name="+")


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0011_client_addresses")]
    operations: ClassVar[list[Operation]] = [
        migrations.AddField(
            "player",
            "credit_limit",
            models.BigIntegerField(
                blank=True, help_text="What they may owe on markers, minor units.", null=True
            ),
        ),
        migrations.AddField(
            "dropbox",
            "booked_instruments",
            models.BigIntegerField(default=0, help_text="Markers among what was recorded, minor units."),
        ),
        migrations.AlterField(
            "dropbox",
            "booked",
            models.BigIntegerField(
                blank=True,
                help_text="Cash and markers recorded as put into it, less what was taken back.",
                null=True,
            ),
        ),
        migrations.CreateModel(
            name="Marker",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("number", models.PositiveIntegerField()),
                ("seat", models.PositiveSmallIntegerField()),
                ("amount", models.BigIntegerField(help_text="Minor units.")),
                ("issued_at", models.DateTimeField()),
                ("issued_seq", models.BigIntegerField(help_text="The table's entry that issued it.")),
                ("redeemed_at", models.DateTimeField(blank=True, null=True)),
                ("redeemed_stream", models.CharField(blank=True, default="", max_length=80)),
                ("redeemed_seq", models.BigIntegerField(blank=True, null=True)),
                ("box", _key("tables.dropbox")),
                ("casino", _key("tables.casino")),
                ("player", _key("tables.player")),
                ("table", _key("tables.table")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["table", "number"], name="marker_number_once"),
                    models.CheckConstraint(condition=Q(amount__gt=0), name="marker_amount"),
                    models.CheckConstraint(
                        condition=Q(redeemed_at=None, redeemed_seq=None, redeemed_stream="")
                        | (
                            Q(redeemed_at__gte=F("issued_at"), redeemed_seq__isnull=False)
                            & ~Q(redeemed_stream="")
                        ),
                        name="marker_redeemed_somewhere",
                    ),
                ]
            },
        ),
    ]
