"""Houses, their pits, their people and those who play there."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    initial = True
    dependencies: ClassVar[list[tuple[str, str]]] = []
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Casino",
            fields=[
                ("id", uid()),
                ("code", models.SlugField(max_length=20, unique=True)),
                ("name", models.CharField(max_length=100)),
                ("currency", models.CharField(max_length=3)),
                ("time_zone", models.CharField(max_length=64)),
                (
                    "rollover_hour",
                    models.PositiveSmallIntegerField(
                        default=6, help_text="Local hour at which a gaming day begins."
                    ),
                ),
                (
                    "denominations",
                    ArrayField(
                        base_field=models.BigIntegerField(),
                        help_text="Values of the chips in use, in minor units.",
                        size=None,
                    ),
                ),
                ("version", models.BigIntegerField(default=0, help_text="Action counter of the office.")),
                (
                    "closed_day",
                    models.DateField(
                        blank=True,
                        help_text="The last gaming day that was closed; days close in order.",
                        null=True,
                    ),
                ),
                (
                    "profiles",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Jurisdiction profiles chosen, each from a gaming day on, in the order of the choices.",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(name="casino_rollover_hour", condition=Q(rollover_hour__lte=23)),
                    models.CheckConstraint(name="casino_currency", condition=Q(currency__regex="^[A-Z]{3}$")),
                ]
            },
        ),
        migrations.CreateModel(
            name="Pit",
            fields=[
                ("id", uid()),
                ("code", models.SlugField(max_length=20)),
                ("casino", key("tables.casino", related_name="pits")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="pit_code_per_casino", fields=["casino", "code"])
                ]
            },
        ),
        migrations.CreateModel(
            name="Staff",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                ("id", uid()),
                ("badge", models.CharField(max_length=20, unique=True)),
                ("display_name", models.CharField(max_length=100)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("dealer", "Dealer"),
                            ("supervisor", "Floor supervisor"),
                            ("pit_boss", "Pit boss"),
                            ("cage", "Cage cashier"),
                            ("security", "Security, who carries chips"),
                            ("surveillance", "Surveillance"),
                            ("auditor", "Auditor"),
                            ("administrator", "Administrator"),
                        ],
                        max_length=20,
                    ),
                ),
                ("pin", models.CharField(blank=True, editable=False, max_length=128)),
                ("is_active", models.BooleanField(default=True)),
                ("casino", key("tables.casino", null=True, related_name="staff")),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "staff",
                "constraints": [
                    models.CheckConstraint(
                        name="staff_role",
                        condition=Q(
                            role__in=[
                                "dealer",
                                "supervisor",
                                "pit_boss",
                                "cage",
                                "security",
                                "surveillance",
                                "auditor",
                                "administrator",
                            ]
                        ),
                    ),
                    models.CheckConstraint(
                        name="staff_erased", condition=Q(erased_at=None) | Q(display_name="", is_active=False)
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                ("id", uid()),
                ("reference", models.CharField(blank=True, max_length=40)),
                ("description", models.CharField(blank=True, max_length=200)),
                ("casino", key("tables.casino", related_name="players")),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
                (
                    "same_as",
                    key(
                        "tables.player",
                        blank=True,
                        null=True,
                        help_text="Whom this described person was found to be; their cash is one total.",
                        related_name="also",
                    ),
                ),
                (
                    "credit_limit",
                    models.BigIntegerField(
                        blank=True, help_text="What they may owe on markers, minor units.", null=True
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        name="player_reference", fields=["casino", "reference"], condition=~Q(reference="")
                    ),
                    models.CheckConstraint(name="player_same_as_another", condition=~Q(same_as=F("id"))),
                    models.CheckConstraint(
                        name="player_erased", condition=Q(erased_at=None) | Q(description="", reference="")
                    ),
                ]
            },
        ),
    ]
