"""Postings are spared some checks of what never changes; what follows from the entries can be rebuilt."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("ledger", "0003_snapshots")]

    operations = [
        migrations.RunSQL((SQL / name).read_text())
        for name in ("0004_lighter.sql", "0004_posting.sql", "0004_rebuilding.sql")
    ]
