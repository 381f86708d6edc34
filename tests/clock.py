"""The house's clock at any moment of any year: of the program and of the journal, which reads its own.

A test can move the program's clock; the journal takes the time of each entry from PostgreSQL. For a day with
daylight saving both must move, so the one function that writes entries is given a clock with an offset while
the tests of a module run. Nothing else of it changes.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import psycopg
import time_machine
from django.db import connection

CLOCK = "clock_timestamp()"
OFFSET = "pitledger.test_clock"
MOVED = f"({CLOCK} + coalesce(nullif(current_setting('{OFFSET}', true), ''), '0')::interval)"


@contextmanager
def journal_with_a_clock() -> Iterator[None]:
    """While inside, entries are recorded at the moment `at` says, else at that of the clock."""
    with psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as owner:
        found = owner.execute("SELECT pg_get_functiondef('ledger_append'::regproc)").fetchone()
        assert found is not None
        (definition,) = found
        assert definition.count(CLOCK) == 1, "there is one clock to move"
        owner.execute(definition.replace(CLOCK, MOVED))
        try:
            yield
        finally:
            owner.execute(definition)


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Let it be this moment, and later as time goes on; to be used in order, for no stream goes backwards."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT set_config('{OFFSET}', extract(epoch FROM %s - {CLOCK})::text || ' seconds', false)",  # noqa: S608
            [moment],
        )
    with time_machine.travel(moment, tick=True):
        yield
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT set_config('{OFFSET}', '', false)")
