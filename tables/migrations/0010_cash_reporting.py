"""Cash transactions and totals of a gaming day."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0009_gaming_day")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="CashTransaction",
            fields=[
                ("id", uid()),
                (
                    "direction",
                    models.CharField(choices=[("in", "Cash in"), ("out", "Cash out")], max_length=3),
                ),
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
                ("casino", key("tables.casino", db_constraint=False)),
                ("person", key("tables.player", blank=True, null=True)),
                ("staff", key(settings.AUTH_USER_MODEL, db_constraint=False)),
                ("table", key("tables.table", blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(name="cash_transaction_of_day", fields=["casino", "gaming_day", "person"]),
                    models.Index(name="cash_transaction_of_person", fields=["person"]),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        name="one_cash_transaction_per_entry",
                        fields=["stream", "seq", "seat"],
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(name="cash_transaction_moves_something", condition=~Q(amount=0)),
                    models.CheckConstraint(
                        name="cash_transaction_way", condition=Q(direction__in=["in", "out"])
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CashTotal",
            fields=[
                ("id", uid()),
                ("gaming_day", models.DateField()),
                (
                    "direction",
                    models.CharField(choices=[("in", "Cash in"), ("out", "Cash out")], max_length=3),
                ),
                ("total", models.BigIntegerField()),
                ("due_on", models.DateField(blank=True, null=True)),
                ("filed_total", models.BigIntegerField(blank=True, null=True)),
                ("filed_at", models.DateTimeField(blank=True, null=True)),
                ("filing_reference", models.CharField(blank=True, max_length=40)),
                ("casino", key("tables.casino", db_constraint=False)),
                ("filed_by", key(settings.AUTH_USER_MODEL, blank=True, null=True, db_constraint=False)),
                ("person", key("tables.player", related_name="cash_totals")),
            ],
            options={
                "indexes": [
                    models.Index(name="cash_total_of_day", fields=["casino", "gaming_day"]),
                    models.Index(
                        name="cash_total_due", fields=["casino", "due_on"], condition=Q(due_on__isnull=False)
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        name="one_cash_total_per_day_and_way", fields=["person", "gaming_day", "direction"]
                    ),
                    models.CheckConstraint(name="cash_total_way", condition=Q(direction__in=["in", "out"])),
                    models.CheckConstraint(
                        name="cash_total_filed_by_whom_when",
                        condition=Q(filed_at=None, filed_by=None, filed_total=None, filing_reference="")
                        | Q(
                            ("filed_at__isnull", False),
                            ("filed_by__isnull", False),
                            ("filed_total__isnull", False),
                            ~Q(filing_reference=""),
                        ),
                    ),
                ],
            },
        ),
    ]
