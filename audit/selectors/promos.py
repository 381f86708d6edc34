"""Where promotional pieces are by the journal, and by what is kept of each."""

from collections.abc import Iterator

from django.db import connection

from audit.codes import Found
from tables.models import Casino

# One statement, so one moment. With players are those the cage gave out less those that tables have at stake,
# taken in or cancelled.
_AT_ONE_MOMENT = """
SELECT standing, sum(booked)::bigint, sum(kept)::bigint
  FROM (SELECT CASE WHEN a.name IN ('promo', 'promo:out') THEN 'issued'
                    WHEN a.name = 'promo_box' THEN 'taken'
                    WHEN a.name LIKE 'promo!_wager:%%' ESCAPE '!' THEN 'staked'
                    ELSE 'elsewhere' END AS standing, a.balance AS booked, 0 AS kept
          FROM ledger_account a JOIN ledger_stream s ON s.id = a.stream_id
         WHERE a.asset = %(asset)s
           AND (s.name = 'cage:' || %(casino)s::text
                OR s.name IN (SELECT 'table:' || t.id FROM tables_table t WHERE t.casino_id = %(casino)s))
        UNION ALL
        SELECT status, 0, value FROM tables_promopiece WHERE casino_id = %(casino)s) AS both_sides
 WHERE standing IN ('issued', 'staked', 'taken')
 GROUP BY standing
"""


def promos_astray(casino: Casino) -> Iterator[Found]:
    """A standing whose pieces are worth something else than its accounts hold."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_ONE_MOMENT, {"asset": casino.promo_asset, "casino": casino.id})
        rows = cursor.fetchall()
    for standing, booked, kept in sorted(rows):
        if booked != kept:
            yield Found(
                "promo_differs", {"standing": standing, "booked": booked, "kept": kept}, about=standing
            )
