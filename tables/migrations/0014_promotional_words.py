"""What promotional chips and coupons are called, as people on the floor say it."""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0013_promotional_stock")]
    operations: ClassVar[list[Operation]] = [
        migrations.AlterModelOptions(
            name="promopiece",
            options={
                "verbose_name": "promotional chip or coupon",
                "verbose_name_plural": "promotional chips and coupons",
            },
        ),
        migrations.AlterModelOptions(
            name="promostock",
            options={
                "verbose_name": "promotional stock",
                "verbose_name_plural": "promotional stock",
            },
        ),
    ]
