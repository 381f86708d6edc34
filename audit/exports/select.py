"""The one select behind every round history: rows, filters, totals.

A row is a round and a seat of it, or a round nobody played in. All of it comes from the projections in
PostgreSQL; no row passes through Python's objects on its way to a file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from audit.exports.columns import COLUMNS, SUMMED, Kind
from audit.exports.filters import ANY_ALERT, RoundFilter

FROM = """
  FROM tables_round r
  JOIN tables_tablesession s ON s.id = r.session_id
  JOIN tables_table t ON t.id = r.table_id
  JOIN tables_pit p ON p.id = t.pit_id
  JOIN tables_casino c ON c.id = t.casino_id
  JOIN tables_shoe h ON h.id = r.shoe_id
  JOIN tables_ruleset u ON u.id = r.rules_id
  JOIN tables_staff d ON d.id = r.dealer_id
 CROSS JOIN LATERAL jsonb_to_record(r.state) AS x(
       bets jsonb, raises jsonb, tokes jsonb, promos jsonb, money jsonb, money_raises jsonb,
       results jsonb, hands jsonb, shown jsonb, cards text, burnt text, spread int, announced int,
       misannounced boolean, raise_test_excluded boolean, outcome text, void_reason text,
       dealer int, carried bigint, pool bigint, bank bigint)
 CROSS JOIN LATERAL (SELECT x.bets IS NOT NULL) AS own(o)
  LEFT JOIN LATERAL jsonb_to_record(r.corrected_state) AS y(cards text, outcome text, results jsonb) ON true
  LEFT JOIN LATERAL jsonb_each(coalesce(x.bets, x.results)) AS seat(number, value) ON true
  LEFT JOIN LATERAL jsonb_to_record(CASE WHEN o THEN x.results -> seat.number ELSE seat.value END) AS z(
       bet bigint, paid bigint, won bigint, net bigint, "end" text, ante bigint, forfeit bigint,
       mispaid bigint, share bigint, fee bigint) ON true"""

ORDER = 's.gaming_day, t.code COLLATE "C", s.number, r.number, seat.number::int'
"""Nothing but the play."""

_STAKE = f"{COLUMNS['bet'].sql} + coalesce({COLUMNS['raise'].sql}, 0)"
_ALERT = "EXISTS (SELECT FROM audit_finding f WHERE f.round_id = r.id{})"

OF_SESSIONS = {
    "casino": "t.casino_id = %(casino)s",
    "gaming_day_from": "s.gaming_day >= %(gaming_day_from)s",
    "gaming_day_to": "s.gaming_day <= %(gaming_day_to)s",
    "pit": "p.code = %(pit)s",
    "table": "t.code = %(table)s",
    "session": "s.id = %(session)s",
}
"""What parts of a filter choose sessions, as conditions."""

OF_ROWS = {
    "shift": f"{COLUMNS['shift'].sql} = %(shift)s",
    "dealer": "d.badge = %(dealer)s",
    "player": "r.players ->> seat.number = %(player)s::text",
    "seat": "seat.number::int = %(seat)s",
    "outcome": "x.outcome = %(outcome)s",
    "stake_min": f"{_STAKE} >= %(stake_min)s",
    "stake_max": f"{_STAKE} <= %(stake_max)s",
    "alert": _ALERT.format(" AND f.code = %(alert)s"),
}
"""And which choose rounds, or rows of them."""

# What a spreadsheet takes for a formula when a cell begins with it; full-width signs do in some of them. An
# apostrophe that was there is guarded too, so that taking one off always gives the text again.
FORMULA_STARTS = "=+-@\t\r\n'\uff1d\uff0b\uff0d\uff20"
TEXTS = (Kind.LABEL, Kind.TEXT)
CONTROLS = "".join(map(chr, [*range(1, 9), 11, 12, *range(14, 32), 127]))
RISKY = "(^|[|])[" + FORMULA_STARTS.replace("-", "") + "-]|[" + CONTROLS + "]"
"""Texts side by side, with a bar between them: one of them begins with such a character, or has a control."""
PICTURES = "".join(chr(0x2421 if char == "\x7f" else 0x2400 + ord(char)) for char in CONTROLS)


class Statement(NamedTuple):
    """SQL and its parameters."""

    sql: str
    params: Mapping[str, Any]


def conditions(wanted: RoundFilter) -> Iterator[str]:
    """The filter's conditions over the tables of `FROM`; its values are `parameters`."""
    for name, condition in (OF_SESSIONS | OF_ROWS).items():
        value = getattr(wanted, name)
        if name == "alert" and value == ANY_ALERT:
            yield _ALERT.format("")
        elif value is not None:
            yield condition


