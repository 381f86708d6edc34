"""Dealers' stints, rounds cancelled after they were over, and what a closed session was opened again for."""

from typing import ClassVar

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
                condition=models.Q(
                    ("cancelled_seq__isnull", True), ("status", "cancelled"), _connector="OR"
                ),
                name="round_cancelled_says_so",
            ),
        ),
    ]
