"""The network addresses signatures are given from; an old one has none."""

from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation

KEPT = (
    ("approval", "address"),
    ("countersignature", "first_address"),
    ("countersignature", "second_address"),
    ("dropbox", "first_address"),
)


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0010_promotional_pieces")]
    operations: ClassVar[list[Operation]] = [
        migrations.AddField(model, name, models.GenericIPAddressField(blank=True, null=True))
        for model, name in KEPT
    ]
