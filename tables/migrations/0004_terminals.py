"""Terminals, and who is signed in at them."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0003_sessions_and_rounds")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Terminal",
            fields=[
                ("id", uid()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("table", "Dealer terminal at a table"),
                            ("cage", "Cashier terminal in the cage"),
                        ],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                (
                    "networks",
                    ArrayField(
                        base_field=models.CharField(max_length=43),
                        blank=True,
                        default=list,
                        help_text="Networks (CIDR) the credential is good from; empty for any.",
                        size=None,
                    ),
                ),
                ("secret_hash", models.BinaryField(max_length=32, null=True)),
                ("code_hash", models.BinaryField(max_length=32, null=True)),
                ("code_expires_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(help_text="When the credential ends.")),
                ("enrolled_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("casino", key("tables.casino", related_name="terminals")),
                ("table", key("tables.table", blank=True, null=True, related_name="terminals")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        name="terminal_bound_to_its_place",
                        condition=Q(kind="table", table__isnull=False) | Q(kind="cage", table__isnull=True),
                    ),
                    models.UniqueConstraint(name="terminal_code", fields=["code_hash"]),
                ]
            },
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                ("id", uid()),
                ("started_at", models.DateTimeField()),
                ("last_input_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("staff", key(settings.AUTH_USER_MODEL, related_name="sign_ins")),
                ("terminal", key("tables.terminal", related_name="sign_ins")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        name="one_sign_in_per_terminal",
                        fields=["terminal"],
                        condition=Q(ended_at__isnull=True),
                    )
                ]
            },
        ),
    ]
