"""What the master game report is made of, read from the floor's rows and the journal."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.db.models import Sum

from audit.master_game import Adjustment, MasterGame, Sheet
from audit.selectors.hold import hold_judgements
from audit.selectors.journal import parsed
from audit.selectors.sheets import sheets_of
from ledger.models import Entry, Movement
from tables.models import Casino, ClosedDay, TableSession
from tables.selectors.jurisdiction import profile_on

CORRECTIONS = ("correction.post", "round.correct", "round.cancel", "entry.reverse", "chips.reject")


def master_game(casino: Casino, day: date) -> MasterGame:
    """The master game report of a gaming day as it is known now; nothing is written."""
    year = sheets_of(casino, day.replace(month=1, day=1), day, in_detail=day)
    today = [sheet for sheet in year if sheet.gaming_day == day]
    closed = ClosedDay.objects.filter(casino=casino, gaming_day=day).first()
    return MasterGame(
        casino=casino.name,
        currency=casino.currency,
        gaming_day=day,
        profile=profile_on(casino, day),
        sheets=today,
        month=[sheet for sheet in year if sheet.gaming_day.month == day.month],
        year=year,
        adjustments=_adjustments(today),
        closed=closed.figures if closed else None,
        holds=hold_judgements(casino, day) if closed else (),
    )


def _adjustments(sheets: Iterable[Sheet]) -> list[Adjustment]:
    """The corrections that were made while the sessions of these sheets were open, in order."""
    spans = TableSession.objects.filter(id__in=[sheet.session for sheet in sheets])
    found = []
    for session in spans.select_related("table").order_by("table__code", "number"):
        rows = Entry.objects.filter(stream__name=session.table.stream, kind__in=CORRECTIONS)
        rows = rows.filter(seq__gt=session.opened_seq)
        if session.closed_seq is not None:
            rows = rows.filter(seq__lt=session.closed_seq)
        found += [_adjustment(session.table.stream, entry) for entry in rows.order_by("seq")]
    return found


def _adjustment(stream: str, entry: Entry) -> Adjustment:
    said: dict[str, Any] = parsed(entry.payload)
    moved = Movement.objects.filter(stream_id=entry.stream_id, seq=entry.seq).aggregate(sum=Sum("amount"))
    return Adjustment(
        stream=stream,
        seq=entry.seq,
        kind=entry.kind,
        amount=int(moved["sum"] or 0),
        reason=str(said.get("reason", "")),
        note=str(said.get("note", "")),
    )
