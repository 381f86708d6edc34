"""A casino's cage, followed from its first entry on, and what is kept of credit held against the journal."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from django.db import connection

from audit.codes import Found
from audit.credit import NAMED, CreditCheck
from audit.markers import ISSUE
from audit.selectors.journal import facts
from audit.signed import SignatureCheck
from audit.vault import VaultCheck
from tables.models import Casino

# One statement, so one moment: each row is compared with entries that were there when it was read.
_AT_ONE_MOMENT = """
SELECT 'marker' AS what, m.id::text AS id, jsonb_build_object(
       'number', m.number, 'table', m.table_id, 'player', m.player_id, 'amount', m.amount,
       'stream', m.redeemed_stream, 'seq', m.redeemed_seq, 'kind', i.kind)::text AS kept, i.payload AS said
  FROM tables_marker m
  LEFT JOIN ledger_stream s ON s.name = 'table:' || m.table_id
  LEFT JOIN ledger_entry i ON i.stream_id = s.id AND i.seq = m.issued_seq
 WHERE m.casino_id = %(casino)s
UNION ALL
SELECT 'limit', id::text, credit_limit::text, NULL
  FROM tables_player WHERE casino_id = %(casino)s AND credit_limit IS NOT NULL
UNION ALL
SELECT 'last', '', h.seq::text, NULL
  FROM ledger_head h JOIN ledger_stream s ON s.id = h.stream_id WHERE s.name = %(cage)s
"""


def cage_astray(casino: Casino) -> Iterator[Found]:
    """What the cage's entries say of chips, cash and credit that cannot be, and what is kept otherwise."""
    kept: dict[str, dict[str, tuple[Any, str | None]]] = {"marker": {}, "limit": {}, "last": {}}
    with connection.cursor() as cursor:
        cursor.execute(_AT_ONE_MOMENT, {"casino": casino.id, "cage": casino.cage_stream})
        for what, name, row, said in cursor.fetchall():
            kept[what][name] = json.loads(row), said
    finds: list[Found] = []
    vault = VaultCheck(casino.cage_stream, finds.append, from_empty=True)
    credit = CreditCheck(casino.cage_stream, finds.append, whole=True)
    signatures = SignatureCheck(casino.cage_stream, finds.append)
    last = kept["last"][""][0] if kept["last"] else 0
    with closing(facts(casino.cage_stream, 1, last)) as entries:
        for fact in entries:
            vault.see(fact)
            credit.see(fact)
            signatures.see(fact)
    yield from finds
    yield from _markers_astray(casino, kept["marker"], credit)
    limits = {player: limit for player, (limit, _) in kept["limit"].items()}
    for player in sorted(limits.keys() | credit.limits.keys()):
        if limits.get(player) != credit.limits.get(player):
            evidence = {"journal": credit.limits.get(player), "row": limits.get(player)}
            yield Found("markers_differ", evidence, stream=casino.cage_stream, about=f"limit:{player}")


def _markers_astray(
    casino: Casino, rows: Mapping[str, tuple[Any, str | None]], credit: CreditCheck
) -> Iterator[Found]:
    """Markers that are kept otherwise than they were issued, or paid otherwise than either says.

    And tables' series with a gap, which may lie between two sessions.
    """
    series: defaultdict[str, list[int]] = defaultdict(list)
    for row, _ in rows.values():
        series[row["table"]].append(row["number"])
    for table, numbers in sorted(series.items()):
        if max(numbers) != len(numbers):  # no number is there twice
            evidence = {"markers": len(numbers), "last": max(numbers)}
            yield Found("markers_differ", evidence, f"table:{table}", about="series")
    for marker in sorted(rows.keys() | credit.paid.keys()):
        row, issued = rows.get(marker, (None, None))
        payment = credit.paid.get(marker)
        said = {name: row[name] for name in NAMED} if row else None
        issue = json.loads(issued) if row and issued and row["kind"] == ISSUE else {}
        due: dict[str, Any] = {"issued": {name: issue.get(name) for name in NAMED}}
        right = issue.get("marker") == marker and due["issued"] == said
        at_cage = row is not None and row["stream"] == casino.cage_stream
        if payment is not None:
            due["paid"] = {**payment.said, "seq": payment.seq}
            right = right and at_cage and payment.said == said and payment.seq == row["seq"]
        elif at_cage:
            right = False
        if not right:
            yield Found("markers_differ", {"row": row, **due}, stream=casino.cage_stream, about=marker)
