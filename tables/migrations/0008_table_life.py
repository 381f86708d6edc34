"""Dealers' stints, and rule sets changed between rounds."""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0007_drop_and_count")]
    operations: ClassVar[list[Operation]] = []
