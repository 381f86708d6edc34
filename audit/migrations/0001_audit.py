"""Findings with their evidence, and what was checked."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q
from django.db.models.expressions import CombinedExpression

from tables.migrations._fields import key, one, uid


class Migration(migrations.Migration):
    """See the module."""

    initial = True
    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0003_sessions_and_rounds")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Finding",
            fields=[
                ("id", uid()),
                ("code", models.CharField(max_length=60)),
                (
                    "severity",
                    models.CharField(
                        choices=[("notice", "Notice"), ("warning", "Warning"), ("critical", "Critical")],
                        max_length=10,
                    ),
                ),
                ("cause", models.CharField(max_length=400)),
                ("stream", models.CharField(blank=True, max_length=100)),
                ("seq", models.BigIntegerField(blank=True, null=True)),
                ("session_id", models.UUIDField(blank=True, null=True)),
                ("round_id", models.UUIDField(blank=True, null=True)),
                ("gaming_day", models.DateField(blank=True, null=True)),
                ("counter", models.PositiveIntegerField(default=1)),
                ("first_seen", models.DateTimeField()),
                ("last_seen", models.DateTimeField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("acknowledged", "Acknowledged"),
                            ("resolved", "Resolved"),
                        ],
                        default="open",
                        max_length=12,
                    ),
                ),
                ("acknowledged_at", models.DateTimeField(blank=True, null=True)),
                ("note", models.CharField(blank=True, max_length=500)),
                ("resolved_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("false_positive", models.BooleanField(blank=True, null=True)),
                ("acknowledged_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
                ("casino", key("tables.casino", related_name="findings")),
                ("resolved_by", key(settings.AUTH_USER_MODEL, blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(name="finding_cause", fields=["casino", "cause"]),
                    models.Index(name="finding_in_order", fields=["casino", "first_seen", "id"]),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        name="one_open_finding_per_cause",
                        fields=["casino", "cause"],
                        condition=~Q(status="resolved"),
                    ),
                    models.CheckConstraint(
                        name="finding_who_when_why",
                        condition=Q(
                            ("status", "open"),
                            ("acknowledged_at__isnull", True),
                            ("acknowledged_by__isnull", True),
                            ("note", ""),
                            ("false_positive__isnull", True),
                            ("reason", ""),
                            ("resolved_at__isnull", True),
                            ("resolved_by__isnull", True),
                        )
                        | Q(
                            ("status", "acknowledged"),
                            ("acknowledged_at__isnull", False),
                            ("acknowledged_by__isnull", False),
                            ~Q(note=""),
                            ("false_positive__isnull", True),
                            ("reason", ""),
                            ("resolved_at__isnull", True),
                            ("resolved_by__isnull", True),
                        )
                        | Q(
                            ("status", "resolved"),
                            ("acknowledged_at__isnull", False),
                            ("acknowledged_by__isnull", False),
                            ~Q(note=""),
                            ("false_positive__isnull", False),
                            ("resolved_at__isnull", False),
                            ("resolved_by__isnull", False),
                            ~Q(reason=""),
                        ),
                    ),
                    models.CheckConstraint(
                        name="finding_seen", condition=Q(counter__gte=1, last_seen__gte=F("first_seen"))
                    ),
                    models.CheckConstraint(
                        name="finding_severity", condition=Q(severity__in=["notice", "warning", "critical"])
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Evidence",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("digest", models.CharField(help_text="SHA-256 of the canonical body.", max_length=64)),
                ("body", models.JSONField()),
                ("seen_at", models.DateTimeField()),
                ("finding", key("audit.finding", related_name="evidence")),
            ],
            options={
                "verbose_name_plural": "evidence",
                "constraints": [models.UniqueConstraint(name="evidence_once", fields=["finding", "digest"])],
            },
        ),
        migrations.CreateModel(
            name="GamingDayCheck",
            fields=[
                ("id", uid()),
                ("gaming_day", models.DateField()),
                ("requested_at", models.DateTimeField(help_text="What was closed by then is covered.")),
                ("finished_at", models.DateTimeField(null=True)),
                ("rounds", models.PositiveIntegerField(null=True)),
                ("findings", models.PositiveIntegerField(null=True)),
                ("casino", key("tables.casino", related_name="day_checks")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="one_check_per_day", fields=["casino", "gaming_day"])
                ]
            },
        ),
        migrations.CreateModel(
            name="SessionReconciliation",
            fields=[
                (
                    "session",
                    one(
                        "tables.tablesession",
                        primary_key=True,
                        serialize=False,
                        related_name="reconciliation",
                    ),
                ),
                ("opened_seq", models.BigIntegerField()),
                ("closed_seq", models.BigIntegerField()),
                ("entries", models.BigIntegerField()),
                ("movements", models.BigIntegerField()),
                (
                    "carried",
                    models.BigIntegerField(
                        help_text="What the last closer and fills since left in the tray."
                    ),
                ),
                ("opener", models.BigIntegerField()),
                ("fills", models.BigIntegerField()),
                ("credits", models.BigIntegerField()),
                ("closer", models.BigIntegerField()),
                (
                    "rounds_result",
                    models.BigIntegerField(help_text="R, what the rounds won as they were paid."),
                ),
                ("other_tray_moves", models.BigIntegerField()),
                ("insertions", models.BigIntegerField(help_text="Cash recorded as put into the box.")),
                ("drop", models.BigIntegerField(null=True)),
                ("tray", models.BigIntegerField(verbose_name="T")),
                ("box", models.BigIntegerField(null=True, verbose_name="B")),
                ("unexplained", models.BigIntegerField(null=True, verbose_name="U")),
                ("win", models.BigIntegerField(null=True)),
                ("win_state", models.CharField(max_length=12)),
                ("checked_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        name="reconciliation_u_is_t_plus_b",
                        condition=Q(box__isnull=True, drop__isnull=True, unexplained__isnull=True)
                        | Q(
                            box__isnull=False,
                            drop__isnull=False,
                            unexplained=CombinedExpression(F("tray"), "+", F("box")),
                        ),
                    )
                ]
            },
        ),
    ]
