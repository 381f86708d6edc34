"""What goes on at a table: shoes, sessions, rounds and dealers' stints."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

from tables.migrations._fields import key, one, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0002_tables")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Shoe",
            fields=[
                ("id", uid()),
                ("number", models.PositiveIntegerField()),
                ("packs", models.PositiveSmallIntegerField()),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("scanned", "Physical shoe, cards scanned"),
                            ("drawn", "Drawn by the system, committed beforehand"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "final_state",
                    models.JSONField(blank=True, help_text="The engine's shoe as it was retired.", null=True),
                ),
                ("root", models.CharField(blank=True, max_length=64)),
                ("sealed", models.BinaryField(blank=True, null=True)),
                ("loaded_at", models.DateTimeField()),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
                ("table", key("tables.table", related_name="shoes")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="shoe_number_per_table", fields=["table", "number"]),
                    models.CheckConstraint(name="shoe_packs", condition=Q(packs__gte=1, packs__lte=8)),
                ]
            },
        ),
        migrations.CreateModel(
            name="TableSession",
            fields=[
                ("id", uid()),
                ("number", models.PositiveIntegerField()),
                ("gaming_day", models.DateField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("closed", "Closed, drop not counted"),
                            ("counted", "Drop counted"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("opener", models.JSONField()),
                ("opener_total", models.BigIntegerField()),
                ("opened_at", models.DateTimeField()),
                ("opened_seq", models.BigIntegerField(help_text="Journal sequence of the opening entry.")),
                ("closer", models.JSONField(blank=True, null=True)),
                ("closer_total", models.BigIntegerField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("closed_seq", models.BigIntegerField(blank=True, null=True)),
                ("drop_count", models.JSONField(blank=True, null=True)),
                ("drop_total", models.BigIntegerField(blank=True, null=True)),
                ("counted_at", models.DateTimeField(blank=True, null=True)),
                ("table", key("tables.table", related_name="sessions")),
            ],
            options={
                "indexes": [models.Index(name="session_gaming_day", fields=["gaming_day"])],
                "constraints": [
                    models.UniqueConstraint(name="session_number_per_table", fields=["table", "number"]),
                    models.UniqueConstraint(
                        name="one_open_session_per_table", fields=["table"], condition=Q(status="open")
                    ),
                    models.CheckConstraint(
                        name="session_closed_has_closer",
                        condition=Q(closed_seq__isnull=True, status="open") | Q(closer_total__isnull=False),
                    ),
                    models.CheckConstraint(
                        name="session_counted_has_drop",
                        condition=~Q(status="counted") | Q(drop_total__isnull=False),
                    ),
                    models.CheckConstraint(
                        name="session_closes_after_opening",
                        condition=Q(closed_seq__isnull=True) | Q(closed_seq__gt=F("opened_seq")),
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                ("id", uid()),
                ("number", models.PositiveIntegerField(help_text="Counts up within the session.")),
                ("game", models.CharField(max_length=40)),
                ("engine_version", models.PositiveSmallIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("in_progress", "In progress"),
                            ("complete", "Complete"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="in_progress",
                        max_length=12,
                    ),
                ),
                ("state", models.JSONField()),
                (
                    "players",
                    models.JSONField(help_text="Seat number to player id, null for somebody unknown."),
                ),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("first_seq", models.BigIntegerField()),
                ("last_seq", models.BigIntegerField()),
                ("dealer", key(settings.AUTH_USER_MODEL, related_name="rounds")),
                ("rules", key("tables.ruleset", related_name="rounds")),
                ("shoe", key("tables.shoe", related_name="rounds")),
                ("table", key("tables.table", related_name="rounds")),
                ("session", key("tables.tablesession", related_name="rounds")),
                (
                    "corrected_seq",
                    models.BigIntegerField(
                        blank=True,
                        help_text="The last entry that set the physical cards above the recorded ones.",
                        null=True,
                    ),
                ),
                (
                    "corrected_state",
                    models.JSONField(
                        blank=True,
                        help_text="The round as the physical cards decide it; `state` stays as recorded.",
                        null=True,
                    ),
                ),
                (
                    "cancelled_seq",
                    models.BigIntegerField(
                        blank=True,
                        help_text="The entry that voided the round after it was over; `state` stays.",
                        null=True,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="round_number_per_session", fields=["session", "number"]),
                    models.UniqueConstraint(
                        name="one_round_in_progress_per_table",
                        fields=["table"],
                        condition=Q(status="in_progress"),
                    ),
                    models.CheckConstraint(
                        name="round_ended_when_over",
                        condition=Q(ended_at__isnull=True, status="in_progress")
                        | Q(~Q(status="in_progress"), ended_at__isnull=False),
                    ),
                    models.CheckConstraint(
                        name="round_corrected_whole",
                        condition=Q(corrected_seq__isnull=True, corrected_state__isnull=True)
                        | Q(corrected_seq__isnull=False, corrected_state__isnull=False),
                    ),
                    models.CheckConstraint(
                        name="round_cancelled_says_so",
                        condition=Q(cancelled_seq__isnull=True) | Q(status="cancelled"),
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Stint",
            fields=[
                ("id", uid()),
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
                ("dealer", key(settings.AUTH_USER_MODEL, related_name="stints")),
                ("session", key("tables.tablesession", related_name="stints")),
                ("table", key("tables.table", related_name="stints")),
            ],
            options={
                "indexes": [models.Index(name="stint_began_at", fields=["began_at"])],
                "constraints": [
                    models.UniqueConstraint(
                        name="one_stint_per_table", fields=["table"], condition=Q(ended_at__isnull=True)
                    ),
                    models.CheckConstraint(
                        name="stint_ends_after_it_began",
                        condition=Q(ended_at__isnull=True, ended_seq__isnull=True, ended_total__isnull=True)
                        | Q(ended_at__isnull=False, ended_seq__gt=F("began_seq")),
                    ),
                ],
            },
        ),
        migrations.AddField("table", "round", one("tables.round", blank=True, null=True)),
        migrations.AddField("table", "shoe", one("tables.shoe", blank=True, null=True)),
        migrations.AddField("table", "session", one("tables.tablesession", blank=True, null=True)),
        migrations.AddField("table", "stint", one("tables.stint", blank=True, null=True)),
        migrations.AddConstraint(
            "table",
            models.CheckConstraint(
                name="table_round_in_session", condition=Q(round__isnull=True) | Q(session__isnull=False)
            ),
        ),
    ]
