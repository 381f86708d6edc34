"""Who deals next at a card-room table, and why a table is frozen."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0002_round_corrections")]
    operations: ClassVar[list[Operation]] = [
        migrations.AddField(
            model_name="table",
            name="button",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="The seat that deals (or banks) next; none before the draw for it.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="table",
            name="collected_at",
            field=models.DateTimeField(
                blank=True, help_text="When the house last took its fee by time.", null=True
            ),
        ),
        migrations.AddField(
            model_name="table",
            name="frozen",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Why nothing may happen here; blank when it may.",
                max_length=200,
            ),
        ),
    ]
