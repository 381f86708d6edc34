"""The jurisdiction profile a house plays by."""

from datetime import date

from django.utils import timezone

from tables.figures import gaming_day
from tables.jurisdiction.catalogue import in_force
from tables.jurisdiction.profile import Profile
from tables.models import Casino


def profile_on(casino: Casino, day: date) -> Profile:
    """The profile in force on a gaming day."""
    return in_force(casino.profiles, day)


def profile_now(casino: Casino) -> Profile:
    """The profile in force on the gaming day that runs now."""
    return profile_on(casino, _today(casino))


def profiles_ahead(casino: Casino) -> list[Profile]:
    """The profile in force now, and those chosen for gaming days to come."""
    today = _today(casino)
    chosen = {date.fromisoformat(kept["from"]) for kept in casino.profiles}
    return [profile_on(casino, day) for day in sorted({today, *(day for day in chosen if day > today)})]


def _today(casino: Casino) -> date:
    return gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
