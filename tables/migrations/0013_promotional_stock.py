"""Promotional pieces in stock, by value."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0012_markers")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="PromoStock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.BigIntegerField(help_text="Minor units.")),
                ("pieces", models.BigIntegerField()),
                (
                    "casino",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="+", to="tables.casino"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["casino", "value"], name="promo_stock_by_value"),
                    models.CheckConstraint(
                        condition=Q(value__gt=0, pieces__gte=0), name="promo_stock_of_something"
                    ),
                ]
            },
        ),
    ]
