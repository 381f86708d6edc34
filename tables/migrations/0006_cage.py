"""Cages, and chips they paid out."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key, one, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0005_commands")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Cage",
            fields=[
                ("casino", one("tables.casino", primary_key=True, serialize=False, related_name="cage")),
                ("version", models.BigIntegerField(default=0)),
                ("next_fill_number", models.BigIntegerField(default=1)),
                ("next_credit_number", models.BigIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name="Redemption",
            fields=[
                ("id", uid()),
                ("gaming_day", models.DateField()),
                ("chips", models.JSONField(help_text="Chip value to number of chips.")),
                ("total", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                ("cashier", key(settings.AUTH_USER_MODEL)),
                ("casino", key("tables.casino", related_name="redemptions")),
                ("player", key("tables.player", blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(name="redemption_total_positive", condition=Q(total__gt=0))
                ]
            },
        ),
    ]
