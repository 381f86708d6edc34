"""What the application's role may do, applied from the one list in ``config/sql/grants.sql``."""

import re
from pathlib import Path

from django.db import connections, transaction

from config import env

GRANTS_FILE = Path(__file__).parent / "sql" / "grants.sql"
_ROW = re.compile(r"^\s*\('(?P<table>[a-z0-9_]+)', '(?P<rights>[A-Z, ]+)'\)", re.MULTILINE)


def app_role() -> str:
    """The role the application runs as: the user of its database address."""
    return env.database_settings(env.database_url("app"))["USER"]


def listed_tables() -> dict[str, str]:
    """Every table the list names, with the rights it gives."""
    return {row["table"]: row["rights"] for row in _ROW.finditer(GRANTS_FILE.read_text())}


def apply_grants(alias: str) -> None:
    """Give the application's role exactly the rights listed, in one transaction, as the owner.

    Args:
        alias: the database connection to use; its user must own the tables.
    """
    connection = connections[alias]
    with transaction.atomic(using=alias), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('pitledger.app_role', %s, true)", [app_role()])
        cursor.execute(GRANTS_FILE.read_text())
