"""Drop boxes and their two counts."""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0006_fills_and_credits")]
    operations: ClassVar[list[Operation]] = []
