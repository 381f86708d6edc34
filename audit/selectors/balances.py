"""All balances of a casino at one moment."""

from django.db import connection

from audit.conservation import Balance, Conservation, Sides, conservation_of
from tables.models import Casino

# One statement, so one snapshot: no slip can be caught between its entry and its row. What a slip has moved
# follows from its steps: a fill leaves the cage when it is issued, a credit the table when it is counted.
_AT_ONE_MOMENT = """
SELECT s.name, a.name, a.asset, a.balance
  FROM ledger_account a JOIN ledger_stream s ON s.id = a.stream_id
 WHERE s.name = 'cage:' || %(casino)s::text
    OR s.name IN (SELECT 'table:' || t.id FROM tables_table t WHERE t.casino_id = %(casino)s)
UNION ALL
SELECT 'slips', crossed.table_id::text, crossed.side, sum(crossed.amount)::bigint
  FROM tables_slip slip
 CROSS JOIN LATERAL (
       SELECT slip.table_id, 'cage' AS side, slip.total * CASE slip.kind
              WHEN 'fill' THEN 1 - (slip.returned_seq IS NOT NULL)::int
              ELSE (slip.received_seq IS NOT NULL AND slip.voided_seq IS NOT NULL)::int
                   - (slip.received_seq IS NOT NULL)::int END
       UNION ALL
       SELECT slip.table_id, 'table', slip.total * CASE slip.kind
              WHEN 'fill' THEN (slip.received_seq IS NOT NULL AND slip.voided_seq IS NOT NULL)::int
                   - (slip.received_seq IS NOT NULL)::int
              ELSE (slip.counted_seq IS NOT NULL)::int - (slip.returned_seq IS NOT NULL)::int END
       ) AS crossed (table_id, side, amount)
 WHERE slip.casino_id = %(casino)s AND slip.number IS NOT NULL
 GROUP BY 2, 3
"""


def conservation(casino: Casino) -> Conservation:
    """Where all chips of a casino are at this moment."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_ONE_MOMENT, {"casino": casino.id})
        rows = [Balance(*row) for row in cursor.fetchall()]
    slips: dict[str, Sides] = {}
    for row in rows:
        if row.stream == "slips":
            before = slips.get(row.account, Sides())
            slips[row.account] = before._replace(**{row.asset: row.amount})
    return conservation_of(casino.chips_asset, (row for row in rows if row.stream != "slips"), slips)
