"""What people wrote about findings."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models import Q

from tables.migrations._fields import key


class Migration(migrations.Migration):
    """See the module."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("audit", "0001_audit")]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="Explanation",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("text", models.CharField(max_length=500)),
                ("by", key(settings.AUTH_USER_MODEL)),
                ("finding", key("audit.finding", related_name="explanations")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(name="explanation_says_something", condition=~Q(text=""))
                ]
            },
        )
    ]
