"""Markers and promotional pieces of sessions, read from the rows that the nightly checks hold against the
journal."""

from datetime import date
from uuid import UUID

from django.db import connection

from tables.figures import Papers
from tables.models import Casino

# A marker is of the session whose box took it, a piece of the one whose round took it in.
_BY_SESSION = """
SELECT s.id, sum(issued)::bigint, sum(redeemed)::bigint, sum(played)::bigint, sum(worth)::bigint
  FROM (SELECT b.session_id, m.amount AS issued,
               CASE WHEN m.redeemed_stream = 'table:' || m.table_id THEN m.amount ELSE 0 END AS redeemed,
               0 AS played, 0 AS worth
          FROM tables_marker m JOIN tables_dropbox b ON b.id = m.box_id
         WHERE m.casino_id = %(casino)s
        UNION ALL
        SELECT r.session_id, 0, 0, 1, p.value
          FROM tables_promopiece p JOIN tables_round r ON r.id = p.round_id
         WHERE p.casino_id = %(casino)s AND p.status IN ('taken', 'cancelled')) AS each
  JOIN tables_tablesession s ON s.id = each.session_id
 WHERE s.gaming_day BETWEEN %(first)s AND %(last)s
 GROUP BY s.id
"""


def papers_of(casino: Casino, first: date, last: date) -> dict[UUID, Papers]:
    """What sessions of some gaming days had of them, by the session's id; those without any are left out."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_SESSION, {"casino": casino.id, "first": first, "last": last})
        return {session: Papers(*amounts) for session, *amounts in cursor.fetchall()}
