"""All balances of a casino at one moment."""

from django.db import connection

from audit.conservation import Balance, Conservation, conservation_of
from tables.models import Casino, FillStatus

# One statement, so one snapshot: no fill can be caught between its entry and its slip.
_AT_ONE_MOMENT = """
SELECT s.name, a.name, a.asset, a.balance
  FROM ledger_account a JOIN ledger_stream s ON s.id = a.stream_id
 WHERE s.name = 'cage:' || %(casino)s::text
    OR s.name IN (SELECT 'table:' || t.id FROM tables_table t WHERE t.casino_id = %(casino)s)
UNION ALL
SELECT 'fills', f.table_id::text, '', sum(f.total)::bigint
  FROM tables_fill f WHERE f.casino_id = %(casino)s AND f.status = %(issued)s
 GROUP BY f.table_id
"""


def conservation(casino: Casino) -> Conservation:
    """Where all chips of a casino are at this moment."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_ONE_MOMENT, {"casino": casino.id, "issued": FillStatus.ISSUED.value})
        rows = [Balance(*row) for row in cursor.fetchall()]
    fills = {row.account: row.amount for row in rows if row.stream == "fills"}
    return conservation_of(casino.chips_asset, (row for row in rows if row.stream != "fills"), fills)
