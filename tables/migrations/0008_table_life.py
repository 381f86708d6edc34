"""Dealers' stints, and rounds voided after they were over."""

import uuid
from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0007_drop_and_count")]
    operations: ClassVar[list[Operation]] = [
        migrations.AddField(
            model_name="round",
            name="cancelled_seq",
            field=models.BigIntegerField(
                blank=True,
                help_text="The entry that voided the round after it was over; `state` stays.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("cancelled_seq__isnull", True), ("status", "cancelled"), _connector="OR"),
                name="round_cancelled_says_so",
            ),
        ),
        migrations.CreateModel(
            name="Stint",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("began_at", models.DateTimeField()),
                (
                    "began_seq",
                    models.BigIntegerField(help_text="Journal sequence of the entry that began it."),
                ),
                (
                    "began_total",
                    models.BigIntegerField(blank=True, help_text="The tray as counted then.", null=True),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("ended_seq", models.BigIntegerField(blank=True, null=True)),
                (
                    "ended_total",
                    models.BigIntegerField(
                        blank=True, help_text="The tray as counted at its end.", null=True
                    ),
                ),
                (
                    "dealer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stints",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stints",
                        to="tables.tablesession",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="stints", to="tables.table"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["began_at"], name="stint_began_at")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("table",),
                        name="one_stint_per_table",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_at__isnull", True),
                                ("ended_seq__isnull", True),
                                ("ended_total__isnull", True),
                            ),
                            models.Q(("ended_at__isnull", False), ("ended_seq__gt", models.F("began_seq"))),
                            _connector="OR",
                        ),
                        name="stint_ends_after_it_began",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="table",
            name="stint",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.stint",
            ),
        ),
    ]
