"""Rule sets, tables and their seats."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0001_houses")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="RuleSet",
            fields=[
                ("id", uid()),
                ("name", models.SlugField(max_length=40)),
                ("version", models.PositiveIntegerField()),
                ("game", models.CharField(max_length=40)),
                ("body", models.JSONField(help_text="The rule set as the engine reads it.")),
                ("digest", models.CharField(help_text="SHA-256 of the canonical body.", max_length=64)),
                ("created_at", models.DateTimeField()),
                ("casino", key("tables.casino", related_name="rule_sets")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="rule_set_version", fields=["casino", "name", "version"])
                ]
            },
        ),
        migrations.CreateModel(
            name="Table",
            fields=[
                ("id", uid()),
                ("code", models.SlugField(max_length=20)),
                (
                    "card_source",
                    models.CharField(
                        choices=[
                            ("scanned", "Physical shoe, cards scanned"),
                            ("drawn", "Drawn by the system, committed beforehand"),
                        ],
                        max_length=10,
                    ),
                ),
                ("version", models.BigIntegerField(default=0)),
                ("sessions_opened", models.PositiveIntegerField(default=0)),
                ("shoes_loaded", models.PositiveIntegerField(default=0)),
                (
                    "rounds_begun",
                    models.PositiveIntegerField(default=0, help_text="In the session that is open now."),
                ),
                (
                    "shoe_state",
                    models.JSONField(
                        blank=True,
                        help_text="The engine's shoe in play: what was seen, how many cards are out.",
                        null=True,
                    ),
                ),
                ("casino", key("tables.casino", related_name="tables")),
                ("pit", key("tables.pit", related_name="tables")),
                ("rules", key("tables.ruleset")),
                (
                    "button",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="The seat that deals (or banks) next; none before the draw for it.",
                        null=True,
                    ),
                ),
                (
                    "collected_at",
                    models.DateTimeField(
                        blank=True, help_text="When the house last took its fee by time.", null=True
                    ),
                ),
                (
                    "frozen",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Why nothing may happen here; blank when it may.",
                        max_length=200,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="table_code_per_casino", fields=["casino", "code"])
                ]
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("occupied", models.BooleanField(default=False)),
                ("since", models.DateTimeField(blank=True, null=True)),
                ("player", key("tables.player", blank=True, null=True)),
                ("table", key("tables.table", related_name="seats")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="seat_number_per_table", fields=["table", "number"]),
                    models.CheckConstraint(name="seat_number_from_one", condition=Q(number__gte=1)),
                    models.CheckConstraint(
                        name="seat_empty",
                        condition=Q(occupied=True) | Q(player__isnull=True, since__isnull=True),
                    ),
                ]
            },
        ),
    ]
