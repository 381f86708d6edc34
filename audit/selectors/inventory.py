"""What lies in a casino's vault, chip by chip."""

from django.db import connection

from audit.vault import CARRIED, VAULT
from tables.models import Casino

_CHIPS = """
SELECT chip.value, sum(chip.number::bigint * carried.way)::bigint
  FROM ledger_stream s
  JOIN ledger_entry e ON e.stream_id = s.id
  JOIN unnest(%(kinds)s::text[], %(fields)s::text[], %(ways)s::int[]) AS carried(kind, field, way)
       ON carried.kind = e.kind
 CROSS JOIN LATERAL jsonb_each_text(e.payload::jsonb -> carried.field) AS chip(value, number)
 WHERE s.name = %(cage)s
   AND EXISTS (SELECT FROM ledger_movement m JOIN ledger_account a ON a.id IN (m.source_id, m.target_id)
                WHERE m.stream_id = e.stream_id AND m.seq = e.seq AND a.name = %(vault)s)
 GROUP BY chip.value
HAVING sum(chip.number::bigint * carried.way) <> 0
 ORDER BY chip.value::bigint DESC
"""


def vault_chips(casino: Casino) -> dict[str, int]:
    """How many chips of each value lie in the vault at this moment, by what the cage's entries name.

    A house has one set of chips in play; a chip of a set that was withdrawn is a rejected one.
    """
    fields, ways = zip(*CARRIED.values(), strict=True)
    with connection.cursor() as cursor:
        cursor.execute(
            _CHIPS,
            {
                "kinds": list(CARRIED),
                "fields": list(fields),
                "ways": list(ways),
                "cage": casino.cage_stream,
                "vault": VAULT,
            },
        )
        return dict(cursor.fetchall())
