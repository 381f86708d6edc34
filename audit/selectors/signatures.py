"""Signatures as they are kept, against their entries; and what of the office one alone signed."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db import connection

from audit.codes import Found
from audit.facts import Fact
from audit.selectors.journal import parsed
from audit.signed import KINDS, OFFICE, SIGNED, SignatureCheck, others
from ledger.models import Entry
from ledger.statements import seq_at
from tables.figures import gaming_day_bounds
from tables.models import Casino, Table

# Each entry of a stretch that two sign or that has a signature, with the row of it.
_KEPT = """
SELECT e.seq, e.kind, e.actor::text, e.payload, c.act, c.first_id::text, c.second_id::text
  FROM ledger_entry e LEFT JOIN tables_countersignature c ON c.stream = %(stream)s AND c.seq = e.seq
 WHERE e.stream_id = (SELECT id FROM ledger_stream WHERE name = %(stream)s)
   AND e.seq BETWEEN %(first)s AND %(last)s AND (e.kind = ANY(%(kinds)s) OR c.act IS NOT NULL)
 ORDER BY e.seq
"""
_OF_NOTHING = """
SELECT c.seq, c.act FROM tables_countersignature c
 WHERE c.stream = %(stream)s AND c.signed_at >= %(begins)s AND c.signed_at < %(ends)s
   AND NOT EXISTS (SELECT FROM ledger_entry e JOIN ledger_stream s ON s.id = e.stream_id
                    WHERE s.name = c.stream AND e.seq = c.seq)
 ORDER BY c.seq
"""


def office_by_one(casino: Casino) -> Iterator[Found]:
    """What one alone signed of what the office does by two, from its first entry on."""
    finds: list[Found] = []
    check = SignatureCheck(casino.stream, finds.append)
    entries = Entry.objects.filter(stream__name=casino.stream, kind__in=SIGNED[OFFICE]).order_by("seq")
    for entry in entries.iterator():
        said = parsed(entry.payload)
        check.see(Fact(casino.stream, entry.seq, entry.kind, entry.actor, entry.recorded_at, said, ()))
    yield from finds


def signatures_astray(casino: Casino, day: date) -> Iterator[Found]:
    """Signatures of a gaming day that are kept otherwise than its entries have them, or are not kept."""
    begins, ends = gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)
    tables = [table.stream for table in Table.objects.filter(casino=casino).order_by("code")]
    for stream in (casino.stream, casino.cage_stream, *tables):
        yield from _of_stream(stream, begins, ends)


def _of_stream(stream: str, begins: datetime, ends: datetime) -> Iterator[Found]:
    where: dict[str, Any] = {
        "stream": stream,
        "begins": begins,
        "ends": ends,
        "first": seq_at(stream, begins) + 1,
        "last": seq_at(stream, ends),
        "kinds": sorted(SIGNED[stream.partition(":")[0]]),
    }
    with connection.cursor() as cursor:
        cursor.execute(_OF_NOTHING, where)
        for seq, act in cursor.fetchall():
            yield Found("signature_differs", {"act": act, "entry": None}, stream=stream, seq=seq)
        cursor.execute(_KEPT, where)
        for seq, kind, actor, payload, *kept in cursor.fetchall():
            fact = Fact(stream, seq, kind, UUID(actor), begins, parsed(payload), ())
            if not _is_kept(fact, *kept):
                named = [str(fact.actor), *map(str, others(fact))]
                evidence = {"kind": kind, "signed": named, "kept": kept}
                yield Found("signature_differs", evidence, stream=stream, seq=seq)


def _is_kept(fact: Fact, act: str | None, first: str | None, second: str | None) -> bool:
    """Whether the row says who signed what; where one alone signed, that is another find, and none is due."""
    named = others(fact)
    if act is None:
        return not named
    where = fact.stream.partition(":")[0]
    is_act = fact.kind in KINDS.get(act, {}).get(where, ())
    return is_act and first != second and {first, second} <= {str(fact.actor), *named}
