"""Databases beside the application's, on the same embedded server."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
from django.db import connections
from psycopg import sql

from config import env
from config.embedded.addresses import PASSWORDS, SUPERUSER


def libpq_environment(role: str, database: str | None = None) -> dict[str, str]:
    """libpq's variables to connect as `role`, to the application's database or another."""
    url = env.database_url(role)
    values = env.database_settings(url)
    return {
        "PGHOST": values["HOST"],
        "PGPORT": values["PORT"],
        "PGUSER": values["USER"],
        "PGPASSWORD": unquote(urlsplit(url).password or ""),
        "PGDATABASE": database or values["NAME"],
    }


def database_name() -> str:
    """The name of the application's database."""
    return env.database_settings(env.database_url("app"))["NAME"]


def create(name: str) -> None:
    """Make an empty database that belongs to the owner."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))


def copy(name: str, *, of: str | None = None) -> None:
    """Make a copy of a database, the application's if none is named, that its role may connect to."""
    values = env.database_settings(env.database_url("app"))
    names = {"copy": name, "of": of or values["NAME"], "role": values["USER"]}
    identifiers = {key: sql.Identifier(value) for key, value in names.items()}
    connections.close_all()  # a database is not copied while somebody is connected to it
    with connect("postgres") as owner:
        owner.execute(sql.SQL("CREATE DATABASE {copy} TEMPLATE {of}").format(**identifiers))
        owner.execute(sql.SQL("GRANT CONNECT ON DATABASE {copy} TO {role}").format(**identifiers))


def connect(name: str) -> "psycopg.Connection[Any]":
    """A connection to a database as its owner, in autocommit mode."""
    values = libpq_environment("owner", name)
    return _connected(values, values["PGUSER"], values["PGPASSWORD"])


def connect_superuser() -> "psycopg.Connection[Any]":
    """A connection to the application's database as who may have the server write files."""
    kept = Path(os.environ["PITLEDGER_HOME"]) / "secrets" / PASSWORDS[SUPERUSER]
    return _connected(libpq_environment("owner"), SUPERUSER, kept.read_text().strip())


def _connected(values: dict[str, str], user: str, password: str) -> "psycopg.Connection[Any]":
    return psycopg.connect(
        host=values["PGHOST"],
        port=values["PGPORT"],
        user=user,
        password=password,
        dbname=values["PGDATABASE"],
        autocommit=True,
    )
