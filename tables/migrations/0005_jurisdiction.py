"""The jurisdiction profiles a house has chosen, and second signatures given at a device of one's own."""

import uuid
from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0004_gaming_day")]
    operations: ClassVar[list[Operation]] = [
        migrations.AddField(
            model_name="casino",
            name="profiles",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Jurisdiction profiles chosen, each from a gaming day on, in the order of the choices.",
            ),
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("act", models.CharField(max_length=60)),
                ("subject", models.UUIDField()),
                ("version", models.BigIntegerField()),
                ("given_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "casino",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="approvals",
                        to="tables.casino",
                    ),
                ),
                (
                    "given_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="approvals",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "terminal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="approvals",
                        to="tables.terminal",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(expires_at__gt=F("given_at")), name="approval_expires"
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="countersignature",
            name="first_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="countersignature",
            name="second_terminal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.terminal",
            ),
        ),
        migrations.AddField(
            model_name="countersignature",
            name="approval",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="countersignature",
                to="tables.approval",
            ),
        ),
        migrations.AddField(
            model_name="countersignature",
            name="second_signed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