def parameters(wanted: RoundFilter) -> dict[str, Any]:
    """The filter's values for its conditions."""
    names = (*OF_SESSIONS, *OF_ROWS)
    return {name: value for name in names if (value := getattr(wanted, name)) is not None}


def rows_of(
    wanted: RoundFilter, *, where: Sequence[str] = (), params: Mapping[str, Any] | None = None
) -> Statement:
    """The filter's rows with all columns, in the order of the play.

    Args:
        where: further conditions over the tables of `FROM`.
        params: their values.
    """
    values = parameters(wanted) | dict(params or {})
    return Statement(_select(_plain(), [*conditions(wanted), *where], order=ORDER), values)


def copied(wanted: RoundFilter, session: Any, *, guarded: bool) -> Statement:
    """COPY of a session's rows as CSV without a header; an empty text has quotes, a missing value none.

    Args:
        guarded: whether texts that a spreadsheet might run or trip over are made harmless.
    """
    select = _of_session(wanted, _spelled())
    if guarded:
        select = _made_harmless(select)
    return Statement(f"COPY ({select}) TO STDOUT (FORMAT csv)", parameters(wanted) | {"in_session": session})


def copied_as_json(wanted: RoundFilter, session: Any) -> Statement:
    """COPY of a session's rows as one JSON object a line.

    JSON holds no raw control character, so with two of them for quote and delimiter nothing is quoted.
    """
    lines = f"SELECT row_to_json(line) FROM ({_of_session(wanted, _plain())}) AS line"  # noqa: S608 (our own)
    sql = f"COPY ({lines}) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')"
    return Statement(sql, parameters(wanted) | {"in_session": session})


def totals(wanted: RoundFilter, session: Any) -> Statement:
    """One row: rounds, rows, ids of the rule sets, and the sums of `SUMMED`, of a session's rows."""
    summed = [f"sum({COLUMNS[name].sql})" for name in SUMMED]
    chosen = ", ".join(["count(DISTINCT r.number)", "count(*)", "array_agg(DISTINCT u.id)::text[]", *summed])
    sql = _select(chosen, [*conditions(wanted), "r.session_id = %(in_session)s"], order="")
    return Statement(sql, parameters(wanted) | {"in_session": session})


def _of_session(wanted: RoundFilter, chosen: str) -> str:
    where = [*conditions(wanted), "r.session_id = %(in_session)s"]
    return _select(chosen, where, order="r.number, seat.number::int")


def _select(chosen: str, where: Sequence[str], *, order: str) -> str:
    ordered = f"\n ORDER BY {order}" if order else ""
    return f"SELECT {chosen}{FROM}\n WHERE {' AND '.join(where)}{ordered}"


def _plain() -> str:
    return ", ".join(f'{column.sql} AS "{name}"' for name, column in COLUMNS.items())


def _spelled() -> str:
    """The columns with true and false in full."""
    sqls = (f"({one.sql})::text" if one.kind == Kind.BOOL else one.sql for one in COLUMNS.values())
    return ", ".join(f'{sql} AS "{name}"' for sql, name in zip(sqls, COLUMNS, strict=True))


def _made_harmless(select: str) -> str:
    """The rows of a select with no text in them that can be run.

    Hardly any row has one, and looking at each text of each row would take three times as long as the rows
    do: so a row's texts are looked at together, once (OFFSET keeps that from being done for each column),
    and guarded only where there is something.
    """
    texts = ", ".join(f'"{name}"' for name, column in COLUMNS.items() if column.kind in TEXTS)
    risky = f"concat_ws('|', {texts}) ~ {_quoted(RISKY)} AS risky"
    guarded = (_guard(f'"{name}"') if one.kind in TEXTS else f'"{name}"' for name, one in COLUMNS.items())
    looked_at = f"SELECT *, {risky} FROM ({select}) AS line OFFSET 0"  # noqa: S608 (all of it our own)
    return f"SELECT {', '.join(guarded)} FROM ({looked_at}) AS line"  # noqa: S608


def _guard(name: str) -> str:
    """An apostrophe before what begins a formula, pictures for controls."""
    text = f"translate({name}, {_quoted(CONTROLS)}, {_quoted(PICTURES)})"
    starts = ", ".join(map(_quoted, FORMULA_STARTS))
    guarded = f"CASE WHEN left({name}, 1) IN ({starts}) THEN '''' || {text} ELSE {text} END"
    return f"CASE WHEN risky THEN {guarded} ELSE {name} END"


def _quoted(text: str) -> str:
    """A literal of SQL, free of what psycopg takes for a placeholder."""
    return "U&'" + "".join(f"\\{ord(char):04X}" for char in text) + "'"
