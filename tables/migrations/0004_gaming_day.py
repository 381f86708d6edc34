"""Closed gaming days."""

import uuid
from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0003_card_room")]
    operations: ClassVar[list[Operation]] = [
        migrations.AddField(
            model_name="casino",
            name="closed_day",
            field=models.DateField(
                blank=True, help_text="The last gaming day that was closed; days close in order.", null=True
            ),
        ),
        migrations.CreateModel(
            name="ClosedDay",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
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
                (
                    "casino",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="closed_days",
                        to="tables.casino",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("casino", "gaming_day"), name="gaming_day_closed_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("timestamp__isnull", True), ("timestamped_at__isnull", True)),
                            models.Q(
                                ("checkpoint__isnull", False),
                                ("timestamp__isnull", False),
                                ("timestamped_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="closed_day_timestamp_whole",
                    ),
                ],
            },
        ),
    ]
