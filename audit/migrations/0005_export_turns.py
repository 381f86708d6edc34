from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_play")]

    operations = [
        migrations.AddIndex(
            model_name="exportjob",
            index=models.Index(fields=["casino", "started_at"], name="export_served"),
        )
    ]
