"""Exports asked for, their schedules and kept filters."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("audit", "0002_explanation")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="ExportSchedule",
            fields=[
                ("id", uid()),
                ("made_at", models.DateTimeField()),
                ("filter", models.JSONField(help_text="Which rows, without the gaming day.")),
                (
                    "form",
                    models.CharField(
                        choices=[
                            ("csv", "CSV"),
                            ("jsonl", "JSON lines"),
                            ("parquet", "Parquet"),
                            ("xlsx", "Workbook"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "hour",
                    models.PositiveSmallIntegerField(
                        blank=True, help_text="Empty: when the day is closed.", null=True
                    ),
                ),
                (
                    "destination",
                    models.CharField(
                        choices=[("folder", "Folder of this installation"), ("store", "Object store")],
                        max_length=8,
                    ),
                ),
                ("folder", models.CharField(help_text="Folder below the destination.", max_length=40)),
                ("active", models.BooleanField(default=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "last_day",
                    models.DateField(
                        blank=True, help_text="The last gaming day that was exported.", null=True
                    ),
                ),
                ("last_run_at", models.DateTimeField(blank=True, null=True)),
                ("casino", key("tables.casino", related_name="export_schedules")),
                ("made_by", key(settings.AUTH_USER_MODEL)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        name="schedule_hour", condition=Q(hour__isnull=True) | Q(hour__lte=23)
                    ),
                    models.CheckConstraint(
                        name="schedule_form", condition=Q(form__in=["csv", "jsonl", "parquet", "xlsx"])
                    ),
                    models.CheckConstraint(
                        name="schedule_destination", condition=Q(destination__in=["folder", "store"])
                    ),
                    models.CheckConstraint(
                        name="schedule_folder", condition=Q(folder__regex="^[a-z0-9][a-z0-9_-]{0,39}$")
                    ),
                    models.CheckConstraint(
                        name="schedule_ended_rests", condition=Q(ended_at__isnull=True) | Q(active=False)
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="ExportJob",
            fields=[
                ("id", uid()),
                ("asked_at", models.DateTimeField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("rounds", "Round histories"), ("bundle", "Bundle to verify")], max_length=8
                    ),
                ),
                (
                    "about",
                    models.JSONField(help_text="The filter of round histories, or what a bundle is of."),
                ),
                (
                    "form",
                    models.CharField(
                        choices=[
                            ("csv", "CSV"),
                            ("jsonl", "JSON lines"),
                            ("parquet", "Parquet"),
                            ("xlsx", "Workbook"),
                            ("zip", "Bundle"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "gaming_day",
                    models.DateField(blank=True, help_text="The day a schedule exports.", null=True),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("progress_done", models.BigIntegerField(default=0)),
                ("progress_total", models.BigIntegerField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "error",
                    models.CharField(blank=True, help_text="Why it failed, as a stable code.", max_length=60),
                ),
                ("file_name", models.CharField(max_length=120)),
                ("size", models.BigIntegerField(blank=True, help_text="Bytes.", null=True)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "expires_at",
                    models.DateTimeField(blank=True, help_text="When the file is removed.", null=True),
                ),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                ("asked_by", key(settings.AUTH_USER_MODEL)),
                ("casino", key("tables.casino", related_name="export_jobs")),
                ("schedule", key("audit.exportschedule", blank=True, null=True, related_name="jobs")),
            ],
            options={
                "indexes": [models.Index(name="export_in_order", fields=["casino", "asked_at", "id"])],
                "constraints": [
                    models.CheckConstraint(
                        name="export_form_of_kind",
                        condition=Q(form="zip", kind="bundle")
                        | Q(form__in=["csv", "jsonl", "parquet", "xlsx"], kind="rounds"),
                    ),
                    models.CheckConstraint(
                        name="export_status_when_why",
                        condition=Q(
                            error="", finished_at__isnull=True, started_at__isnull=True, status="queued"
                        )
                        | Q(error="", finished_at__isnull=True, started_at__isnull=False, status="running")
                        | Q(error="", finished_at__isnull=False, started_at__isnull=False, status="done")
                        | Q(
                            ("finished_at__isnull", False),
                            ("started_at__isnull", False),
                            ("status", "failed"),
                            ~Q(error=""),
                        )
                        | Q(error="", finished_at__isnull=False, status="cancelled"),
                    ),
                    models.CheckConstraint(
                        name="export_done_has_file",
                        condition=~Q(status="done")
                        | Q(("expires_at__isnull", False), ("size__isnull", False), ~Q(sha256="")),
                    ),
                    models.CheckConstraint(
                        name="export_file_whole",
                        condition=Q(sha256="", size__isnull=True) | Q(("size__gte", 0), ~Q(sha256="")),
                    ),
                    models.CheckConstraint(
                        name="export_progress",
                        condition=Q(
                            ("progress_done__gte", 0),
                            Q(progress_total__isnull=True) | Q(progress_total__gte=F("progress_done")),
                        ),
                    ),
                    models.CheckConstraint(
                        name="export_scheduled_of_day",
                        condition=Q(gaming_day__isnull=True, schedule__isnull=True)
                        | Q(gaming_day__isnull=False, schedule__isnull=False),
                    ),
                    models.UniqueConstraint(name="export_once_per_day", fields=["schedule", "gaming_day"]),
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedFilter",
            fields=[
                ("id", uid()),
                ("name", models.SlugField(max_length=40)),
                ("filter", models.JSONField()),
                ("saved_at", models.DateTimeField()),
                ("staff", key(settings.AUTH_USER_MODEL, related_name="saved_filters")),
            ],
            options={
                "constraints": [models.UniqueConstraint(name="saved_filter_name", fields=["staff", "name"])]
            },
        ),
    ]
