"""Checkpoints: what was sealed and the functions that seal, in SQL; unmanaged read models beside them."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"


def run(name: str) -> migrations.RunSQL:
    return migrations.RunSQL((SQL / name).read_text())


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_journal")]

    operations = [
        run("0002_checkpoint_tables.sql"),
        run("0002_sealing.sql"),
        migrations.CreateModel(
            name='Checkpoint',
            fields=[
                ('size', models.BigIntegerField(primary_key=True, serialize=False)),
                ('previous_size', models.BigIntegerField()),
                ('sealed_at', models.DateTimeField()),
                ('root', models.BinaryField()),
                ('origin', models.TextField(verbose_name='log')),
                ('note', models.TextField(verbose_name='signed note')),
            ],
            options={
                'verbose_name': 'checkpoint',
                'verbose_name_plural': 'checkpoints',
                'db_table': 'ledger_checkpoint',
                'ordering': ['size'],
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='CheckpointRange',
            fields=[
                ('position', models.BigIntegerField(primary_key=True, serialize=False)),
                ('seq_from', models.BigIntegerField(verbose_name='from number')),
                ('seq_to', models.BigIntegerField(verbose_name='to number')),
            ],
            options={
                'verbose_name': 'sealed range',
                'verbose_name_plural': 'sealed ranges',
                'db_table': 'ledger_checkpoint_range',
                'ordering': ['position'],
                'managed': False,
            },
        ),
    ]
