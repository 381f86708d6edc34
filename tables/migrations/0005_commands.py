"""Answers and refusals, second signatures with their approvals, and work for the background."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

from tables.migrations._fields import key, one, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0004_terminals")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="CommandAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("stream", models.CharField(max_length=60)),
                ("command_id", models.UUIDField()),
                ("fingerprint", models.BinaryField(max_length=32)),
                ("status", models.PositiveSmallIntegerField()),
                ("body", models.JSONField()),
                ("version", models.BigIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="one_answer_per_command", fields=["stream", "command_id"])
                ]
            },
        ),
        migrations.CreateModel(
            name="Refusal",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("operation", models.CharField(max_length=60)),
                ("code", models.CharField(max_length=60)),
                ("detail", models.TextField(blank=True)),
                ("command_id", models.UUIDField(null=True)),
                (
                    "badge",
                    models.CharField(
                        blank=True, help_text="The badge a wrong PIN was typed for.", max_length=20
                    ),
                ),
                ("staff_id", models.UUIDField(null=True)),
                ("terminal_id", models.UUIDField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(name="refusal_at", fields=["at"]),
                    models.Index(name="refusal_badge", fields=["badge", "at"], condition=~Q(badge="")),
                ]
            },
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                ("id", uid()),
                ("act", models.CharField(max_length=60)),
                ("subject", models.UUIDField()),
                ("version", models.BigIntegerField()),
                ("given_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("casino", key("tables.casino", related_name="approvals")),
                ("given_by", key(settings.AUTH_USER_MODEL, related_name="approvals")),
                ("terminal", key("tables.terminal", blank=True, null=True, related_name="approvals")),
                ("address", models.GenericIPAddressField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(name="approval_expires", condition=Q(expires_at__gt=F("given_at")))
                ]
            },
        ),
        migrations.CreateModel(
            name="Countersignature",
            fields=[
                ("id", uid()),
                ("stream", models.CharField(max_length=60)),
                ("seq", models.BigIntegerField()),
                ("act", models.CharField(max_length=60)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("signed_at", models.DateTimeField()),
                ("first", key(settings.AUTH_USER_MODEL)),
                ("second", key(settings.AUTH_USER_MODEL)),
                ("first_terminal", key("tables.terminal", blank=True, null=True)),
                ("second_terminal", key("tables.terminal", blank=True, null=True)),
                ("approval", one("tables.approval", blank=True, null=True, related_name="countersignature")),
                ("second_signed_at", models.DateTimeField(null=True)),
                ("first_address", models.GenericIPAddressField(blank=True, null=True)),
                ("second_address", models.GenericIPAddressField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(name="two_different_signatories", condition=~Q(first=F("second"))),
                    models.UniqueConstraint(name="one_countersignature_per_entry", fields=["stream", "seq"]),
                ]
            },
        ),
        migrations.CreateModel(
            name="OutboxItem",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("topic", models.CharField(max_length=40)),
                ("subject", models.UUIDField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(name="outbox_not_done", fields=["id"], condition=Q(done_at__isnull=True))
                ]
            },
        ),
    ]
