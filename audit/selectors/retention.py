"""What a house must keep by its profile, and what it need not keep at hand any more; nothing is ever deleted.

The journal is one chain, and no part of it is taken out: what may be archived is what people look at,
exports, bundles and backups of gaming days that are older than the profile's years, once nothing about them
is open.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, Max, Min

from audit.models import Finding, FindingStatus
from tables.models import Casino, ClosedDay, TableSession
from tables.selectors.jurisdiction import profile_on


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What must be kept of a casino's gaming days, and since when.

    Attributes:
        keep_from: the first gaming day that must be kept; every later one must be, too.
        days, sessions, rounds: what is older, closed, and about which no finding is open.
        first, last: the first and the last gaming day of it; None where there is none.
        held_back: older gaming days that must be kept all the same: not closed, or a finding is open.
    """

    casino: str
    profile: str
    years: int
    source: str
    keep_from: date
    days: int
    sessions: int
    rounds: int
    first: date | None
    last: date | None
    held_back: tuple[date, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "casino": self.casino,
            "profile": self.profile,
            "years": self.years,
            "source": self.source,
            "keep_from": self.keep_from.isoformat(),
            "may_be_archived": {
                "days": self.days,
                "sessions": self.sessions,
                "rounds": self.rounds,
                "from": self.first and self.first.isoformat(),
                "to": self.last and self.last.isoformat(),
            },
            "held_back": [day.isoformat() for day in self.held_back],
        }


def first_kept(today: date, years: int) -> date:
    """The first gaming day that is not older than so many years.

    Whatever was on the 29th of February is kept to the last of February.
    """
    try:
        then = today.replace(year=today.year - years)
    except ValueError:
        then = date(today.year - years, 2, 28)
    return then + timedelta(days=1)


def retention(casino: Casino, today: date) -> Retention:
    """What a casino must keep on a gaming day, and what it need not keep at hand."""
    profile = profile_on(casino, today)
    keep_from = first_kept(today, profile.retention_years)
    older = TableSession.objects.filter(table__casino=casino, gaming_day__lt=keep_from)
    open_findings = Finding.objects.filter(casino=casino).exclude(status=FindingStatus.RESOLVED)
    troubled = set(open_findings.filter(gaming_day__lt=keep_from).values_list("gaming_day", flat=True))
    closed = set(ClosedDay.objects.filter(casino=casino).values_list("gaming_day", flat=True))
    days = set(older.values_list("gaming_day", flat=True).distinct())
    held_back = {day for day in days if day not in closed or day in troubled}
    sums = older.exclude(gaming_day__in=held_back).aggregate(
        days=Count("gaming_day", distinct=True),
        sessions=Count("id", distinct=True),
        rounds=Count("rounds"),
        first=Min("gaming_day"),
        last=Max("gaming_day"),
    )
    return Retention(
        casino=casino.name,
        profile=f"{profile.name} v{profile.version}",
        years=profile.retention_years,
        source=profile.sources["retention_years"],
        keep_from=keep_from,
        held_back=tuple(sorted(held_back)),
        **sums,
    )
