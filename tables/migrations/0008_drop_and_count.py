"""Drop boxes and their two counts."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0007_fills_and_credits")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="DropBox",
            fields=[
                ("id", uid()),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("on_table", "On the table"),
                            ("removed", "Removed, not counted"),
                            ("first_counted", "Counted once, blind"),
                            ("differs", "The two counts differ"),
                            ("counted", "Counted"),
                        ],
                        default="on_table",
                        max_length=15,
                    ),
                ),
                ("put_at", models.DateTimeField()),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "removed_seq",
                    models.BigIntegerField(blank=True, help_text="Journal entry of the removal.", null=True),
                ),
                (
                    "booked",
                    models.BigIntegerField(
                        blank=True,
                        help_text="Cash and markers recorded as put into it, less what was taken back.",
                        null=True,
                    ),
                ),
                ("commitment", models.CharField(blank=True, default="", max_length=64)),
                ("sealed", models.BinaryField(blank=True, null=True)),
                ("first_counted_at", models.DateTimeField(blank=True, null=True)),
                ("second_counted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "first_count",
                    models.JSONField(blank=True, help_text="Known once the second is posted.", null=True),
                ),
                ("second_count", models.JSONField(blank=True, null=True)),
                (
                    "counted",
                    models.JSONField(
                        blank=True, help_text="What both found, or what the recount did.", null=True
                    ),
                ),
                (
                    "slips",
                    models.JSONField(
                        blank=True,
                        help_text="Labels of the slip copies found; null when nobody has looked.",
                        null=True,
                    ),
                ),
                ("total", models.BigIntegerField(blank=True, null=True)),
                (
                    "late",
                    models.BooleanField(default=False, help_text="Counted after its gaming day had ended."),
                ),
                ("counted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "counted_seq",
                    models.BigIntegerField(blank=True, help_text="Journal entry of the count.", null=True),
                ),
                ("first_counter", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("first_terminal", key("tables.terminal", blank=True, null=True)),
                ("second_counter", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("session", key("tables.tablesession", related_name="boxes")),
                ("table", key("tables.table", related_name="boxes")),
                ("first_address", models.GenericIPAddressField(blank=True, null=True)),
                (
                    "booked_instruments",
                    models.BigIntegerField(
                        default=0, help_text="Markers among what was recorded, minor units."
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "drop boxes",
                "constraints": [
                    models.UniqueConstraint(
                        name="one_box_on_a_table", fields=["table"], condition=Q(status="on_table")
                    ),
                    models.UniqueConstraint(
                        name="box_in_one_place", fields=["table", "number"], condition=~Q(status="counted")
                    ),
                    models.CheckConstraint(
                        name="box_removed_with_its_books",
                        condition=Q(booked__isnull=True, removed_at__isnull=True, status="on_table")
                        | Q(~Q(status="on_table"), booked__isnull=False, removed_at__isnull=False),
                    ),
                    models.CheckConstraint(
                        name="first_count_sealed_until_second",
                        condition=Q(first_count__isnull=True, sealed__isnull=False, status="first_counted")
                        | Q(~Q(status="first_counted"), sealed__isnull=True),
                    ),
                    models.CheckConstraint(
                        name="drop_counted_by_two",
                        condition=Q(second_counter__isnull=True) | ~Q(first_counter=F("second_counter")),
                    ),
                    models.CheckConstraint(
                        name="box_counted_has_total",
                        condition=Q(second_counter__isnull=False, status="counted", total__isnull=False)
                        | Q(~Q(status="counted"), total__isnull=True),
                    ),
                ],
            },
        )
    ]
