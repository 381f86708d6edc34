"""Markers, each a numbered instrument that one box takes."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

from tables.migrations._fields import key, uid


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0011_promotional_pieces")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Marker",
            fields=[
                ("id", uid()),
                ("number", models.PositiveIntegerField()),
                ("seat", models.PositiveSmallIntegerField()),
                ("amount", models.BigIntegerField(help_text="Minor units.")),
                ("issued_at", models.DateTimeField()),
                ("issued_seq", models.BigIntegerField(help_text="The table's entry that issued it.")),
                ("redeemed_at", models.DateTimeField(blank=True, null=True)),
                ("redeemed_stream", models.CharField(blank=True, default="", max_length=80)),
                ("redeemed_seq", models.BigIntegerField(blank=True, null=True)),
                ("box", key("tables.dropbox")),
                ("casino", key("tables.casino")),
                ("player", key("tables.player")),
                ("table", key("tables.table")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(name="marker_number_once", fields=["table", "number"]),
                    models.CheckConstraint(name="marker_amount", condition=Q(amount__gt=0)),
                    models.CheckConstraint(
                        name="marker_redeemed_somewhere",
                        condition=Q(redeemed_at=None, redeemed_seq=None, redeemed_stream="")
                        | Q(
                            ("redeemed_at__gte", F("issued_at")),
                            ("redeemed_seq__isnull", False),
                            ~Q(redeemed_stream=""),
                        ),
                    ),
                ]
            },
        )
    ]
