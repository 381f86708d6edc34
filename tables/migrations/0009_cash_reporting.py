"""Cash transactions to be reported."""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0008_table_life")]
    operations: ClassVar[list[Operation]] = []
