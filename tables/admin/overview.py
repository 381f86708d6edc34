"""The floor at a glance: the first page of the admin."""

from typing import Any

from django.utils import timezone

from tables.admin.floor import play_of, table_state
from tables.admin.text import anchor, entries_address, link, money
from tables.figures import gaming_day
from tables.models import Casino, Table
from tables.selectors.floor import TableNow, floor_tables, tables_now


def floor_context(casino: Casino) -> dict[str, Any]:
    """What the overview shows of a casino: five statements however many tables there are."""
    tables = floor_tables(casino)
    present = tables_now(tables)
    now = timezone.now()
    return {
        "now": now,
        "gaming_day": gaming_day(now, casino.time_zone, casino.rollover_hour),
        "floor": [_row(table, present[table.id]) for table in tables],
        "open_tables": sum(table.session is not None for table in tables),
        "rounds_running": sum(table.round is not None for table in tables),
    }


def _row(table: Table, now: TableNow) -> dict[str, Any]:
    session = table.session
    return {
        "table": link(table),
        "pit": table.pit.code,
        "status": table_state(table),
        "session": link(session, session and f"{session.number} ({session.gaming_day})"),
        "play": play_of(table),
        "dealer": link(now.dealer, nothing="nobody signed in"),
        "seats": f"{now.occupied} of {table.rules.body['seats']}",
        "tray": money(now.tray, table.casino.currency),
        "last": anchor(entries_address(table.stream, now.last_seq, now.last_seq), now.last_kind),
        "last_at": now.last_at,
    }
