"""The journal: tables, hash, guards, posting and opening, in SQL; unmanaged read models beside them.

There is no way back: a journal is not unmade by a command.
"""

from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"


def run(name: str) -> migrations.RunSQL:
    return migrations.RunSQL((SQL / name).read_text())


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        run("0001_tables.sql"),
        run("0001_hash.sql"),
        run("0001_guards.sql"),
        run("0001_posting.sql"),
        run("0001_opening.sql"),
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.IntegerField(primary_key=True, serialize=False)),
                ('name', models.TextField()),
                ('asset', models.TextField()),
                ('floor', models.BigIntegerField(null=True)),
                ('balance', models.BigIntegerField()),
                ('opened_seq', models.BigIntegerField(verbose_name='opened by entry number')),
            ],
            options={
                'verbose_name': 'account',
                'verbose_name_plural': 'accounts',
                'db_table': 'ledger_account',
                'ordering': ['stream', 'name'],
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField(verbose_name='number')),
                ('command_id', models.UUIDField(verbose_name='command')),
                ('kind', models.TextField()),
                ('actor', models.UUIDField()),
                ('terminal', models.UUIDField(null=True)),
                ('recorded_at', models.DateTimeField()),
                ('occurred_at', models.DateTimeField()),
                ('payload', models.TextField()),
                ('payload_digest', models.BinaryField()),
                ('reverses', models.UUIDField(null=True)),
                ('previous_hash', models.BinaryField()),
                ('hash', models.BinaryField()),
                ('hash_version', models.SmallIntegerField()),
            ],
            options={
                'verbose_name': 'entry',
                'verbose_name_plural': 'entries',
                'db_table': 'ledger_entry',
                'ordering': ['stream', '-seq'],
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='Stream',
            fields=[
                ('id', models.IntegerField(primary_key=True, serialize=False)),
                ('name', models.TextField(unique=True)),
            ],
            options={
                'verbose_name': 'stream',
                'verbose_name_plural': 'streams',
                'db_table': 'ledger_stream',
                'ordering': ['name'],
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='Movement',
            fields=[
                ('pk', models.CompositePrimaryKey('stream_id', 'seq', 'line', blank=True, editable=False, primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField(verbose_name='entry number')),
                ('line', models.SmallIntegerField()),
                ('amount', models.BigIntegerField()),
            ],
            options={
                'verbose_name': 'movement',
                'verbose_name_plural': 'movements',
                'db_table': 'ledger_movement',
                'ordering': ['stream', 'seq', 'line'],
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='Head',
            fields=[
                ('stream', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='head', serialize=False, to='ledger.stream')),
                ('seq', models.BigIntegerField(verbose_name='last number')),
                ('hash', models.BinaryField(verbose_name='last hash')),
                ('recorded_at', models.DateTimeField(verbose_name='last recorded at')),
            ],
            options={
                'verbose_name': 'stream head',
                'verbose_name_plural': 'stream heads',
                'db_table': 'ledger_head',
                'managed': False,
            },
        ),
    ]
