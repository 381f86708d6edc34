"""The results of a period, read from the floor's rows and what was worked out of the journal."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from django.db.models import Count, Min, Q

from audit.master_game import Line, lines_by
from audit.models import SessionPlay
from audit.results import BY_SHEET, Results
from audit.selectors.sheets import KeySums, play_sums, sheets_of
from tables.figures import known_sum
from tables.models import Casino, SessionStatus, Staff, Stint
from tables.selectors.stints import stint_figures

NOBODY = "nobody"


def results(casino: Casino, *, by: str, first: date, last: date) -> Results:
    """What a casino's gaming days came to; nothing is written.

    Args:
        by: one of `audit.results.GROUPINGS`.
        first, last: gaming days, both included.
    """
    sheets = sheets_of(casino, first, last)
    return Results(
        casino=casino.name,
        currency=casino.currency,
        by=by,
        first=first,
        last=last,
        sheets=sheets,
        lines=lines_by(sheets, BY_SHEET[by]) if by in BY_SHEET else _lines(casino, by, first, last),
        as_of=_worked_out(casino, first, last),
    )


def _worked_out(casino: Casino, first: date, last: date) -> datetime | None:
    """When the play of the sessions that are open was worked out last, the one longest ago."""
    rows = SessionPlay.objects.filter(session__table__casino=casino, session__status=SessionStatus.OPEN)
    found: datetime | None = rows.filter(session__gaming_day__range=(first, last)).aggregate(
        at=Min("worked_out_at")
    )["at"]
    return found


def _lines(casino: Casino, by: str, first: date, last: date) -> list[Line]:
    """The lines of dealers or shifts: what was played, and of the rest what can be known."""
    sums = play_sums(casino, first, last, by=by)
    if by == "shift":
        return [_line(str(key), sums[key]) for key in sorted(sums, key=str)]
    badges = {str(row.id): row.badge for row in Staff.objects.filter(id__in=[key for key in sums if key])}
    trays = _trays(casino, first, last)
    named = sorted((badges.get(key or "", NOBODY), key) for key in sums)
    return [_line(name, sums[key], trays.get(key)) for name, key in named]


def _line(name: str, sums: KeySums, tray: int | None = None) -> Line:
    return Line(name=name, sessions=sums.sessions, play=sums.play, tray=tray)


def _trays(casino: Casino, first: date, last: date) -> Mapping[str | None, int | None]:
    """T of each dealer whose stints all lie between two counts; of the others there is none."""
    stints = Stint.objects.filter(table__casino=casino, session__gaming_day__range=(first, last))
    uncounted = Q(began_total=None) | Q(ended_total=None)
    whole = stints.values("dealer").annotate(open=Count("id", filter=uncounted)).filter(open=0)
    counted: Sequence[Stint] = list(stints.filter(dealer__in=whole.values("dealer")))
    figures = stint_figures(counted)
    by_dealer: dict[str, list[int | None]] = {}
    for stint in counted:
        by_dealer.setdefault(str(stint.dealer_id), []).append(figures[stint.id].tray)
    return {dealer: known_sum(parts) for dealer, parts in by_dealer.items()}
