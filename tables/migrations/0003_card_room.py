"""Tables of the card-room games."""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0002_round_corrections")]
    operations: ClassVar[list[Operation]] = []
