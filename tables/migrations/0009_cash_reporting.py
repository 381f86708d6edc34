"""Cash transactions and totals of a gaming day; described persons found to be one; personal data erased."""

import uuid
from typing import Any, ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

WAYS = [("in", "Cash in"), ("out", "Cash out")]


def _key(to: str, **options: Any) -> "models.ForeignKey[Any, Any]":
    options.setdefault("related_name", "+")
    return models.ForeignKey(to=to, on_delete=django.db.models.deletion.PROTECT, **options)


def _id() -> tuple[str, "models.UUIDField[Any, Any]"]:
    return "id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0008_table_life")]
    operations: ClassVar[list[Operation]] = [
        migrations.AddField("player", "erased_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "player",
            "same_as",
            _key(
                "tables.player",
                blank=True,
                null=True,
                related_name="also",
                help_text="Whom this described person was found to be; their cash is one total.",
            ),
        ),
        migrations.AddConstraint(
            "player",
            models.CheckConstraint(condition=~Q(same_as=F("id")), name="player_same_as_another"),
        ),
        migrations.AddConstraint(
            "player",
            models.CheckConstraint(
                condition=Q(erased_at=None) | Q(reference="", description=""), name="player_erased"
            ),
        ),
        migrations.AddField("staff", "erased_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddConstraint(
            "staff",
            models.CheckConstraint(
                condition=Q(erased_at=None) | Q(display_name="", is_active=False), name="staff_erased"
            ),
        ),
        migrations.CreateModel(
            name="CashTransaction",
            fields=[
                _id(),
                ("direction", models.CharField(choices=WAYS, max_length=3)),
                ("amount", models.BigIntegerField()),
                ("gaming_day", models.DateField()),
                ("at", models.DateTimeField()),
                ("stream", models.CharField(max_length=60)),
                ("seq", models.BigIntegerField()),
                ("kind", models.CharField(help_text="Kind of the journal entry.", max_length=40)),
                ("seat", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "logged",
                    models.BooleanField(
                        help_text="From the house's threshold for the multiple-transaction log on."
                    ),
                ),
                ("casino", _key("tables.casino", db_constraint=False)),
                ("person", _key("tables.player", blank=True, null=True)),
                ("staff", _key(settings.AUTH_USER_MODEL, db_constraint=False)),
                ("table", _key("tables.table", blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["casino", "gaming_day", "person"], name="cash_transaction_of_day"),
                    models.Index(fields=["person"], name="cash_transaction_of_person"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=["stream", "seq"], name="one_cash_transaction_per_entry"),
                    models.CheckConstraint(condition=~Q(amount=0), name="cash_transaction_moves_something"),
                    models.CheckConstraint(
                        condition=Q(direction__in=["in", "out"]), name="cash_transaction_way"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CashTotal",
            fields=[
                _id(),
                ("gaming_day", models.DateField()),
                ("direction", models.CharField(choices=WAYS, max_length=3)),
                ("total", models.BigIntegerField()),
                ("due_on", models.DateField(blank=True, null=True)),
                ("filed_total", models.BigIntegerField(blank=True, null=True)),
                ("filed_at", models.DateTimeField(blank=True, null=True)),
                ("filing_reference", models.CharField(blank=True, max_length=40)),
                ("casino", _key("tables.casino", db_constraint=False)),
                ("filed_by", _key(settings.AUTH_USER_MODEL, blank=True, null=True, db_constraint=False)),
                ("person", _key("tables.player", related_name="cash_totals")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["casino", "gaming_day"], name="cash_total_of_day"),
                    models.Index(
                        fields=["casino", "due_on"],
                        condition=Q(due_on__isnull=False),
                        name="cash_total_due",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["person", "gaming_day", "direction"], name="one_cash_total_per_day_and_way"
                    ),
                    models.CheckConstraint(condition=Q(direction__in=["in", "out"]), name="cash_total_way"),
                    models.CheckConstraint(
                        condition=Q(filed_total=None, filed_at=None, filed_by=None, filing_reference="")
                        | (
                            Q(filed_total__isnull=False, filed_at__isnull=False, filed_by__isnull=False)
                            & ~Q(filing_reference="")
                        ),
                        name="cash_total_filed_by_whom_when",
                    ),
                ],
            },
        ),
    ]
