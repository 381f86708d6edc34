"""Roles and database are made as the migrations need them, and what is watched can be asked."""

import re
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import get_commands
from django.db import connection, connections

from config.embedded.addresses import PASSWORDS, SUPERUSER
from config.env import home
from tests.deploy.files import DEPLOY


@pytest.fixture
def superuser(django_db_setup: None) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    """Who makes roles and databases: our own server's superuser, else the owner, who then must be one."""
    owner, kept = connections["owner"].settings_dict, home() / "secrets" / PASSWORDS[SUPERUSER]
    who = (SUPERUSER, kept.read_text().strip()) if kept.exists() else (owner["USER"], owner["PASSWORD"])
    with psycopg.connect(
        host=owner["HOST"],
        port=owner["PORT"] or None,
        user=who[0],
        password=who[1],
        dbname="postgres",
        autocommit=True,
    ) as found:
        yield found


def test_roles_and_database_are_made_once_and_have_no_power(
    superuser: "psycopg.Connection[tuple[object, ...]]",
) -> None:
    """Under names of this test's own: the servers of the run have some of these already."""
    name = f"deploy_{uuid.uuid4().hex[:12]}"
    text = re.sub(r"--.*", "", (DEPLOY / "postgresql.sql").read_text()).replace("pitledger", name)
    statements = [part for part in re.split(r";\s*\n\s*\n|;\s*$|;\n(?=GRANT)", text) if part.strip()]
    try:
        for statement in statements:
            superuser.execute(statement.encode())
        superuser.execute(statements[0].encode())  # the roles again, as before a restore: they stay
        roles = superuser.execute(
            "SELECT rolname, rolcanlogin, rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR"
            " rolbypassrls FROM pg_roles WHERE rolname LIKE %s ORDER BY rolname",
            [f"{name}%"],
        ).fetchall()
        assert roles == [(name, True, False), (f"{name}_owner", True, False)]
        (database,) = superuser.execute(
            "SELECT pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datlocprovider, datlocale,"
            " has_database_privilege(%(app)s, datname, 'CONNECT'), has_database_privilege(%(app)s, datname,"
            " 'CREATE'), has_database_privilege('public', datname, 'CONNECT') FROM pg_database"
            " WHERE datname = %(app)s",
            {"app": name},
        ).fetchall()
        assert database == (f"{name}_owner", "UTF8", "b", "C.UTF-8", True, False, False)
    finally:
        for drop in (f"DATABASE IF EXISTS {name}", f"ROLE IF EXISTS {name}", f"ROLE IF EXISTS {name}_owner"):
            superuser.execute(f"DROP {drop}".encode())


@pytest.mark.django_db
def test_what_is_watched_is_asked_with_the_applications_rights() -> None:
    text = re.sub(r"--.*", "", (DEPLOY / "watch.sql").read_text())
    columns = []
    with connection.cursor() as cursor:
        for statement in filter(str.strip, text.split(";")):
            cursor.execute(statement)
            columns.append([column.name for column in cursor.description])
    assert columns == [["severity", "code", "count", "since"], ["topic", "count", "oldest"]]


def test_the_commands_it_names_are_there() -> None:
    """So are the files: what was renamed is named as it is now."""
    text = (DEPLOY / "README.md").read_text()
    named = set(re.findall(r"\bmanage (?:\\\n\s*)?([a-z_]+)", text))
    assert named >= {"migrate", "sealer_key", "create_casino", "verify_journal", "checkpoint_status"}
    assert named <= get_commands().keys()
    mentioned = re.findall(r"deploy/([a-z_./-]+[a-z])", text)
    assert mentioned
    assert all((DEPLOY / path).exists() for path in mentioned)
    for target in re.findall(r"\]\((\.\./[^)#]+)", text):
        assert (DEPLOY / target).exists()
