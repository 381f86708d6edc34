"""Closed gaming days."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0008_drop_and_count")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="ClosedDay",
            fields=[
                ("id", uid()),
                ("gaming_day", models.DateField()),
                ("closed_at", models.DateTimeField()),
                (
                    "seq",
                    models.BigIntegerField(help_text="Number of the closing entry in the office's stream."),
                ),
                ("early", models.BooleanField(help_text="Closed before its roll-over hour.")),
                (
                    "figures",
                    models.JSONField(
                        help_text="The day's figures as the closing entry has them, minor units."
                    ),
                ),
                (
                    "checkpoint",
                    models.BigIntegerField(
                        blank=True,
                        help_text="Entries under the first checkpoint that seals the closing.",
                        null=True,
                    ),
                ),
                (
                    "timestamp",
                    models.BinaryField(
                        blank=True, help_text="The RFC 3161 answer for that checkpoint, DER.", null=True
                    ),
                ),
                (
                    "timestamped_at",
                    models.DateTimeField(
                        blank=True, help_text="The time in it, by the authority's clock.", null=True
                    ),
                ),
                ("casino", key("tables.casino", related_name="closed_days")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="gaming_day_closed_once", fields=["casino", "gaming_day"]),
                    models.CheckConstraint(
                        name="closed_day_timestamp_whole",
                        condition=Q(timestamp__isnull=True, timestamped_at__isnull=True)
                        | Q(checkpoint__isnull=False, timestamp__isnull=False, timestamped_at__isnull=False),
                    ),
                ]
            },
        )
    ]
