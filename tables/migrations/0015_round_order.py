"""Rounds in the order auditors leaf through them, by index however many there are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0014_promotional_words")]

    operations = [
        migrations.AddIndex(
            model_name="round",
            index=models.Index(fields=["started_at", "id"], name="round_in_order"),
        ),
    ]
