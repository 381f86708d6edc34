"""Tables' holds as the rule of the house's profile wants them judged: one statement for all tables."""

from datetime import date
from typing import Any

from django.db import connection

from audit.hold import Business, HoldJudgement, days_of
from audit.pieces import BANKED
from tables.models import Casino
from tables.selectors.jurisdiction import profile_on

# Before the first day there is nothing, so a lifetime begins then.
_BUSINESS = """
SELECT t.code, t.id::text,
       count(DISTINCT s.gaming_day) FILTER (WHERE w.here), count(DISTINCT s.gaming_day) FILTER (WHERE b.here),
       coalesce(sum(r.win) FILTER (WHERE w.here AND r.drop IS NOT NULL), 0)::bigint,
       coalesce(sum(r.win) FILTER (WHERE b.here AND r.drop IS NOT NULL), 0)::bigint,
       coalesce(sum(r.drop) FILTER (WHERE w.here), 0)::bigint,
       coalesce(sum(r.drop) FILTER (WHERE b.here), 0)::bigint,
       count(*) FILTER (WHERE w.here AND r.drop IS NULL), count(*) FILTER (WHERE b.here AND r.drop IS NULL)
  FROM tables_table t
  JOIN tables_ruleset rules ON rules.id = t.rules_id
  JOIN tables_tablesession s ON s.table_id = t.id
  LEFT JOIN audit_sessionreconciliation r ON r.session_id = s.id
 CROSS JOIN LATERAL (SELECT s.gaming_day BETWEEN %(from)s AND %(to)s) AS w (here)
 CROSS JOIN LATERAL (SELECT s.gaming_day <= %(base_to)s
                        AND s.gaming_day >= coalesce(%(base_from)s::date, s.gaming_day)) AS b (here)
 WHERE t.casino_id = %(casino)s AND rules.game = ANY(%(banked)s) AND (w.here OR b.here)
 GROUP BY t.code, t.id ORDER BY t.code
"""


def hold_judgements(casino: Casino, last_closed: date) -> list[HoldJudgement]:
    """The holds of the tables that the house banks, as they are judged once a gaming day was closed."""
    profile = profile_on(casino, last_closed)
    window, base = days_of(profile.hold, last_closed)
    asked: dict[str, Any] = {
        "casino": casino.id,
        "banked": list(BANKED),
        "from": window.first,
        "to": window.last,
        "base_from": base.first,
        "base_to": base.last,
    }
    with connection.cursor() as cursor:
        cursor.execute(_BUSINESS, asked)
        return [
            HoldJudgement(
                code=code,
                stream=f"table:{table}",
                profile=profile,
                window_days=window,
                base_days=base,
                window=Business(*figures[::2]),
                base=Business(*figures[1::2]),
            )
            for code, table, *figures in cursor.fetchall()
        ]
