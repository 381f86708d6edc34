"""What each round came to, as its session was gone through."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key, one


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("audit", "0003_export_jobs")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="SessionPlay",
            fields=[
                (
                    "session",
                    one("tables.tablesession", primary_key=True, serialize=False, related_name="play"),
                ),
                ("through", models.BigIntegerField(help_text="Number of the last entry looked at.")),
                ("worked_out_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="PlayPiece",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("seq", models.BigIntegerField(help_text="The entry that decided it.")),
                ("at", models.DateTimeField()),
                ("shift", models.PositiveSmallIntegerField()),
                ("dealer", models.UUIDField(null=True)),
                ("round", models.UUIDField(null=True)),
                ("rounds", models.SmallIntegerField()),
                ("voided", models.SmallIntegerField()),
                ("handle", models.BigIntegerField()),
                ("result", models.BigIntegerField(help_text="R, what the house won by it as it was paid.")),
                ("ways", models.BigIntegerField(null=True)),
                ("best", models.DecimalField(decimal_places=0, max_digits=40, null=True)),
                ("actual", models.DecimalField(decimal_places=0, max_digits=40, null=True)),
                ("session", key("audit.sessionplay", related_name="pieces")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="one_piece_per_entry", fields=["session", "seq"]),
                    models.CheckConstraint(name="piece_shift", condition=Q(shift__gte=1, shift__lte=3)),
                    models.CheckConstraint(
                        name="piece_theory_whole",
                        condition=Q(actual__isnull=True, best__isnull=True, ways__isnull=True)
                        | Q(actual__isnull=False, best__isnull=False, ways__gt=0),
                    ),
                ]
            },
        ),
    ]
