"""Where credit instruments are by the journal, and by what is kept of each."""

from collections.abc import Iterator

from django.db import connection

from audit.codes import Found
from tables.models import Casino

# One statement, so one moment. A marker that was redeemed at its table came out of the box; any other lies on
# the table, in a box that was removed, or in the count room.
_AT_ONE_MOMENT = """
SELECT table_id::text, sum(booked)::bigint, sum(kept)::bigint
  FROM (SELECT t.id AS table_id, -a.balance AS booked, 0 AS kept
          FROM tables_table t
          JOIN ledger_stream s ON s.name = 'table:' || t.id
          JOIN ledger_account a ON a.stream_id = s.id AND a.name = 'markers:patrons'
         WHERE t.casino_id = %(casino)s
        UNION ALL
        SELECT table_id, 0, amount FROM tables_marker
         WHERE casino_id = %(casino)s AND redeemed_stream <> 'table:' || table_id) AS both_sides
 GROUP BY table_id
"""


def markers_astray(casino: Casino) -> Iterator[Found]:
    """A table whose markers come to something else than its accounts hold, minor units."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_ONE_MOMENT, {"casino": casino.id})
        rows = cursor.fetchall()
    for table, booked, kept in sorted(rows):
        if booked != kept:
            yield Found("markers_differ", {"booked": booked, "kept": kept}, stream=f"table:{table}")
