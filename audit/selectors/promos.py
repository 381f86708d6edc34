"""Where promotional pieces are by the journal, and by what is kept of each."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from django.db import connection

from audit.codes import Found
from audit.facts import Fact, Moved
from audit.promos import Heard, PieceCheck, Standing, plays_astray, standings
from audit.selectors.journal import moment, parsed
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


# Every entry that moves a piece, names one, or says it is about them; and the rows. One statement, so one
# moment: whatever changes a row is in the journal with it. No account is indexed, so it looks through all
# movements of the house, once a night.
_PIECE_BY_PIECE = """
WITH streams AS (
     SELECT s.id, s.name FROM ledger_stream s
      WHERE s.name = 'cage:' || %(casino)s::text
         OR s.name IN (SELECT 'table:' || t.id FROM tables_table t WHERE t.casino_id = %(casino)s)),
     wanted AS (
     SELECT m.stream_id, m.seq
       FROM ledger_movement m JOIN ledger_account a ON a.id = m.source_id
      WHERE a.asset = %(asset)s AND a.stream_id IN (SELECT id FROM streams)
     UNION
     SELECT e.stream_id, e.seq FROM ledger_entry e
      WHERE e.stream_id IN (SELECT id FROM streams)
        AND (e.kind LIKE 'promo.%%' OR e.payload LIKE '%%"coupons"%%'))
SELECT 'entry', streams.name, jsonb_build_object(
       'seq', e.seq, 'kind', e.kind, 'actor', e.actor, 'payload', e.payload,
       'at', e.recorded_at::text,
       'moves', (SELECT jsonb_agg(jsonb_build_array(s.name, t.name, m.amount) ORDER BY m.line)
                   FROM ledger_movement m
                   JOIN ledger_account s ON s.id = m.source_id JOIN ledger_account t ON t.id = m.target_id
                  WHERE m.stream_id = e.stream_id AND m.seq = e.seq))::text
  FROM wanted JOIN streams ON streams.id = wanted.stream_id
  JOIN ledger_entry e ON e.stream_id = wanted.stream_id AND e.seq = wanted.seq
UNION ALL
SELECT 'piece', serial, jsonb_build_object(
       'value', value, 'player', player_id, 'issued_seq', issued_seq, 'status', status,
       'stream', 'table:' || table_id, 'round', round_id, 'seat', seat::text,
       'cancelled_seq', cancelled_seq)::text
  FROM tables_promopiece WHERE casino_id = %(casino)s
UNION ALL
SELECT 'stock', value::text, pieces::text FROM tables_promostock WHERE casino_id = %(casino)s
"""


def pieces_astray(casino: Casino) -> Iterator[Found]:
    """All that is wrong with a casino's promotional pieces, each by its number, and with their rows."""
    kept: dict[str, dict[str, Any]] = {"entry": {}, "piece": {}, "stock": {}}
    with connection.cursor() as cursor:
        cursor.execute(_PIECE_BY_PIECE, {"asset": casino.promo_asset, "casino": casino.id})
        for what, name, said in cursor.fetchall():
            if what == "entry":
                kept[what].setdefault(name, []).append(json.loads(said))
            else:
                kept[what][name] = json.loads(said)
    finds: list[Found] = []
    checks = {stream: PieceCheck(stream, finds.append) for stream in sorted(kept["entry"])}
    for stream, check in checks.items():
        for fact in sorted((_fact(stream, entry) for entry in kept["entry"][stream]), key=_number):
            check.see(fact)
    heard = [check.heard for check in checks.values()]
    cage = checks.get(casino.cage_stream)
    yield from (*finds, *plays_astray(heard))
    yield from _rows_astray(kept["piece"], standings(heard))
    yield from _stock_astray(kept["stock"], cage.heard if cage else Heard())


def _fact(stream: str, entry: Mapping[str, Any]) -> Fact:
    moves = tuple(Moved(*move) for move in entry["moves"] or ())
    at, said = moment(entry["at"]), parsed(entry["payload"])
    return Fact(stream, entry["seq"], entry["kind"], UUID(entry["actor"]), at, said, moves)


def _number(fact: Fact) -> int:
    return fact.seq


def _rows_astray(rows: Mapping[str, Any], due: Mapping[str, Standing]) -> Iterator[Found]:
    """Pieces whose rows are not what the journal says, and those only one of the two has."""
    for serial in sorted(rows.keys() | due.keys()):
        row, journal = rows.get(serial), _plain(due[serial]) if serial in due else None
        if row is None or journal is None:
            yield Found("promo_differs", {"missing": "row" if row is None else "journal"}, about=serial)
        elif row != journal:
            wrong = {
                name: {"journal": value, "row": row[name]}
                for name, value in journal.items()
                if row[name] != value
            }
            yield Found("promo_differs", wrong, about=serial)


def _plain(standing: Standing) -> dict[str, Any]:
    """A standing as its row says it."""
    return standing._asdict() | {"round": standing.round and str(standing.round)}


def _stock_astray(rows: Mapping[str, int], cage: Heard) -> Iterator[Found]:
    """Values of which there are other numbers of pieces in stock than the journal gives."""
    due = {str(value): number for value, number in cage.stock.items()}
    for value in sorted(rows.keys() | due.keys(), key=int):
        journal, row = due.get(value, 0), rows.get(value, 0)
        if journal != row:
            evidence = {"value": int(value), "journal": journal, "row": row}
            yield Found("promo_differs", evidence, about=f"stock of {value}")
