"""Snapshots of balances, so that statements of long ago are quick."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_checkpoints")]

    operations = [migrations.RunSQL((SQL / "0003_snapshots.sql").read_text())]
